import FileTransfer
import Glibc
import PeerProtocol
import ServiceRuntime
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReceivedFileTests {
  let bench: ReceiverBench
  init() throws { bench = try ReceiverBench() }

  @Test func aFileTakesItsNameWhenItIsWhole() throws {
    let sink = try bench.folder().sink(for: ReceiverBench.file("report.pdf", 5))
    try sink.begin(
      try #require(
        TransferEntry(
          path: [], kind: .file(sizeBytes: 5, isExecutable: true), modifiedAtUnixSeconds: 1_700_000_000)),
      index: 0, at: 0)
    try sink.write([1, 2, 3])
    #expect(try bench.visibleNames().isEmpty)
    try sink.write([4, 5])
    try sink.complete()
    #expect(try bench.visibleNames().isEmpty)
    try sink.finish()
    #expect(try bench.visibleNames() == ["report from Anna.pdf"])
    #expect(sink.resultPath == "\(bench.path)/report from Anna.pdf")
    #expect(try bench.content("report from Anna.pdf") == [1, 2, 3, 4, 5])
    #expect(try bench.partialNames().isEmpty)
    var information = stat()
    #expect(stat("\(bench.path)/report from Anna.pdf", &information) == 0)
    #expect(information.st_mtim.tv_sec == 1_700_000_000)
    // What a peer sends cannot run before somebody allows it.
    #expect(information.st_mode & 0o111 == 0)
    #expect(bench.directory.mode(of: ".partial") == 0o700)
  }

  @Test func nothingIsOverwritten() throws {
    let folder = try bench.folder()
    for value in UInt8(1)...3 {
      let sink = try folder.sink(for: ReceiverBench.file("a.txt", 1))
      try sink.send([], [value], index: 0)
      try sink.finish()
    }
    #expect(try bench.visibleNames() == ["a from Anna (2).txt", "a from Anna (3).txt", "a from Anna.txt"])
    #expect(try bench.content("a from Anna.txt") == [1])
    #expect(try bench.content("a from Anna (3).txt") == [3])
  }

  @Test func aLinkInTheWayIsNeitherFollowedNorReplaced() throws {
    let victim = try TemporaryDirectory()
    try write([9], to: "\(victim.path)/secret")
    symlink("\(victim.path)/secret", "\(bench.path)/a from Anna.txt")
    symlink("/nowhere/at/all", "\(bench.path)/a from Anna (2).txt")
    let sink = try bench.folder().sink(for: ReceiverBench.file("a.txt", 1))
    try sink.send([], [1], index: 0)
    try sink.finish()
    #expect(sink.resultPath == "\(bench.path)/a from Anna (3).txt")
    #expect(try Files.read("\(victim.path)/secret", maximumBytes: 10) == [9])
  }

  @Test func hostileNamesStayInTheFolder() throws {
    let folder = try bench.folder { $0.naming = .asSent }
    for name in ["../../escape", "/etc/cron.d/job", ".bashrc", "..", "x\u{1b}[2J", "-rf"] {
      let sink = try folder.sink(for: ReceiverBench.file(name, 1))
      try sink.send([], [1], index: 0)
      try sink.finish()
    }
    #expect(try bench.visibleNames() == ["_-rf", "_.bashrc", "escape", "file", "job", "x_[2J"])
  }

  @Test func theSendersNameIsAsHarmlessAsTheFiles() throws {
    let terms = ReceivingTerms(
      sender: [1], senderName: "../\u{1b}[2J" + String(repeating: "Anna", count: 100), name: "a.txt",
      content: .file(sizeBytes: 0, modifiedAtUnixSeconds: nil))
    let folder = try bench.folder()
    for _ in 0..<2 {
      let sink = try folder.sink(for: terms)
      try sink.send([], [], index: 0)
      try sink.finish()
    }
    let names = try bench.visibleNames()
    #expect(names.count == 2)
    #expect(names.allSatisfy { $0.hasPrefix("a from .._[2JAnna") && $0.hasSuffix(".txt") })
  }

  @Test func moreBytesThanDeclaredAreRefused() throws {
    let sink = try bench.folder().sink(for: ReceiverBench.file("a", 4))
    let entry = try #require(TransferEntry(path: [], kind: .file(sizeBytes: 4, isExecutable: false)))
    try sink.begin(entry, index: 0, at: 0)
    try sink.write([1, 2, 3])
    #expect(reason { try sink.write([4, 5]) } == .changed)
    sink.abandon(isResumable: true)
    // After a lie of the peer nothing is kept, even if it may be.
    #expect(try bench.partialNames().isEmpty)
  }

  @Test func fewerBytesThanDeclaredAreNoSuccess() throws {
    let sink = try bench.folder().sink(for: ReceiverBench.file("a", 4))
    try sink.begin(
      try #require(TransferEntry(path: [], kind: .file(sizeBytes: 4, isExecutable: false))), index: 0, at: 0)
    try sink.write([1, 2, 3])
    #expect(reason { try sink.complete() } == .changed)
    #expect(reason { try sink.finish() } == .changed)
    sink.abandon(isResumable: false)
    #expect(try bench.visibleNames().isEmpty)
    #expect(try bench.partialNames().isEmpty)
  }

  @Test func anotherFileThanOfferedIsRefused() throws {
    let entries = [
      TransferEntry(path: ["x"], kind: .file(sizeBytes: 4, isExecutable: false)),
      TransferEntry(path: [], kind: .file(sizeBytes: 5, isExecutable: false)),
      TransferEntry(path: [], kind: .folder),
    ]
    let folder = try bench.folder()
    for entry in entries {
      let sink = try folder.sink(for: ReceiverBench.file("a", 4))
      let wrong = try #require(entry)
      #expect(reason { try sink.begin(wrong, index: 0, at: 0) } == .changed)
      sink.abandon(isResumable: true)
    }
    let sink = try folder.sink(for: ReceiverBench.file("a", 4))
    let right = try #require(TransferEntry(path: [], kind: .file(sizeBytes: 4, isExecutable: false)))
    #expect(reason { try sink.begin(right, index: 1, at: 0) } == .changed)
    #expect(reason { try sink.begin(right, index: 0, at: 1) } == .changed)
    sink.abandon(isResumable: true)
    #expect(try bench.partialNames().isEmpty)
  }

  @Test func aLimitRefusesBeforeTheFirstByte() throws {
    let folder = try bench.folder { $0.maximumBytes = 100 }
    #expect(throws: ReceivingError.tooLarge(bytes: 101, maximum: 100)) {
      try folder.sink(for: ReceiverBench.file("a", 101))
    }
    let small = try bench.folder { $0.maximumEntries = 3 }
    #expect(throws: ReceivingError.tooManyEntries(4, maximum: 3)) {
      try small.sink(for: ReceiverBench.folder("a", entries: 4, bytes: 0))
    }
    #expect(try bench.partialNames().isEmpty)
  }

  @Test func whatDoesNotFitIsRefusedBeforeTheFirstByte() throws {
    let folder = try bench.folder { $0.reserveBytes = 1 << 62 }
    let error = #expect(throws: ReceivingError.self) { try folder.sink(for: ReceiverBench.file("a", 1)) }
    guard case .noRoom(needed: 1, available: 0) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try bench.partialNames().isEmpty)
  }

  @Test func oneOfferHasOneSink() throws {
    let folder = try bench.folder()
    let first = try folder.sink(for: ReceiverBench.file("a", 4))
    #expect(throws: ReceivingError.alreadyReceiving("a")) { try folder.sink(for: ReceiverBench.file("a", 4)) }
    // Another program with the same folder as well.
    #expect(throws: ReceivingError.alreadyReceiving("a")) {
      try bench.folder().sink(for: ReceiverBench.file("a", 4))
    }
    // The same name from another peer is another file.
    let other = try folder.sink(for: ReceiverBench.file("a", 4, from: 2))
    try other.send([], [5, 6, 7, 8], index: 0)
    try first.send([], [1, 2, 3, 4], index: 0)
    try first.finish()
    try other.finish()
    #expect(try bench.content("a from Anna") == [1, 2, 3, 4])
    #expect(try bench.content("a from Anna (2)") == [5, 6, 7, 8])
  }

  /// As one does that waited for the disk, and sweeping.
  @Test func whoHoldsTheRecordForAMomentDoesNotRefuseTheNextTry() throws {
    let folder = try bench.folder()
    var name: String?
    do {
      let first = try folder.sink(for: ReceiverBench.file("a", 4))
      name = try bench.partialNames().first { $0.hasSuffix(".record") }
      withExtendedLifetime(first) {}
    }
    let record = open("\(bench.path)/.partial/\(try #require(name))", O_RDWR | O_CREAT, 0o600)
    try #require(record >= 0 && flock(record, LOCK_EX | LOCK_NB) == 0)
    let holder = try WorkerThread(name: "holder") {
      usleep(60_000)
      flock(record, LOCK_UN)
    }
    let next = try folder.sink(for: ReceiverBench.file("a", 4))
    holder.join()
    close(record)
    try next.send([], [1, 2, 3, 4], index: 0)
    try next.finish()
    #expect(try bench.content("a from Anna") == [1, 2, 3, 4])
  }

  @Test func anUnsafePrivateFolderIsNotUsed() throws {
    let elsewhere = try TemporaryDirectory()
    symlink(elsewhere.path, "\(bench.path)/.partial")
    #expect(throws: ReceivingError.privateFolderUnsafe("it is no directory but a link or a file")) {
      try bench.folder()
    }
    unlink("\(bench.path)/.partial")
    mkdir("\(bench.path)/.partial", 0o700)
    chmod("\(bench.path)/.partial", 0o755)
    #expect(throws: ReceivingError.privateFolderUnsafe("other users can open it")) { try bench.folder() }
    if geteuid() == 0 {
      chmod("\(bench.path)/.partial", 0o700)
      chown("\(bench.path)/.partial", 12345, 12345)
      #expect(throws: ReceivingError.privateFolderUnsafe("it belongs to another user")) { try bench.folder() }
    } else {
      print("skipped a part: only root can give a folder to another user")
    }
  }

  @Test func theFolderMayBeSwappedForALinkInTheMiddle() throws {
    let outer = try TemporaryDirectory()
    let victim = try TemporaryDirectory()
    mkdir("\(outer.path)/in", 0o755)
    let folder = try ReceivedFolder(path: "\(outer.path)/in")
    let sink = try folder.sink(for: ReceiverBench.file("a", 2))
    try sink.begin(
      try #require(TransferEntry(path: [], kind: .file(sizeBytes: 2, isExecutable: false))), index: 0, at: 0)
    try sink.write([1])
    #expect(rename("\(outer.path)/in", "\(outer.path)/moved") == 0)
    symlink(victim.path, "\(outer.path)/in")
    try sink.write([2])
    try sink.complete()
    try sink.finish()
    #expect(try names(in: victim.path).isEmpty)
    #expect(try names(in: "\(outer.path)/moved") == [".partial", "a from Anna"])
  }
}

/// The reason of the storage error that a step throws; nil when it throws nothing or something else.
func reason(_ step: () throws -> Void) -> StorageError.Reason? {
  do {
    try step()
    return nil
  } catch { return (error as? StorageError)?.reason }
}

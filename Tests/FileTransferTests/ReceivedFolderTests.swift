import FileTransfer
import Glibc
import PeerProtocol
import ServiceRuntime
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReceivedFolderTests {
  let bench: ReceiverBench
  init() throws { bench = try ReceiverBench() }

  @Test func aFolderAppearsWhenItIsWhole() throws {
    let sink = try bench.folder().sink(for: ReceiverBench.folder("trip.2024", entries: 4, bytes: 5))
    try sink.send(["a"], [1, 2], index: 0)
    try sink.sendFolder(["sub"], index: 1)
    try sink.send(["sub", "b"], [3, 4, 5], index: 2)
    #expect(try bench.visibleNames().isEmpty)
    try sink.send(["sub", "empty"], [], index: 3)
    try sink.finish()
    #expect(try bench.visibleNames() == ["trip.2024 from Anna"])
    #expect(try names(in: "\(bench.path)/trip.2024 from Anna/sub") == ["b", "empty"])
    #expect(try bench.content("trip.2024 from Anna/sub/b") == [3, 4, 5])
    #expect(try bench.partialNames().isEmpty)
  }

  @Test func anEmptyFolderArrives() throws {
    let sink = try bench.folder().sink(for: ReceiverBench.folder("empty", entries: 0, bytes: 0))
    try sink.finish()
    #expect(try names(in: "\(bench.path)/empty from Anna").isEmpty)
  }

  @Test func aSecondFolderOfThatNameDoesNotMixWithTheFirst() throws {
    let folder = try bench.folder()
    for value in UInt8(1)...2 {
      let sink = try folder.sink(for: ReceiverBench.folder("trip", entries: 1, bytes: 1))
      try sink.send(["file\(value)"], [value], index: 0)
      try sink.finish()
    }
    #expect(try bench.visibleNames() == ["trip from Anna", "trip from Anna (2)"])
    #expect(try names(in: "\(bench.path)/trip from Anna (2)") == ["file2"])
  }

  @Test(arguments: [
    ["..", "x"], ["a", "..", "..", "x"], ["/etc/passwd"], ["."], [], ["a\0"], ["missing", "x"], ["a", "x"],
  ]) func aPathThatIsNotInsideIsRefused(path: [String]) throws {
    let sink = try bench.folder().sink(for: ReceiverBench.folder("f", entries: 9, bytes: 9))
    // "a" is a file: nothing can be in it.
    try sink.send(["a"], [1], index: 0)
    // The shape of the path may already be more than an entry carries.
    guard let entry = TransferEntry(path: path, kind: .file(sizeBytes: 1, isExecutable: false)) else {
      return
    }
    #expect(reason { try sink.begin(entry, index: 1, at: 0) } == .unsafeName)
    sink.abandon(isResumable: true)
    #expect(try bench.visibleNames().isEmpty)
    #expect(try bench.partialNames().isEmpty)
  }

  @Test(arguments: [(["a"], ["a"]), ([".x"], ["_.x"]), (["n\u{1}"], ["n\u{2}"])])
  func twoEntriesOfOnePlaceAreRefused(
    first: [String], second: [String]
  ) throws {
    for isFolder in [false, true] {
      let sink = try bench.folder().sink(for: ReceiverBench.folder("f", entries: 9, bytes: 9))
      try sink.sendFolder(first, index: 0)
      let kind: TransferEntry.Kind = isFolder ? .folder : .file(sizeBytes: 1, isExecutable: false)
      let entry = try #require(TransferEntry(path: second, kind: kind))
      #expect(reason { try sink.begin(entry, index: 1, at: 0) } == .unsafeName)
      sink.abandon(isResumable: true)
      #expect(try bench.partialNames().isEmpty)
    }
  }

  @Test func moreThanOfferedIsRefused() throws {
    let folder = try bench.folder()
    let bytes = try folder.sink(for: ReceiverBench.folder("f", entries: 2, bytes: 3))
    try bytes.send(["a"], [1, 2], index: 0)
    let large = try #require(TransferEntry(path: ["b"], kind: .file(sizeBytes: 2, isExecutable: false)))
    #expect(reason { try bytes.begin(large, index: 1, at: 0) } == .changed)
    bytes.abandon(isResumable: true)
    let huge = try #require(TransferEntry(path: ["b"], kind: .file(sizeBytes: .max, isExecutable: false)))
    let count = try folder.sink(for: ReceiverBench.folder("f", entries: 1, bytes: 3))
    #expect(reason { try count.begin(huge, index: 0, at: 0) } == .changed)
    try count.send(["a"], [1], index: 0)
    let more = try #require(TransferEntry(path: ["b"], kind: .file(sizeBytes: 1, isExecutable: false)))
    #expect(reason { try count.begin(more, index: 1, at: 0) } == .changed)
    // Nor is less than offered a success.
    #expect(reason { try count.finish() } == .changed)
    count.abandon(isResumable: true)
    #expect(try bench.visibleNames().isEmpty)
    #expect(try bench.partialNames().isEmpty)
  }

  @Test func aFolderSwappedForALinkIsNotEntered() throws {
    let victim = try TemporaryDirectory()
    let sink = try bench.folder().sink(for: ReceiverBench.folder("f", entries: 9, bytes: 99))
    try sink.sendFolder(["a"], index: 0)
    try sink.sendFolder(["b"], index: 1)
    try sink.send(["a", "1"], [1], index: 2)
    let partial = try #require(try bench.partialNames().first { $0.hasSuffix(".tree") })
    let tree = "\(bench.path)/.partial/\(partial)"
    // The open folder stays the one that it was, wherever it is moved.
    #expect(rename("\(tree)/a", "\(bench.path)/moved") == 0)
    symlink(victim.path, "\(tree)/a")
    try sink.send(["a", "2"], [2], index: 3)
    #expect(try names(in: "\(bench.path)/moved") == ["1", "2"])
    // One that is looked up anew is found to be a link.
    try sink.send(["b", "3"], [3], index: 4)
    let entry = try #require(TransferEntry(path: ["a", "4"], kind: .file(sizeBytes: 1, isExecutable: false)))
    #expect(reason { try sink.begin(entry, index: 5, at: 0) } == .unsafeName)
    sink.abandon(isResumable: true)
    // And the removal of the rest does not follow it.
    #expect(try names(in: victim.path).isEmpty)
    #expect(try bench.partialNames().isEmpty)
  }

  @Test func removingAPartDoesNotFollowLinks() throws {
    let victim = try TemporaryDirectory()
    try write([1], to: "\(victim.path)/precious")
    let sink = try bench.folder().sink(for: ReceiverBench.folder("f", entries: 9, bytes: 99))
    try sink.sendFolder(["a"], index: 0)
    let partial = try #require(try bench.partialNames().first { $0.hasSuffix(".tree") })
    symlink(victim.path, "\(bench.path)/.partial/\(partial)/a/link")
    sink.abandon(isResumable: false)
    #expect(try bench.partialNames().isEmpty)
    #expect(try names(in: victim.path) == ["precious"])
  }

  @Test func theExecutableBitIsKeptWhenTheUserSaysSo() throws {
    let folder = try bench.folder { $0.keepsExecutableBit = true }
    let sink = try folder.sink(for: ReceiverBench.folder("f", entries: 2, bytes: 2))
    try sink.send(["run"], [1], index: 0, isExecutable: true)
    try sink.send(["text"], [1], index: 1)
    try sink.finish()
    #expect(bench.directory.mode(of: "f from Anna/run").map { $0 & 0o111 != 0 } == true)
    #expect(bench.directory.mode(of: "f from Anna/text").map { $0 & 0o111 } == 0)
  }
}

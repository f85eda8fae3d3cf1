import Glibc
import PeerProtocol
import ServiceRuntime
import TestSupport
import Testing

@testable import FileTransfer

@Suite(.timeLimit(.minutes(1))) struct KeptPartialTests {
  let bench: ReceiverBench
  init() throws { bench = try ReceiverBench() }

  private func leavePart(_ folder: ReceivedFolder, _ name: String, _ bytes: [UInt8], of size: Int) throws {
    let sink = try folder.sink(for: ReceiverBench.file(name, size))
    try sink.begin(
      try #require(TransferEntry(path: [], kind: .file(sizeBytes: UInt64(size), isExecutable: false))),
      index: 0, at: 0)
    try sink.write(bytes)
    sink.abandon(isResumable: true)
  }

  @Test func aBrokenFileGoesOnWhereItWas() throws {
    try leavePart(try bench.folder(), "a", [1, 2, 3], of: 5)
    let sink = try bench.folder().sink(for: ReceiverBench.file("a", 5))
    #expect(try sink.position() == TransferPosition(entryIndex: 0, offsetBytes: 3))
    #expect(try sink.readBack(3) == [1, 2, 3])
    let entry = try #require(TransferEntry(path: [], kind: .file(sizeBytes: 5, isExecutable: false)))
    try sink.begin(entry, index: 0, at: 3)
    try sink.write([4, 5])
    try sink.complete()
    try sink.finish()
    #expect(try bench.content("a from Anna") == [1, 2, 3, 4, 5])
    #expect(try bench.partialNames().isEmpty)
  }

  @Test func aPrefixThatDiffersIsWrittenAnew() throws {
    try leavePart(try bench.folder(), "a", [9, 9, 9], of: 5)
    let sink = try bench.folder().sink(for: ReceiverBench.file("a", 5))
    try sink.send([], [1, 2, 3, 4, 5], index: 0)
    try sink.finish()
    #expect(try bench.content("a from Anna") == [1, 2, 3, 4, 5])
  }

  @Test func aBreakWithoutAnEndIsGoneOnWithToo() throws {
    // The program was killed: nobody said "abandon".
    do {
      let sink = try bench.folder().sink(for: ReceiverBench.file("a", 5))
      try sink.begin(
        try #require(TransferEntry(path: [], kind: .file(sizeBytes: 5, isExecutable: false))), index: 0, at: 0
      )
      try sink.write([1, 2])
    }
    let sink = try bench.folder().sink(for: ReceiverBench.file("a", 5))
    #expect(try sink.position().offsetBytes == 2)
  }

  @Test func afterAnotherStartOfTheSystemOnlyWhatCanBeComparedIsUsed() throws {
    func restart(_ terms: ReceivingTerms) throws {
      let record = try #require(try bench.partialNames().first { $0.hasSuffix(".record") })
      let other = PartialRecord(bootID: "00000000-0000-4000-8000-000000000000", terms: terms)
      try write(other.encoded(), to: "\(bench.path)/.partial/\(record)")
    }
    let terms = ReceiverBench.file("a", 5)
    try leavePart(try bench.folder(), "a", [1, 2], of: 5)
    try restart(terms)
    let sink = try bench.folder().sink(for: terms)
    #expect(try sink.position().offsetBytes == 2)
    sink.abandon(isResumable: false)
    let folder = ReceiverBench.folder("f", entries: 2, bytes: 4)
    let first = try bench.folder().sink(for: folder)
    try first.send(["a"], [1, 2], index: 0)
    first.abandon(isResumable: true)
    try restart(folder)
    #expect(try bench.folder().sink(for: folder).position() == .start)
  }

  @Test func aFolderThatReachedTheDiskGoesOnAfterAnotherStartOfTheSystem() throws {
    let terms = ReceiverBench.folder("f", entries: 2, bytes: 4)
    func storedBootID() throws -> String {
      let record = try #require(try bench.partialNames().first { $0.hasSuffix(".record") })
      let bytes = try Files.read("\(bench.path)/.partial/\(record)", maximumBytes: PartialRecord.maximumBytes)
      return try #require(PartialRecord(decoding: bytes)).bootID
    }
    let durable = try bench.folder { $0.isDurable = true }
    let first = try durable.sink(for: terms)
    try first.send(["a"], [1, 2], index: 0)
    #expect(try storedBootID() != PartialRecord.settledBootID, "while it grows it counts for this start only")
    first.abandon(isResumable: true)
    #expect(try storedBootID() == PartialRecord.settledBootID)

    let second = try durable.sink(for: terms)
    #expect(try second.position() == TransferPosition(entryIndex: 1, offsetBytes: 0))
    #expect(try storedBootID() != PartialRecord.settledBootID)
    second.abandon(isResumable: true)
    let hasty = try bench.folder { $0.isDurable = false }.sink(for: terms)
    hasty.abandon(isResumable: true)
    #expect(try storedBootID() != PartialRecord.settledBootID)
  }

  @Test func nothingIsKeptWhenThePolicySaysSo() throws {
    try leavePart(try bench.folder { $0.keepsPartials = false }, "a", [1], of: 5)
    #expect(try bench.partialNames().isEmpty)
    try leavePart(try bench.folder(), "a", [1], of: 5)
    let sink = try bench.folder { $0.keepsPartials = false }.sink(for: ReceiverBench.file("a", 5))
    #expect(try sink.position() == .start)
  }

  @Test func anotherOfferDoesNotGoOnWithThePart() throws {
    let folder = try bench.folder()
    try leavePart(folder, "a", [1, 2], of: 5)
    for terms in [
      ReceiverBench.file("a", 6), ReceiverBench.file("b", 5), ReceiverBench.file("a", 5, from: 2),
      ReceiverBench.file("a", 5, modified: nil), ReceiverBench.file("a", 5, modified: 1_700_000_001),
    ] {
      let sink = try folder.sink(for: terms)
      #expect(try sink.position() == .start)
      sink.abandon(isResumable: true)
    }
    #expect(try folder.sink(for: ReceiverBench.file("a", 5)).position().offsetBytes == 2)
  }

  @Test func aFolderGoesOnInTheMiddleOfAFile() throws {
    let terms = ReceiverBench.folder("f", entries: 4, bytes: 8)
    let first = try bench.folder().sink(for: terms)
    try first.send(["a"], [1, 2], index: 0)
    try first.sendFolder(["s"], index: 1)
    let entry = try #require(TransferEntry(path: ["s", "b"], kind: .file(sizeBytes: 4, isExecutable: false)))
    try first.begin(entry, index: 2, at: 0)
    try first.write([3, 4])
    first.abandon(isResumable: true)

    let second = try bench.folder().sink(for: terms)
    #expect(try second.position() == TransferPosition(entryIndex: 2, offsetBytes: 2))
    #expect(try second.readBack(2) == [3, 4])
    try second.begin(entry, index: 2, at: 2)
    try second.write([5, 6])
    try second.complete()
    try second.send(["s", "c"], [7, 8], index: 3)
    try second.finish()
    #expect(try bench.content("f from Anna/s/b") == [3, 4, 5, 6])
    #expect(try bench.content("f from Anna/a") == [1, 2])
  }

  @Test func aFolderThatChangedOrDoesNotSayIsReceivedFromItsBeginning() throws {
    for (first, second) in [([1], [2]), ([], [])] as [([UInt8], [UInt8])] {
      let sink = try bench.folder().sink(for: ReceiverBench.folder("f", entries: 2, bytes: 4, key: first))
      try sink.send(["a"], [1, 2], index: 0)
      sink.abandon(isResumable: true)
      let again = try bench.folder().sink(for: ReceiverBench.folder("f", entries: 2, bytes: 4, key: second))
      #expect(try again.position() == .start)
      again.abandon(isResumable: false)
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4]) func aFolderCutAtAnyPlaceArrivesWhole(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let origin = try TemporaryDirectory()
    mkdir("\(origin.path)/x", 0o755)
    mkdir("\(origin.path)/x/sub", 0o755)
    var contents: [String: [UInt8]] = [:]
    for number in 0..<6 {
      let name = "\(number < 3 ? "sub/" : "")file\(number)"
      contents[name] = pattern([0, 1, 10_007, 50_000, 3, 20_014][number], seed: seed &+ UInt64(number))
      try write(contents[name] ?? [], to: "\(origin.path)/x/\(name)")
    }
    let folder = try bench.folder()
    var isDone = false
    var attempts = 0
    while !isDone {
      attempts += 1
      // A new list each time, as after a restart of the sender.
      let source = try FolderSource(path: "\(origin.path)/x")
      let terms = ReceiverBench.folder(
        source.name, entries: source.entryCount, bytes: Int(source.sizeBytes), key: source.contentKey)
      let sink = try folder.sink(for: terms)
      let limit = attempts > 20 ? Int.max : Int.random(in: 1...30_000, using: &random)
      isDone = try transfer(from: source, to: sink, stoppingAfter: limit)
      if !isDone { sink.abandon(isResumable: true) }
      source.close()
    }
    #expect(attempts > 2)
    for (name, bytes) in contents { #expect(try bench.content("x from Anna/\(name)") == bytes) }
    #expect(try bench.partialNames().isEmpty)
  }

  @Test func oldAndSurplusPartsGo() throws {
    let folder = try bench.folder {
      $0.maximumPartials = 3
      $0.maximumPartialBytes = 100
      $0.maximumPartialAge = .seconds(3600)
    }
    for number in 0..<5 {
      try leavePart(folder, "f\(number)", [1, 2], of: 5)
      try makeOlder()
    }
    #expect(try bench.partialNames().filter { $0.hasSuffix(".data") }.count == 3)
    // The newest three are there.
    for number in 2..<5 {
      let sink = try folder.sink(for: ReceiverBench.file("f\(number)", 5))
      #expect(try sink.position().offsetBytes == 2)
      sink.abandon(isResumable: true)
    }
    try makeOlder()
    try leavePart(folder, "large", pattern(99), of: 200)
    #expect(try bench.partialNames().filter { $0.hasSuffix(".data") }.count == 1)
    folder.sweep(now: Int64(time(nil)) + 7200)
    #expect(try bench.partialNames().isEmpty)
  }

  /// Files of one moment have one age: makes those that are there ten seconds older.
  private func makeOlder() throws {
    for name in try bench.partialNames() where name.hasSuffix(".record") {
      let path = "\(bench.path)/.partial/\(name)"
      var information = stat()
      stat(path, &information)
      let times = [
        timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: information.st_mtim.tv_sec - 10, tv_nsec: 0),
      ]
      utimensat(AT_FDCWD, path, times, 0)
    }
  }

  @Test func sweepingLeavesRunningTransfersAndStrangersAlone() throws {
    let folder = try bench.folder { $0.maximumPartials = 0 }
    let running = try folder.sink(for: ReceiverBench.file("a", 1))
    try write([1], to: "\(bench.path)/.partial/notes.txt")
    mkdir("\(bench.path)/.partial/0123456789abcdef0123456789abcdef.other", 0o755)
    // A remainder without a record: the program was killed while it removed something.
    try write([1], to: "\(bench.path)/.partial/0123456789abcdef0123456789abcdef.data")
    folder.sweep()
    let left = try bench.partialNames()
    #expect(left.contains("notes.txt") && left.contains("0123456789abcdef0123456789abcdef.other"))
    #expect(!left.contains("0123456789abcdef0123456789abcdef.data"))
    try running.send([], [1], index: 0)
    try running.finish()
    #expect(try bench.content("a from Anna") == [1])
  }

  @Test func strangeThingsInPlaceOfThePartAreNotUsed() throws {
    let victim = try TemporaryDirectory()
    try write([7, 7], to: "\(victim.path)/secret")
    let folder = try bench.folder()
    for makeStrange in [
      { (path: String) in _ = symlink("\(victim.path)/secret", path) },
      { (path: String) in _ = link("\(victim.path)/secret", path) },
      { (path: String) in _ = mkfifo(path, 0o600) },
    ] {
      try leavePart(folder, "a", [1, 2], of: 5)
      let data =
        "\(bench.path)/.partial/" + (try #require(try bench.partialNames().first { $0.hasSuffix(".data") }))
      unlink(data)
      makeStrange(data)
      let sink = try folder.sink(for: ReceiverBench.file("a", 5))
      #expect(try sink.position() == .start)
      try sink.send([], [1, 2, 3, 4, 5], index: 0)
      try sink.finish()
      #expect(try Files.read("\(victim.path)/secret", maximumBytes: 10) == [7, 7])
    }
  }

  @Test func aStrangeThingInPlaceOfTheRecordDoesNotBlockTheOffer() throws {
    let victim = try TemporaryDirectory()
    try write([7, 7], to: "\(victim.path)/secret")
    let folder = try bench.folder()
    for makeStrange in [
      { (path: String) in _ = symlink("\(victim.path)/secret", path) },
      { (path: String) in _ = link("\(victim.path)/secret", path) },
      { (path: String) in _ = mkfifo(path, 0o600) },
    ] {
      try leavePart(folder, "a", [1, 2], of: 5)
      let record =
        "\(bench.path)/.partial/"
        + (try #require(try bench.partialNames().first { $0.hasSuffix(".record") }))
      unlink(record)
      makeStrange(record)
      let sink = try folder.sink(for: ReceiverBench.file("a", 5))
      #expect(try sink.position() == .start)
      try sink.send([], [1, 2, 3, 4, 5], index: 0)
      try sink.finish()
      #expect(try Files.read("\(victim.path)/secret", maximumBytes: 10) == [7, 7])
      #expect(try bench.partialNames().isEmpty)
    }
  }

  @Test func aRecordHasOneForm() throws {
    let records = [
      PartialRecord(bootID: PartialRecord.unknownBootID, terms: ReceiverBench.file("report.pdf", 12)),
      PartialRecord(
        bootID: PartialRecord.unknownBootID, terms: ReceiverBench.file("ä b  c", 0, modified: nil)),
      PartialRecord(
        bootID: "00000000-0000-4000-8000-00000000000a",
        terms: ReceiverBench.folder("x", entries: 3, bytes: 9)),
    ]
    var random = SplitMix64(seed: 99)
    for record in records {
      let bytes = record.encoded()
      #expect(PartialRecord(decoding: bytes) == record)
      for length in 0..<bytes.count { #expect(PartialRecord(decoding: Array(bytes[..<length])) == nil) }
      #expect(PartialRecord(decoding: bytes + [0x0A]) == nil)
      var read = 0
      for _ in 0..<20_000 {
        var damaged = bytes
        for _ in 0...Int.random(in: 0...2, using: &random) {
          let place = Int.random(in: 0..<damaged.count, using: &random)
          switch Int.random(in: 0..<3, using: &random) {
          case 0: damaged[place] = UInt8.random(in: .min ... .max, using: &random)
          case 1: damaged.insert(damaged[place], at: place)
          default: damaged.remove(at: place)
          }
        }
        if let decoded = PartialRecord(decoding: damaged) {
          read += 1
          // What is read back is exactly what would be written.
          #expect(decoded.encoded() == damaged)
        }
      }
      #expect(read > 0, "some damage only changes a value")
    }
  }

  @Test(arguments: [
    "boot 1", "boot 00000000-0000-4000-8000-00000000000A", "boot ",
    "content file 12 -\nextra", "content file 012 -", "content file 12 +5", "content file -1 -",
    "content stream 1 2",
    "name ../x", "name ", "name .x", "origin 00",
  ]) func aWrongLineMakesTheRecordWorthless(line: String) {
    let good = String(
      decoding: PartialRecord(
        bootID: "00000000-0000-4000-8000-00000000000a", terms: ReceiverBench.file("x", 12)
      ).encoded(), as: UTF8.self)
    let key = line.prefix { $0 != " " }
    var lines = good.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for index in lines.indices where lines[index].hasPrefix(key + " ") { lines[index] = line }
    let text = lines.joined(separator: "\n")
    #expect(text != good)
    #expect(PartialRecord(decoding: Array(text.utf8)) == nil)
  }
}

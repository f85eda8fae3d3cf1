import FlightLog
import Glibc
import JSONText
import ServiceRuntime
import Testing

/// A directory that goes with the test.
final class Folder {
  let path: String
  init() throws {
    var template = Array("/tmp/flightlog-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }
  deinit {
    for index in 0...12 { unlink(index == 0 ? log : "\(log).\(index)") }
    rmdir(path)
  }
  var log: String { path + "/drone-navigator.log" }
  func files(bytes: Int = 1_000_000, count: Int = 3) -> LogFiles {
    LogFiles(path: log, maximumFileBytes: bytes, maximumFileCount: count)
  }
  func size(_ index: Int) -> Int? {
    var status = stat()
    return stat(index == 0 ? log : "\(log).\(index)", &status) == 0 ? Int(status.st_size) : nil
  }
}

func record(_ sequence: Int64) -> FlightRecord {
  FlightRecord(
    time: WallClockTime(unixMilliseconds: 1_777_000_000_000 + sequence), monotonicSeconds: Double(sequence),
    event: .command, client: "Ground", clientID: "ab", sequence: sequence, command: "stop")
}

func write(_ range: ClosedRange<Int64>, to files: LogFiles) throws {
  let writer = try FlightLogWriter(files, logger: .silent)
  for sequence in range { writer.write(record(sequence)) }
  writer.close()
}

@Suite(.timeLimit(.minutes(1))) struct WritingAndReading {
  func readAll(_ reader: FlightLogReader) throws -> [FlightRecord] {
    var records: [FlightRecord] = []
    try reader.read { records.append($0) }
    return records
  }

  @Test func rotationKeepsOrderAndBounds() throws {
    let folder = try Folder()
    let files = folder.files(bytes: 1000, count: 3)
    try write(1...100, to: files)
    for index in 0...2 { #expect((1...1000).contains(folder.size(index) ?? 0)) }
    #expect(folder.size(3) == nil)
    let reader = FlightLogReader(path: folder.log)
    let sequences = try readAll(reader).compactMap(\.sequence)
    #expect(sequences.last == 100)
    #expect(sequences == Array((101 - Int64(sequences.count))...100))
    #expect(reader.invalidLineCount == 0)
  }

  @Test func oneFileOnlyStaysOneFile() throws {
    let folder = try Folder()
    try write(1...50, to: folder.files(bytes: 1000, count: 1))
    #expect(folder.size(1) == nil)
    #expect((folder.size(0) ?? 0) <= 1000)
  }

  @Test func sinceLeavesOlderRecordsOut() throws {
    let folder = try Folder()
    try write(1...10, to: folder.files())
    let reader = FlightLogReader(path: folder.log, since: record(8).time)
    #expect(try readAll(reader).compactMap(\.sequence) == [8, 9, 10])
  }

  @Test func powerLossAtEveryByteOfTheLastLineCostsThatLineOnly() throws {
    let line = record(2).json.utf8 + [0x0A]
    for length in 1..<line.count {
      let folder = try Folder()
      try Files.replace(folder.log, with: record(1).json.utf8 + [0x0A] + line[..<length], mode: 0o600)
      let torn = FlightLogReader(path: folder.log)
      #expect(try readAll(torn).compactMap(\.sequence) == [1])
      #expect(torn.endsInsideLine)
      try write(3...3, to: folder.files())
      let reader = FlightLogReader(path: folder.log)
      let records = try readAll(reader)
      // Without only its newline the line is whole.
      let isWhole = length == line.count - 1
      #expect(records.compactMap(\.sequence) == (isWhole ? [1, 2, 3] : [1, 3]))
      #expect(records.contains { $0.event == .note && $0.details["text"] == "the line before is torn" })
      #expect(reader.invalidLineCount == (isWhole ? 0 : 1))
      #expect(!reader.endsInsideLine)
    }
  }

  @Test func followingSurvivesRotation() throws {
    let folder = try Folder()
    let files = folder.files(bytes: 1000, count: 3)
    let reader = FlightLogReader(path: folder.log)
    var sequences: [Int64] = []
    for sequence in Int64(1)...60 {
      try write(sequence...sequence, to: files)
      try reader.read { sequences += $0.sequence.map { [$0] } ?? [] }
    }
    #expect(sequences == Array(1...60))
  }

  @Test func garbageIsSkippedAndCounted() throws {
    let folder = try Folder()
    var content: [UInt8] = []
    var state: UInt64 = 3
    for sequence in Int64(1)...20 {
      content += record(sequence).json.utf8 + [0x0A]
      for _ in 0..<200 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let byte = UInt8(truncatingIfNeeded: state >> 40)
        content.append(byte == 0x0A ? 0 : byte)
      }
      content.append(0x0A)
    }
    content += [UInt8](repeating: 0x61, count: 300_000) + [0x0A] + record(21).json.utf8 + [0x0A]
    try Files.replace(folder.log, with: content, mode: 0o600)
    let reader = FlightLogReader(path: folder.log)
    #expect(try readAll(reader).compactMap(\.sequence) == Array(1...21))
    #expect(reader.invalidLineCount == 21)
  }

  @Test func missingLogIsEmpty() throws {
    let folder = try Folder()
    #expect(try readAll(FlightLogReader(path: folder.log)).isEmpty)
  }

  @Test func fullDiskNeverBlocksTheCaller() throws {
    let writer = try FlightLogWriter(
      LogFiles(path: "/dev/full", maximumFileBytes: 1_000_000, maximumFileCount: 2), capacity: 8,
      logger: .silent)
    let start = ContinuousClock.now
    for sequence in Int64(1)...1000 { writer.write(record(sequence)) }
    #expect(ContinuousClock.now - start < .seconds(2))
    writer.close()
  }

  @Test func lostLinesAreNotedWhenTheDiskWorksAgain() throws {
    let folder = try Folder()
    let mounted = mount("tmpfs", folder.path, "tmpfs", 0, "size=64k")
    guard mounted == 0 else {
      print("skipped lostLinesAreNotedWhenTheDiskWorksAgain: cannot mount a tmpfs (needs root)")
      return
    }
    defer { umount(folder.path) }
    let ballast = folder.path + "/ballast"
    let file = open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { unlink(ballast) }
    let block = [UInt8](repeating: 0, count: 4096)
    while Glibc.write(file, block, block.count) == block.count {}
    close(file)
    let writer = try FlightLogWriter(folder.files(), logger: .silent)
    for sequence in Int64(1)...10 { writer.write(record(sequence)) }
    // The batch is taken and refused before the disk is freed.
    usleep(300_000)
    #expect((folder.size(0) ?? 0) == 0)
    unlink(ballast)
    writer.write(record(11))
    writer.close()
    let records = try readAll(FlightLogReader(path: folder.log))
    #expect(records.map(\.event) == [.note, .command])
    #expect(records.first?.details["lost"] == 10)
    #expect(records.last?.sequence == 11)
    unlink(folder.log)
  }
}

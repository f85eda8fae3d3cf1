import Foundation
import MAVLink
import TestSupport
import Testing

/// pymavlink (PyPI) as the judge, in both directions, for every message that has a type.
@Suite struct PythonJudgeTests {
  private static let scripts = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scripts")

  /// Output and success of a program; its errors go where the test's do.
  static func run(_ arguments: [String], input: String = "") throws -> (String, Bool) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [ProcessInfo.processInfo.environment["DRONE_TEST_PYTHON"] ?? "python3"] + arguments
    let output = Pipe()
    process.standardOutput = output
    // By file, so that neither side can wait for the other's pipe.
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("mavlink-judge-\(UUID().uuidString)")
    try Data(input.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    process.standardInput = try FileHandle(forReadingFrom: file)
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), process.terminationStatus == 0)
  }

  static let isInstalled: Bool = {
    let test = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pymavlink') is None)"
    if let (_, found) = try? run(["-c", test]), found { return true }
    print("skipped: pymavlink is not installed; install it with pip, or set DRONE_TEST_PYTHON")
    return false
  }()

  @Test(.enabled(if: isInstalled), .timeLimit(.minutes(1)))
  func everyMessageOfTheReferenceIsReadAndWrittenAlike() throws {
    let types = Dictionary(
      uniqueKeysWithValues: Dialect.messageTypes.map { ($0.specificationName, $0) })
    let (output, success) = try Self.run(
      [Self.scripts.appendingPathComponent("mavlink-judge").path, "make", "20261130", "40"]
        + types.keys.sorted())
    #expect(success)
    let lines = output.split(separator: "\n")
    #expect(lines.count == 40 * types.count)
    for line in lines {
      let parts = line.split(separator: " ")
      let type = try #require(types[String(parts[0])])
      try compare(type, String(line), parts)
    }
  }

  private func compare<M: Message>(
    _ type: M.Type, _ line: String, _ parts: [Substring]
  ) throws {
    let reference = bytes(fromHex: String(parts[5]))
    let frame = try #require(StreamParser.first(in: reference), "\(line)")
    let message = try #require(frame.decode(M.self), "\(line)")
    let fields = parts[4].split(separator: ";").map { field in
      let halves = field.split(separator: "=", omittingEmptySubsequences: false)
      return "\(plain(String(halves[0])))=\(halves[1])"
    }
    #expect(fieldsText(message) == fields.joined(separator: ";"), "\(line)")
    var encoder = FrameEncoder(
      systemID: try #require(UInt8(parts[2])), componentID: try #require(UInt8(parts[3])),
      sequence: try #require(UInt8(parts[1])))
    #expect(encoder.encode(message) == reference, "\(line)")
    #expect(frame.bytes == reference, "\(line)")
  }

  @Test(.enabled(if: isInstalled), .timeLimit(.minutes(1)))
  func theReferenceReadsAndWritesEveryMessageAlike() throws {
    var generator = SplitMix64(seed: 20_261_130)
    var input = ""
    for type in Dialect.messageTypes {
      for _ in 0..<40 { input += line(type, &generator) + "\n" }
    }
    let (output, success) = try Self.run(
      [Self.scripts.appendingPathComponent("mavlink-judge").path, "check"], input: input)
    #expect(success)
    #expect(output == "\(40 * Dialect.messageTypes.count)\n")
  }

  private func line<M: Message>(_ type: M.Type, _ generator: inout SplitMix64) -> String {
    let message = randomMessage(type, &generator)
    var encoder = FrameEncoder(
      systemID: .random(in: 0...255, using: &generator),
      componentID: .random(in: 0...255, using: &generator),
      sequence: .random(in: 0...255, using: &generator))
    let head =
      "\(M.specificationName) \(encoder.sequence) \(encoder.systemID) \(encoder.componentID)"
    return "\(head) \(fieldsText(message)) \(hex(encoder.encode(message)))"
  }

  /// Random bytes with many extremes. No signalling NaN: Python, which computes in double
  /// precision, makes a quiet one of it.
  private func randomMessage<M: Message>(_ type: M.Type, _ generator: inout SplitMix64) -> M {
    let extremes: [UInt8] = [0, 0, 0xFF, 0x7F, 0x80]
    while true {
      let plain = Bool.random(using: &generator)
      let bytes = (0..<M.maximumPayloadLength).map { _ in
        plain ? UInt8.random(in: 0...255, using: &generator) : extremes.randomElement(using: &generator)!
      }
      let message = M(zeroExtending: bytes)
      let hasSignallingNaN = Mirror(reflecting: message).children.contains { child in
        switch child.value {
        case let value as Float: value.isSignalingNaN
        case let value as FixedArray<3, Float>: value.elements.contains { $0.isSignalingNaN }
        case let value as FixedArray<4, Float>: value.elements.contains { $0.isSignalingNaN }
        default: false
        }
      }
      if !hasSignallingNaN { return message }
    }
  }

  @Test(.enabled(if: isInstalled), .timeLimit(.minutes(1)))
  func checkedInMessagesAreWhatTheGeneratorWrites() throws {
    let (output, success) = try Self.run([
      Self.scripts.appendingPathComponent("mavlink-generate").path, "--check",
    ])
    #expect(success, "\(output)")
  }
}

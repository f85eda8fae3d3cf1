import FlightLog
import Foundation
import Glibc
import MAVLink
import ServiceRuntime
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct TelemetryLogTests {
  private func heartbeat(_ sequence: UInt8) -> [UInt8] {
    Frame(
      Heartbeat(type: .quadrotor, autopilot: .arduPilotMega, customMode: UInt32(sequence)), systemID: 1,
      componentID: 1, sequence: sequence
    ).bytes
  }

  private func files(_ directory: TemporaryDirectory, bytes: Int = 1_000_000, count: Int = 3) -> LogFiles {
    LogFiles(
      path: "\(directory.path)/\(TelemetryLogWriter.defaultName)", maximumFileBytes: bytes,
      maximumFileCount: count)
  }

  private func write(_ numbers: some Sequence<UInt8>, to files: LogFiles) throws {
    let writer = try TelemetryLogWriter(files, logger: .silent)
    for number in numbers {
      writer.write(heartbeat(number), unixMicroseconds: 1_796_000_000_000_000 + UInt64(number) * 1000)
    }
    writer.close()
  }

  @Test func eachRecordIsBigEndianMicrosecondsAndTheFrame() throws {
    let directory = try TemporaryDirectory()
    try write([1, 2], to: files(directory))
    let content = try Files.read(files(directory).path, maximumBytes: 10_000)
    let stamp = { (micros: UInt64) in withUnsafeBytes(of: micros.bigEndian) { Array($0) } }
    #expect(
      content == stamp(1_796_000_000_001_000) + heartbeat(1) + stamp(1_796_000_000_002_000) + heartbeat(2))
  }

  @Test func filesAreBoundedKeepTheirNameEndAndBeginWithARecord() throws {
    let directory = try TemporaryDirectory()
    for _ in 0..<12 { try write(0...255, to: files(directory, bytes: 5000, count: 3)) }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    #expect(names == ["drone-navigator.1.tlog", "drone-navigator.2.tlog", "drone-navigator.tlog"])
    for name in names {
      let content = try Files.read("\(directory.path)/\(name)", maximumBytes: 100_000)
      #expect(content.count < 16_384 && content[8] == 0xFD)
    }
  }

  @Test func eachRunBeginsAFile() throws {
    let directory = try TemporaryDirectory()
    try write([1], to: files(directory))
    // As a power loss leaves it.
    let torn = Array(try Files.read(files(directory).path, maximumBytes: 1000).dropLast(5))
    try Files.replace(files(directory).path, with: torn, mode: 0o640)
    try write([2], to: files(directory))
    #expect(try Files.read("\(directory.path)/drone-navigator.1.tlog", maximumBytes: 1000) == torn)
    #expect(
      try Files.read(files(directory).path, maximumBytes: 1000).dropFirst(8).elementsEqual(heartbeat(2)))
  }

  @Test func aFullDiskNeverBlocksTheCaller() throws {
    let writer = try TelemetryLogWriter(
      LogFiles(path: "/dev/full", maximumFileBytes: 1_000_000, maximumFileCount: 2), capacity: 8,
      logger: .silent)
    let start = ContinuousClock.now
    for number in 0..<2000 { writer.write(heartbeat(UInt8(number & 255)), unixMicroseconds: 1) }
    #expect(ContinuousClock.now - start < .seconds(2))
    writer.close()
  }

  @Test func pymavlinkReadsIt() throws {
    let python = ProcessInfo.processInfo.environment["DRONE_TEST_PYTHON"] ?? "python3"
    let directory = try TemporaryDirectory()
    try write(0...99, to: files(directory))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      python, "-c",
      """
      import sys
      try:
          from pymavlink import mavutil
      except ImportError:
          sys.exit(77)
      log = mavutil.mavlink_connection(sys.argv[1])
      numbers, times = [], []
      while True:
          message = log.recv_match()
          if message is None:
              break
          numbers.append(message.custom_mode); times.append(message._timestamp)
      print(len(numbers), numbers == list(range(100)), round(times[0], 3), round(times[-1], 3))
      """, files(directory).path,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationStatus == 77 {
      print("skipped: pymavlink is not installed; install it with pip, or set DRONE_TEST_PYTHON")
      return
    }
    #expect(text == "100 True 1796000000.0 1796000000.099\n")
  }
}

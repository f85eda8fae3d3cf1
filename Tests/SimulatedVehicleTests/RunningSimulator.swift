import Foundation

/// The built `drone-simulator` as a process of its own, with its port in a directory of its own.
final class RunningSimulator {
  let process = Process()
  let link: String
  private let directory: String
  private let outputPath: String

  /// Beside the test bundle, where all products of a build are.
  static let executable: String = {
    let test = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: test).deletingLastPathComponent().appendingPathComponent("drone-simulator")
      .path
  }()

  /// - Parameter sharing: another simulator whose link this one takes over.
  init(_ arguments: [String] = [], sharing other: RunningSimulator? = nil) throws {
    directory = NSTemporaryDirectory() + "simulator-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    link = other?.link ?? directory + "/port"
    outputPath = directory + "/output"
    _ = FileManager.default.createFile(atPath: outputPath, contents: nil)
    process.executableURL = URL(fileURLWithPath: Self.executable)
    process.arguments = ["--link", link] + arguments
    process.standardOutput = FileHandle(forWritingAtPath: outputPath)
    process.standardError = FileHandle(forWritingAtPath: outputPath)
    try process.run()
  }

  deinit {
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(atPath: directory)
  }

  var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }

  /// Where the link points, if it is there.
  var device: String? { try? FileManager.default.destinationOfSymbolicLink(atPath: link) }

  /// Polls for something that another process does; false after 20 s.
  func wait(for condition: () -> Bool) -> Bool {
    for _ in 0..<2000 {
      if condition() { return true }
      usleep(10_000)
    }
    return condition()
  }

  /// - Returns: the exit status.
  func stop(_ signal: Int32 = SIGTERM) -> Int32 {
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    return process.terminationStatus
  }
}

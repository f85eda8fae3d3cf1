import Glibc
import ServiceRuntime
import TestSupport

/// The program, built beside the test bundle.
enum BuiltNearby {
  static let path: String = {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    let path = (bundle.split(separator: "/").dropLast().map(String.init) + ["nearby"]).joined(separator: "/")
    if bundle.hasPrefix("/") { return "/" + path }
    var buffer = [CChar](repeating: 0, count: 4096)
    guard getcwd(&buffer, buffer.count) != nil else { return path }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/"
      + path
  }()
}

/// Where programs run: on this computer without Avahi, or inside a private host with it.
struct Place {
  var prefix: [String] = []
  var environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"]

  init() {}

  init(_ host: PrivateAvahi) {
    prefix = host.commandPrefix
    environment = host.environment
  }
}

/// `nearby` as a script runs it, with lines in and out.
final class Script {
  /// Everything said so far, for a failing test to show.
  private(set) var lines: [String] = []
  private let process: ChildProcess
  private var seen = 0

  init(_ arguments: [String], in place: Place = Place()) throws {
    process = try ChildProcess(
      ["sh", "-c", "exec \"$@\" 2>&1", "sh"] + place.prefix + [BuiltNearby.path] + arguments,
      environment: place.environment)
  }

  func say(_ line: String) { process.send(line) }
  func closeInput() { process.closeInput() }
  func signal(_ number: Int32) { process.signal(number) }

  /// Waits for the next line that contains `text`; lines before it count as read.
  func says(_ text: String, within limit: Duration = .seconds(20)) -> Bool {
    line(with: text, within: limit) != nil
  }

  func line(with text: String, within limit: Duration = .seconds(20)) -> String? {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while true {
      while seen < lines.count {
        seen += 1
        if lines[seen - 1].contains(text) { return lines[seen - 1] }
      }
      guard let line = process.readLine(within: ContinuousClock.now.duration(to: deadline)) else {
        return nil
      }
      lines.append(line)
    }
  }

  /// Reads to the end.
  ///
  /// - Returns: 128 plus the signal that ended it, or nil when it still runs after `limit`.
  func exitCode(within limit: Duration = .seconds(20)) -> Int32? {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while let line = process.readLine(within: ContinuousClock.now.duration(to: deadline)) {
      lines.append(line)
    }
    return process.exitCode(within: max(.milliseconds(100), ContinuousClock.now.duration(to: deadline)))
  }

  var story: String { lines.joined(separator: "\n") }
}

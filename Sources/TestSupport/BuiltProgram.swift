import Glibc
import ServiceRuntime

/// The programs of this package, built beside the test bundle.
public enum BuiltProgram: String {
  case client = "drone-client"
  case navigator = "drone-navigator"
  case simulator = "drone-simulator"
  case nearby
  case radio = "link-impairment"

  public var path: String {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    let path = (bundle.split(separator: "/").dropLast().map(String.init) + [rawValue]).joined(separator: "/")
    // A program inside a private host starts in another working directory.
    return bundle.hasPrefix("/") ? "/" + path : "\(workingDirectory)/\(path)"
  }
}

private let workingDirectory: String = {
  var buffer = [CChar](repeating: 0, count: 4096)
  guard getcwd(&buffer, buffer.count) != nil else { return "." }
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}()

/// Where programs run: on this computer without Avahi, or inside a private host with it.
public struct Place {
  public var prefix: [String] = []
  public var environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"]

  public init() {}
}

extension Place {
  public init(_ host: PrivateAvahi) {
    prefix = host.commandPrefix
    environment = host.environment
  }
}

/// A program that goes on running, and all it says on both outputs.
public final class Running {
  /// Everything said so far, for a failing test to show.
  public private(set) var lines: [String] = []
  public let processID: Int32
  private let shell: ChildProcess
  private var seen = 0

  /// The shell kills the program when its own input ends, so that nothing is left behind by a test that crashed.
  private static let script = """
    exec 3<&0
    "$@" </dev/null 2>&1 3<&- &
    child=$!
    echo $child
    ( read -r line <&3; kill -9 $child ) >/dev/null 2>&1 &
    watcher=$!
    exec 3<&- </dev/null
    wait $child
    code=$?
    kill -9 $watcher
    exit $code
    """

  public init(_ program: BuiltProgram, _ arguments: [String], in place: Place) throws {
    shell = try ChildProcess(
      ["sh", "-c", Running.script, "sh"] + place.prefix + [program.path] + arguments,
      environment: place.environment)
    guard let number = shell.readLine(within: .seconds(10)).flatMap({ Int32($0) }) else {
      throw SystemError("start \(program.rawValue)", code: EIO)
    }
    processID = number
  }

  /// Waits for the next line that contains `text`; lines before it count as read.
  public func says(_ text: String, within limit: Duration = .seconds(20)) -> Bool {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while true {
      while seen < lines.count {
        seen += 1
        if lines[seen - 1].contains(text) { return true }
      }
      guard let line = shell.readLine(within: ContinuousClock.now.duration(to: deadline)) else {
        return false
      }
      lines.append(line)
    }
  }

  /// Reads all that was said until now; what comes later is looked for by `says`.
  public func catchUp() {
    while let line = shell.readLine(within: .milliseconds(1)) { lines.append(line) }
    seen = lines.count
  }

  public func signal(_ number: Int32) { kill(processID, number) }

  /// SIGKILL, and waits for the end.
  public func killNow() {
    signal(SIGKILL)
    _ = exitCode()
  }

  /// 128 plus the signal that ended it, or nil when it still runs after `limit`.
  public func exitCode(within limit: Duration = .seconds(20)) -> Int32? { shell.exitCode(within: limit) }

  public func stop() { shell.stop() }
}

/// A program that ran to its end.
public struct Finished: CustomStringConvertible {
  public let code: Int32?
  /// What it said on both outputs.
  public let lines: [String]

  public var text: String { lines.joined(separator: "\n") }
  public var description: String { "exit code \(code.map(String.init) ?? "none"): \(text)" }

  public init(
    _ program: BuiltProgram, _ arguments: [String], in place: Place = Place(),
    within limit: Duration = .seconds(40)
  ) throws {
    let process = try ChildProcess(
      ["sh", "-c", "exec \"$@\" 2>&1", "sh"] + place.prefix + [program.path] + arguments,
      environment: place.environment)
    process.closeInput()
    let deadline = ContinuousClock.now.advanced(by: limit)
    var lines: [String] = []
    while let line = process.readLine(within: ContinuousClock.now.duration(to: deadline)) {
      lines.append(line)
    }
    self.lines = lines
    code = process.exitCode(within: .seconds(2))
  }
}

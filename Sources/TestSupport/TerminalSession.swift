import CLinux
import Glibc
import ServiceRuntime

/// A program on a pseudo-terminal that it controls, and what a person would see there.
public final class TerminalSession {
  public private(set) var screen: ModelTerminal
  private let terminal: PseudoTerminal
  private let program: ChildProcess
  /// Keeps the terminal's settings readable when the program has ended.
  private let follower: Int32

  /// - Parameter command: the program, looked up in `PATH`, and its arguments.
  public init(
    _ command: [String], environment: [String: String] = [:], columns: Int = 100, rows: Int = 30
  ) throws {
    terminal = try PseudoTerminal()
    screen = ModelTerminal(columns: columns, rows: rows)
    follower = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    if follower < 0 { throw SystemError.current("open \(terminal.path)") }
    // As a shell leaves it to a program.
    var settings = termios()
    tcgetattr(follower, &settings)
    settings.c_iflag |= tcflag_t(ICRNL)
    settings.c_oflag |= tcflag_t(OPOST | ONLCR)
    settings.c_lflag |= tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    tcsetattr(follower, TCSANOW, &settings)
    var variables = environment
    variables["TERM"] = "xterm-256color"
    // The runtime would ask the person at the terminal what to do about a crash.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    program = try ChildProcess(
      ["sh", "-c", "exec setsid --ctty \"$@\" <\"$0\" >\"$0\" 2>\"$0\"", terminal.path] + command,
      environment: variables)
    setSize(columns: columns, rows: rows)
  }

  deinit {
    program.stop()
    close(follower)
  }

  /// Changes the size, which the terminal tells the program.
  public func setSize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal.controller, UInt(TIOCSWINSZ), &size)
    screen.columns = columns
    screen.height = rows
  }

  /// Whether keys are echoed and collected into lines, as a shell wants it.
  public var isCooked: Bool {
    var settings = termios()
    tcgetattr(follower, &settings)
    let flags = tcflag_t(ICANON | ECHO | ISIG)
    return settings.c_lflag & flags == flags
  }

  public func type(_ text: String) { _ = text.withCString { write(terminal.controller, $0, strlen($0)) } }

  /// Reads what the program wrote until `condition` holds.
  public func waits(_ limit: Duration = .seconds(20), until condition: (ModelTerminal) -> Bool) -> Bool {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while true {
      read()
      if condition(screen) { return true }
      if ContinuousClock.now >= deadline { return false }
      usleep(5000)
    }
  }

  /// Waits until a line contains the text.
  public func shows(_ text: String, within limit: Duration = .seconds(20)) -> Bool {
    waits(limit) { $0.all.contains { $0.contains(text) } }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(terminal.controller, &buffer, buffer.count)
      if count <= 0 { return }
      screen.write(Array(buffer[..<count]))
    }
  }

  public func signal(_ number: Int32) { program.signal(number) }

  /// 128 plus the signal that ended it, or nil when it still runs after `limit`.
  public func exitCode(within limit: Duration = .seconds(20)) -> Int32? {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while true {
      // A program that writes to a full terminal does not end.
      read()
      if let code = program.exitCode(within: .milliseconds(20)) {
        read()
        return code
      }
      if ContinuousClock.now >= deadline { return nil }
    }
  }
}

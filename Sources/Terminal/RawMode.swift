import CLinux
import Glibc
public import ServiceRuntime
import Synchronization

/// The terminal in the mode in which each key arrives by itself and nothing is echoed.
///
/// The mode belongs to the terminal and outlives the process, so it is put back on every way out: `leave()`, `exit`, and the
/// signals that follow a crash. Against SIGKILL nothing helps but `reset` in the shell.
public enum RawMode {
  /// What a handler of a signal needs, which may call and touch next to nothing: addresses of memory that is never freed.
  private static let originalAddress = Atomic<UInt>(0)
  private static let isEntered = Atomic<Bool>(false)
  private static let actionsAddress = Atomic<UInt>(0)

  private static var original: UnsafeMutablePointer<termios>? {
    UnsafeMutablePointer(bitPattern: originalAddress.load(ordering: .acquiring))
  }

  private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGQUIT, SIGSYS]
  private static let signalCount = 32

  /// Bracketed paste (xterm's mode 2004): pasted text is told from typed keys.
  private static let begin: StaticString = "\u{1B}[?2004h"
  private static let end: StaticString = "\u{1B}[?2004l\u{1B}[?25h\u{1B}[0m\r\u{1B}[K"

  /// Whether a person is at both ends of this program, with a terminal that can move its cursor.
  public static var isPossible: Bool {
    guard isatty(0) == 1, isatty(1) == 1, let name = getenv("TERM") else { return false }
    let terminal = String(cString: name)
    return !terminal.isEmpty && terminal != "dumb"
  }

  /// Whether people asked for no colours (no-color.org).
  public static var wantsColors: Bool { getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }

  /// Enters the mode, again after a stop as well.
  public static func enter() throws(SystemError) {
    let settings: UnsafeMutablePointer<termios>
    if let known = original {
      settings = known
    } else {
      settings = .allocate(capacity: 1)
      settings.initialize(to: termios())
      guard tcgetattr(0, settings) == 0 else {
        settings.deallocate()
        throw SystemError.current("read the settings of the terminal")
      }
      originalAddress.store(UInt(bitPattern: settings), ordering: .releasing)
      restoreWhenCrashing()
      atexit { RawMode.leave() }
    }
    var raw = settings.pointee
    cfmakeraw(&raw)
    // Text of others on the terminal, such as the log on standard error, keeps its line ends.
    raw.c_oflag |= tcflag_t(OPOST | ONLCR)
    // TCSAFLUSH would throw away what was typed ahead.
    guard tcsetattr(0, TCSADRAIN, &raw) == 0 else {
      throw SystemError.current("change the settings of the terminal")
    }
    isEntered.store(true, ordering: .releasing)
    put(begin)
  }

  /// Puts the settings back. Idempotent, and safe in a handler of a signal.
  public static func leave() {
    guard isEntered.exchange(false, ordering: .acquiringAndReleasing),
      let settings = original
    else { return }
    put(end)
    // Now: draining could wait for ever for a terminal that was paused.
    tcsetattr(0, TCSANOW, settings)
  }

  private static func put(_ text: StaticString) {
    _ = Glibc.write(1, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static func restoreWhenCrashing() {
    let old = UnsafeMutablePointer<sigaction>.allocate(capacity: signalCount)
    old.initialize(repeating: sigaction(), count: signalCount)
    actionsAddress.store(UInt(bitPattern: old), ordering: .releasing)
    for signal in crashes {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { signal in RawMode.crashed(signal) }
      sigaction(signal, &action, old + Int(signal))
    }
  }

  /// Whoever handled the signal before (a backtracer, or nobody) handles it again when this returns.
  private static func crashed(_ signal: Int32) {
    leave()
    let old = UnsafeMutablePointer<sigaction>(bitPattern: actionsAddress.load(ordering: .acquiring))
    if let old { sigaction(signal, old + Int(signal), nil) }
    raise(signal)
  }
}

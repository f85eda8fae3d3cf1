import CLinux
import Glibc

/// Standard output as a person's terminal: lines that stay, and below them the live area.
///
/// Writes block: who pauses the terminal pauses what is shown, and nothing else but it.
public final class Screen {
  private var area: LiveArea

  public init() { area = LiveArea(size: Screen.terminalSize(), hasColors: RawMode.wantsColors) }

  public var size: LiveArea.Size { area.size }

  /// Prints lines that stay, and shows the live area.
  public func show(printing: [Line] = [], _ lines: [Line], cursor: LiveArea.Cursor? = nil) {
    writeAll(area.paint(printing: printing, lines, cursor: cursor))
  }

  /// The terminal may have another size.
  public func resized() { area.resize(Screen.terminalSize()) }

  /// The program was stopped and goes on.
  public func resumed() {
    area.restart()
    resized()
  }

  /// Gives the terminal back and stops the program, as control-Z does elsewhere; returns when it goes on.
  public func suspend() {
    finish()
    RawMode.leave()
    kill(getpid(), SIGSTOP)
  }

  /// Takes the live area away; what was printed stays.
  public func finish() { writeAll(area.finish()) }

  private static func terminalSize() -> LiveArea.Size {
    var window = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &window) == 0 else { return LiveArea.Size(columns: 0, rows: 0) }
    return LiveArea.Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }
}

/// Standard output as lines for scripts, or standard error for complaints.
public struct PlainOutput: Sendable {
  private let descriptor: Int32

  public static let standardOutput = PlainOutput(descriptor: 1)
  public static let standardError = PlainOutput(descriptor: 2)

  /// Writes one line at once; control characters in it are shown, so one line stays one line.
  ///
  /// - Returns: false when nobody reads any more.
  @discardableResult
  public func line(_ text: String) -> Bool {
    writeAll(Array((Line(text).text + "\n").utf8), to: descriptor)
  }

  /// Writes text of this program's own, such as help, as it is.
  @discardableResult
  public func text(_ text: String) -> Bool { writeAll(Array(text.utf8), to: descriptor) }
}

@discardableResult
private func writeAll(_ bytes: [UInt8], to descriptor: Int32 = 1) -> Bool {
  var offset = 0
  while offset < bytes.count {
    let count = bytes.withUnsafeBytes {
      write(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset)
    }
    if count < 0 {
      if errno == EINTR { continue }
      guard errno == EAGAIN else { return false }
      // Another program that shares the terminal made it non-blocking.
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&request, 1, 1000)
    }
    offset += max(0, count)
  }
  return true
}

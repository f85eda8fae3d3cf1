import Glibc
import Terminal

/// Where a program shows what happens: a person's terminal with a live area, or lines for scripts.
final class Console {
  let input: TerminalInput
  private let screen: Screen?
  private let log: LogLines?
  private var waiting: [Line] = []

  /// - Parameters:
  ///   - readsKeys: whether a person is there (`RawMode.isPossible`).
  ///   - log: shown on a screen.
  init(readsKeys: Bool, log: LogLines?) throws {
    self.log = log
    input = try TerminalInput(readsKeys ? .keys : .lines)
    screen = readsKeys ? Screen() : nil
  }

  var isScreen: Bool { screen != nil }
  var size: LiveArea.Size { screen?.size ?? LiveArea.Size(columns: 80, rows: 24) }

  /// Tells lines that stay.
  func tell(_ lines: [Line]) {
    if screen != nil {
      waiting += lines
    } else {
      for line in lines { PlainOutput.standardOutput.line(line.text) }
    }
  }

  func tell(_ text: String, _ style: Line.Style = .plain) { tell([Line(text, style)]) }

  func tell(_ notice: Notice) {
    switch notice {
    case .event(let text): tell("- \(text)", .accent)
    case .problem(let text): tell("! \(text)", .bad)
    }
  }

  /// Shows the live area below all that was told. Without a screen nothing happens.
  func show(_ lines: [Line], cursor: LiveArea.Cursor? = nil) {
    guard let screen else { return }
    waiting += (log?.take() ?? []).map { Line($0, .warning) }
    screen.show(printing: waiting, lines, cursor: cursor)
    waiting = []
  }

  /// What the terminal itself is concerned with is done here.
  ///
  /// - Returns: the event when it is for the program.
  func handle(_ event: TerminalEvent) -> TerminalEvent? {
    switch event {
    case .resized: screen?.resized()
    case .resumed: screen?.resumed()
    case .suspensionWanted, .key(.control("z")):
      guard let screen else {
        kill(getpid(), SIGSTOP)
        break
      }
      screen.suspend()
    case .key, .line, .lineTooLong, .endWanted, .inputEnded: return event
    }
    return nil
  }

  /// Takes the live area away and gives the terminal back. Idempotent.
  func finish() {
    if let screen {
      screen.show(printing: waiting, [])
      waiting = []
      screen.finish()
    }
    input.close()
  }
}

extension ClockTime {
  /// The clock at the wall, in this place's time zone.
  static var now: ClockTime {
    var seconds = time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return ClockTime(hour: Int(parts.tm_hour), minute: Int(parts.tm_min), second: Int(parts.tm_sec))
  }
}

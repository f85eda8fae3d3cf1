public import ServiceRuntime
import Synchronization

/// Lines of the log for a person at a terminal: they are shown above the live area, which they would tear apart if they went to
/// standard error by themselves.
public final class LogLines: Sendable {
  /// More that come at once are counted.
  static let capacity = 50

  private let state = Mutex((lines: [String](), lost: 0))

  public init() {}

  /// A logger that writes here, from any thread.
  public func logger(level: Logger.Level) -> Logger {
    Logger(level: level) { [self] record in
      let fields = record.fields.map { " \($0.key)=\($0.value)" }.joined()
      state.withLock { state in
        if state.lines.count < Self.capacity {
          state.lines.append("\(record.level.name): \(record.message)\(fields)")
        } else {
          state.lost += 1
        }
      }
    }
  }

  func take() -> [String] {
    state.withLock { state in
      defer { state = ([], 0) }
      return state.lost > 0 ? state.lines + ["(\(state.lost) more lines)"] : state.lines
    }
  }
}

public import ServiceRuntime
import Synchronization

/// Collects log records, so that a test can look at what was said.
public final class LogCapture: Sendable {
  private let storage = Mutex<[Logger.Record]>([])

  public init() {}

  public var logger: Logger {
    Logger(level: .debug) { [self] record in storage.withLock { $0.append(record) } }
  }
  public var messages: [String] { storage.withLock { $0.map(\.message) } }
}

extension EventLoop {
  /// Runs the loop until `condition` holds.
  ///
  /// - Returns: whether it held before `limit` was over.
  public func runUntil(_ limit: Duration = .seconds(10), _ condition: () -> Bool) -> Bool {
    let deadline = now.advanced(by: limit)
    while !condition() {
      let left = now.duration(to: deadline)
      if left <= .zero { return false }
      runOnce(waitingAtMost: min(left, .milliseconds(20)))
    }
    return true
  }
}

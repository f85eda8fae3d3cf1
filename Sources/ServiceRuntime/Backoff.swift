/// Growing delays between attempts at something that keeps failing.
public struct Backoff: Sendable {
  public let initial: Duration
  public let maximum: Duration
  private var next: Duration

  /// Doubles from `initial` up to `maximum`.
  public init(initial: Duration, maximum: Duration) {
    self.initial = initial
    self.maximum = maximum
    next = initial
  }

  /// The delay to wait before the next attempt.
  ///
  /// - Parameter jitter: 0 to 1, spreads attempts of many peers over the lower half of the delay; 0 leaves it whole.
  public mutating func nextDelay(jitter: Double = 0) -> Duration {
    let delay = next
    next = min(next * 2, maximum)
    return delay - delay * (min(max(jitter, 0), 1) / 2)
  }

  /// The last attempt succeeded: start again from `initial`.
  public mutating func reset() { next = initial }
}

/// Turns repeated faults into one report a period.
public struct FaultCounter: Sendable {
  public let period: Duration
  private var lastReport: ContinuousClock.Instant?
  private var suppressed = 0

  public init(period: Duration) { self.period = period }

  /// Counts one fault.
  ///
  /// - Returns: how many faults to report now, this one included, or nil while the period of the last report runs.
  public mutating func record(at now: ContinuousClock.Instant) -> Int? {
    if let lastReport, lastReport.duration(to: now) < period {
      suppressed += 1
      return nil
    }
    defer {
      lastReport = now
      suppressed = 0
    }
    return suppressed + 1
  }
}

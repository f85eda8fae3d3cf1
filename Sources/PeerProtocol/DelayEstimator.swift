/// How late messages are, without synchronised clocks: the smallest difference between arrival and the sender's clock
/// that was seen lately is the undelayed path, and what exceeds it is delay (as LEDBAT does, RFC 6817 section 3.4).
public struct DelayEstimator: Sendable {
  /// How long a smallest difference holds at least; at most twice that. Two quartz clocks drift apart by up to 100 parts in a million (a
  /// clock that is being set by NTP by 500), which over a day would look like seconds of delay.
  private static let period: Duration = .seconds(300)

  private struct Base {
    var origin: ContinuousClock.Instant
    var periodStart: ContinuousClock.Instant
    /// Smallest difference of the period before this one, and of this one, in milliseconds.
    var previous: Int32
    var current: Int32
  }

  private var base: Base?

  public init() {}

  /// The delay of a message beyond the fastest one of the last minutes.
  public mutating func delay(
    senderClockMilliseconds: UInt32, receivedAt now: ContinuousClock.Instant
  ) -> Duration {
    // Wrapping on purpose: both clocks are 32 bits wide and only their difference is meant.
    let arrival = base.map { UInt32(truncatingIfNeeded: $0.origin.duration(to: now).wholeMilliseconds) } ?? 0
    let difference = Int32(bitPattern: arrival &- senderClockMilliseconds)
    guard var base else {
      base = Base(origin: now, periodStart: now, previous: difference, current: difference)
      return .zero
    }
    if base.periodStart.duration(to: now) >= DelayEstimator.period {
      base.periodStart = now
      base.previous = base.current
      base.current = difference
    } else {
      base.current = DelayEstimator.smaller(base.current, difference)
    }
    self.base = base
    return .milliseconds(Int(difference &- DelayEstimator.smaller(base.previous, base.current)))
  }

  /// The one that comes first on the circle of 32-bit numbers.
  private static func smaller(_ left: Int32, _ right: Int32) -> Int32 {
    left &- right <= 0 ? left : right
  }
}

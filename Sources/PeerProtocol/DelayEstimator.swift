/// How late messages are, without synchronised clocks: the smallest difference between arrival and the sender's clock
/// that was ever seen is the undelayed path, and what exceeds it is delay (as LEDBAT does, RFC 6817 section 3.4).
public struct DelayEstimator: Sendable {
  private var start: ContinuousClock.Instant?
  private var base: Int32?

  public init() {}

  /// The delay of a message beyond the fastest one so far.
  public mutating func delay(
    senderClockMilliseconds: UInt32, receivedAt now: ContinuousClock.Instant
  ) -> Duration {
    let origin = start ?? now
    start = origin
    let arrival = UInt32(truncatingIfNeeded: origin.duration(to: now).wholeMilliseconds)
    // Wrapping on purpose: both clocks are 32 bits wide and only their difference is meant.
    let difference = Int32(bitPattern: arrival &- senderClockMilliseconds)
    guard let smallest = base, difference &- smallest >= 0 else {
      base = difference
      return .zero
    }
    return .milliseconds(Int(difference &- smallest))
  }
}

import Geodesy

/// Chooses among the receivers of one gpsd: the newest fix wins, and a receiver without a fix does not hide another's.
struct ReceiverSelection {
  /// A receiver of 1 Hz with a fix is heard again within this time.
  static let overlap = Duration.milliseconds(1500)

  private var lastFix: (device: String, at: ContinuousClock.Instant)?

  /// Whether the report counts.
  mutating func accepts(_ report: Fix, from device: String) -> Bool {
    if report.mode >= .twoDimensional {
      lastFix = (device, report.receivedAt)
      return true
    }
    guard let lastFix, lastFix.device != device else { return true }
    return lastFix.at.duration(to: report.receivedAt) >= ReceiverSelection.overlap
  }
}

import Sockets

/// Keeps the pace of one bulk connection, on its worker thread.
struct TransferPacer: Sendable {
  /// Belongs to the connection, which lives longer.
  private let descriptor: Int32
  private var pace = TransferPace()
  private var nextLook: ContinuousClock.Instant?

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Looks at the connection when it is time, and changes its limit when that is needed.
  mutating func look(at now: ContinuousClock.Instant) {
    if let nextLook, now < nextLook { return }
    nextLook = now.advanced(by: TransferPace.interval)
    guard let measured = BulkTraffic.measure(descriptor) else { return }
    let sample = TransferPace.Sample(
      roundTrip: measured.roundTrip, roundTripDeviation: measured.roundTripDeviation,
      shortestRoundTrip: measured.shortestRoundTrip,
      deliveredSegments: measured.deliveredSegments, segmentBytes: measured.segmentBytes)
    switch pace.sample(sample, at: now) {
    case .keep: break
    case .limit(let bytesPerSecond): BulkTraffic.limit(descriptor, bytesPerSecond: bytesPerSecond)
    case .unlimited: BulkTraffic.limit(descriptor, bytesPerSecond: nil)
    }
  }
}

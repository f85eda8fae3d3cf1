public import PeerProtocol

/// Decides which refused strangers are told to the operator: each once a minute, and few in all.
///
/// A stranger dials again every few seconds and may have any number of identities.
public struct StrangerNotices: Sendable {
  private static let period: Duration = .seconds(60)
  private static let maximumPerPeriod = 16
  private var told: [PeerID: ContinuousClock.Instant] = [:]

  public init() {}

  public mutating func shouldTell(_ id: PeerID, at now: ContinuousClock.Instant) -> Bool {
    told = told.filter { $0.value.duration(to: now) < Self.period }
    guard told[id] == nil, told.count < Self.maximumPerPeriod else { return false }
    told[id] = now
    return true
  }
}

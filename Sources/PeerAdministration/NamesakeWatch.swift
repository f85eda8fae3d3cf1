import PeerLink
public import PeerProtocol
public import SecureTransport

/// Notices that a name of a trusted peer is announced with another identity: somebody's mischief, or a computer that lost its
/// key. Anybody can announce anything, so each is told once, and few in all.
public struct NamesakeWatch {
  private static let maximumTold = 16
  private let untrustCommand: String
  private var told: Set<PeerID> = []

  public init(untrustCommand: String) { self.untrustCommand = untrustCommand }

  /// - Returns: one line for the operator, nil when there is nothing to tell.
  public mutating func found(_ id: PeerID, name: String, trusted: TrustList) -> String? {
    let peer = PairingPeer(id: id, name: name)
    guard !trusted.contains(id), let namesake = trusted.namesake(of: peer.name, otherThan: id),
      told.count < NamesakeWatch.maximumTold, told.insert(id).inserted
    else { return nil }
    return PairingNarrator.changedIdentity(peer, namesake, untrustCommand)
  }
}

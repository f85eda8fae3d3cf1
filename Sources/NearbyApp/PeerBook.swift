import PeerConnectivity

/// The library's objects behind the identities of which the models speak. What comes is kept here and told in the words of the lobby.
struct PeerBook {
  private var announced: [Peer.ID: Peer] = [:]
  private var members: [Peer.ID: Peer] = [:]
  private var invitations: [Peer.ID: PeerInvitation] = [:]

  /// As the proven identity called itself, else as announced.
  subscript(id: Peer.ID) -> Peer? { members[id] ?? invitations[id]?.peer ?? announced[id] }

  /// - Returns: nil for what is about browsing itself.
  mutating func take(_ event: PeerBrowser.Event) -> Lobby.Input? {
    switch event {
    case .found(let peer, _), .updated(let peer, _): announced[peer.id] = peer
    case .lost(let peer): announced[peer.id] = nil
    case .available, .unavailable: break
    }
    return event.lobbyInput
  }

  mutating func take(_ invitation: PeerInvitation) -> Lobby.Input {
    let peer = invitation.peer
    invitations[peer.id] = invitation
    return .invited(
      peer.id, name: peer.displayName, isPaired: peer.isTrusted, purpose: Purpose(context: invitation.context)
    )
  }

  /// The invitation that a person has decided about.
  mutating func removeInvitation(of id: Peer.ID) -> PeerInvitation? { invitations.removeValue(forKey: id) }

  mutating func connected(_ peer: Peer) -> Lobby.Input {
    members[peer.id] = peer
    invitations[peer.id] = nil
    return .connected(peer.id, name: peer.displayName, isPaired: peer.isTrusted)
  }

  mutating func disconnected(_ peer: Peer, _ reason: PeerSession.DisconnectReason) -> Lobby.Input {
    members[peer.id] = nil
    return .disconnected(peer.id, reason: reason.words)
  }

  /// Invitations whose time is over.
  mutating func expire(at now: ContinuousClock.Instant) -> [Lobby.Input] {
    let over = invitations.values.filter { $0.deadline <= now }.map(\.peer.id)
    for id in over { invitations[id] = nil }
    return over.map { .withdrawn($0) }
  }

  /// Another node finds its peers itself.
  mutating func forgetAnnounced() { announced = [:] }
}

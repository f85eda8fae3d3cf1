import Synchronization

/// What an advertiser and its node share.
final class AdvertiserRecord: Sendable {
  let discoveryInfo: DiscoveryInfo
  let isVisible: Bool
  let invitations = EventChannel(InvitationQueue())
  let states = EventChannel(NewestQueue<PeerAdvertiser.State>())

  init(discoveryInfo: DiscoveryInfo, isVisible: Bool) {
    self.discoveryInfo = discoveryInfo
    self.isVisible = isVisible
  }

  func finish() {
    states.update { $0.put(.stopped) }
    states.finish()
    invitations.finish()
  }
}

/// Invitations that wait for their reader; the producer asks for room first.
struct InvitationQueue: EventQueue {
  private var waiting: [PeerInvitation] = []

  mutating func hasRoom(at now: ContinuousClock.Instant) -> Bool {
    dropExpired(at: now)
    return waiting.count < PeerAdvertiser.maximumWaitingInvitations
  }

  mutating func append(_ invitation: PeerInvitation) {
    // A peer that invites anew has given its earlier invitation up.
    waiting.removeAll { $0.peer == invitation.peer }
    waiting.append(invitation)
  }

  mutating func removeAll() { waiting.removeAll() }

  mutating func popFirst() -> (element: PeerInvitation, note: Never?)? {
    // Read here, because it is the reader's time that counts.
    dropExpired(at: .now)
    return waiting.isEmpty ? nil : (waiting.removeFirst(), nil)
  }

  private mutating func dropExpired(at now: ContinuousClock.Instant) {
    waiting.removeAll { $0.deadline <= now }
  }
}

/// What a browser and its node share.
final class BrowserRecord: Sendable {
  let events = EventChannel(BrowserEventQueue())

  var peers: [(peer: Peer, info: DiscoveryInfo)] {
    events.read { $0.current.values.map { (peer: $0.peer, info: $0.info) } }
      .sorted { $0.peer.id < $1.peer.id }
  }
}

/// What a session and its node share.
final class SessionRecord: Sendable {
  let events: EventChannel<SessionEventQueue>
  private let connected = Mutex<[Peer.ID: Peer]>([:])

  /// - Parameter onRoom: told on any thread that messages of a peer may be read again.
  init(onRoom: @escaping @Sendable (Peer.ID) -> Void) {
    events = EventChannel(SessionEventQueue(), onNote: onRoom)
  }

  var connectedPeers: [Peer] {
    connected.withLock { Array($0.values) }.sorted { $0.id < $1.id }
  }

  func setConnected(_ peer: Peer, _ isConnected: Bool) {
    connected.withLock { $0[peer.id] = isConnected ? peer : nil }
  }

  func finish() {
    connected.withLock { $0 = [:] }
    events.finish()
  }
}

/// The one answer to an invitation.
struct InvitationAnswer: Sendable {
  let runtime: NodeRuntime
  let token: UInt64

  func accept(into session: PeerSession) async throws(InvitationError) {
    guard session.node.runtime === runtime else { throw .ended("the session belongs to another node") }
    try await runtime.accept(token, into: session.record)
  }

  func decline(_ reason: String) { runtime.decline(token, reason) }
}

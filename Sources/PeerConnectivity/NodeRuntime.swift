import PeerLink
import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// Whom to connect to.
enum Destination: Sendable {
  case peer(Peer)
  case endpoint(PeerEndpoint, Peer.ID?)
}

/// A node's thread and everything on it.
actor NodeRuntime {
  nonisolated let id: Peer.ID
  nonisolated let port: UInt16
  nonisolated let pairingAttempts = EventChannel(NewestQueue<PairingAttempt>())

  init(
    displayName: String, serviceType: ServiceType, stateDirectory: String?, trust: TrustPolicy,
    listen: PeerNode.ListenAddress, log: PeerNode.LogHandler?
  ) throws(PeerNodeError) {
    throw .system("not available yet")
  }

  nonisolated func shutDown() {}
  func stop() async {}
  func pairedPeers() -> [Peer] { [] }
  func trust(_ id: Peer.ID, name: String) throws(PeerNodeError) {}
  func untrust(_ id: Peer.ID) throws(PeerNodeError) {}

  nonisolated func startAdvertising(_ record: AdvertiserRecord) {}
  nonisolated func stopAdvertising(_ record: AdvertiserRecord, isFinal: Bool) {}
  nonisolated func startBrowsing(_ record: BrowserRecord) {}
  nonisolated func stopBrowsing(_ record: BrowserRecord, isFinal: Bool) {}

  nonisolated func add(_ session: SessionRecord) {}
  nonisolated func remove(_ session: SessionRecord) {}
  func invite(
    _ destination: Destination, context: [UInt8], timeLimit: Duration, into session: SessionRecord
  ) async throws(InvitationError) -> Peer { throw .unreachable("not available yet") }
  nonisolated func cancelInvitation(of id: Peer.ID, in session: SessionRecord) {}
  nonisolated func disconnect(_ id: Peer.ID, in session: SessionRecord) {}
  nonisolated func disconnectAll(in session: SessionRecord) {}
  func send(
    _ bytes: [UInt8], to peers: [Peer], channel: UInt8, mode: DeliveryMode, from session: SessionRecord
  ) async throws(SendError) { throw .notConnected(peers) }
  func linkStatus(of id: Peer.ID, in session: SessionRecord) -> PeerSession.LinkStatus? { nil }
  nonisolated func sendResource(
    at path: String, named name: String?, to peer: Peer, from session: SessionRecord
  ) -> ResourceTransfer { ResourceTransfer(peer: peer, name: name ?? path, record: TransferRecord()) }
  func openStream(
    named name: String, to peer: Peer, from session: SessionRecord
  ) async throws(StreamError) -> PeerStream { throw .notConnected }
  func startPairing(
    _ destination: Destination, timeLimit: Duration
  ) async throws(PairingError) -> PairingAttempt { throw .unreachable("not available yet") }
  nonisolated func acceptPairing(for duration: Duration) {}
}

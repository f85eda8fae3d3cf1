import Synchronization

/// What an advertiser and its node share.
final class AdvertiserRecord: Sendable {
  let discoveryInfo: DiscoveryInfo
  let isVisible: Bool
  let invitations = EventChannel(
    BoundedQueue<PeerInvitation>(capacity: PeerAdvertiser.maximumWaitingInvitations))
  let states = EventChannel(NewestQueue<PeerAdvertiser.State>())

  init(discoveryInfo: DiscoveryInfo, isVisible: Bool) {
    self.discoveryInfo = discoveryInfo
    self.isVisible = isVisible
  }
}

/// What a browser and its node share.
final class BrowserRecord: Sendable {
  let events = EventChannel(NewestQueue<PeerBrowser.Event>())
  var peers: [(peer: Peer, info: DiscoveryInfo)] { [] }
}

/// What a session and its node share.
final class SessionRecord: Sendable {
  let events = EventChannel(NewestQueue<PeerSession.Event>())
  var connectedPeers: [Peer] { [] }
}

/// What a transfer and its node share.
final class TransferRecord: Sendable {
  let progress = EventChannel(NewestQueue<TransferProgress>())
  func cancel() {}
  func value() async throws(TransferError) -> TransferSummary { throw .connectionLost("not available yet") }
}

/// What a stream and its node share.
final class StreamRecord: Sendable {
  func cancel() {}
  func read(upTo maximumCount: Int) async throws(StreamError) -> [UInt8]? {
    throw .connectionLost("not available yet")
  }
  func write(_ bytes: [UInt8]) async throws(StreamError) { throw .connectionLost("not available yet") }
  func finishWriting() async throws(StreamError) { throw .connectionLost("not available yet") }
}

/// The one answer to an invitation.
struct InvitationAnswer: Sendable {
  func accept(into session: PeerSession) async throws(InvitationError) { throw .ended("not available yet") }
  func decline(_ reason: String) {}
}

/// The one answer to an offered resource.
struct ResourceAnswer: Sendable {
  let peer: Peer
  let name: String
  func accept(into folder: String, resumes: Bool) -> ResourceTransfer {
    ResourceTransfer(peer: peer, name: name, record: TransferRecord())
  }
  func decline(_ reason: String) {}
}

/// The one answer to a pairing attempt.
struct PairingAnswer: Sendable {
  func confirm() async throws(PairingError) -> Peer { throw .unreachable("not available yet") }
  func reject() {}
}

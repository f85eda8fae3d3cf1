import Glibc
import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets
import TestSupport

@testable import PeerLink

/// Trust that a test changes at will.
final class ListedTrust: PeerTrust {
  var ids: Set<PeerID>
  /// The verdict on all others.
  var stranger = PeerVerdict.refuse
  init(_ ids: Set<PeerID>) { self.ids = ids }
  func isTrusted(_ id: PeerID) -> Bool { ids.contains(id) }
  func verdict(on id: PeerID) -> PeerVerdict { isTrusted(id) ? .trusted : stranger }
}

/// A transceiver that notes what it is told.
final class Node {
  enum Event: Equatable {
    case connected(Peer)
    case disconnected(Peer, SessionEnd)
    case message(UInt8, [UInt8])
    case stranger(PeerID)
    case dialFailure(SessionEnd)
  }

  let transceiver: PeerTransceiver
  let identity: Identity
  let trust: ListedTrust
  let log = LogCapture()
  private(set) var events: [Event] = []
  /// Told of each event after it was noted.
  var onEvent: ((Event) -> Void)?

  /// - Parameters:
  ///   - port: listens there when it is given; 0 lets the kernel choose.
  ///   - endpoints: dialled.
  init(
    _ name: String, identity: Identity? = nil, trusting: [PeerID] = [], port: UInt16? = nil,
    endpoints: [PeerEndpoint] = [], invitesTrustedPeers: Bool = true,
    limits: AdmissionLimits = AdmissionLimits(), on loop: EventLoop
  ) throws {
    // Nobody else's bus; a test that runs beside avahi-daemon must not announce anything.
    _ = Node.noSystemBus
    let identity = try identity ?? Node.freshIdentity(name)
    self.identity = identity
    trust = ListedTrust(Set(trusting))
    transceiver = PeerTransceiver(
      configuration: PeerTransceiver.Configuration(
        name: name, serviceType: "_drone-test._tcp",
        listenAddress: port.map { .loopbackV4(port: $0) }, invitesTrustedPeers: invitesTrustedPeers,
        endpoints: endpoints),
      identity: identity, trust: trust, loop: loop, logger: log.logger)
    transceiver.limits = limits
    transceiver.onConnected = { [weak self] in self?.note(.connected($0)) }
    transceiver.onDisconnected = { [weak self] in self?.note(.disconnected($0, $1)) }
    transceiver.onMessage = { [weak self] in self?.note(.message($1.messageClass, Array($1.payload))) }
    transceiver.onStranger = { [weak self] id, _ in self?.note(.stranger(id)) }
    transceiver.onDialFailure = { [weak self] in self?.note(.dialFailure($1)) }
    try transceiver.start()
  }

  static func freshIdentity(_ name: String = "test") throws -> Identity {
    let directory = try TemporaryDirectory()
    return try withExtendedLifetime(directory) {
      try Identity.loadOrCreate(directory: directory.path, commonName: name)
    }
  }

  /// Breaks the control connection, or whatever connection there is.
  func breakConnections() { for connection in transceiver.connections { connection.drop("cut") } }

  var id: PeerID { identity.peerID }
  var port: UInt16 { transceiver.localAddress?.port ?? 0 }
  var endpoint: PeerEndpoint { PeerEndpoint(host: "127.0.0.1", port: port) }
  var peers: [PeerID] { transceiver.connectedPeers.map(\.id) }
  var connections: Int { events.count { if case .connected = $0 { true } else { false } } }
  var ends: [SessionEnd] {
    events.compactMap { if case .disconnected(_, let end) = $0 { end } else { nil } }
  }
  var failures: [SessionEnd] {
    events.compactMap { if case .dialFailure(let end) = $0 { end } else { nil } }
  }
  var payloads: [[UInt8]] {
    events.compactMap { if case .message(_, let payload) = $0 { payload } else { nil } }
  }

  private func note(_ event: Event) {
    events.append(event)
    onEvent?(event)
  }

  private static let noSystemBus: Void = {
    setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere/bus", 0)
  }()
}

/// A host and an inviter that trust each other, on one loop.
struct NodePair {
  let loop: EventLoop
  let host: Node
  let inviter: Node

  init(limits: AdmissionLimits = AdmissionLimits()) throws {
    loop = try EventLoop()
    let one = try Node.freshIdentity("host")
    let other = try Node.freshIdentity("inviter")
    host = try Node(
      "host", identity: one, trusting: [other.peerID], port: 0, limits: limits, on: loop)
    inviter = try Node(
      "inviter", identity: other, trusting: [one.peerID], endpoints: [host.endpoint], limits: limits, on: loop
    )
  }

  static func connected() throws -> NodePair {
    let pair = try NodePair()
    guard pair.loop.runUntil(.seconds(10), { pair.areConnected }) else {
      throw SystemError("connect two nodes", code: ETIMEDOUT)
    }
    return pair
  }

  var areConnected: Bool { host.peers == [inviter.id] && inviter.peers == [host.id] }
}

extension EventLoop {
  /// Runs for a while, to see that something does not happen.
  func run(for time: Duration) { _ = runUntil(time) { false } }

  /// Runs several at the same time.
  static func run(_ loops: [EventLoop], for time: Duration) {
    let deadline = ContinuousClock.now.advanced(by: time)
    while ContinuousClock.now < deadline {
      for loop in loops { loop.runOnce(waitingAtMost: .milliseconds(1)) }
    }
  }
}

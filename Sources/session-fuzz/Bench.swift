import Glibc
import PeerLink
import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A host that is attacked, and a friend of its whose session must not notice.
final class Bench {
  let loop: EventLoop
  let trusted: Identity
  let stranger: Identity
  private let host: PeerTransceiver
  private let friend: PeerTransceiver
  private let friendID: PeerID
  private let hostID: PeerID
  private var echoes = 0
  private var friendEnds: [String] = []
  private(set) var messagesOfAttackers = 0
  private(set) var sessionsOfAttackers = 0
  var associationsOfAttackers = 0
  var resumptions = 0
  private(set) var pairingMethod = PairingMethod.compare
  private(set) var pairingAttempts = 0
  private var pairing: PairingHost?
  private var isPairingClosed = true
  private var isAsked = false
  private var isTrustGiven = false

  private final class Trust: PeerTrust {
    let ids: Set<PeerID>
    init(_ ids: Set<PeerID>) { self.ids = ids }
    func isTrusted(_ id: PeerID) -> Bool { ids.contains(id) }
  }

  /// What the friend says and hears back.
  private static let echoClass: UInt8 = 77

  init(directory: String) throws {
    loop = try EventLoop()
    let own = try Identity.loadOrCreate(directory: "\(directory)/host", commonName: "host")
    let friendly = try Identity.loadOrCreate(directory: "\(directory)/friend", commonName: "friend")
    trusted = try Identity.loadOrCreate(directory: "\(directory)/trusted", commonName: "trusted")
    stranger = try Identity.loadOrCreate(directory: "\(directory)/stranger", commonName: "stranger")
    let logger = Logger(level: .error) { _ in }
    host = PeerTransceiver(
      configuration: PeerTransceiver.Configuration(
        name: "host", serviceType: "_drone-fuzz._tcp", listenAddress: .loopbackV4(port: 0)),
      identity: own, trust: Trust([friendly.peerID, trusted.peerID]), loop: loop, logger: logger)
    hostID = own.peerID
    friendID = friendly.peerID
    try host.start()
    guard let port = host.localAddress?.port else { throw Failure("no port") }
    friend = PeerTransceiver(
      configuration: PeerTransceiver.Configuration(
        name: "friend", serviceType: "_drone-fuzz._tcp",
        endpoints: [PeerEndpoint(host: "127.0.0.1", port: port)]),
      identity: friendly, trust: Trust([own.peerID]), loop: loop, logger: logger)
    host.onConnected = { [weak self, friendID] peer in
      if peer.id != friendID { self?.sessionsOfAttackers += 1 }
    }
    host.onMessage = { [weak self, friendID] peer, message in
      guard let self else { return }
      if peer.id != friendID { messagesOfAttackers += 1 }
      // Answered, so that what an attacker makes the host send is tried too.
      _ = host.send(message.messageClass, Array(message.payload.prefix(64)), to: peer.id)
    }
    friend.onMessage = { [weak self] _, message in
      if message.messageClass == Bench.echoClass { self?.echoes += 1 }
    }
    friend.onDisconnected = { [weak self] _, reason in self?.friendEnds.append(reason.description) }
    try friend.start()
    guard run(within: .seconds(5), until: { [self] in !friend.connectedPeers.isEmpty }) else {
      throw Failure("the friend does not connect")
    }
  }

  func stop() {
    pairing = nil
    friend.onDisconnected = nil
    friend.stop()
    host.stop()
    _ = run(within: .milliseconds(600)) { false }
  }

  /// A connection to the host.
  func dial(_ identity: Identity) throws -> Attacker {
    guard let port = host.localAddress?.port else { throw Failure("the host does not listen any more") }
    var result: Result<TCPConnection, ConnectError>?
    let connector = TCPConnector(to: [.loopbackV4(port: port)], within: .seconds(5), on: loop) { result = $0 }
    defer { withExtendedLifetime(connector) {} }
    guard run(within: .seconds(6), until: { result != nil }), let result else {
      throw Failure("cannot connect")
    }
    return try Attacker(try result.get(), identity: identity, on: loop)
  }

  /// Opens a window for pairing, unless one is open.
  func acceptPairing(_ method: PairingMethod) throws {
    if isAsked {
      // Whoever compares sees other digits.
      isAsked = false
      pairing?.answer(isSame: false)
    }
    guard isPairingClosed else { return }
    pairing = nil
    pairingMethod = method
    var random = SystemRandomNumberGenerator()
    let key: PairingKey = method == .compare ? .compare : .code(PairingCode(using: &random))
    guard
      let pairing = PairingHost.open(
        on: host, key: key, store: { [weak self] _, _ in self?.isTrustGiven = true })
    else { throw Failure("the window for pairing cannot be opened") }
    isPairingClosed = false
    pairing.onEvent = { [weak self] event in
      guard let self else { return }
      switch event {
      case .compare: isAsked = true
      case .attemptEnded:
        isAsked = false
        pairingAttempts += 1
      case .closed: isPairingClosed = true
      case .multicast, .several: break
      }
    }
    self.pairing = pairing
  }

  /// Runs the loop.
  ///
  /// - Returns: whether it came so far in time.
  func run(within limit: Duration, until isDone: () -> Bool) -> Bool {
    let deadline = loop.now.advanced(by: limit)
    while !isDone() {
      let left = loop.now.duration(to: deadline)
      if left <= .zero { return false }
      loop.runOnce(waitingAtMost: min(left, .milliseconds(20)))
    }
    return true
  }

  /// The friend is heard, at once and on its first session.
  func expectWell() throws {
    if isTrustGiven { throw Failure("an attacker is trusted") }
    if let end = friendEnds.first { throw Failure("the friend's session ended: \(end)") }
    let before = echoes
    let result = friend.send(Bench.echoClass, [1, 2, 3], to: hostID)
    guard result == .sent else { throw Failure("the friend cannot send: \(result)") }
    guard run(within: .seconds(3), until: { [self] in echoes > before }) else {
      throw Failure("the friend has no answer within 3 s")
    }
  }
}

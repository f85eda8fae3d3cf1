import PeerLink
import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// A node's thread and everything on it.
///
/// The handlers of the link below are formed in isolated methods and run on the same thread, so they enter without a hop; they keep this
/// actor, which `tearDown` undoes.
actor NodeRuntime {
  nonisolated let id: Peer.ID
  nonisolated let port: UInt16
  nonisolated let pairingAttempts = EventChannel(NewestQueue<PairingAttempt>())
  private nonisolated let executor: LoopExecutor
  let displayName: String
  let serviceType: ServiceType
  let identity: Identity
  let logger: Logger
  let paired: NodeTrust

  /// Nil once the node is stopped.
  var transceiver: PeerTransceiver?
  private var stopWaiters: [CheckedContinuation<Void, Never>] = []
  private var isTornDown = false

  // Sessions; see NodeRuntime+Sessions.swift.
  var sessions: [ObjectIdentifier: SessionRecord] = [:]
  var members: [Peer.ID: Member] = [:]
  var endpointInvites: [UInt64: EndpointInvite] = [:]
  var lastRuns: [Peer.ID: UInt64] = [:]
  var invitations: [UInt64: OpenInvitation] = [:]
  var nextToken: UInt64 = 0

  // Discovery; see NodeRuntime+Discovery.swift.
  var advertiser: AdvertiserRecord?
  var browsers: [ObjectIdentifier: BrowserRecord] = [:]
  var availability: PeerBrowser.Event?
  var found: [Peer.ID: BrowserEventQueue.Sighting] = [:]

  // Pairing; see NodeRuntime+Pairing.swift.
  var pairings: [UInt64: OpenPairing] = [:]
  var pairingHost: PairingHost?
  var hostedPairing: UInt64?

  // Transfers; see NodeRuntime+Transfers.swift and NodeRuntime+Streams.swift.
  var offers: [UInt64: OpenOffer] = [:]
  var transfers: [UInt64: FollowedTransfer] = [:]
  var streams: [UInt64: OpenStream] = [:]

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    displayName: String, serviceType: ServiceType, stateDirectory: String?, trust: TrustPolicy,
    listen: PeerNode.ListenAddress, log: PeerNode.LogHandler?
  ) throws(PeerNodeError) {
    guard (1...63).contains(displayName.utf8.count), sanitizedPeerName(displayName) == displayName else {
      throw .invalidDisplayName(displayName)
    }
    guard let address = SocketAddress(numericHost: listen.host, port: listen.port) else {
      throw .system("listen address \"\(listen.host)\": expected a numeric IPv4 or IPv6 address")
    }
    let logger =
      log.map { log in
        Logger(level: .info) { record in
          let fields = record.fields.map { " \($0.key)=\($0.value)" }.joined()
          log(PeerNode.LogLevel(rawValue: record.level.rawValue) ?? .info, record.message + fields)
        }
      } ?? .silent
    self.logger = logger
    self.displayName = displayName
    self.serviceType = serviceType
    do throws(SystemError) { executor = try LoopExecutor() } catch { throw .system(error.description) }
    let loop = executor.loop
    let identity: Identity
    do throws(IdentityError) {
      identity =
        if let stateDirectory {
          try Identity.loadOrCreate(directory: stateDirectory, commonName: displayName)
        } else {
          try Identity.ephemeral(commonName: displayName)
        }
    } catch { throw .state(error.description) }
    self.identity = identity
    id = Peer.ID(identity.peerID)
    paired = try NodeTrust(policy: trust, directory: stateDirectory, loop: loop, logger: logger)
    let transceiver = PeerTransceiver(
      configuration: PeerTransceiver.Configuration(
        name: displayName, serviceType: serviceType.dnsName, listenAddress: address, advertises: false,
        invitesTrustedPeers: false),
      identity: identity, trust: paired, loop: loop, logger: logger)
    do { try transceiver.start() } catch { throw .system("\(error)") }
    port = transceiver.localAddress?.port ?? listen.port
    self.transceiver = transceiver
    // The loop is still this thread's.
    assumeIsolated { $0.begin() }
    do throws(SystemError) { try executor.start(threadName: "peer-node") } catch {
      assumeIsolated { $0.tearDown() }
      throw .system(error.description)
    }
  }

  /// Runs `body` on the node's thread, after everything that was asked before.
  nonisolated func submit(_ body: @escaping @Sendable (isolated NodeRuntime) -> Void) {
    executor.submit { self.assumeIsolated(body) }
  }

  var loop: EventLoop { executor.loop }

  func takeToken() -> UInt64 {
    nextToken += 1
    return nextToken
  }

  private func begin() {
    guard let transceiver else { return }
    transceiver.onInvitation = { invitation in self.invited(invitation) }
    transceiver.onConnected = { peer in self.connected(peer) }
    transceiver.onDisconnected = { peer, end in self.disconnected(peer, end) }
    transceiver.onMessage = { peer, message in self.received(message, from: peer) }
    transceiver.onOffer = { transfer in self.offered(transfer) }
    transceiver.onWritable = { id in self.writable(id) }
    transceiver.onFound = { peer in self.found(peer) }
    transceiver.onLost = { id in self.lost(id) }
    transceiver.onDiscovery = { availability in self.discovery(availability) }
    transceiver.onPublication = { state in self.publication(state) }
    paired.onChange = { self.trustChanged() }
  }

  // MARK: End

  nonisolated func shutDown() { submit { $0.beginToStop() } }

  func stop() async {
    beginToStop()
    guard !isTornDown else { return }
    await withCheckedContinuation { continuation in
      if isTornDown { continuation.resume() } else { stopWaiters.append(continuation) }
    }
  }

  /// Ends everything that others see now, and the rest when the goodbyes have left.
  private func beginToStop() {
    guard let transceiver else { return }
    endAllPairings()
    endAllTransfers()
    for record in sessions.values { removeMembers(of: record, .ended("the node was stopped")) }
    self.transceiver = nil
    for record in sessions.values { record.finish() }
    sessions = [:]
    invitations = [:]
    advertiser?.finish()
    advertiser = nil
    for record in browsers.values { record.events.finish() }
    browsers = [:]
    found = [:]
    pairingAttempts.finish()
    paired.cancel()
    transceiver.stop()
    loop.schedule(after: .milliseconds(600)) {
      withExtendedLifetime(transceiver) {}
      self.tearDown()
    }
  }

  private func tearDown() {
    transceiver = nil
    isTornDown = true
    for waiter in stopWaiters { waiter.resume() }
    stopWaiters = []
  }

  // MARK: Trust

  func pairedPeers() -> [Peer] {
    paired.paired.map { Peer(id: Peer.ID($0.id), displayName: $0.name, isTrusted: true) }
  }

  func trust(_ id: Peer.ID, name: String) throws(PeerNodeError) {
    guard transceiver != nil else { throw .stopped }
    try paired.add(id.link, name: name)
  }

  func untrust(_ id: Peer.ID) throws(PeerNodeError) {
    guard transceiver != nil else { throw .stopped }
    try paired.remove(id.link)
  }

  private func trustChanged() {
    transceiver?.trustChanged()
    refreshFound()
  }
}

public import PeerProtocol
public import SecureTransport
public import ServiceDiscovery
public import ServiceRuntime
public import Sockets

/// Finds peers, proves who they are, keeps sessions with the trusted ones and carries messages.
///
/// A host listens and is advertised; an inviter browses, dials every trusted peer it finds and invites it, and dials again
/// for ever. Discovery is a hint: never identity, never liveness, never a reason to end a session. Confined to its loop.
public final class PeerTransceiver {
  public struct Configuration {
    /// Shown to other people, 1 to 63 bytes of UTF-8.
    public var name: String
    /// DNS-SD type, such as `_drone-control._tcp`.
    public var serviceType: String
    /// Where to listen and so be a host; nil for an inviter only.
    public var listenAddress: SocketAddress?
    /// Browse, and invite what is trusted.
    public var browses: Bool
    /// Peers to invite although multicast does not show them.
    public var endpoints: [PeerEndpoint]

    public init(
      name: String, serviceType: String, listenAddress: SocketAddress? = nil, browses: Bool = false,
      endpoints: [PeerEndpoint] = []
    ) {
      self.name = name
      self.serviceType = serviceType
      self.listenAddress = listenAddress
      self.browses = browses
      self.endpoints = endpoints
    }
  }

  /// A trusted peer invites; decide at once or later. Without a handler every trusted inviter is accepted.
  public var onInvitation: ((Invitation) -> Void)?
  public var onConnected: ((Peer) -> Void)?
  public var onDisconnected: ((Peer, SessionEnd) -> Void)?
  public var onMessage: ((Peer, ReceivedMessage) -> Void)?
  /// A stranger proved an identity that is not trusted; it was refused. Strangers may come as often as they like: bound what is
  /// done with it.
  public var onStranger: ((PeerID, SocketAddress) -> Void)?
  /// Whether browsing or publishing works; told once a change.
  public var onDiscovery: ((DiscoveryAvailability) -> Void)?
  public var onPublication: ((PublicationState) -> Void)?
  /// A dialled peer that could not be connected, for the log; not more often than it is dialled.
  public var onDialFailure: ((String, SessionEnd) -> Void)?

  let loop: EventLoop
  let identity: Identity
  let configuration: Configuration
  let logger: Logger
  /// Set before `start()`.
  var limits = AdmissionLimits()
  private let trust: any PeerTrust
  private let own: Hello
  private var listener: TCPListener?
  private var publisher: ServicePublisher?
  private var dialler: Dialler?
  private var ticks: RepeatingTimer?
  private var isStopped = false
  private var acceptFaults = FaultCounter(period: .seconds(60))
  /// In the order of their arrival.
  private var connections: [SecureConnection] = []
  private var sessions: [PeerID: Session] = [:]

  private struct Session {
    let peer: Peer
    let connection: SecureConnection
  }

  public init(
    configuration: Configuration, identity: Identity, trust: any PeerTrust, loop: EventLoop, logger: Logger
  ) {
    self.configuration = configuration
    self.identity = identity
    self.trust = trust
    self.loop = loop
    self.logger = logger
    let random = randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    own = Hello(runID: random, name: configuration.name)
  }

  deinit { ticks?.cancel() }

  /// Peers with a live session.
  public var connectedPeers: [Peer] { sessions.values.map(\.peer).sorted { $0.id < $1.id } }

  /// Where the host listens, once started.
  public var localAddress: SocketAddress? { listener?.localAddress }

  /// Starts listening, publishing, browsing and dialling.
  ///
  /// - Throws: `SystemError` when the address cannot be listened on, `ServiceDescriptionError` for an impossible name or type.
  public func start() throws {
    if let address = configuration.listenAddress {
      let listener = try TCPListener(on: address, loop: loop)
      listener.onAccept = { [weak self] connection in self?.accepted(connection) }
      listener.onError = { [weak self] error in self?.cannotAccept(error) }
      self.listener = listener
      let service = try ServiceDescription(
        serviceType: configuration.serviceType, name: configuration.name, port: listener.localAddress.port,
        txt: [(key: "id", value: identity.peerID.hex), (key: "v", value: String(Hello.currentVersion))])
      let publisher = ServicePublisher(loop: loop, configuration: service, logger: logger)
      publisher.onState = { [weak self] state in self?.onPublication?(state) }
      try publisher.start()
      self.publisher = publisher
    }
    if configuration.browses || !configuration.endpoints.isEmpty {
      let dialler = Dialler(owner: self)
      try dialler.start()
      self.dialler = dialler
    }
    ticks = loop.repeating(every: .milliseconds(100)) { [weak self] in self?.tick() }
  }

  /// Says goodbye to every peer and stops everything; the loop may run a moment longer so that the goodbyes leave.
  public func stop() {
    publisher?.stop()
    publisher = nil
    dialler?.stop()
    dialler = nil
    listener?.close()
    listener = nil
    isStopped = true
    for connection in connections { connection.disconnect(.shuttingDown) }
  }

  /// Queues a message for a connected peer.
  ///
  /// - Parameter isDroppable: leave it out when the peer is behind: something newer will follow.
  public func send(
    _ messageClass: UInt8, _ payload: [UInt8], to id: PeerID, isDroppable: Bool = false
  ) -> SendResult {
    guard let session = sessions[id] else { return .notConnected }
    if isDroppable, session.connection.pendingByteCount > 0 { return .congested }
    return session.connection.send(messageClass, payload)
  }

  public func disconnect(_ id: PeerID, _ reason: PeerReason = .disconnected) {
    sessions[id]?.connection.disconnect(reason)
  }

  /// The trust changed: peers that lost it are sent away now, newly trusted ones are dialled now.
  public func trustChanged() {
    for connection in connections where connection.isAdmitted {
      if let id = connection.peerID, !trust.isTrusted(id) { connection.disconnect(.untrusted) }
    }
    dialler?.hurry()
  }

  func isTrusted(_ id: PeerID) -> Bool { trust.isTrusted(id) }
  func isConnected(_ id: PeerID) -> Bool { sessions[id] != nil }

  private func cannotAccept(_ error: SystemError) {
    guard let count = acceptFaults.record(at: loop.now) else { return }
    logger.warning("cannot accept a connection: \(error)", ["faults": "\(count)"])
  }

  private func accepted(_ connection: TCPConnection) {
    makeRoom(for: connection.remote.host)
    adopt(connection, isOutgoing: false, policy: .any) { _, _ in }
  }

  /// Closes the oldest stranger, of the newcomer's own address or else of the address with most of them, when there are too many.
  ///
  /// Whoever opens connections and leaves them so loses only their own; a trusted peer needs a moment and gets it at once. Turning
  /// the newcomer away instead would keep it out for as long as somebody holds the places.
  private func makeRoom(for host: SocketAddress.Host) {
    let strangers = connections.filter { !$0.isOutgoing && !$0.isAdmitted && !$0.isEnded }
    let counts = strangers.reduce(into: [:]) { counts, one in counts[one.remote.host, default: 0] += 1 }
    let crowded: SocketAddress.Host?
    if counts[host, default: 0] >= limits.strangersPerAddress {
      crowded = host
    } else if strangers.count >= limits.strangers {
      crowded = counts.max { $0.value < $1.value }?.key
    } else {
      return
    }
    strangers.first { $0.remote.host == crowded }?.close()
    connections.removeAll(where: \.isEnded)
  }

  /// Runs a connection; `onChange` is told when it is connected and when it ended, with the peer's identity if it was proven.
  @discardableResult
  func adopt(
    _ tcp: TCPConnection, isOutgoing: Bool, policy: PeerPolicy,
    onChange: @escaping (PeerID?, SessionEnd?) -> Void
  ) -> Bool {
    do throws(TLSError) {
      let connection = try SecureConnection(
        tcp, identity: identity, isOutgoing: isOutgoing, policy: policy, handshakeLimit: limits.handshake,
        loop: loop)
      connections.append(connection)
      connection.onEvent = { [weak self, weak connection] event in
        guard let self, let connection else { return }
        handle(event, of: connection, onChange)
      }
      return true
    } catch {
      logger.warning("cannot start TLS with \(tcp.remote): \(error)")
      tcp.channel.close()
      return false
    }
  }

  private func handle(
    _ event: SecureConnection.Event, of connection: SecureConnection,
    _ onChange: (PeerID?, SessionEnd?) -> Void
  ) {
    switch event {
    case .authenticated(let id): authenticated(id, connection)
    case .invited(let hello, let context): invited(hello, context, connection)
    case .connected(let hello):
      guard let id = connection.peerID else { return }
      onChange(id, nil)
      connected(Peer(id: id, name: hello.name, runID: hello.runID), connection)
    case .message(let message):
      guard let id = connection.peerID, let session = sessions[id], session.connection === connection else {
        return
      }
      onMessage?(
        session.peer,
        ReceivedMessage(
          messageClass: message.messageClass, payload: message.payload, delay: connection.delay(of: message),
          receivedAt: loop.now))
    case .ended(let reason):
      onChange(connection.peerID, reason)
      guard let id = connection.peerID, let session = sessions[id], session.connection === connection else {
        return
      }
      sessions[id] = nil
      onDisconnected?(session.peer, reason)
    }
  }

  private func authenticated(_ id: PeerID, _ connection: SecureConnection) {
    if id == identity.peerID {
      return connection.refuse(
        .declined, text: "this is the same identity as its peer's: give each computer its own state")
    }
    guard trust.isTrusted(id) else {
      connection.refuse(.untrusted, text: "unknown identity \(id.hex)")
      onStranger?(id, connection.remote)
      return
    }
    let others = otherSessions(of: id, than: connection)
    if connection.isOutgoing {
      // Two ways to the same peer, such as two announcements: the first one stays.
      if sessions[id] != nil || !others.isEmpty {
        return connection.refuse(.replaced, text: "already connected")
      }
      connection.admit(role: .inviter(timeLimitSeconds: 30, context: []), own: own, limits: limits.session)
    } else {
      guard sessions[id] != nil || sessions.count < limits.sessions else {
        return connection.refuse(.busy, text: "\(limits.sessions) peers are connected already")
      }
      guard others.count < limits.sessionsPerPeer else {
        return connection.refuse(.busy, text: "too many connections of one peer")
      }
      connection.admit(role: .host, own: own, limits: limits.session)
    }
  }

  /// Sessions with one peer in the direction of `connection`, connected or on their way there.
  private func otherSessions(of id: PeerID, than connection: SecureConnection) -> [SecureConnection] {
    connections.filter {
      $0 !== connection && $0.isOutgoing == connection.isOutgoing && $0.peerID == id && $0.isInSession
    }
  }

  private func invited(_ hello: Hello, _ context: [UInt8], _ connection: SecureConnection) {
    guard let id = connection.peerID else { return }
    // The newest invitation counts. Not sooner: of two connections that race the inviter itself drops one before it invites.
    for other in otherSessions(of: id, than: connection) where !other.isConnected {
      other.disconnect(.replaced)
    }
    let invitation = Invitation(
      peer: Peer(id: id, name: hello.name, runID: hello.runID), context: context,
      accept: { [weak connection] in connection?.accept() },
      decline: { [weak connection] reason, text in connection?.decline(reason, text: text) })
    if let onInvitation { onInvitation(invitation) } else { connection.accept() }
  }

  private func connected(_ peer: Peer, _ connection: SecureConnection) {
    // The peer proved the same key again: it restarted or lost its old connection before this side noticed.
    if let old = sessions[peer.id] {
      sessions[peer.id] = nil
      old.connection.disconnect(.replaced)
      onDisconnected?(old.peer, .disconnected(.replaced))
      // The application may have ended this one just now.
      guard connection.isConnected else { return }
    }
    sessions[peer.id] = Session(peer: peer, connection: connection)
    onConnected?(peer)
  }

  private func tick() {
    for connection in connections { connection.tick() }
    connections.removeAll(where: \.isEnded)
    dialler?.tick()
    if isStopped, connections.isEmpty { ticks?.cancel() }
  }
}

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
  private lazy var reception = Reception(owner: self)
  private var publisher: ServicePublisher?
  private var dialler: Dialler?
  private var ticks: RepeatingTimer?
  private var isStopped = false
  /// All of them, whatever for.
  private var connections: [FramedConnection] = []
  /// Sessions and those on their way there, in the order of their beginning.
  private var begun: [SessionConnection] = []
  private var sessions: [PeerID: Session] = [:]

  private struct Session {
    let peer: Peer
    let connection: SessionConnection
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
  public var localAddress: SocketAddress? { reception.localAddress }

  /// What incoming connections may be for besides sessions, by the type of their first frame (16 to 31).
  var purposes: [UInt8: Purpose] {
    get { reception.purposes }
    set { reception.purposes = newValue }
  }

  /// Whether the announcement says that an operator here accepts pairing.
  var announcesPairing = false {
    didSet {
      guard announcesPairing != oldValue else { return }
      do throws(ServiceDescriptionError) { try publisher?.update(txt: attributes) } catch {
        logger.warning("\(error)")
      }
    }
  }

  private var attributes: [(key: String, value: String)] {
    [(key: "id", value: identity.peerID.hex), (key: "v", value: String(Hello.currentVersion))]
      + (announcesPairing ? [(key: PairingCandidate.attribute, value: "1")] : [])
  }

  /// Starts listening, publishing, browsing and dialling.
  ///
  /// - Throws: `SystemError` when the address cannot be listened on, `ServiceDescriptionError` for an impossible name or type.
  public func start() throws {
    if let address = configuration.listenAddress {
      try reception.listen(on: address)
      let service = try ServiceDescription(
        serviceType: configuration.serviceType, name: configuration.name,
        port: reception.localAddress?.port ?? address.port,
        txt: attributes)
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
    isStopped = true
    reception.stop()
    for session in begun { session.disconnect(.shuttingDown) }
    for connection in connections { connection.finish() }
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
    for session in begun where verdict(on: session.peerID) == .refuse { session.disconnect(.untrusted) }
    dialler?.hurry()
  }

  func verdict(on id: PeerID) -> PeerVerdict { trust.verdict(on: id) }
  func isTrusted(_ id: PeerID) -> Bool { trust.isTrusted(id) }
  func isConnected(_ id: PeerID) -> Bool { sessions[id] != nil }

  /// Starts TLS on a connection, which is ticked from now on until it ends.
  func secure(_ tcp: TCPConnection, isOutgoing: Bool, policy: PeerPolicy) -> FramedConnection? {
    do throws(TLSError) {
      let connection = try FramedConnection(
        tcp, identity: identity, isOutgoing: isOutgoing, policy: policy, handshakeLimit: limits.handshake,
        loop: loop)
      connections.append(connection)
      return connection
    } catch {
      logger.warning("cannot start TLS with \(tcp.remote): \(error)")
      tcp.channel.close()
      return nil
    }
  }

  /// A peer that may come begins a session with its first frame.
  func called(_ connection: FramedConnection, by id: PeerID, _ first: ControlFrame) {
    guard sessions[id] != nil || sessions.count < limits.sessions else {
      connection.send(.decline(.busy, text: "\(limits.sessions) peers are connected already"))
      return connection.finish()
    }
    let session = begin(on: connection, with: id, role: .host) { _, _ in }
    session.received(first)
  }

  /// Invites a peer on a connection that this side opened.
  ///
  /// - Parameter onChange: told when it is connected and when it ended.
  func dialled(
    _ connection: FramedConnection, _ id: PeerID, onChange: @escaping (PeerID?, SessionEnd?) -> Void
  ) {
    func refuse(_ reason: PeerReason, _ text: String) {
      connection.send(.decline(reason, text: text))
      connection.finish()
      onChange(id, .disconnected(reason))
    }
    if id == identity.peerID {
      return refuse(.declined, "this is the same identity as its peer's: give each computer its own state")
    }
    guard trust.isTrusted(id) else {
      refuse(.untrusted, "unknown identity \(id.hex)")
      onStranger?(id, connection.remote)
      return
    }
    // Two ways to the same peer, such as two announcements: the first one stays.
    if sessions[id] != nil || begun.contains(where: { $0.peerID == id && $0.connection.isOutgoing }) {
      return refuse(.replaced, "already connected")
    }
    begin(
      on: connection, with: id, role: .inviter(timeLimitSeconds: 30, context: []), onChange: onChange
    ).start()
  }

  private func begin(
    on connection: FramedConnection, with id: PeerID, role: SessionStateMachine.Role,
    onChange: @escaping (PeerID?, SessionEnd?) -> Void
  ) -> SessionConnection {
    let session = SessionConnection(
      connection, with: id, role: role, own: own, limits: limits.session, loop: loop)
    begun.append(session)
    session.onEvent = { [weak self, weak session] event in
      guard let self, let session else { return }
      handle(event, of: session, onChange)
    }
    return session
  }

  private func handle(
    _ event: SessionConnection.Event, of connection: SessionConnection,
    _ onChange: (PeerID?, SessionEnd?) -> Void
  ) {
    let id = connection.peerID
    switch event {
    case .invited(let hello, let context): invited(hello, context, connection)
    case .connected(let hello):
      onChange(id, nil)
      connected(Peer(id: id, name: hello.name, runID: hello.runID), connection)
    case .message(let message):
      guard let session = sessions[id], session.connection === connection else { return }
      onMessage?(
        session.peer,
        ReceivedMessage(
          messageClass: message.messageClass, payload: message.payload, delay: connection.delay(of: message),
          receivedAt: loop.now))
    case .ended(let reason):
      begun.removeAll { $0 === connection }
      onChange(id, reason)
      guard let session = sessions[id], session.connection === connection else { return }
      sessions[id] = nil
      onDisconnected?(session.peer, reason)
    }
  }

  /// Sessions with a peer that are on their way.
  func unconnectedSessions(of id: PeerID) -> Int { begun.count { $0.peerID == id && !$0.isConnected } }

  private func invited(_ hello: Hello, _ context: [UInt8], _ connection: SessionConnection) {
    let id = connection.peerID
    // The newest invitation counts. Not sooner: of two connections that race the inviter itself drops one before it invites.
    for other in begun
    where other !== connection && other.peerID == id && !other.connection.isOutgoing && !other.isConnected {
      other.disconnect(.replaced)
    }
    let invitation = Invitation(
      peer: Peer(id: id, name: hello.name, runID: hello.runID), isTrusted: verdict(on: id) == .trusted,
      context: context,
      accept: { [weak connection] in connection?.accept() },
      decline: { [weak connection] reason, text in connection?.decline(reason, text: text) })
    if let onInvitation {
      onInvitation(invitation)
    } else if invitation.isTrusted {
      connection.accept()
    } else {
      connection.decline(.untrusted, text: "nobody is here to ask")
    }
  }

  private func connected(_ peer: Peer, _ connection: SessionConnection) {
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
    for session in begun { session.tick() }
    reception.tick()
    connections.removeAll(where: \.isEnded)
    dialler?.tick()
    if isStopped, connections.isEmpty { ticks?.cancel() }
  }
}

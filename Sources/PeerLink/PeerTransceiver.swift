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
    /// Announce the listening address from the start on.
    public var advertises: Bool
    /// Browse from the start on.
    public var browses: Bool
    /// Invite, again and again, every trusted peer that is found. Without it only `invite` does.
    public var invitesTrustedPeers: Bool
    /// Peers to invite, again and again, although multicast does not show them.
    public var endpoints: [PeerEndpoint]
    /// What the announcement says besides the identity; at most 255 bytes a pair and 320 together.
    public var discoveryInfo: [(key: String, value: String)]

    public init(
      name: String, serviceType: String, listenAddress: SocketAddress? = nil, advertises: Bool = true,
      browses: Bool = false, invitesTrustedPeers: Bool = true, endpoints: [PeerEndpoint] = [],
      discoveryInfo: [(key: String, value: String)] = []
    ) {
      self.name = name
      self.serviceType = serviceType
      self.listenAddress = listenAddress
      self.advertises = advertises
      self.browses = browses
      self.invitesTrustedPeers = invitesTrustedPeers
      self.endpoints = endpoints
      self.discoveryInfo = discoveryInfo
    }
  }

  /// A trusted peer invites; decide at once or later. Without a handler every trusted inviter is accepted.
  public var onInvitation: ((Invitation) -> Void)?
  public var onConnected: ((Peer) -> Void)?
  public var onDisconnected: ((Peer, SessionEnd) -> Void)?
  public var onMessage: ((Peer, ReceivedMessage) -> Void)?
  /// There is room again for messages to this peer, after `send` has answered `congested`.
  public var onWritable: ((PeerID) -> Void)?
  /// A peer announces itself, or something about its announcement changed.
  public var onFound: ((FoundPeer) -> Void)?
  /// A peer is not announced any more. It may still be there, and its session goes on.
  public var onLost: ((PeerID) -> Void)?
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
  private(set) lazy var transfers = TransferPlane(owner: self)
  private var publisher: ServicePublisher?
  private lazy var dialler = Dialler(owner: self)
  private var browser: ServiceBrowser?
  private var neighbourhood: Neighbourhood
  private var discoveryInfo: [(key: String, value: String)]
  /// Invitations that the application has not answered yet.
  private var waitingInvitations: [ObjectIdentifier: SessionConnection] = [:]
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
    neighbourhood = Neighbourhood(own: identity.peerID)
    discoveryInfo = configuration.discoveryInfo
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
      + discoveryInfo + (announcesPairing ? [(key: PairingCandidate.attribute, value: "1")] : [])
  }

  /// Starts listening, and publishing and browsing as configured.
  ///
  /// - Throws: `SystemError` when the address cannot be listened on, `ServiceDescriptionError` for an impossible name or type.
  public func start() throws {
    purposes[TransferOpening.openType] = transfers.purpose
    if let address = configuration.listenAddress {
      try reception.listen(on: address)
      if configuration.advertises { try startAdvertising() }
    }
    if configuration.browses { try startBrowsing() }
    try dialler.start()
    ticks = loop.repeating(every: .milliseconds(100)) { [weak self] in self?.tick() }
  }

  /// Announces the listening address. Does nothing when it is announced already, or when there is none.
  ///
  /// - Throws: `ServiceDescriptionError` for an impossible name, type or discovery information, `SystemError`.
  public func startAdvertising() throws {
    guard publisher == nil, let port = reception.localAddress?.port else { return }
    let service = try ServiceDescription(
      serviceType: configuration.serviceType, name: configuration.name, port: port,
      txt: attributes)
    let publisher = ServicePublisher(loop: loop, configuration: service, logger: logger)
    publisher.onState = { [weak self] state in self?.onPublication?(state) }
    try publisher.start()
    self.publisher = publisher
  }

  /// Withdraws the announcement; who knows the address may still come. Idempotent.
  public func stopAdvertising() {
    publisher?.stop()
    publisher = nil
  }

  /// Changes what the announcement says besides the identity.
  ///
  /// - Throws: for pairs that cannot be announced; the old ones stay.
  public func setDiscoveryInfo(
    _ info: [(key: String, value: String)]
  ) throws(ServiceDescriptionError) {
    let old = discoveryInfo
    discoveryInfo = info
    do throws(ServiceDescriptionError) { try publisher?.update(txt: attributes) } catch {
      discoveryInfo = old
      throw error
    }
  }

  /// Looks for peers. Does nothing when it does already.
  ///
  /// - Throws: `ServiceDescriptionError` for an impossible type, `SystemError`.
  public func startBrowsing() throws {
    guard browser == nil else { return }
    let browser = try ServiceBrowser(loop: loop, serviceType: configuration.serviceType, logger: logger)
    browser.onEvent = { [weak self] event in self?.discovered(event) }
    browser.onAvailability = { [weak self] availability in self?.onDiscovery?(availability) }
    try browser.start()
    self.browser = browser
  }

  /// Forgets who was found, without a word of each; sessions live on. Idempotent.
  public func stopBrowsing() {
    browser?.stop()
    browser = nil
    for peer in neighbourhood.peers { dialler.lost(peer.id) }
    neighbourhood.removeAll()
  }

  /// As if the peer had been found there: for pairing by address, and for tests.
  func introduce(_ id: PeerID, at addresses: [SocketAddress]) {
    dialler.found(id, name: id.short, at: addresses)
  }

  /// Who announces itself now.
  public var foundPeers: [FoundPeer] { neighbourhood.peers }

  private func discovered(_ event: DiscoveryEvent) {
    for change in neighbourhood.apply(event) {
      switch change {
      case .found(let peer, let addresses):
        dialler.found(peer.id, name: peer.name, at: addresses)
        onFound?(peer)
      case .lost(let id):
        dialler.lost(id)
        onLost?(id)
      }
    }
  }

  /// Says goodbye to every peer and stops everything; the loop may run a moment longer so that the goodbyes leave.
  public func stop() {
    stopAdvertising()
    stopBrowsing()
    isStopped = true
    dialler.stop()
    reception.stop()
    for session in begun { session.disconnect(.shuttingDown) }
    for connection in connections { connection.finish() }
  }

  /// Invites a peer: dials it until it answers or the time is over, and tells the outcome once, perhaps before this returns.
  ///
  /// It is dialled where it announces itself; a peer that is not found yet is waited for. An invitation that the peer itself makes
  /// meanwhile is accepted without asking, and its session is the outcome. A peer that refused is left alone for a second or more.
  ///
  /// - Parameters:
  ///   - context: at most 1000 bytes for the other side's application.
  ///   - timeLimit: at most 300 s reach the other side.
  /// - Returns: a token for `cancelInvitation`.
  @discardableResult
  public func invite(
    _ id: PeerID, context: [UInt8] = [], timeLimit: Duration = .seconds(30),
    then: @escaping (Result<Peer, InvitationError>) -> Void
  ) -> UInt64? {
    if isStopped {
      then(.failure(.ended("stopped")))
    } else if let session = sessions[id] {
      then(.failure(.alreadyConnected(session.peer)))
    } else if id == identity.peerID {
      then(.failure(.unreachable("this is the identity of this program itself")))
    } else if verdict(on: id) == .refuse {
      then(.failure(.untrusted(by: .thisSide)))
    } else {
      let token = dialler.invite(.peer(id), context: context, timeLimit: timeLimit, then: then)
      acceptWaitingInvitation(of: id)
      return token
    }
    return nil
  }

  /// Invites whoever is at an endpoint, for networks without multicast.
  @discardableResult
  public func invite(
    _ endpoint: PeerEndpoint, context: [UInt8] = [], timeLimit: Duration = .seconds(30),
    then: @escaping (Result<Peer, InvitationError>) -> Void
  ) -> UInt64? {
    if isStopped {
      then(.failure(.ended("stopped")))
      return nil
    }
    return dialler.invite(.endpoint(endpoint), context: context, timeLimit: timeLimit, then: then)
  }

  /// Its handler is told `cancelled`, unless it was told another outcome before.
  public func cancelInvitation(_ token: UInt64) { dialler.cancel(token) }

  /// Queues a message for a connected peer.
  ///
  /// - Returns: `congested` when too much waits for the peer already; `onWritable` says when to try again.
  public func send(
    _ messageClass: UInt8, _ payload: [UInt8], to id: PeerID, mode: DeliveryMode
  ) -> SendResult {
    guard let session = sessions[id] else { return .notConnected }
    switch mode {
    case .reliable, .urgent: break
    case .unreliable: if session.connection.pendingByteCount > 0 { return .congested }
    }
    return session.connection.send(messageClass, payload)
  }

  /// Queues a message for a connected peer, reliably.
  ///
  /// - Parameter isDroppable: leave it out when the peer is behind: something newer will follow.
  public func send(
    _ messageClass: UInt8, _ payload: [UInt8], to id: PeerID, isDroppable: Bool = false
  ) -> SendResult {
    send(messageClass, payload, to: id, mode: isDroppable ? .unreliable : .reliable)
  }

  /// Stops and resumes taking what a peer sends, so that an application that is behind slows the sender instead of filling memory.
  ///
  /// What has arrived may still be delivered: a few messages. The peer's silence does not count meanwhile. A new session begins with reading.
  public func setReading(_ enabled: Bool, from id: PeerID) { sessions[id]?.connection.setReading(enabled) }

  /// Bytes of messages that wait for this peer to take them.
  public func pendingBytes(to id: PeerID) -> Int { sessions[id]?.connection.pendingByteCount ?? 0 }

  public func disconnect(_ id: PeerID, _ reason: PeerReason = .disconnected) {
    sessions[id]?.connection.disconnect(reason)
  }

  /// The trust changed: peers that lost it are sent away now, newly trusted ones are dialled now.
  public func trustChanged() {
    for session in begun where verdict(on: session.peerID) == .refuse { session.disconnect(.untrusted) }
    dialler.hurry()
  }

  func verdict(on id: PeerID) -> PeerVerdict { trust.verdict(on: id) }
  func isConnected(_ id: PeerID) -> Bool { sessions[id] != nil }
  func connectedPeer(_ id: PeerID) -> Peer? { sessions[id]?.peer }
  func hasSession(_ id: PeerID) -> Bool { sessions[id] != nil }
  func addresses(of id: PeerID) -> [SocketAddress] { dialler.addresses(of: id) }

  /// Opens a further connection to a peer, for another purpose than a session.
  ///
  /// - Parameters:
  ///   - first: says the purpose.
  ///   - then: told once; takes the connection over: keeps it, sets `onEvent`, ends it. The transceiver goes on to call `tick()`.
  /// - Returns: keep it until the result arrived; letting go of it cancels.
  func open(
    to addresses: [SocketAddress], policy: PeerPolicy, first: ControlFrame,
    then: @escaping (Result<FramedConnection, DialRace.Failure>) -> Void
  ) -> DialRace {
    DialRace(to: addresses, policy: policy, owner: self) { result in
      if case .success(let connection) = result { connection.send(first) }
      then(result)
    }
  }

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
    begin(on: connection, with: id, role: .host) { _, _ in }.received(first)
  }

  /// What a connection was opened for.
  struct Wish {
    /// The application asked for this peer.
    let isExplicit: Bool
    let context: [UInt8]
    let timeLimitSeconds: UInt16
  }

  /// A peer was dialled and has proven who it is.
  ///
  /// - Parameter onChange: told when the session is connected and when it ended.
  func reached(
    _ connection: FramedConnection, _ id: PeerID, _ wish: Wish,
    onChange: @escaping (SessionConnection, SessionEnd?) -> Void
  ) -> Result<SessionConnection, DialRace.Failure> {
    func refuse(
      _ reason: PeerReason, _ text: String
    ) -> Result<SessionConnection, DialRace.Failure> {
      connection.send(.decline(reason, text: text))
      connection.finish()
      return .failure(DialRace.Failure(reason: .disconnected(reason)))
    }
    if id == identity.peerID {
      return refuse(.declined, "this is the same identity as its peer's: give each computer its own state")
    }
    let verdict = verdict(on: id)
    guard verdict == .trusted || verdict == .ask && wish.isExplicit else {
      onStranger?(id, connection.remote)
      return refuse(.untrusted, "unknown identity \(id.hex)")
    }
    // Two ways to the same peer, such as two announcements: the first one stays.
    if sessions[id] != nil || begun.contains(where: { $0.peerID == id && $0.connection.isOutgoing }) {
      return refuse(.replaced, "already connected")
    }
    return .success(
      begin(
        on: connection, with: id,
        role: .inviter(timeLimitSeconds: wish.timeLimitSeconds, context: wish.context), onChange: onChange))
  }

  private func begin(
    on connection: FramedConnection, with id: PeerID, role: SessionStateMachine.Role,
    onChange: @escaping (SessionConnection, SessionEnd?) -> Void
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
    _ onChange: (SessionConnection, SessionEnd?) -> Void
  ) {
    let id = connection.peerID
    switch event {
    case .invited(let hello, let context, let limit): invited(hello, context, limit, connection)
    case .connected(let hello):
      onChange(connection, nil)
      connected(Peer(id: id, name: hello.name, runID: hello.runID), connection)
    case .message(let message):
      guard let session = sessions[id], session.connection === connection else { return }
      if message.messageClass == TransferMessage.messageClass {
        return transfers.received(message.payload, from: id)
      }
      onMessage?(
        session.peer,
        ReceivedMessage(
          messageClass: message.messageClass, payload: message.payload, delay: connection.delay(of: message),
          receivedAt: loop.now))
    case .drained: if sessions[id]?.connection === connection { onWritable?(id) }
    case .ended(let reason):
      waitingInvitations[ObjectIdentifier(connection)] = nil
      begun.removeAll { $0 === connection }
      onChange(connection, reason)
      guard let session = sessions[id], session.connection === connection else { return }
      sessions[id] = nil
      transfers.sessionEnded(with: id)
      onDisconnected?(session.peer, reason)
    }
  }

  /// Sessions with a peer that are on their way.
  func unconnectedSessions(of id: PeerID) -> Int { begun.count { $0.peerID == id && !$0.isConnected } }

  private func invited(
    _ hello: Hello, _ context: [UInt8], _ timeLimit: Duration, _ connection: SessionConnection
  ) {
    let id = connection.peerID
    // The newest invitation counts. Not sooner: of two connections that race the inviter itself drops one before it invites.
    for other in begun
    where other !== connection && other.peerID == id && !other.connection.isOutgoing && !other.isConnected {
      other.disconnect(.replaced)
    }
    if resolveMutualInvitation(of: id, on: connection) { return }
    let invitation = Invitation(
      peer: Peer(id: id, name: hello.name, runID: hello.runID), isTrusted: verdict(on: id) == .trusted,
      context: context, timeLimit: timeLimit,
      accept: { [weak connection, weak self] in
        guard let connection else { return }
        self?.waitingInvitations[ObjectIdentifier(connection)] = nil
        connection.accept()
      },
      decline: { [weak connection] reason, text in connection?.decline(reason, text: text) })
    if let onInvitation {
      waitingInvitations[ObjectIdentifier(connection)] = connection
      onInvitation(invitation)
    } else if invitation.isTrusted {
      connection.accept()
    } else {
      connection.decline(.untrusted, text: "nobody is here to ask")
    }
  }

  /// Both sides invite each other: the invitation of the smaller identity counts, on both sides.
  ///
  /// - Returns: whether this one is decided by that.
  private func resolveMutualInvitation(of id: PeerID, on connection: SessionConnection) -> Bool {
    let mine = begun.filter { $0.peerID == id && $0.connection.isOutgoing && !$0.isConnected }
    // What has not reached the peer yet cannot be in its way.
    if !mine.isEmpty, identity.peerID < id {
      connection.decline(.replaced, text: "both sides invite: the other invitation counts")
      return true
    }
    let isInviting = dialler.isInviting(id)
    guard !mine.isEmpty || isInviting else { return false }
    dialler.yield(to: id)
    // Who invites does not have to be asked.
    if isInviting { connection.accept() }
    return isInviting
  }

  /// The application invites somebody whose own invitation waits for an answer.
  func acceptWaitingInvitation(of id: PeerID) {
    guard let waiting = waitingInvitations.first(where: { $0.value.peerID == id }) else { return }
    waitingInvitations[waiting.key] = nil
    dialler.yield(to: id)
    waiting.value.accept()
  }

  private func connected(_ peer: Peer, _ connection: SessionConnection) {
    // The peer proved the same key again: it restarted or lost its old connection before this side noticed.
    if let old = sessions[peer.id] {
      sessions[peer.id] = nil
      old.connection.disconnect(.replaced)
      transfers.sessionEnded(with: peer.id)
      onDisconnected?(old.peer, .disconnected(.replaced))
      // The application may have ended this one just now.
      guard connection.isConnected else { return }
    }
    sessions[peer.id] = Session(peer: peer, connection: connection)
    beginTransfers(with: peer.id, on: connection.connection)
    dialler.connected(peer)
    // The application may have ended it in the answer to an invitation of its own.
    guard sessions[peer.id]?.connection === connection else { return }
    onConnected?(peer)
  }

  private func tick() {
    for connection in connections { connection.tick() }
    for session in begun { session.tick() }
    reception.tick()
    transfers.tick()
    connections.removeAll(where: \.isEnded)
    if !isStopped { dialler.tick() }
    if isStopped, connections.isEmpty { ticks?.cancel() }
  }
}

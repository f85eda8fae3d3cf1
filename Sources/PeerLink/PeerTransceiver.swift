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
  let own: Hello
  private lazy var reception = Reception(owner: self)
  private(set) lazy var transfers = TransferPlane(owner: self)
  private var publisher: ServicePublisher?
  private(set) lazy var dialler = Dialler(owner: self)
  private var browser: ServiceBrowser?
  private var neighbourhood: Neighbourhood
  private var discoveryInfo: [(key: String, value: String)]
  /// Peers to invite although multicast does not show them.
  private(set) var endpoints: [PeerEndpoint]
  private var ticks: RepeatingTimer?
  private(set) var isStopped = false
  /// All of them, whatever for.
  private(set) var connections: [FramedConnection] = []
  /// Sessions on their way, in the order of their beginning.
  var introductions: [Introduction] = []
  /// Invitations that the application has not answered yet.
  var waitingInvitations: [ObjectIdentifier: Introduction] = [:]
  /// Sessions, dormant ones included.
  var sessions: [PeerID: Session] = [:]
  var resumptions: [Resumption] = []
  /// Lets a test lose datagrams.
  var datagramFilter: DatagramFilter?

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
    endpoints = configuration.endpoints
    let random = randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    own = Hello(runID: random, name: configuration.name)
  }

  deinit { ticks?.cancel() }

  /// Peers with a live session.
  public var connectedPeers: [Peer] {
    sessions.values.filter(\.isTold).map(\.peer).sorted { $0.id < $1.id }
  }

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

  /// Changes whom to invite although multicast does not show them. Sessions with those that are left out live on.
  ///
  /// - Throws: when no thread for looking names up can be started; the old ones stay.
  public func setEndpoints(_ new: [PeerEndpoint]) throws(SystemError) {
    for endpoint in new { try dialler.add(endpoint) }
    endpoints = new
    dialler.hurry()
  }

  /// Says goodbye to every peer and stops everything; the loop may run a moment longer so that the goodbyes leave.
  public func stop() {
    stopAdvertising()
    stopBrowsing()
    isStopped = true
    dialler.stop()
    reception.stop()
    for introduction in introductions { introduction.disconnect(.shuttingDown) }
    for resumption in resumptions { resumption.cancel() }
    for session in sessions.values { session.disconnect(.shuttingDown) }
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
    } else if let session = sessions[id], session.isTold {
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
    guard let session = sessions[id], session.isTold else { return .notConnected }
    return session.send(messageClass, payload, mode)
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
  /// The peer stops when it has no room for more unacknowledged messages: up to 1 MiB still arrives, and twice that from one that does not
  /// keep to the rules. Everything else of the session goes on. A new session begins with reading.
  public func setReading(_ enabled: Bool, from id: PeerID) { sessions[id]?.setReading(enabled) }

  /// Bytes of reliable messages that the peer has not acknowledged yet.
  public func pendingBytes(to id: PeerID) -> Int { sessions[id]?.pendingBytes ?? 0 }

  /// How a connected peer is reached at the moment.
  public func status(of id: PeerID) -> PeerStatus? {
    sessions[id].map {
      PeerStatus(datagrams: $0.datagramState, hasControl: $0.hasControl, quality: $0.datagramQuality)
    }
  }

  /// Ends the session for good.
  public func disconnect(_ id: PeerID, _ reason: PeerReason = .disconnected) {
    sessions[id]?.disconnect(reason)
  }

  /// The trust changed: peers that lost it are sent away now, newly trusted ones are dialled now.
  public func trustChanged() {
    for one in introductions where verdict(on: one.peerID) == .refuse { one.disconnect(.untrusted) }
    for (id, session) in sessions where verdict(on: id) == .refuse { session.disconnect(.untrusted) }
    dialler.hurry()
  }

  func verdict(on id: PeerID) -> PeerVerdict { trust.verdict(on: id) }
  func connectedPeer(_ id: PeerID) -> Peer? { sessions[id].flatMap { $0.isTold ? $0.peer : nil } }
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

  private func tick() {
    for connection in connections { connection.tick() }
    for introduction in introductions { introduction.tick() }
    for resumption in resumptions { resumption.tick() }
    resumptions.removeAll(where: \.isOver)
    for session in sessions.values { session.tick() }
    reception.tick()
    transfers.tick()
    connections.removeAll(where: \.isEnded)
    if !isStopped { dialler.tick() }
    if isStopped, connections.isEmpty { ticks?.cancel() }
  }
}

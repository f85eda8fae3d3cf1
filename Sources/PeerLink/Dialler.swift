import PeerProtocol
import SecureTransport
import ServiceDiscovery
import ServiceRuntime
import Sockets

/// The inviter's half: one attempt at a time for each peer that is to be connected, and what the application waits for.
final class Dialler {
  /// Whom to dial: one entry for each, however many announcements it has.
  enum Key: Hashable {
    case peer(PeerID)
    /// A place where somebody is whose identity shows only in the handshake.
    case endpoint(PeerEndpoint)

    /// It may have to be looked up, whatever addresses are known.
    var isEndpoint: Bool {
      switch self {
      case .peer: false
      case .endpoint: true
      }
    }
  }

  struct Invite {
    let token: UInt64
    let context: [UInt8]
    let deadline: ContinuousClock.Instant
    let then: (Result<Peer, InvitationError>) -> Void
  }

  private struct Target {
    /// Known from the beginning, or since the peer was proven.
    var peerID: PeerID?
    var name: String
    /// Where it is, by the announcements that name it; or where it was.
    var addresses: [SocketAddress] = []
    var plan: DialPlan
    var invites: [Invite] = []
    var race: DialRace?
    /// Why the last attempt failed.
    var lastFailure: SessionEnd?
    /// The attempt has reached the peer, and a session begins or is taken up again.
    var attempt: Attempt?
  }

  private struct Attempt {
    let number: UInt64
    let cancel: (PeerReason) -> Void
  }

  /// Peers known at a time; more on one network are somebody's mischief.
  static let maximumTargets = 256
  static let maximumInvitesPerPeer = 16

  private unowned let owner: PeerTransceiver
  private var resolver: HostResolver?
  private var targets: [Key: Target] = [:]
  private var random = SystemRandomNumberGenerator()
  private var nextToken: UInt64 = 1

  init(owner: PeerTransceiver) { self.owner = owner }

  func start() throws(SystemError) {
    for endpoint in owner.endpoints { try add(endpoint) }
    tick()
  }

  func add(_ endpoint: PeerEndpoint) throws(SystemError) {
    guard targets[.endpoint(endpoint)] == nil else { return }
    let numeric = SocketAddress(numericHost: endpoint.host, port: endpoint.port)
    if numeric == nil, resolver == nil { resolver = try HostResolver(on: owner.loop) }
    targets[.endpoint(endpoint)] = Target(
      name: endpoint.description, addresses: numeric.map { [$0] } ?? [], plan: DialPlan(at: owner.loop.now))
  }

  func stop() {
    let invites = targets.values.flatMap(\.invites)
    for target in targets.values { target.race?.cancel() }
    targets = [:]
    for invite in invites { invite.then(.failure(.ended("stopped"))) }
  }

  /// Trust was given or news arrived: do not wait out the delays.
  func hurry() {
    for key in targets.keys { targets[key]?.plan.hurry(at: owner.loop.now) }
    tick()
  }

  // MARK: What the application asks for

  /// - Returns: a token for `cancel`.
  func invite(
    _ key: Key, context: [UInt8], timeLimit: Duration,
    then: @escaping (Result<Peer, InvitationError>) -> Void
  ) -> UInt64 {
    let token = nextToken
    nextToken += 1
    let now = owner.loop.now
    if case .endpoint(let endpoint) = key {
      do throws(SystemError) { try add(endpoint) } catch {
        then(.failure(.unreachable(error.description)))
        return token
      }
    }
    if case .peer(let id) = key, targets[key] == nil {
      targets[key] = Target(peerID: id, name: id.short, plan: DialPlan(at: now))
    }
    guard targets[key]!.invites.count < Dialler.maximumInvitesPerPeer else {
      then(.failure(.ended("too many invitations of one peer at a time")))
      return token
    }
    if let id = targets[key]!.peerID, let peer = owner.connectedPeer(id) {
      then(.failure(.alreadyConnected(peer)))
      return token
    }
    targets[key]!.invites.append(
      Invite(token: token, context: context, deadline: now.advanced(by: timeLimit), then: then))
    targets[key]!.plan.hurry(at: now)
    tick()
    return token
  }

  func cancel(_ token: UInt64) {
    for (key, target) in targets {
      guard let index = target.invites.firstIndex(where: { $0.token == token }) else { continue }
      let invite = targets[key]!.invites.remove(at: index)
      abandonIfUnwanted(key)
      invite.then(.failure(.cancelled))
      return
    }
  }

  /// Whether the application itself waits for a session with this peer.
  func isInviting(_ id: PeerID) -> Bool {
    targets.contains { ($0 == .peer(id) || $1.peerID == id) && !$1.invites.isEmpty }
  }

  /// The peer invites on its own, and that invitation counts: ends the attempts to reach it.
  func yield(to id: PeerID) {
    for key in keys(of: id) { giveUp(key, .replaced) }
  }

  /// Ends what is under way to reach a target, so that it can be dialled again: whoever cancels is not told how it ended.
  private func giveUp(_ key: Key, _ reason: PeerReason) {
    guard let target = targets[key], target.race != nil || target.attempt != nil else { return }
    targets[key]?.race = nil
    targets[key]?.attempt = nil
    targets[key]?.plan.ended(.disconnected(reason), at: owner.loop.now, jitter: jitter())
    target.attempt?.cancel(reason)
  }

  /// A session came about, by whatever way.
  func connected(_ peer: Peer) {
    let keys = keys(of: peer.id)
    var invites: [Invite] = []
    for key in keys {
      invites += targets[key]?.invites ?? []
      targets[key]?.invites = []
      // A session that came back by datagrams still wants its control connection.
      if owner.sessions[peer.id]?.wantsControl != true, targets[key]?.race != nil {
        targets[key]?.race = nil
        targets[key]?.plan.ended(.disconnected(.replaced), at: owner.loop.now, jitter: jitter())
      }
    }
    for invite in invites { invite.then(.success(peer)) }
  }

  private func keys(of id: PeerID) -> [Key] {
    targets.filter { $0.key == .peer(id) || $0.value.peerID == id }.map(\.key)
  }

  // MARK: What discovery says

  /// - Parameter addresses: empty when nobody announces it any more.
  func found(_ id: PeerID, name: String, at addresses: [SocketAddress]) {
    let key = Key.peer(id)
    guard targets[key] != nil || targets.count < Dialler.maximumTargets else { return }
    var target = targets[key] ?? Target(peerID: id, name: name, plan: DialPlan(at: owner.loop.now))
    // News only: every peer is announced again and again.
    if Set(target.addresses) != Set(addresses) { target.plan.hurry(at: owner.loop.now) }
    target.addresses = addresses
    target.name = name
    targets[key] = target
    tick()
  }

  func lost(_ id: PeerID) {
    let key = Key.peer(id)
    // A live session stays, and one that lost its connection is looked for where the peer was.
    guard let target = targets[key], target.invites.isEmpty, !owner.hasSession(id) else { return }
    target.race?.cancel()
    targets[key] = nil
  }

  /// Where the peer is, as far as is known.
  func addresses(of id: PeerID) -> [SocketAddress] { keys(of: id).flatMap { targets[$0]?.addresses ?? [] } }

  // MARK: Dialling

  /// Begins what is due, and ends what took too long; results come later, never from within.
  func tick() {
    let now = owner.loop.now
    expireInvites(at: now)
    forgetWhatIsOfNoUse()
    for (key, target) in targets {
      // Connected, but the connection stalls: another one is opened beside it.
      if target.plan.isConnected, isWanted(key, target) {
        targets[key]?.plan.ended(.timedOut(.silence), at: now, jitter: jitter())
      }
      guard target.race == nil, target.attempt == nil, isWanted(key, target) else { continue }
      let last = target.peerID.flatMap { owner.sessions[$0]?.hostAddress }
      guard !target.addresses.isEmpty || last != nil || key.isEndpoint else { continue }
      guard targets[key]?.plan.takeTurn(at: now) == true else { continue }
      begin(key, target)
    }
  }

  private func isWanted(_ key: Key, _ target: Target) -> Bool {
    if let id = target.peerID, let session = owner.sessions[id] {
      // The inviter reopens its session's connection, whatever else is wished.
      if session.isInviter { return session.wantsControl }
      if session.isTold { return false }
    }
    if !target.invites.isEmpty { return true }
    switch key {
    case .endpoint(let endpoint): return owner.endpoints.contains(endpoint)
    case .peer(let id):
      return id != owner.identity.peerID && owner.configuration.invitesTrustedPeers
        && owner.verdict(on: id) == .trusted
    }
  }

  private func expireInvites(at now: ContinuousClock.Instant) {
    for (key, target) in targets {
      let over = target.invites.filter { $0.deadline <= now }
      guard !over.isEmpty else { continue }
      targets[key]?.invites.removeAll { $0.deadline <= now }
      let error: InvitationError =
        if target.attempt != nil {
          .timedOut
        } else {
          .unreachable(target.lastFailure?.description ?? "not found")
        }
      abandonIfUnwanted(key)
      for invite in over { invite.then(.failure(error)) }
    }
  }

  /// What was only ever invited, and neither is connected nor announced.
  private func forgetWhatIsOfNoUse() {
    for (key, target) in targets where target.invites.isEmpty && target.race == nil && target.attempt == nil {
      if let id = target.peerID, owner.hasSession(id) { continue }
      switch key {
      case .peer: if target.addresses.isEmpty { targets[key] = nil }
      case .endpoint(let endpoint):
        if !owner.endpoints.contains(endpoint) { targets[key] = nil }
      }
    }
  }

  private func abandonIfUnwanted(_ key: Key) {
    guard let target = targets[key], target.invites.isEmpty, !isWanted(key, target) else { return }
    giveUp(key, .other)
  }

  private func begin(_ key: Key, _ target: Target) {
    if case .endpoint(let endpoint) = key, target.addresses.isEmpty {
      guard let resolver else { return }
      resolver.resolve(endpoint.host, port: endpoint.port) { [weak self] result in
        switch result {
        case .success(let addresses): self?.connect(key, addresses)
        case .failure(let error): self?.ended(key, .connectionLost("\(error)"))
        }
      }
    } else {
      connect(key, target.addresses)
    }
  }

  private func connect(_ key: Key, _ known: [SocketAddress]) {
    guard let target = targets[key] else { return }
    let last = target.peerID.flatMap { owner.sessions[$0]?.hostAddress }
    let addresses = known + (last.map { [$0] } ?? [])
    let policy: PeerPolicy =
      switch key {
      case .peer(let id): .exactly(id)
      case .endpoint: .any
      }
    targets[key]?.race = DialRace(to: addresses, policy: policy, owner: owner) { [weak self] result in
      guard let self else { return }
      targets[key]?.race = nil
      switch result {
      case .success(let connection): reached(key, connection)
      case .failure(let failure): ended(key, failure.reason)
      }
    }
  }

  private func reached(_ key: Key, _ connection: FramedConnection) {
    guard let id = connection.peerID, let target = targets[key] else { return connection.close() }
    if case .endpoint = key { targets[key]?.peerID = id }
    // Its own invitation may wait here since before anybody knew that this endpoint is the same peer.
    if !target.invites.isEmpty { owner.acceptWaitingInvitation(of: id) }
    if let session = owner.sessions[id], session.isTold, !(session.isInviter && session.wantsControl) {
      let peer = session.peer
      // Connected by another way.
      connection.finish()
      let invites = targets[key]?.invites ?? []
      targets[key]?.invites = []
      ended(key, .disconnected(.replaced))
      for invite in invites { invite.then(.failure(.alreadyConnected(peer))) }
      return
    }
    let now = owner.loop.now
    // More than this side itself waits, so that it is not the other one that ends it.
    let seconds = target.invites.map { now.duration(to: $0.deadline).components.seconds + 2 }.max() ?? 30
    let wish = PeerTransceiver.Wish(
      isExplicit: !target.invites.isEmpty, context: target.invites.first?.context ?? [],
      timeLimitSeconds: UInt16(clamping: seconds))
    let number = nextToken
    nextToken += 1
    // The outcome may come before there is an attempt to forget.
    var isOver = false
    let reached = owner.reached(connection, id, wish) { [weak self] end in
      isOver = true
      self?.concluded(key, number, end)
    }
    switch reached {
    case .underway(let cancel): if !isOver { targets[key]?.attempt = Attempt(number: number, cancel: cancel) }
    case .failed(let end): ended(key, end)
    }
  }

  private func concluded(_ key: Key, _ number: UInt64, _ end: SessionEnd?) {
    if targets[key]?.attempt?.number == number { targets[key]?.attempt = nil }
    if let end { ended(key, end) } else { targets[key]?.plan.connected(at: owner.loop.now) }
  }

  /// The control connection of a live session broke.
  func lostControl(of id: PeerID, _ text: String) {
    for key in keys(of: id) where targets[key]?.plan.isConnected == true {
      targets[key]?.plan.ended(.connectionLost(text), at: owner.loop.now, jitter: jitter())
    }
    hurry(id)
  }

  /// A peer is to be dialled without waiting out the delays.
  func hurry(_ id: PeerID) {
    for key in keys(of: id) { targets[key]?.plan.hurry(at: owner.loop.now) }
  }

  func sessionEnded(with id: PeerID, _ reason: SessionEnd) {
    for key in keys(of: id) where targets[key]?.plan.isConnected == true { ended(key, reason) }
  }

  private func jitter() -> Double { Double.random(in: 0...1, using: &random) }

  private func ended(_ key: Key, _ end: SessionEnd) {
    guard let target = targets[key] else { return }
    let wasConnected = target.plan.isConnected
    targets[key]?.lastFailure = end
    targets[key]?.plan.ended(end, at: owner.loop.now, jitter: jitter())
    var refused: [Invite] = []
    if !wasConnected, let error = InvitationError(end) {
      refused = target.invites
      targets[key]?.invites = []
      for invite in refused { invite.then(.failure(error)) }
    }
    // That it is connected by another way already is no failure.
    if !wasConnected, refused.isEmpty, end != .disconnected(.replaced) {
      owner.onDialFailure?(target.name, end)
    }
  }
}

extension SocketAddress {
  init(_ address: NetworkAddress, port: UInt16) {
    switch address {
    case .v4(let bytes):
      self.init(.v4(bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }), port: port)
    case .v6(let bytes, let scope):
      let high = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let low = bytes.dropFirst(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      self.init(.v6(high, low, scope: scope), port: port)
    }
  }
}

public import PeerProtocol
public import SecureTransport
import ServiceDiscovery
public import ServiceRuntime
import Sockets

/// The inviter's half of pairing: finds a host whose operator accepts it, or takes a given address, dials, and goes through the
/// attempt. Works beside a running program of the same identity, whose trust file it writes.
///
/// Let go of it to end it. Confined to its loop.
public final class PairingInviter {
  public enum Choice: Equatable, Sendable {
    /// The one that accepts pairing; with several the operator has to choose.
    case only
    case named(String)
    /// One after the other, again and again: for a machine without an operator, whose code finds the right one.
    case each
    case endpoint(PeerEndpoint)
  }

  public struct Configuration {
    /// What the other operator reads, 1 to 63 bytes.
    public var name: String
    /// DNS-SD type, such as `_drone-control._tcp`.
    public var serviceType: String
    public var choice: Choice
    public var key: PairingKey
    public var duration: Duration
    /// 1 where a person at this side can simply begin anew.
    public var attempts: Int

    public init(
      name: String, serviceType: String, choice: Choice, key: PairingKey,
      duration: Duration = PairingWindow.defaultDuration, attempts: Int = 1
    ) {
      self.name = name
      self.serviceType = serviceType
      self.choice = choice
      self.key = key
      self.duration = duration
      self.attempts = attempts
    }
  }

  public var onEvent: ((PairingEvent) -> Void)?

  private let configuration: Configuration
  private let identity: Identity
  private let loop: EventLoop
  private let logger: Logger
  private let own: PairingConversation.Own
  private var window: PairingWindow
  private var search: PairingSearch?
  private var resolver: HostResolver?
  private var connector: TCPConnector?
  private var connection: FramedConnection?
  /// Ended ones that still say why.
  private var leaving: [FramedConnection] = []
  private var conversation: PairingConversation?
  private var ticks: RepeatingTimer?
  /// When a candidate, or the endpoint (nil), may be tried again.
  private var pauses: [PeerID?: ContinuousClock.Instant] = [:]

  private static let connectLimit: Duration = .seconds(5)
  private static let handshakeLimit: Duration = .seconds(10)
  /// After the first candidate others may appear, and the operator is to choose.
  private static let settling: Duration = .milliseconds(1500)
  /// After a refusal or when nobody answers.
  private static let pause: Duration = .seconds(1)
  /// After a mismatch: the other operator's window has closed then, or is another one.
  private static let longPause: Duration = .seconds(3)

  public init(
    _ configuration: Configuration, identity: Identity, store: @escaping PairingStore, loop: EventLoop,
    logger: Logger
  ) {
    self.configuration = configuration
    self.identity = identity
    self.loop = loop
    self.logger = logger
    own = PairingConversation.Own(
      id: identity.peerID, name: configuration.name, key: configuration.key, store: store)
    window = PairingWindow(duration: configuration.duration, attempts: configuration.attempts, at: loop.now)
  }

  deinit {
    conversation?.cancel()
    release()
  }

  /// Begins to search or to dial; the window's time runs from `init` on.
  public func start() throws {
    if case .endpoint = configuration.choice {
      resolver = try HostResolver(on: loop)
    } else {
      let search = try PairingSearch(
        serviceType: configuration.serviceType, own: identity.peerID, loop: loop, logger: logger)
      search.onAvailability = { [weak self] availability in
        switch availability {
        case .available: self?.onEvent?(.multicast(problem: nil))
        case .unavailable(let reason): self?.onEvent?(.multicast(problem: reason))
        }
      }
      self.search = search
    }
    ticks = loop.repeating(every: .milliseconds(100)) { [weak self] in self?.tick() }
    tick()
  }

  /// The person here has compared the digits.
  public func answer(isSame: Bool) { conversation?.answer(isSame: isSame) }

  /// The loop may run a moment longer so that the other side learns why. Idempotent.
  public func cancel() {
    // First, so that the attempt's end does not count as its own.
    window.cancel()
    conversation?.cancel()
    closeIfDone()
  }

  private func tick() {
    connection?.tick()
    conversation?.tick()
    for connection in leaving { connection.tick() }
    leaving.removeAll(where: \.isEnded)
    window.tick(at: loop.now)
    closeIfDone()
    if window.state == .open { choose() }
  }

  private func choose() {
    let now = loop.now
    func mayTry(_ id: PeerID?) -> Bool { pauses[id].map { now >= $0 } ?? true }
    if case .endpoint(let endpoint) = configuration.choice {
      if mayTry(nil) { resolve(endpoint) }
      return
    }
    guard let search, let firstSeen = search.firstSeen else { return }
    var candidates = search.candidates
    switch configuration.choice {
    case .each:
      if let candidate = candidates.first(where: { mayTry($0.id) }) { dial(candidate) }
      return
    case .named(let name): candidates.removeAll { $0.name != name }
    case .only, .endpoint: break
    }
    guard firstSeen.duration(to: now) >= PairingInviter.settling else { return }
    if candidates.count > 1 {
      onEvent?(.several(candidates))
      window.cancel()
      closeIfDone()
    } else if let candidate = candidates.first, mayTry(candidate.id) {
      dial(candidate)
    }
  }

  private func resolve(_ endpoint: PeerEndpoint) {
    guard window.begin(at: loop.now) == nil else { return }
    if let address = SocketAddress(numericHost: endpoint.host, port: endpoint.port) {
      return connect([address], nil)
    }
    resolver?.resolve(endpoint.host, port: endpoint.port) { [weak self] result in
      switch result {
      case .success(let addresses): self?.connect(addresses, nil)
      case .failure(let error): self?.lost("\(error)", nil)
      }
    }
  }

  private func dial(_ candidate: PairingCandidate) {
    guard window.begin(at: loop.now) == nil else { return }
    connect(candidate.addresses, candidate)
  }

  private func connect(_ addresses: [SocketAddress], _ candidate: PairingCandidate?) {
    guard window.state == .attempting else { return }
    connector = TCPConnector(to: addresses, within: limit(PairingInviter.connectLimit), on: loop) {
      [weak self] result in
      guard let self else { return }
      connector = nil
      switch result {
      case .failure(let error): lost(error.description, candidate)
      case .success(let tcp): secure(tcp, candidate)
      }
    }
  }

  /// No step outlives the window: the operator was told how long it is open.
  private func limit(_ step: Duration) -> Duration {
    max(.milliseconds(1), min(step, loop.now.duration(to: window.deadline)))
  }

  private func secure(_ tcp: TCPConnection, _ candidate: PairingCandidate?) {
    do throws(TLSError) {
      let connection = try FramedConnection(
        tcp, identity: identity, isOutgoing: true, policy: candidate.map { .exactly($0.id) } ?? .any,
        handshakeLimit: limit(PairingInviter.handshakeLimit), loop: loop)
      self.connection = connection
      connection.onEvent = { [weak self, weak connection] event in
        guard let self, let connection else { return }
        switch event {
        case .authenticated(let id): begin(on: connection, with: id, candidate)
        case .lost(.handshakeTimedOut): lost("no handshake in time", candidate)
        case .lost(.failed(let text)): lost(text, candidate)
        case .frame, .malformed, .drained: break
        }
      }
    } catch {
      tcp.channel.close()
      lost(error.description, candidate)
    }
  }

  private func begin(on connection: FramedConnection, with id: PeerID, _ candidate: PairingCandidate?) {
    do throws(TLSError) {
      let conversation = try PairingConversation(
        on: connection, with: id, own: own, deadline: window.deadline, loop: loop
      ) { [weak self] event in
        switch event {
        case .compare(let code, let peer): self?.onEvent?(.compare(code, peer))
        case .ended(let end, let peer, let counts): self?.ended(end, peer, counts: counts, candidate)
        }
      }
      self.conversation = conversation
      conversation.start()
    } catch {
      connection.finish()
      lost(error.description, candidate)
    }
  }

  private func lost(_ text: String, _ candidate: PairingCandidate?) {
    ended(.failed(.connectionLost(text), peerMayTrust: false), nil, counts: false, candidate)
  }

  private func ended(
    _ end: PairingEnd, _ peer: PairingPeer?, counts: Bool, _ candidate: PairingCandidate?
  ) {
    conversation = nil
    if let connection { leaving.append(connection) }
    connection = nil
    let known = peer ?? candidate.map { PairingPeer(id: $0.id, name: $0.name) }
    pauses[candidate?.id] = loop.now.advanced(
      by: counts || isLasting(end) ? PairingInviter.longPause : PairingInviter.pause)
    window.ended(end, counts: counts, at: loop.now)
    // Trying again by itself makes sense only without a person, or while nobody has opened a window yet.
    if isLasting(end), configuration.key == .compare { window.cancel() }
    onEvent?(.attemptEnded(end, known, attemptsLeft: window.attemptsLeft))
    closeIfDone()
  }

  /// It would fail again in the same way.
  private func isLasting(_ end: PairingEnd) -> Bool {
    guard case .failed(let failure, _) = end else { return false }
    switch failure {
    case .refused(let reason, _): return reason != .closed && reason != .busy
    case .otherMethod, .otherVersion, .brokeProtocol, .notStored, .cancelled, .mismatch: return true
    case .timedOut, .connectionLost: return false
    }
  }

  private func closeIfDone() {
    guard let closure = window.closure, search != nil || resolver != nil else { return }
    search?.stop()
    search = nil
    resolver = nil
    connector?.cancel()
    connector = nil
    onEvent?(.closed(closure))
  }

  private func release() {
    search?.stop()
    connector?.cancel()
    ticks?.cancel()
  }
}

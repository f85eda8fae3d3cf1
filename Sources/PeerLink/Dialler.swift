import PeerProtocol
import SecureTransport
import ServiceDiscovery
import ServiceRuntime
import Sockets

/// The inviter's half: keeps one attempt or session for each trusted peer that is announced or configured.
final class Dialler {
  private enum TargetID: Hashable {
    case announced(serviceID: String)
    case configured(PeerEndpoint)
  }

  private struct Target {
    var peerID: PeerID?
    var addresses: [SocketAddress]
    var name: String
    var plan: DialPlan
  }

  /// Announcements kept; more on one network are somebody's mischief.
  private static let maximumTargets = 256
  private static let connectLimit: Duration = .seconds(5)

  private unowned let owner: PeerTransceiver
  private var browser: ServiceBrowser?
  private var resolver: HostResolver?
  private var targets: [TargetID: Target] = [:]
  private var connectors: [TargetID: TCPConnector] = [:]
  private var random = SystemRandomNumberGenerator()

  init(owner: PeerTransceiver) { self.owner = owner }

  func start() throws {
    if owner.configuration.browses {
      let browser = try ServiceBrowser(
        loop: owner.loop, serviceType: owner.configuration.serviceType, logger: owner.logger)
      browser.onEvent = { [weak self] event in self?.discovered(event) }
      browser.onAvailability = { [weak self] availability in self?.owner.onDiscovery?(availability) }
      try browser.start()
      self.browser = browser
    }
    if !owner.configuration.endpoints.isEmpty { resolver = try HostResolver(on: owner.loop) }
    for endpoint in owner.configuration.endpoints {
      let numeric = SocketAddress(numericHost: endpoint.host, port: endpoint.port)
      targets[.configured(endpoint)] = Target(
        peerID: nil, addresses: numeric.map { [$0] } ?? [], name: endpoint.description,
        plan: DialPlan(at: owner.loop.now))
    }
    tick()
  }

  func stop() {
    browser?.stop()
    for connector in connectors.values { connector.cancel() }
    connectors = [:]
    targets = [:]
  }

  /// Trust was given or news arrived: do not wait out the delays.
  func hurry() {
    for key in targets.keys { targets[key]?.plan.hurry(at: owner.loop.now) }
    tick()
  }

  /// Begins what is due; results come later, never from within.
  func tick() {
    let now = owner.loop.now
    for (key, target) in targets {
      if let id = target.peerID {
        // Announced peers are dialled only when trusted, and each only once.
        guard !owner.isConnected(id) else { continue }
        if case .announced = key, id == owner.identity.peerID || !owner.isTrusted(id) { continue }
      }
      guard targets[key]?.plan.takeTurn(at: now) == true else { continue }
      begin(key, target)
    }
  }

  private func discovered(_ event: DiscoveryEvent) {
    switch event {
    case .found(let service), .updated(let service):
      guard let id = service.txt["id"].flatMap({ PeerID(hex: $0) }) else { return }
      let key = TargetID.announced(serviceID: service.id)
      guard targets[key] != nil || targets.count < Dialler.maximumTargets else { return }
      let addresses = service.addresses.map { SocketAddress($0.address, port: $0.port) }
      var target =
        targets[key]
        ?? Target(peerID: id, addresses: [], name: service.instanceName, plan: DialPlan(at: owner.loop.now))
      if target.addresses != addresses || target.peerID != id { target.plan.hurry(at: owner.loop.now) }
      target.peerID = id
      target.addresses = addresses
      targets[key] = target
      tick()
    case .lost(let serviceID):
      // A live session stays; only dialling ends.
      let key = TargetID.announced(serviceID: serviceID)
      targets[key] = nil
      connectors.removeValue(forKey: key)?.cancel()
    }
  }

  private func begin(_ key: TargetID, _ target: Target) {
    if case .configured(let endpoint) = key, target.addresses.isEmpty {
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

  private func connect(_ key: TargetID, _ addresses: [SocketAddress]) {
    guard let target = targets[key] else { return }
    let policy: PeerPolicy =
      if case .announced = key, let id = target.peerID { .exactly(id) } else { .any }
    connectors[key] = TCPConnector(to: addresses, within: Dialler.connectLimit, on: owner.loop) {
      [weak self] result in
      guard let self else { return }
      connectors[key] = nil
      switch result {
      case .success(let connection):
        secured(key, owner.secure(connection, isOutgoing: true, policy: policy))
      case .failure(let error):
        ended(key, .connectionLost(error.description))
      }
    }
  }

  private func secured(_ key: TargetID, _ connection: FramedConnection?) {
    guard let connection else { return ended(key, .connectionLost("TLS could not start")) }
    connection.onEvent = { [weak self, weak connection] event in
      guard let self, let connection else { return }
      switch event {
      case .authenticated(let id):
        owner.dialled(connection, id) { [weak self] id, end in self?.changed(key, id, end) }
      case .lost(.handshakeTimedOut): ended(key, .timedOut(.introduction))
      case .lost(.failed(let text)): ended(key, .connectionLost(text))
      case .frame, .malformed, .drained: break
      }
    }
  }

  private func changed(_ key: TargetID, _ id: PeerID?, _ end: SessionEnd?) {
    if case .configured = key, let id { targets[key]?.peerID = id }
    if let end { ended(key, end) } else { targets[key]?.plan.connected(at: owner.loop.now) }
  }

  private func ended(_ key: TargetID, _ end: SessionEnd) {
    guard let target = targets[key] else { return }
    // That it is connected by another way already is no failure.
    let isFailure = !target.plan.isConnected && end != .disconnected(.replaced)
    targets[key]?.plan.ended(end, at: owner.loop.now, jitter: Double.random(in: 0...1, using: &random))
    if isFailure { owner.onDialFailure?(target.name, end) }
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

internal import CAvahi
import ServiceRuntime

/// Browses one service type and keeps its resolvers, on the loop of a `DiscoveryThread`.
@safe final class Browse {
  /// What is seen again after a restart of the daemon is seen within about a second; three leave room for a busy radio.
  static let confirmationTime: Duration = .seconds(3)

  private let serviceType: String
  private let loop: EventLoop
  private let session: AvahiSession
  private let logger: Logger
  private let reportServices: ([String: DiscoveredService]) -> Void
  private let reportAvailability: (DiscoveryAvailability) -> Void
  private var catalog = ServiceCatalog()
  private var browser: OpaquePointer?
  private var resolvers: [ServiceCatalog.Key: Resolver] = [:]
  private var confirmation: ScheduledTimer?
  private var overflow = FaultCounter(period: .seconds(60))

  init(
    serviceType: String, loop: EventLoop, logger: Logger,
    reportServices: @escaping ([String: DiscoveredService]) -> Void,
    reportAvailability: @escaping (DiscoveryAvailability) -> Void
  ) {
    self.serviceType = serviceType
    self.loop = loop
    self.logger = logger
    self.reportServices = reportServices
    self.reportAvailability = reportAvailability
    session = AvahiSession(loop: loop, logger: logger)
    session.onState = { [weak self] in self?.sessionChanged(to: $0) }
  }

  func start() { session.start() }

  func stop() {
    letGo()
    session.stop()
  }

  private func sessionChanged(to state: AvahiSession.State) {
    switch state {
    case .running:
      beginBrowsing()
    case .pausing:
      break
    case .gone(let reason):
      letGo()
      catalog.markUnconfirmed()
      reportAvailability(.unavailable(reason: reason))
    }
  }

  private func beginBrowsing() {
    guard let client = unsafe session.client, unsafe browser == nil else { return }
    // Unretained: the browser is freed with the session's client, which goes before this object.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe browser = avahi_service_browser_new(
      client, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), serviceType, nil,
      AvahiLookupFlags(rawValue: 0), avahiBrowserCallback, context)
    guard unsafe browser != nil else {
      session.startOver(reason: "Avahi: \(session.lastError.text)")
      return
    }
    reportAvailability(.available)
    confirmation?.cancel()
    confirmation = loop.schedule(after: Self.confirmationTime) { [weak self] in
      guard let self else { return }
      if catalog.dropUnconfirmed() { reportServices(catalog.services) }
    }
  }

  /// The session frees browser and resolvers with its client.
  private func letGo() {
    confirmation?.cancel()
    confirmation = nil
    for resolver in resolvers.values { resolver.letGo() }
    resolvers = [:]
    unsafe browser = nil
  }

  fileprivate func appeared(_ key: ServiceCatalog.Key, isLocal: Bool) {
    guard catalog.saw(key) else {
      if let count = overflow.record(at: loop.now) {
        logger.info("too many services: ignored", ["service.count": "\(count)"])
      }
      return
    }
    guard let client = unsafe session.client, resolvers[key] == nil else { return }
    let resolver = unsafe Resolver(
      key, serviceType: serviceType, isLocal: isLocal, client: client, loop: loop
    ) { [weak self] in self?.resolverSaid($0, of: key) }
    resolvers[key] = resolver
    resolver.start()
  }

  fileprivate func disappeared(_ key: ServiceCatalog.Key) {
    resolvers.removeValue(forKey: key)?.stop()
    if catalog.removed(key) { reportServices(catalog.services) }
  }

  fileprivate func browserFailed() {
    session.afterCallback { [weak self] in
      guard let self else { return }
      session.startOver(reason: "Avahi: \(session.lastError.text)")
    }
  }

  private func resolverSaid(_ resolution: ServiceCatalog.Resolution?, of key: ServiceCatalog.Key) {
    let changed =
      if let resolution { catalog.resolved(key, as: resolution) } else { catalog.unresolved(key) }
    if changed { reportServices(catalog.services) }
  }
}

private func avahiBrowserCallback(
  _: OpaquePointer?, _ interface: AvahiIfIndex, _ networkProtocol: AvahiProtocol, _ event: AvahiBrowserEvent,
  _ name: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _ domain: UnsafePointer<CChar>?,
  _ flags: AvahiLookupResultFlags, _ context: UnsafeMutableRawPointer?
) {
  guard let context = unsafe context else { return }
  let browse = unsafe Unmanaged<Browse>.fromOpaque(context).takeUnretainedValue()
  if event == AVAHI_BROWSER_FAILURE { browse.browserFailed() }
  guard let name = unsafe name, let domain = unsafe domain else { return }
  let key = unsafe ServiceCatalog.Key(
    interface: interface, networkProtocol: networkProtocol, name: String(cString: name),
    domain: String(cString: domain))
  if event == AVAHI_BROWSER_NEW {
    browse.appeared(key, isLocal: flags.rawValue & AVAHI_LOOKUP_RESULT_LOCAL.rawValue != 0)
  } else if event == AVAHI_BROWSER_REMOVE {
    browse.disappeared(key)
  }
}

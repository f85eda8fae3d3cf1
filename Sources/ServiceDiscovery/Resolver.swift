internal import CAvahi
import ServiceRuntime

/// Finds out address, port and attributes of one entry, and keeps looking: a change of the attributes alone is said by
/// an open resolver and by nothing else.
@safe final class Resolver {
  private let key: ServiceCatalog.Key
  private let serviceType: String
  private let isLocal: Bool
  private let client: OpaquePointer
  private let loop: EventLoop
  private let report: (ServiceCatalog.Resolution?) -> Void
  private var resolver: OpaquePointer?
  private var retry: ScheduledTimer?
  // The library itself gives up after 5 s. A host that lost its power stays listed for 75 minutes: ask it rarely.
  private var backoff = Backoff(initial: .seconds(1), maximum: .seconds(60))

  /// - Parameter report: receives what was found, or nil when nothing answers any more.
  @unsafe init(
    _ key: ServiceCatalog.Key, serviceType: String, isLocal: Bool, client: OpaquePointer, loop: EventLoop,
    report: @escaping (ServiceCatalog.Resolution?) -> Void
  ) {
    self.key = key
    self.serviceType = serviceType
    self.isLocal = isLocal
    unsafe self.client = client
    self.loop = loop
    self.report = report
  }

  func start() {
    // Unretained: `stop` frees the resolver, or `letGo` is called as the client is freed with it.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    // An address of the family by which the service was seen: that path is known to work.
    unsafe resolver = avahi_service_resolver_new(
      client, key.interface, key.networkProtocol, key.name, serviceType, key.domain, key.networkProtocol,
      AvahiLookupFlags(rawValue: 0), avahiResolverCallback, context)
    if unsafe resolver == nil { startAgainLater() }
  }

  /// Frees Avahi's object; never called from within its callback.
  func stop() {
    if let resolver = unsafe resolver { _ = unsafe avahi_service_resolver_free(resolver) }
    letGo()
  }

  /// Avahi's object is freed by someone else.
  func letGo() {
    unsafe resolver = nil
    retry?.cancel()
    retry = nil
  }

  private func startAgainLater() {
    retry?.cancel()
    retry = loop.schedule(after: backoff.nextDelay()) { [weak self] in
      guard let self else { return }
      stop()
      start()
    }
  }

  fileprivate func failed() {
    report(nil)
    startAgainLater()
  }

  fileprivate func found(hostName: String, address: [UInt8], port: UInt16, txt: [[UInt8]]) {
    backoff.reset()
    guard port != 0,
      let address = NetworkAddress(
        bytes: address, interface: UInt32(clamping: key.interface), isLocal: isLocal)
    else { return report(nil) }
    report(
      ServiceCatalog.Resolution(
        hostName: hostName, endpoint: .init(address: address, port: port),
        txt: ServiceCatalog.attributes(of: txt)))
  }
}

private func avahiResolverCallback(
  _: OpaquePointer?, _: AvahiIfIndex, _: AvahiProtocol, _ event: AvahiResolverEvent, _: UnsafePointer<CChar>?,
  _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _ hostName: UnsafePointer<CChar>?,
  _ address: UnsafePointer<AvahiAddress>?, _ port: UInt16, _ txt: UnsafeMutablePointer<AvahiStringList>?,
  _: AvahiLookupResultFlags,
  _ context: UnsafeMutableRawPointer?
) {
  guard let context = unsafe context else { return }
  let resolver = unsafe Unmanaged<Resolver>.fromOpaque(context).takeUnretainedValue()
  guard event == AVAHI_RESOLVER_FOUND, let hostName = unsafe hostName, let address = unsafe address?.pointee
  else {
    return resolver.failed()
  }
  // The union's members all start at its first byte; the family says how many bytes count.
  let bytes = unsafe withUnsafeBytes(of: address.data) { data in
    unsafe Array(data.prefix(address.proto == AVAHI_PROTO_INET ? 4 : 16))
  }
  var strings: [[UInt8]] = []
  var item = unsafe txt
  while let current = unsafe item, strings.count < ServiceCatalog.maximumAttributes {
    if let text = unsafe avahi_string_list_get_text(current) {
      unsafe strings.append(
        Array(UnsafeBufferPointer(start: text, count: avahi_string_list_get_size(current))))
    }
    unsafe item = avahi_string_list_get_next(current)
  }
  resolver.found(hostName: unsafe String(cString: hostName), address: bytes, port: port, txt: strings)
}

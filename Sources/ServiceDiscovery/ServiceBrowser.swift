public import ServiceRuntime

/// Finds the services of one type, each reported once however many interfaces it is seen on.
///
/// Confined to the loop it is given; Avahi itself runs on a thread of its own and cannot hold this loop up.
/// What is found is a hint where a peer may be. `lost` says that the network does not name it any more, not that it is
/// unreachable, and a peer that lost its power is lost only after minutes: live sessions must not depend on it.
public final class ServiceBrowser {
  /// Called on the loop; never after `stop()`.
  public var onEvent: ((DiscoveryEvent) -> Void)?
  /// Called on the loop when Avahi comes and goes; never after `stop()`.
  public var onAvailability: ((DiscoveryAvailability) -> Void)?

  private struct Seen: Sendable {
    var services: [String: DiscoveredService] = [:]
    var availability: DiscoveryAvailability?
  }

  private let loop: EventLoop
  private let serviceType: String
  private let logger: Logger
  private var thread: DiscoveryThread?
  private var receiver: StateReceiver<Seen>?
  private var reported = Seen()

  /// - Throws: `ServiceDescriptionError.invalidServiceType`.
  public init(loop: EventLoop, serviceType: String, logger: Logger) throws(ServiceDescriptionError) {
    try ServiceDescription.check(serviceType: serviceType)
    self.loop = loop
    self.serviceType = serviceType
    self.logger = logger
  }

  deinit { stop() }

  /// What is known now, by `id`.
  public var services: [String: DiscoveredService] { reported.services }
  /// What was said last; nil before the first attempt has ended.
  public var availability: DiscoveryAvailability? { reported.availability }

  /// Begins to browse. Does nothing when it does already. An absent Avahi is no error here but a state.
  ///
  /// - Throws: when the system has no descriptor or thread left.
  public func start() throws(SystemError) {
    guard thread == nil else { return }
    let receiver = try StateReceiver<Seen>(on: loop) { [weak self] in self?.deliver($0) }
    let (newest, serviceType, logger) = (receiver.state, serviceType, logger)
    do throws(SystemError) {
      thread = try DiscoveryThread(
        name: "avahi-browse",
        failed: { newest.set(Seen(availability: .unavailable(reason: $0.description))) },
        body: { loop in
          var seen = Seen()
          let browse = Browse(
            serviceType: serviceType, loop: loop, logger: logger,
            reportServices: {
              seen.services = $0
              newest.set(seen)
            },
            reportAvailability: {
              seen.availability = $0
              newest.set(seen)
            })
          browse.start()
          return { browse.stop() }
        })
    } catch {
      receiver.close()
      throw error
    }
    self.receiver = receiver
  }

  /// Ends browsing, in the background; what was found is forgotten without a `lost`. Idempotent.
  public func stop() {
    thread?.stop()
    thread = nil
    receiver?.close()
    receiver = nil
    reported = Seen()
  }

  private func deliver(_ seen: Seen) {
    let old = reported
    reported = seen
    if let availability = seen.availability, availability != old.availability {
      onAvailability?(availability)
    }
    for event in ServiceCatalog.changes(from: old.services, to: seen.services) {
      // A handler may have stopped the browser.
      guard receiver != nil else { return }
      onEvent?(event)
    }
  }
}

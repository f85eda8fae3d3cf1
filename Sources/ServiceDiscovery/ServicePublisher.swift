public import ServiceRuntime

/// Publishes one service through Avahi for as long as it runs, whatever happens to Avahi, D-Bus and the name.
///
/// Confined to the loop it is given; Avahi itself runs on a thread of its own and cannot hold this loop up.
public final class ServicePublisher {
  /// Called on the loop when the state changes; never after `stop()`.
  public var onState: ((PublicationState) -> Void)?

  private let loop: EventLoop
  private let description: ServiceDescription
  private let logger: Logger
  private var thread: DiscoveryThread?
  private var receiver: StateReceiver<PublicationState>?
  /// What was said last, so that a change is said once.
  public private(set) var state: PublicationState?

  public init(loop: EventLoop, configuration: ServiceDescription, logger: Logger) {
    self.loop = loop
    description = configuration
    self.logger = logger
  }

  deinit { stop() }

  /// Begins to publish. Does nothing when it does already. An absent Avahi is no error here but a state.
  ///
  /// - Throws: when the system has no descriptor or thread left.
  public func start() throws(SystemError) {
    guard thread == nil else { return }
    let receiver = try StateReceiver<PublicationState>(on: loop) { [weak self] state in
      guard let self, self.state != state else { return }
      self.state = state
      onState?(state)
    }
    let (newest, description, logger) = (receiver.state, description, logger)
    do throws(SystemError) {
      thread = try DiscoveryThread(
        name: "avahi-publish", failed: { newest.set(.failed(reason: $0.description)) },
        body: { loop in
          let publication = Publication(description, loop: loop, logger: logger) { newest.set($0) }
          publication.start()
          return { publication.stop() }
        })
    } catch {
      receiver.close()
      throw error
    }
    self.receiver = receiver
  }

  /// Withdraws the service, in the background. Idempotent.
  public func stop() {
    thread?.stop()
    thread = nil
    receiver?.close()
    receiver = nil
    state = nil
  }
}

public import ServiceRuntime
import Synchronization

/// Publishes one service through Avahi for as long as it runs, whatever happens to Avahi, D-Bus and the name.
///
/// Confined to the loop it is given; Avahi itself runs on a thread of its own and cannot hold this loop up.
public final class ServicePublisher {
  /// Called on the loop when the state changes; never after `stop()`.
  public var onState: ((PublicationState) -> Void)?

  private let loop: EventLoop
  private let wanted: WantedService
  private let logger: Logger
  private var thread: DiscoveryThread?
  private var receiver: StateReceiver<PublicationState>?
  /// What was said last, so that a change is said once.
  public private(set) var state: PublicationState?

  public init(loop: EventLoop, configuration: ServiceDescription, logger: Logger) {
    self.loop = loop
    wanted = WantedService(configuration)
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
    let (newest, wanted, logger) = (receiver.state, wanted, logger)
    do throws(SystemError) {
      thread = try DiscoveryThread(
        name: "avahi-publish", failed: { newest.set(.failed(reason: $0.description)) },
        body: { loop in
          let publication = Publication(wanted.description, loop: loop, logger: logger) { newest.set($0) }
          publication.start()
          let changes = wanted.watch(on: loop) { publication.update($0) }
          return {
            changes?.close()
            publication.stop()
          }
        })
    } catch {
      receiver.close()
      throw error
    }
    self.receiver = receiver
  }

  /// Replaces the TXT record, also while published: other hosts see the service change, not vanish.
  ///
  /// - Throws: when the attributes are none of DNS-SD; the old ones stay.
  public func update(txt: [(key: String, value: String)]) throws(ServiceDescriptionError) {
    let old = wanted.description
    wanted.set(
      try ServiceDescription(serviceType: old.serviceType, name: old.name, port: old.port, txt: txt))
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

/// What is to be published, shared with the thread of Avahi.
private final class WantedService: Sendable {
  private struct State: Sendable {
    var description: ServiceDescription
    var wakeUp: Inbox<Void>?
  }
  private let state: Mutex<State>

  init(_ description: ServiceDescription) { state = Mutex(State(description: description)) }

  var description: ServiceDescription { state.withLock { $0.description } }

  func set(_ description: ServiceDescription) {
    let wakeUp = state.withLock { state in
      state.description = description
      return state.wakeUp
    }
    // Refused when one wake-up waits already: it will find this value.
    wakeUp?.send(())
  }

  /// Tells of changes on the thread's loop, beginning with what changed before.
  ///
  /// - Returns: nil when the system has no descriptor left; changes wait for the next start then.
  func watch(on loop: EventLoop, _ handler: @escaping (ServiceDescription) -> Void) -> InboxReceiver<Void>? {
    let receiver = try? loop.receive(Void.self, capacity: 1) { [weak self] in
      if let self { handler(description) }
    }
    state.withLock { $0.wakeUp = receiver?.inbox }
    handler(description)
    return receiver
  }
}

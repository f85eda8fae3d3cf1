internal import CAvahi
import ServiceRuntime

/// A connection to avahi-daemon that is made again whenever it is lost: by a restart of the daemon, of D-Bus, or because
/// neither was there yet.
///
/// Everything here runs on the loop's thread. Calls into Avahi are blocking D-Bus round trips, which is why this loop is
/// not the one that flies (see `DiscoveryThread`).
@safe final class AvahiSession {
  enum State: Equatable {
    /// Objects may be made with `client`.
    case running
    /// The daemon settles its host name: publish nothing, browse on.
    case pausing
    /// The client and all its objects are gone, or of no use any more and about to be freed. No callback of theirs
    /// follows.
    case gone(reason: String)
  }

  /// Called on the loop, never from within a callback of Avahi.
  var onState: ((State) -> Void)?

  private let loop: EventLoop
  private let poll: AvahiEventPoll
  private let logger: Logger
  // With Avahi absent and D-Bus there, nothing is polled: the library waits for the daemon's name. These attempts are
  // for a bus that is not there; five seconds more do not matter at boot, and cost one failing connect.
  private var backoff = Backoff(initial: .milliseconds(200), maximum: .seconds(5))
  /// Nil unless connected. Belongs to the session.
  @unsafe private(set) var client: OpaquePointer?
  private var pendingStart: ScheduledTimer?
  /// Tells a state said by a client that is gone by now.
  private var generation = 0

  init(loop: EventLoop, logger: Logger) {
    self.loop = loop
    self.logger = logger
    poll = AvahiEventPoll(loop: loop)
  }

  deinit { free() }

  func start() {
    pendingStart = nil
    generation += 1
    var error: Int32 = 0
    // Unretained: the client is freed before this object goes.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe client = avahi_client_new(poll.pointer, AVAHI_CLIENT_NO_FAIL, avahiClientCallback, context, &error)
    if unsafe client == nil { lost(reason: Self.reason(of: Int(error))) }
  }

  /// Frees the client with all its objects. No handler is called afterwards.
  func stop() {
    onState = nil
    pendingStart?.cancel()
    pendingStart = nil
    free()
  }

  /// Starts from nothing; call it from the loop, never from within a callback of Avahi.
  func startOver(reason: String) { lost(reason: reason) }

  /// The last error of the client in words.
  var lastError: (code: Int, text: String) {
    guard let client = unsafe client else { return (AVAHI_ERR_DISCONNECTED, "not connected") }
    let code = unsafe Int(avahi_client_errno(client))
    return (code, Self.text(of: code))
  }

  static func text(of code: Int) -> String {
    guard let text = unsafe avahi_strerror(Int32(clamping: code)) else { return "error \(code)" }
    return unsafe String(cString: text)
  }

  /// Runs a closure on the loop after the present callback of Avahi has returned, unless the client is replaced before.
  func afterCallback(_ body: @escaping () -> Void) {
    let generation = self.generation
    // Timers of one deadline run in the order in which they were made, so no state overtakes another.
    loop.schedule(at: loop.now) { [weak self] in
      if self?.generation == generation { body() }
    }
  }

  /// Avahi says it from within `avahi_client_new` too, before `client` is set, and its client must not be freed from
  /// here: so the answer waits until the loop is back.
  fileprivate func clientChanged(to state: AvahiClientState, error: Int) {
    afterCallback { [weak self] in self?.handle(state, error) }
  }

  private func handle(_ state: AvahiClientState, _ error: Int) {
    guard unsafe client != nil else { return }
    switch state {
    case AVAHI_CLIENT_S_RUNNING:
      backoff.reset()
      onState?(.running)
    case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION:
      onState?(.pausing)
    case AVAHI_CLIENT_CONNECTING:
      logger.info("waiting for avahi-daemon")
      onState?(.gone(reason: Self.noDaemon))
    default:
      lost(reason: Self.reason(of: error))
    }
  }

  private func lost(reason: String) {
    // First the owner lets go of its objects, then they are freed with the client.
    onState?(.gone(reason: reason))
    free()
    let delay = backoff.nextDelay()
    logger.info("discovery is not available", ["avahi.reason": reason, "avahi.retry": "\(delay)"])
    pendingStart?.cancel()
    pendingStart = loop.schedule(after: delay) { [weak self] in self?.start() }
  }

  private func free() {
    generation += 1
    guard let client = unsafe client else { return }
    unsafe self.client = nil
    unsafe avahi_client_free(client)
  }

  private static let noDaemon = "Avahi is not running: start avahi-daemon"

  private static func reason(of code: Int) -> String {
    switch code {
    case AVAHI_ERR_NO_DAEMON:
      // With the flag NO_FAIL an absent daemon alone is no error: what is missing is the bus.
      "the D-Bus system bus does not answer: start dbus and avahi-daemon"
    case AVAHI_ERR_DISCONNECTED: noDaemon
    default: "Avahi: \(text(of: code))"
    }
  }
}

private func avahiClientCallback(
  _ client: OpaquePointer?, _ state: AvahiClientState, _ context: UnsafeMutableRawPointer?
) {
  guard let context = unsafe context else { return }
  let error = unsafe client.map { unsafe Int(avahi_client_errno($0)) } ?? AVAHI_ERR_FAILURE
  unsafe Unmanaged<AvahiSession>.fromOpaque(context).takeUnretainedValue().clientChanged(
    to: state, error: error)
}

internal import CAvahi
import Glibc
import ServiceRuntime

/// Keeps one service registered with Avahi, on the loop of a `DiscoveryThread`.
@safe final class Publication {
  private var description: ServiceDescription
  private let loop: EventLoop
  private let session: AvahiSession
  private let logger: Logger
  private let report: (PublicationState) -> Void
  private var machine: PublicationStateMachine
  private var group: OpaquePointer?
  private var timer: ScheduledTimer?

  init(
    _ description: ServiceDescription, loop: EventLoop, logger: Logger,
    report: @escaping (PublicationState) -> Void
  ) {
    self.description = description
    self.loop = loop
    self.logger = logger
    self.report = report
    machine = PublicationStateMachine(name: description.name)
    session = AvahiSession(loop: loop, logger: logger)
    session.onState = { [weak self] in self?.sessionChanged(to: $0) }
  }

  func start() { session.start() }

  func stop() {
    timer?.cancel()
    letGo()
    session.stop()
  }

  /// Replaces the attributes, without the service vanishing in between.
  func update(_ new: ServiceDescription) {
    guard description != new else { return }
    description = new
    guard let name = machine.registeredName, let group = unsafe group else { return }
    let code = unsafe withAttributes { list in
      unsafe Int(
        avahi_entry_group_update_service_txt_strlst(
          group, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
          AvahiPublishFlags(rawValue: 0), name, new.serviceType, nil, list))
    }
    if code != AVAHI_OK { session.startOver(reason: "Avahi: \(AvahiSession.text(of: code))") }
  }

  private func sessionChanged(to state: AvahiSession.State) {
    switch state {
    case .running:
      perform(machine.daemonRuns())
    case .pausing:
      report(.waiting(reason: "Avahi is settling the host name"))
      perform(machine.daemonPauses())
    case .gone(let reason):
      timer?.cancel()
      letGo()
      machine.daemonGone()
      report(.waiting(reason: reason))
    }
  }

  /// The session frees the group with its client.
  private func letGo() {
    unsafe group = nil
  }

  private func perform(_ action: PublicationStateMachine.Action) {
    switch action {
    case .nothing:
      break
    case .register(let name):
      register(name)
    case .withdraw:
      timer?.cancel()
      withdraw()
    case .report(let state):
      timer?.cancel()
      report(state)
      logger.info("service published", ["service.state": "\(state)"])
    case .giveUp(let reason):
      withdraw()
      report(.failed(reason: reason))
      logger.info("service not published", ["service.reason": reason])
      restartTimer(PublicationStateMachine.retryAfterFailure) { $0.machine.retry() }
    case .startOver(let reason):
      session.startOver(reason: reason)
    }
  }

  private func restartTimer(
    _ delay: Duration, _ input: @escaping (Publication) -> PublicationStateMachine.Action
  ) {
    timer?.cancel()
    timer = loop.schedule(after: delay) { [weak self] in
      guard let self else { return }
      perform(input(self))
    }
  }

  private func withdraw() {
    if let group = unsafe group { _ = unsafe avahi_entry_group_reset(group) }
  }

  private func register(_ name: String) {
    report(.waiting(reason: "registering \"\(name)\""))
    restartTimer(PublicationStateMachine.registrationLimit) { $0.machine.registrationTimedOut() }
    let code = unsafe addService(named: name)
    switch code {
    case AVAHI_OK:
      break
    case AVAHI_ERR_COLLISION:
      collided()
    case AVAHI_ERR_DISCONNECTED, AVAHI_ERR_NO_DAEMON, AVAHI_ERR_DBUS_ERROR, AVAHI_ERR_BAD_STATE,
      AVAHI_ERR_TIMEOUT:
      session.startOver(reason: "Avahi: \(AvahiSession.text(of: code))")
    default:
      perform(machine.refused(reason: "Avahi refuses the service: \(AvahiSession.text(of: code))"))
    }
  }

  private func collided() {
    perform(
      machine.collided { name in
        guard let text = unsafe avahi_alternative_service_name(name) else { return nil }
        defer { unsafe avahi_free(text) }
        return unsafe String(cString: text)
      })
  }

  /// Adds the service to the empty group, made when it is missing, and commits it.
  ///
  /// - Returns: the error code of Avahi.
  @unsafe private func addService(named name: String) -> Int {
    guard let client = unsafe session.client else { return AVAHI_ERR_DISCONNECTED }
    if unsafe group == nil {
      // Unretained: the group is freed with the session's client, which goes before this object.
      let context = unsafe Unmanaged.passUnretained(self).toOpaque()
      unsafe group = avahi_entry_group_new(client, avahiGroupCallback, context)
    }
    guard let group = unsafe group else { return session.lastError.code }
    let code = unsafe Int(avahi_entry_group_reset(group))
    if code != AVAHI_OK { return code }
    return unsafe withAttributes { list in
      // All interfaces and protocols in one call: separate ones leave stale records (avahi issue 677).
      let code = unsafe Int(
        avahi_entry_group_add_service_strlst(
          group, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
          AvahiPublishFlags(rawValue: 0), name,
          description.serviceType, nil, nil, description.port, list))
      return code == AVAHI_OK ? unsafe Int(avahi_entry_group_commit(group)) : code
    }
  }

  /// Lends the attributes as a list of Avahi's.
  @unsafe private func withAttributes(_ body: (UnsafeMutablePointer<AvahiStringList>?) -> Int) -> Int {
    var list: UnsafeMutablePointer<AvahiStringList>?
    // A list grows at its head: the last goes in first.
    for (key, value) in description.txt.reversed() {
      let pair = Array("\(key)=\(value)".utf8)
      guard let longer = unsafe avahi_string_list_add_arbitrary(list, pair, pair.count) else {
        unsafe avahi_string_list_free(list)
        return AVAHI_ERR_NO_MEMORY
      }
      unsafe list = longer
    }
    defer { unsafe avahi_string_list_free(list) }
    return unsafe body(list)
  }

  fileprivate func groupChanged(to state: AvahiEntryGroupState) {
    session.afterCallback { [weak self] in
      guard let self else { return }
      switch state {
      case AVAHI_ENTRY_GROUP_ESTABLISHED:
        perform(machine.established())
      case AVAHI_ENTRY_GROUP_COLLISION:
        collided()
      case AVAHI_ENTRY_GROUP_FAILURE:
        session.startOver(reason: "Avahi: \(session.lastError.text)")
      default:
        break
      }
    }
  }
}

private func avahiGroupCallback(
  _: OpaquePointer?, _ state: AvahiEntryGroupState, _ context: UnsafeMutableRawPointer?
) {
  guard let context = unsafe context else { return }
  unsafe Unmanaged<Publication>.fromOpaque(context).takeUnretainedValue().groupChanged(to: state)
}

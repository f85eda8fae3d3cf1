/// Decides under which name a service is registered, and when to give up.
struct PublicationStateMachine: Sendable {
  /// Renames in a row before giving up: daemons that see their own echo as a rival rename for ever (avahi issue 437).
  static let maximumRenames = 20
  /// Time given to the daemon for its probes, which take a second; its counter of them can stick.
  static let registrationLimit: Duration = .seconds(10)
  /// Pause before trying again what was refused.
  static let retryAfterFailure: Duration = .seconds(60)

  private enum State: Equatable {
    case waiting
    case registering(name: String, renames: Int)
    case published(name: String)
    case failed
  }

  enum Action: Equatable {
    case nothing
    case register(name: String)
    /// Withdraw what is registered; the daemon says when to go on.
    case withdraw
    case report(PublicationState)
    /// Withdraw, report, and call `retry()` after `retryAfterFailure`.
    case giveUp(reason: String)
    /// The daemon does not get on: end the connection to it and start from nothing.
    case startOver(reason: String)
  }

  private let configuredName: String
  private var state = State.waiting

  init(name: String) { configuredName = name }

  /// The name under which the service is registered or being so.
  var registeredName: String? {
    switch state {
    case .registering(let name, _), .published(let name): name
    case .waiting, .failed: nil
    }
  }

  /// The daemon is ready. Starts from the configured name each time: the rival may be gone, and the name is no identity.
  mutating func daemonRuns() -> Action {
    switch state {
    case .waiting:
      state = .registering(name: configuredName, renames: 0)
      return .register(name: configuredName)
    case .registering, .published, .failed:
      return .nothing
    }
  }

  /// The daemon is settling its own host name: services must be withdrawn until it runs again (avahi-common/defs.h).
  mutating func daemonPauses() -> Action {
    switch state {
    case .waiting: return .nothing
    case .registering, .published, .failed:
      state = .waiting
      return .withdraw
    }
  }

  /// The daemon or the bus is gone, and what was registered with it.
  mutating func daemonGone() { state = .waiting }

  mutating func established() -> Action {
    switch state {
    case .registering(let name, _):
      state = .published(name: name)
      return .report(.publishing(name: name))
    case .waiting, .published, .failed:
      return .nothing
    }
  }

  /// The name is taken, said at once or after probing, or lost later to another host.
  mutating func collided(alternative: (String) -> String?) -> Action {
    let (name, renames): (String, Int)
    switch state {
    case .registering(let current, let count): (name, renames) = (current, count)
    case .published(let current): (name, renames) = (current, 0)
    case .waiting, .failed: return .nothing
    }
    guard renames < Self.maximumRenames, let next = alternative(name) else {
      state = .failed
      return .giveUp(reason: "the name \"\(configuredName)\" is taken, and so are \(renames) others like it")
    }
    state = .registering(name: next, renames: renames + 1)
    return .register(name: next)
  }

  /// The daemon refuses the service.
  mutating func refused(reason: String) -> Action {
    state = .failed
    return .giveUp(reason: reason)
  }

  mutating func registrationTimedOut() -> Action {
    switch state {
    case .registering:
      state = .waiting
      return .startOver(reason: "the daemon did not finish registering")
    case .waiting, .published, .failed:
      return .nothing
    }
  }

  /// The pause after a failure is over.
  mutating func retry() -> Action {
    switch state {
    case .failed:
      state = .waiting
      return daemonRuns()
    case .waiting, .registering, .published:
      return .nothing
    }
  }
}

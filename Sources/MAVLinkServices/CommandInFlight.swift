public import MAVLink

/// How often a command is repeated while nothing answers, and how long in all.
public struct RetryPolicy: Equatable, Sendable {
  public var interval: Duration
  /// Sends at `interval`; later ones follow at `slowInterval`.
  public var fastSends: Int
  public var slowInterval: Duration
  /// Time from the first send until the command counts as unanswered.
  public var limit: Duration

  /// For commands that are safe to hear twice: modes, so stop, land and return.
  public static func persistent(limit: Duration) -> RetryPolicy {
    RetryPolicy(interval: .milliseconds(500), fastSends: 10, slowInterval: .seconds(1), limit: limit)
  }

  /// For arming and takeoff: a repeat that is heard late would act when nobody expects it.
  public static func once(limit: Duration) -> RetryPolicy {
    RetryPolicy(interval: limit, fastSends: 0, slowInterval: limit, limit: limit)
  }
}

/// One command on its way, until it is acknowledged.
public struct CommandInFlight: Equatable, Sendable {
  public private(set) var command: CommandLong
  public let policy: RetryPolicy
  public let firstSentAt: ContinuousClock.Instant
  public private(set) var lastSentAt: ContinuousClock.Instant
  public private(set) var sends = 1
  /// The last acknowledgement that ends it; nil while none came.
  public private(set) var result: CommandResult?
  public private(set) var acknowledgedAt: ContinuousClock.Instant?

  /// The caller sends `command` now.
  public init(_ command: CommandLong, policy: RetryPolicy, at now: ContinuousClock.Instant) {
    self.command = command
    self.policy = policy
    firstSentAt = now
    lastSentAt = now
  }

  /// Sends that were not answered yet.
  public var unansweredSends: Int { result == nil ? sends : 0 }

  /// The command to send again now, with its confirmation counted up (MAVLink command protocol), or nil.
  public mutating func resend(at now: ContinuousClock.Instant) -> CommandLong? {
    guard result == nil, policy.fastSends > 0, !isOver(at: now) else { return nil }
    let interval = sends < policy.fastSends ? policy.interval : policy.slowInterval
    guard lastSentAt.duration(to: now) >= interval else { return nil }
    sends += 1
    lastSentAt = now
    command.confirmation = command.confirmation == .max ? .max : command.confirmation + 1
    return command
  }

  /// Takes an acknowledgement; whether it was for this command and ends the waiting.
  public mutating func acknowledge(_ ack: CommandAck, at now: ContinuousClock.Instant) -> Bool {
    guard ack.command == command.command, ack.result != .inProgress else { return false }
    result = ack.result
    acknowledgedAt = now
    return true
  }

  public func isOver(at now: ContinuousClock.Instant) -> Bool {
    firstSentAt.duration(to: now) >= policy.limit
  }
}

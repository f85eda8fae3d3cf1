import MAVLink

/// What may be written to a serial line now, so that it is never fed faster than it carries.
///
/// The kernel takes some thousand bytes at once, whatever the line's speed, and a stop behind them would be late. So the
/// bytes that cannot have left yet are computed: what was written, less what the line carries in the time since.
public struct LineBudget: Sendable {
  /// What the line carries; nil for a network, which is not limited here.
  public let bytesPerSecond: Int?
  private var waiting = 0.0
  private var at: ContinuousClock.Instant?
  private var newestCommand: CommandLong?

  /// A target is held while more than so much has not left: the two heartbeats of a second and a command, or 20 ms of a fast line. So
  /// a command finds little in front of it.
  var targetLimit: Int { bytesPerSecond.map { max(84, $0 / 50) } ?? .max }
  /// Beyond what a target can add, so that targets never crowd out the heartbeats that keep a failsafe quiet.
  var heartbeatLimit: Int { bytesPerSecond == nil ? .max : targetLimit + Self.longestTarget }
  static let longestTarget = 80

  public init(bytesPerSecond: Int?) { self.bytesPerSecond = bytesPerSecond }

  /// Bytes that have been written and cannot have left yet.
  public func waitingBytes(at now: ContinuousClock.Instant) -> Int {
    guard let bytesPerSecond, let at else { return 0 }
    return Int(max(0, waiting - at.duration(to: now) / .seconds(1) * Double(bytesPerSecond)).rounded(.up))
  }

  /// Whether `message` may be written now. What may not is held, or said later, or left out:
  /// a repeat of a command that is still waiting tells nothing new.
  public func allows(_ message: OutgoingMessage, at now: ContinuousClock.Instant) -> Bool {
    guard bytesPerSecond != nil else { return true }
    let waiting = waitingBytes(at: now)
    switch message {
    case .command(let command):
      switch command.command {
      case .setMessageInterval: return waiting == 0
      // For the heartbeat that proves what was just acknowledged, which would else come up to a second later; on a line without a wire the
      // acknowledgement is there before the command can have left.
      case .requestMessage: return waiting <= targetLimit
      default: return waiting == 0 || !isRepeat(command)
      }
    case .target, .reposition: return waiting <= targetLimit
    case .companionHeartbeat, .groundStationHeartbeat: return waiting <= heartbeatLimit
    }
  }

  private func isRepeat(_ command: CommandLong) -> Bool {
    guard var newest = newestCommand else { return false }
    newest.confirmation = command.confirmation
    // Fields that are no number differ from themselves; written out they do not.
    return newest == command || "\(newest)" == "\(command)"
  }

  public mutating func wrote(_ message: OutgoingMessage, bytes: Int, at now: ContinuousClock.Instant) {
    waiting = Double(waitingBytes(at: now) + bytes)
    at = now
    if case .command(let command) = message { newestCommand = command }
  }

  /// The line was closed: nothing waits.
  public mutating func reset() { self = LineBudget(bytesPerSecond: bytesPerSecond) }
}

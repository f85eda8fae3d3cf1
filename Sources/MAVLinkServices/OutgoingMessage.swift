public import MAVLink

/// Where an autopilot is on the line: commands go to it, and its answers come from it.
public struct AutopilotAddress: Equatable, Sendable {
  public let systemID: UInt8
  public let componentID: UInt8

  public init(systemID: UInt8, componentID: UInt8) {
    self.systemID = systemID
    self.componentID = componentID
  }
}

/// What the relay writes to the serial line.
public enum OutgoingMessage: Equatable, Sendable {
  case command(CommandLong)
  /// A target is worth nothing once a newer one exists: it may be dropped when the line is busy.
  case target(SetPositionTargetGlobalInt)
  /// A target as a command; may be dropped like one.
  case reposition(CommandInt)
  /// Sent as the companion computer on the vehicle.
  case companionHeartbeat(Heartbeat)
  /// Sent as a ground station: keeps the autopilot's own failsafe quiet, so only while a trusted client is alive.
  case groundStationHeartbeat(Heartbeat)

  /// One line for the log, in the words of the specification.
  public var summary: String {
    switch self {
    case .command(let command):
      "COMMAND_LONG \(command.command.rawValue) \(command.command.words)"
        + " p1=\(command.param1) p2=\(command.param2) p7=\(command.param7)"
        + (command.param3 != 0 ? " p3=\(command.param3)" : "")
        + (command.confirmation > 0 ? " confirmation=\(command.confirmation)" : "")
    case .target(let target):
      "SET_POSITION_TARGET_GLOBAL_INT lat=\(target.latInt) lon=\(target.lonInt) alt=\(target.alt)"
        + " frame=\(target.coordinateFrame.rawValue)"
    case .reposition(let command):
      "COMMAND_INT \(command.command.rawValue) \(command.command.words) p2=\(command.param2)"
        + " x=\(command.x) y=\(command.y) z=\(command.z) frame=\(command.frame.rawValue)"
    case .companionHeartbeat: "HEARTBEAT as companion"
    case .groundStationHeartbeat: "HEARTBEAT as ground station"
    }
  }
}

extension OutgoingMessage {
  /// Whether it only asks for a message, and makes the vehicle do nothing.
  public var isQuestion: Bool {
    if case .command(let command) = self { command.command == .requestMessage } else { false }
  }

  /// Whether a newer one makes it worthless.
  public var isTarget: Bool {
    switch self {
    case .target, .reposition: true
    case .command, .companionHeartbeat, .groundStationHeartbeat: false
    }
  }
}

extension CommandID {
  /// The name of a command that the relay sends, without its prefix.
  var words: String {
    switch self {
    case .doSetMode: "DO_SET_MODE"
    case .componentArmDisarm: "COMPONENT_ARM_DISARM"
    case .navTakeoff: "NAV_TAKEOFF"
    case .doReposition: "DO_REPOSITION"
    case .setMessageInterval: "SET_MESSAGE_INTERVAL"
    case .requestMessage: "REQUEST_MESSAGE"
    case .preflightRebootShutdown: "PREFLIGHT_REBOOT_SHUTDOWN"
    default: "command"
    }
  }
}

extension CommandResult {
  /// The result in words (`MAV_RESULT`).
  var words: String {
    switch self {
    case .accepted: "accepted"
    case .temporarilyRejected: "temporarily rejected"
    case .denied: "denied"
    case .unsupported: "not supported"
    case .failed: "failed"
    case .inProgress: "in progress"
    case .cancelled: "cancelled"
    case .commandLongOnly, .commandIntOnly: "wrong kind of command message"
    default: "result \(rawValue)"
    }
  }
}

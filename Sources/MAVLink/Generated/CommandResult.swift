// Written by scripts/mavlink-generate; do not edit.

/// `MAV_RESULT`: Result from a MAVLink command (MAV_CMD).
public struct CommandResult: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_RESULT_ACCEPTED`: Command is valid (is supported and has valid parameters), and was
  /// executed.
  public static let accepted = CommandResult(rawValue: 0)

  /// `MAV_RESULT_TEMPORARILY_REJECTED`: Command is valid, but cannot be executed at this time. This
  /// is used to indicate a problem that should be fixed just by waiting (e.g. a state machine is
  /// busy, can't arm because have not got GPS lock, etc.). Retrying later should work.
  public static let temporarilyRejected = CommandResult(rawValue: 1)

  /// `MAV_RESULT_DENIED`: Command is invalid; it is supported but one or more parameter values are
  /// invalid (i.e. parameter reserved, value allowed by spec but not supported by flight stack, and
  /// so on). Retrying the same command and parameters will not work.
  public static let denied = CommandResult(rawValue: 2)

  /// `MAV_RESULT_UNSUPPORTED`: Command is not supported (unknown).
  public static let unsupported = CommandResult(rawValue: 3)

  /// `MAV_RESULT_FAILED`: Command is valid, but execution has failed. This is used to indicate any
  /// non-temporary or unexpected problem, i.e. any problem that must be fixed before the command
  /// can succeed/be retried. For example, attempting to write a file when out of memory, attempting
  /// to arm when sensors are not calibrated, etc.
  public static let failed = CommandResult(rawValue: 4)

  /// `MAV_RESULT_IN_PROGRESS`: Command is valid and is being executed. This will be followed by
  /// further progress updates, i.e. the component may send further COMMAND_ACK messages with result
  /// MAV_RESULT_IN_PROGRESS (at a rate decided by the implementation), and must terminate by
  /// sending a COMMAND_ACK message with final result of the operation. The COMMAND_ACK.progress
  /// field can be used to indicate the progress of the operation. There is no need for the sender
  /// to retry the command, but if done during execution, the component will return
  /// MAV_RESULT_IN_PROGRESS with an updated progress.
  public static let inProgress = CommandResult(rawValue: 5)

  /// `MAV_RESULT_CANCELLED`: The command was cancelled by COMMAND_CANCEL before it had finished.
  public static let cancelled = CommandResult(rawValue: 6)

  /// `MAV_RESULT_COMMAND_LONG_ONLY`: Command is only accepted when sent as a COMMAND_LONG.
  public static let commandLongOnly = CommandResult(rawValue: 7)

  /// `MAV_RESULT_COMMAND_INT_ONLY`: Command is only accepted when sent as a COMMAND_INT.
  public static let commandIntOnly = CommandResult(rawValue: 8)
}

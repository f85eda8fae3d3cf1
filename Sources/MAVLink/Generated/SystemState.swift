// Written by scripts/mavlink-generate; do not edit.

/// `MAV_STATE`: named values.
public struct SystemState: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_STATE_UNINIT`: Uninitialized system, state is unknown.
  public static let uninit = SystemState(rawValue: 0)

  /// `MAV_STATE_BOOT`: System is booting up.
  public static let boot = SystemState(rawValue: 1)

  /// `MAV_STATE_CALIBRATING`: System is calibrating and not flight-ready.
  public static let calibrating = SystemState(rawValue: 2)

  /// `MAV_STATE_STANDBY`: System is grounded and on standby. It can be launched any time.
  public static let standby = SystemState(rawValue: 3)

  /// `MAV_STATE_ACTIVE`: System is active and might be already airborne. Motors are engaged.
  public static let active = SystemState(rawValue: 4)

  /// `MAV_STATE_CRITICAL`: System is in a non-normal flight mode (failsafe). It can however still
  /// navigate.
  public static let critical = SystemState(rawValue: 5)

  /// `MAV_STATE_EMERGENCY`: System is in a non-normal flight mode (failsafe). It lost control over
  /// parts or over the whole airframe. It is in mayday and going down.
  public static let emergency = SystemState(rawValue: 6)

  /// `MAV_STATE_POWEROFF`: System just initialized its power-down sequence, will shut down now.
  public static let poweroff = SystemState(rawValue: 7)

  /// `MAV_STATE_FLIGHT_TERMINATION`: System is terminating itself (failsafe or commanded).
  public static let flightTermination = SystemState(rawValue: 8)
}

// Written by scripts/mavlink-generate; do not edit.

/// `MAV_MODE_FLAG`: These flags encode the MAV mode, see MAV_MODE enum for useful combinations.
public struct ModeFlags: PayloadConstant, OptionSet {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_MODE_FLAG_CUSTOM_MODE_ENABLED`: 0b00000001 Reserved for future use.
  public static let customModeEnabled = ModeFlags(rawValue: 1 << 0)

  /// `MAV_MODE_FLAG_TEST_ENABLED`: 0b00000010 system has a test mode enabled. This flag is intended
  /// for temporary system tests and should not be used for stable implementations.
  public static let testEnabled = ModeFlags(rawValue: 1 << 1)

  /// `MAV_MODE_FLAG_AUTO_ENABLED`: 0b00000100 autonomous mode enabled, system finds its own goal
  /// positions. Guided flag can be set or not, depends on the actual implementation.
  public static let autoEnabled = ModeFlags(rawValue: 1 << 2)

  /// `MAV_MODE_FLAG_GUIDED_ENABLED`: 0b00001000 guided mode enabled, system flies waypoints /
  /// mission items.
  public static let guidedEnabled = ModeFlags(rawValue: 1 << 3)

  /// `MAV_MODE_FLAG_STABILIZE_ENABLED`: 0b00010000 system stabilizes electronically its attitude
  /// (and optionally position). It needs however further control inputs to move around.
  public static let stabilizeEnabled = ModeFlags(rawValue: 1 << 4)

  /// `MAV_MODE_FLAG_HIL_ENABLED`: 0b00100000 hardware in the loop simulation. All motors /
  /// actuators are blocked, but internal software is full operational.
  public static let hilEnabled = ModeFlags(rawValue: 1 << 5)

  /// `MAV_MODE_FLAG_MANUAL_INPUT_ENABLED`: 0b01000000 remote control input is enabled.
  public static let manualInputEnabled = ModeFlags(rawValue: 1 << 6)

  /// `MAV_MODE_FLAG_SAFETY_ARMED`: 0b10000000 MAV safety set to armed. Motors are enabled / running
  /// / can start. Ready to fly. Additional note: this flag is to be ignore when sent in the command
  /// MAV_CMD_DO_SET_MODE and MAV_CMD_COMPONENT_ARM_DISARM shall be used instead. The flag can still
  /// be used to report the armed state.
  public static let safetyArmed = ModeFlags(rawValue: 1 << 7)
}

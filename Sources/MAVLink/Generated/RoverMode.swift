// Written by scripts/mavlink-generate; do not edit.

/// `ROVER_MODE`: A mapping of rover flight modes for custom_mode field of heartbeat.
public struct RoverMode: PayloadConstant {
  public var rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// `ROVER_MODE_MANUAL`: MANUAL.
  public static let manual = RoverMode(rawValue: 0)

  /// `ROVER_MODE_ACRO`: ACRO.
  public static let acro = RoverMode(rawValue: 1)

  /// `ROVER_MODE_STEERING`: STEERING.
  public static let steering = RoverMode(rawValue: 3)

  /// `ROVER_MODE_HOLD`: HOLD.
  public static let hold = RoverMode(rawValue: 4)

  /// `ROVER_MODE_LOITER`: LOITER.
  public static let loiter = RoverMode(rawValue: 5)

  /// `ROVER_MODE_FOLLOW`: FOLLOW.
  public static let follow = RoverMode(rawValue: 6)

  /// `ROVER_MODE_SIMPLE`: SIMPLE.
  public static let simple = RoverMode(rawValue: 7)

  /// `ROVER_MODE_DOCK`: DOCK.
  public static let dock = RoverMode(rawValue: 8)

  /// `ROVER_MODE_CIRCLE`: CIRCLE.
  public static let circle = RoverMode(rawValue: 9)

  /// `ROVER_MODE_AUTO`: AUTO.
  public static let auto = RoverMode(rawValue: 10)

  /// `ROVER_MODE_RTL`: RTL.
  public static let rtl = RoverMode(rawValue: 11)

  /// `ROVER_MODE_SMART_RTL`: SMART RTL.
  public static let smartRTL = RoverMode(rawValue: 12)

  /// `ROVER_MODE_GUIDED`: GUIDED.
  public static let guided = RoverMode(rawValue: 15)

  /// `ROVER_MODE_INITIALIZING`: INITIALISING.
  public static let initializing = RoverMode(rawValue: 16)
}

// Written by scripts/mavlink-generate; do not edit.

/// `MAV_LANDED_STATE`: Enumeration of landed detector states.
public struct LandedState: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_LANDED_STATE_UNDEFINED`: MAV landed state is unknown.
  public static let undefined = LandedState(rawValue: 0)

  /// `MAV_LANDED_STATE_ON_GROUND`: MAV is landed (on ground).
  public static let onGround = LandedState(rawValue: 1)

  /// `MAV_LANDED_STATE_IN_AIR`: MAV is in air.
  public static let inAir = LandedState(rawValue: 2)

  /// `MAV_LANDED_STATE_TAKEOFF`: MAV currently taking off.
  public static let takeoff = LandedState(rawValue: 3)

  /// `MAV_LANDED_STATE_LANDING`: MAV currently landing.
  public static let landing = LandedState(rawValue: 4)
}

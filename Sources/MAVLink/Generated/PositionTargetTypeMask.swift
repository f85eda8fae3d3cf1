// Written by scripts/mavlink-generate; do not edit.

/// `POSITION_TARGET_TYPEMASK`: Bitmap to indicate which dimensions should be ignored by the
/// vehicle: a value of 0b0000000000000000 or 0b0000001000000000 indicates that none of the setpoint
/// dimensions should be ignored. If bit 9 is set the floats afx afy afz should be interpreted as
/// force instead of acceleration.
public struct PositionTargetTypeMask: PayloadConstant, OptionSet {
  public var rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `POSITION_TARGET_TYPEMASK_X_IGNORE`: Ignore position x.
  public static let xIgnore = PositionTargetTypeMask(rawValue: 1 << 0)

  /// `POSITION_TARGET_TYPEMASK_Y_IGNORE`: Ignore position y.
  public static let yIgnore = PositionTargetTypeMask(rawValue: 1 << 1)

  /// `POSITION_TARGET_TYPEMASK_Z_IGNORE`: Ignore position z.
  public static let zIgnore = PositionTargetTypeMask(rawValue: 1 << 2)

  /// `POSITION_TARGET_TYPEMASK_VX_IGNORE`: Ignore velocity x.
  public static let vxIgnore = PositionTargetTypeMask(rawValue: 1 << 3)

  /// `POSITION_TARGET_TYPEMASK_VY_IGNORE`: Ignore velocity y.
  public static let vyIgnore = PositionTargetTypeMask(rawValue: 1 << 4)

  /// `POSITION_TARGET_TYPEMASK_VZ_IGNORE`: Ignore velocity z.
  public static let vzIgnore = PositionTargetTypeMask(rawValue: 1 << 5)

  /// `POSITION_TARGET_TYPEMASK_AX_IGNORE`: Ignore acceleration x.
  public static let axIgnore = PositionTargetTypeMask(rawValue: 1 << 6)

  /// `POSITION_TARGET_TYPEMASK_AY_IGNORE`: Ignore acceleration y.
  public static let ayIgnore = PositionTargetTypeMask(rawValue: 1 << 7)

  /// `POSITION_TARGET_TYPEMASK_AZ_IGNORE`: Ignore acceleration z.
  public static let azIgnore = PositionTargetTypeMask(rawValue: 1 << 8)

  /// `POSITION_TARGET_TYPEMASK_FORCE_SET`: Use force instead of acceleration.
  public static let forceSet = PositionTargetTypeMask(rawValue: 1 << 9)

  /// `POSITION_TARGET_TYPEMASK_YAW_IGNORE`: Ignore yaw.
  public static let yawIgnore = PositionTargetTypeMask(rawValue: 1 << 10)

  /// `POSITION_TARGET_TYPEMASK_YAW_RATE_IGNORE`: Ignore yaw rate.
  public static let yawRateIgnore = PositionTargetTypeMask(rawValue: 1 << 11)
}

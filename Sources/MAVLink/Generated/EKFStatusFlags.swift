// Written by scripts/mavlink-generate; do not edit.

/// `EKF_STATUS_FLAGS`: Flags in EKF_STATUS message.
public struct EKFStatusFlags: PayloadConstant, OptionSet {
  public var rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `EKF_ATTITUDE`: Set if EKF's attitude estimate is good.
  public static let attitude = EKFStatusFlags(rawValue: 1 << 0)

  /// `EKF_VELOCITY_HORIZ`: Set if EKF's horizontal velocity estimate is good.
  public static let velocityHoriz = EKFStatusFlags(rawValue: 1 << 1)

  /// `EKF_VELOCITY_VERT`: Set if EKF's vertical velocity estimate is good.
  public static let velocityVert = EKFStatusFlags(rawValue: 1 << 2)

  /// `EKF_POS_HORIZ_REL`: Set if EKF's horizontal position (relative) estimate is good.
  public static let posHorizRel = EKFStatusFlags(rawValue: 1 << 3)

  /// `EKF_POS_HORIZ_ABS`: Set if EKF's horizontal position (absolute) estimate is good.
  public static let posHorizAbs = EKFStatusFlags(rawValue: 1 << 4)

  /// `EKF_POS_VERT_ABS`: Set if EKF's vertical position (absolute) estimate is good.
  public static let posVertAbs = EKFStatusFlags(rawValue: 1 << 5)

  /// `EKF_POS_VERT_AGL`: Set if EKF's vertical position (above ground) estimate is good.
  public static let posVertAgl = EKFStatusFlags(rawValue: 1 << 6)

  /// `EKF_CONST_POS_MODE`: EKF is in constant position mode and does not know it's absolute or
  /// relative position.
  public static let constPosMode = EKFStatusFlags(rawValue: 1 << 7)

  /// `EKF_PRED_POS_HORIZ_REL`: Set if EKF's predicted horizontal position (relative) estimate is
  /// good.
  public static let predPosHorizRel = EKFStatusFlags(rawValue: 1 << 8)

  /// `EKF_PRED_POS_HORIZ_ABS`: Set if EKF's predicted horizontal position (absolute) estimate is
  /// good.
  public static let predPosHorizAbs = EKFStatusFlags(rawValue: 1 << 9)

  /// `EKF_UNINITIALIZED`: Set if EKF has never been healthy.
  public static let uninitialized = EKFStatusFlags(rawValue: 1 << 10)

  /// `EKF_GPS_GLITCHING`: Set if EKF believes the GPS input data is faulty.
  public static let gpsGlitching = EKFStatusFlags(rawValue: 1 << 15)
}

// Written by scripts/mavlink-generate; do not edit.

/// `ESTIMATOR_STATUS_FLAGS`: Flags in ESTIMATOR_STATUS message.
public struct EstimatorStatusFlags: PayloadConstant, OptionSet {
  public var rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `ESTIMATOR_ATTITUDE`: True if the attitude estimate is good.
  public static let attitude = EstimatorStatusFlags(rawValue: 1 << 0)

  /// `ESTIMATOR_VELOCITY_HORIZ`: True if the horizontal velocity estimate is good.
  public static let velocityHoriz = EstimatorStatusFlags(rawValue: 1 << 1)

  /// `ESTIMATOR_VELOCITY_VERT`: True if the vertical velocity estimate is good.
  public static let velocityVert = EstimatorStatusFlags(rawValue: 1 << 2)

  /// `ESTIMATOR_POS_HORIZ_REL`: True if the horizontal position (relative) estimate is good.
  public static let posHorizRel = EstimatorStatusFlags(rawValue: 1 << 3)

  /// `ESTIMATOR_POS_HORIZ_ABS`: True if the horizontal position (absolute) estimate is good.
  public static let posHorizAbs = EstimatorStatusFlags(rawValue: 1 << 4)

  /// `ESTIMATOR_POS_VERT_ABS`: True if the vertical position (absolute) estimate is good.
  public static let posVertAbs = EstimatorStatusFlags(rawValue: 1 << 5)

  /// `ESTIMATOR_POS_VERT_AGL`: True if the vertical position (above ground) estimate is good.
  public static let posVertAgl = EstimatorStatusFlags(rawValue: 1 << 6)

  /// `ESTIMATOR_CONST_POS_MODE`: True if the EKF is in a constant position mode and is not using
  /// external measurements (eg GPS or optical flow).
  public static let constPosMode = EstimatorStatusFlags(rawValue: 1 << 7)

  /// `ESTIMATOR_PRED_POS_HORIZ_REL`: True if the EKF has sufficient data to enter a mode that will
  /// provide a (relative) position estimate.
  public static let predPosHorizRel = EstimatorStatusFlags(rawValue: 1 << 8)

  /// `ESTIMATOR_PRED_POS_HORIZ_ABS`: True if the EKF has sufficient data to enter a mode that will
  /// provide a (absolute) position estimate.
  public static let predPosHorizAbs = EstimatorStatusFlags(rawValue: 1 << 9)

  /// `ESTIMATOR_GPS_GLITCH`: True if the EKF has detected a GPS glitch.
  public static let gpsGlitch = EstimatorStatusFlags(rawValue: 1 << 10)

  /// `ESTIMATOR_ACCEL_ERROR`: True if the EKF has detected bad accelerometer data.
  public static let accelError = EstimatorStatusFlags(rawValue: 1 << 11)
}

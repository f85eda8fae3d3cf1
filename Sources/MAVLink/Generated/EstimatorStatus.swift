// Written by scripts/mavlink-generate; do not edit.

/// `ESTIMATOR_STATUS` (230): Estimator status message including flags, innovation test ratios and
/// estimated accuracies. The flags message is an integer bitmask containing information on which
/// EKF outputs are valid. See the ESTIMATOR_STATUS_FLAGS enum definition for further information.
/// The innovation test ratios show the magnitude of the sensor innovation divided by the innovation
/// check threshold. Under normal operation the innovation test ratios should be below 0.5 with
/// occasional values up to 1.0. Values greater than 1.0 should be rare under normal operation and
/// indicate that a measurement has been rejected by the filter. The user should be notified if an
/// innovation test ratio greater than 1.0 is recorded. Notifications for values in the range
/// between 0.5 and 1.0 should be optional and controllable by the user.
public struct EstimatorStatus: Message {
  public static var specificationName: String { "ESTIMATOR_STATUS" }
  public static var messageID: UInt32 { 230 }
  public static var crcExtra: UInt8 { 163 }
  public static var maximumPayloadLength: Int { 42 }
  public static var minimumPayloadLength: Int { 42 }

  /// `time_usec`, us: Timestamp (UNIX Epoch time or time since system boot). The receiving end can
  /// infer timestamp format (since 1.1.1970 or since system boot) by checking for the magnitude of
  /// the number.
  public var timeUsec: UInt64

  /// `flags`: Bitmap indicating which EKF outputs are valid.
  public var flags: EstimatorStatusFlags

  /// `vel_ratio`: Velocity innovation test ratio.
  public var velRatio: Float

  /// `pos_horiz_ratio`: Horizontal position innovation test ratio.
  public var posHorizRatio: Float

  /// `pos_vert_ratio`: Vertical position innovation test ratio.
  public var posVertRatio: Float

  /// `mag_ratio`: Magnetometer innovation test ratio.
  public var magRatio: Float

  /// `hagl_ratio`: Height above terrain innovation test ratio.
  public var haglRatio: Float

  /// `tas_ratio`: True airspeed innovation test ratio.
  public var tasRatio: Float

  /// `pos_horiz_accuracy`, m: Horizontal position 1-STD accuracy relative to the EKF local origin.
  public var posHorizAccuracy: Float

  /// `pos_vert_accuracy`, m: Vertical position 1-STD accuracy relative to the EKF local origin.
  public var posVertAccuracy: Float

  public init(
    timeUsec: UInt64 = 0,
    flags: EstimatorStatusFlags = .init(rawValue: 0),
    velRatio: Float = 0,
    posHorizRatio: Float = 0,
    posVertRatio: Float = 0,
    magRatio: Float = 0,
    haglRatio: Float = 0,
    tasRatio: Float = 0,
    posHorizAccuracy: Float = 0,
    posVertAccuracy: Float = 0
  ) {
    self.timeUsec = timeUsec
    self.flags = flags
    self.velRatio = velRatio
    self.posHorizRatio = posHorizRatio
    self.posVertRatio = posVertRatio
    self.magRatio = magRatio
    self.haglRatio = haglRatio
    self.tasRatio = tasRatio
    self.posHorizAccuracy = posHorizAccuracy
    self.posVertAccuracy = posVertAccuracy
  }

  public init(payload: RawSpan) {
    timeUsec = payload.load(at: 0)
    velRatio = payload.load(at: 8)
    posHorizRatio = payload.load(at: 12)
    posVertRatio = payload.load(at: 16)
    magRatio = payload.load(at: 20)
    haglRatio = payload.load(at: 24)
    tasRatio = payload.load(at: 28)
    posHorizAccuracy = payload.load(at: 32)
    posVertAccuracy = payload.load(at: 36)
    flags = payload.load(at: 40)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeUsec, at: 0)
    payload.store(velRatio, at: 8)
    payload.store(posHorizRatio, at: 12)
    payload.store(posVertRatio, at: 16)
    payload.store(magRatio, at: 20)
    payload.store(haglRatio, at: 24)
    payload.store(tasRatio, at: 28)
    payload.store(posHorizAccuracy, at: 32)
    payload.store(posVertAccuracy, at: 36)
    payload.store(flags, at: 40)
  }
}

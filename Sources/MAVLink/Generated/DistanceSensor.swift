// Written by scripts/mavlink-generate; do not edit.

/// `DISTANCE_SENSOR` (132): Distance sensor information for an onboard rangefinder.
public struct DistanceSensor: Message {
  public static var specificationName: String { "DISTANCE_SENSOR" }
  public static var messageID: UInt32 { 132 }
  public static var crcExtra: UInt8 { 85 }
  public static var maximumPayloadLength: Int { 39 }
  public static var minimumPayloadLength: Int { 14 }

  /// `time_boot_ms`, ms: Timestamp (time since system boot).
  public var timeBootMs: UInt32

  /// `min_distance`, cm: Minimum distance the sensor can measure.
  public var minDistance: UInt16

  /// `max_distance`, cm: Maximum distance the sensor can measure.
  public var maxDistance: UInt16

  /// `current_distance`, cm: Current distance reading.
  public var currentDistance: UInt16

  /// `type`: Type of distance sensor.
  public var type: UInt8

  /// `id`: Onboard ID of the sensor.
  public var id: UInt8

  /// `orientation`: Direction the sensor faces. downward-facing: ROTATION_PITCH_270, upward-facing:
  /// ROTATION_PITCH_90, backward-facing: ROTATION_PITCH_180, forward-facing: ROTATION_NONE,
  /// left-facing: ROTATION_YAW_90, right-facing: ROTATION_YAW_270.
  public var orientation: UInt8

  /// `covariance`, cm^2: Measurement variance. Max standard deviation is 6cm. UINT8_MAX if unknown.
  /// Not known: `UINT8_MAX`.
  public var covariance: UInt8

  /// `horizontal_fov`, rad, extension: Horizontal Field of View (angle) where the distance
  /// measurement is valid and the field of view is known. Otherwise this is set to 0. Not known:
  /// `0`.
  public var horizontalFov: Float

  /// `vertical_fov`, rad, extension: Vertical Field of View (angle) where the distance measurement
  /// is valid and the field of view is known. Otherwise this is set to 0. Not known: `0`.
  public var verticalFov: Float

  /// `quaternion`, extension: Quaternion of the sensor orientation in vehicle body frame (w, x, y,
  /// z order, zero-rotation is 1, 0, 0, 0). Zero-rotation is along the vehicle body x-axis. This
  /// field is required if the orientation is set to MAV_SENSOR_ROTATION_CUSTOM. Set it to 0 if
  /// invalid.". Not known: `[0]`.
  public var quaternion: FixedArray<4, Float>

  /// `signal_quality`, %, extension: Signal quality of the sensor. Specific to each sensor type,
  /// representing the relation of the signal strength with the target reflectivity, distance, size
  /// or aspect, but normalised as a percentage. 0 = unknown/unset signal quality, 1 = invalid
  /// signal, 100 = perfect signal. Not known: `0`.
  public var signalQuality: UInt8

  public init(
    timeBootMs: UInt32 = 0,
    minDistance: UInt16 = 0,
    maxDistance: UInt16 = 0,
    currentDistance: UInt16 = 0,
    type: UInt8 = 0,
    id: UInt8 = 0,
    orientation: UInt8 = 0,
    covariance: UInt8 = 0,
    horizontalFov: Float = 0,
    verticalFov: Float = 0,
    quaternion: FixedArray<4, Float> = .init(),
    signalQuality: UInt8 = 0
  ) {
    self.timeBootMs = timeBootMs
    self.minDistance = minDistance
    self.maxDistance = maxDistance
    self.currentDistance = currentDistance
    self.type = type
    self.id = id
    self.orientation = orientation
    self.covariance = covariance
    self.horizontalFov = horizontalFov
    self.verticalFov = verticalFov
    self.quaternion = quaternion
    self.signalQuality = signalQuality
  }

  public init(payload: RawSpan) {
    timeBootMs = payload.load(at: 0)
    minDistance = payload.load(at: 4)
    maxDistance = payload.load(at: 6)
    currentDistance = payload.load(at: 8)
    type = payload.load(at: 10)
    id = payload.load(at: 11)
    orientation = payload.load(at: 12)
    covariance = payload.load(at: 13)
    horizontalFov = payload.load(at: 14)
    verticalFov = payload.load(at: 18)
    quaternion = payload.load(at: 22)
    signalQuality = payload.load(at: 38)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeBootMs, at: 0)
    payload.store(minDistance, at: 4)
    payload.store(maxDistance, at: 6)
    payload.store(currentDistance, at: 8)
    payload.store(type, at: 10)
    payload.store(id, at: 11)
    payload.store(orientation, at: 12)
    payload.store(covariance, at: 13)
    payload.store(horizontalFov, at: 14)
    payload.store(verticalFov, at: 18)
    payload.store(quaternion, at: 22)
    payload.store(signalQuality, at: 38)
  }
}

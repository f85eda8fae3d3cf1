// Written by scripts/mavlink-generate; do not edit.

/// `POSITION_TARGET_GLOBAL_INT` (87): Reports the current commanded vehicle position, velocity, and
/// acceleration as specified by the autopilot. This should match the commands sent in
/// SET_POSITION_TARGET_GLOBAL_INT if the vehicle is being controlled this way.
public struct PositionTargetGlobalInt: Message {
  public static var specificationName: String { "POSITION_TARGET_GLOBAL_INT" }
  public static var messageID: UInt32 { 87 }
  public static var crcExtra: UInt8 { 150 }
  public static var maximumPayloadLength: Int { 51 }
  public static var minimumPayloadLength: Int { 51 }

  /// `time_boot_ms`, ms: Timestamp (time since system boot). The rationale for the timestamp in the
  /// setpoint is to allow the system to compensate for the transport delay of the setpoint. This
  /// allows the system to compensate processing latency.
  public var timeBootMs: UInt32

  /// `coordinate_frame`: Valid options are: MAV_FRAME_GLOBAL = 0, MAV_FRAME_GLOBAL_RELATIVE_ALT =
  /// 3, MAV_FRAME_GLOBAL_TERRAIN_ALT = 10 (MAV_FRAME_GLOBAL_INT, MAV_FRAME_GLOBAL_RELATIVE_ALT_INT,
  /// MAV_FRAME_GLOBAL_TERRAIN_ALT_INT are allowed synonyms, but have been deprecated).
  public var coordinateFrame: CoordinateFrame

  /// `type_mask`: Bitmap to indicate which dimensions should be ignored by the vehicle.
  public var typeMask: PositionTargetTypeMask

  /// `lat_int`, degE7: Latitude in WGS84 frame.
  public var latInt: Int32

  /// `lon_int`, degE7: Longitude in WGS84 frame.
  public var lonInt: Int32

  /// `alt`, m: Altitude (MSL, AGL or relative to home altitude, depending on frame).
  public var alt: Float

  /// `vx`, m/s: X velocity in NED frame.
  public var vx: Float

  /// `vy`, m/s: Y velocity in NED frame.
  public var vy: Float

  /// `vz`, m/s: Z velocity in NED frame.
  public var vz: Float

  /// `afx`, m/s/s: X acceleration or force (if bit 10 of type_mask is set) in NED frame in meter /
  /// s^2 or N.
  public var afx: Float

  /// `afy`, m/s/s: Y acceleration or force (if bit 10 of type_mask is set) in NED frame in meter /
  /// s^2 or N.
  public var afy: Float

  /// `afz`, m/s/s: Z acceleration or force (if bit 10 of type_mask is set) in NED frame in meter /
  /// s^2 or N.
  public var afz: Float

  /// `yaw`, rad: yaw setpoint.
  public var yaw: Float

  /// `yaw_rate`, rad/s: yaw rate setpoint.
  public var yawRate: Float

  public init(
    timeBootMs: UInt32 = 0,
    coordinateFrame: CoordinateFrame,
    typeMask: PositionTargetTypeMask,
    latInt: Int32,
    lonInt: Int32,
    alt: Float = 0,
    vx: Float = 0,
    vy: Float = 0,
    vz: Float = 0,
    afx: Float = 0,
    afy: Float = 0,
    afz: Float = 0,
    yaw: Float = 0,
    yawRate: Float = 0
  ) {
    self.timeBootMs = timeBootMs
    self.coordinateFrame = coordinateFrame
    self.typeMask = typeMask
    self.latInt = latInt
    self.lonInt = lonInt
    self.alt = alt
    self.vx = vx
    self.vy = vy
    self.vz = vz
    self.afx = afx
    self.afy = afy
    self.afz = afz
    self.yaw = yaw
    self.yawRate = yawRate
  }

  public init(payload: RawSpan) {
    timeBootMs = payload.load(at: 0)
    latInt = payload.load(at: 4)
    lonInt = payload.load(at: 8)
    alt = payload.load(at: 12)
    vx = payload.load(at: 16)
    vy = payload.load(at: 20)
    vz = payload.load(at: 24)
    afx = payload.load(at: 28)
    afy = payload.load(at: 32)
    afz = payload.load(at: 36)
    yaw = payload.load(at: 40)
    yawRate = payload.load(at: 44)
    typeMask = payload.load(at: 48)
    coordinateFrame = payload.load(at: 50)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeBootMs, at: 0)
    payload.store(latInt, at: 4)
    payload.store(lonInt, at: 8)
    payload.store(alt, at: 12)
    payload.store(vx, at: 16)
    payload.store(vy, at: 20)
    payload.store(vz, at: 24)
    payload.store(afx, at: 28)
    payload.store(afy, at: 32)
    payload.store(afz, at: 36)
    payload.store(yaw, at: 40)
    payload.store(yawRate, at: 44)
    payload.store(typeMask, at: 48)
    payload.store(coordinateFrame, at: 50)
  }
}

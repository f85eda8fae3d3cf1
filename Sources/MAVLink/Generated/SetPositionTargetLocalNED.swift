// Written by scripts/mavlink-generate; do not edit.

/// `SET_POSITION_TARGET_LOCAL_NED` (84): Sets a desired vehicle position in a local north-east-down
/// coordinate frame. Used by an external controller to command the vehicle (manual controller or
/// other system).
public struct SetPositionTargetLocalNED: Message {
  public static var specificationName: String { "SET_POSITION_TARGET_LOCAL_NED" }
  public static var messageID: UInt32 { 84 }
  public static var crcExtra: UInt8 { 143 }
  public static var maximumPayloadLength: Int { 53 }
  public static var minimumPayloadLength: Int { 53 }

  /// `time_boot_ms`, ms: Timestamp (time since system boot).
  public var timeBootMs: UInt32

  /// `target_system`: System ID.
  public var targetSystem: UInt8

  /// `target_component`: Component ID.
  public var targetComponent: UInt8

  /// `coordinate_frame`: Valid options are: MAV_FRAME_LOCAL_NED = 1, MAV_FRAME_LOCAL_OFFSET_NED =
  /// 7, MAV_FRAME_BODY_NED = 8, MAV_FRAME_BODY_OFFSET_NED = 9.
  public var coordinateFrame: CoordinateFrame

  /// `type_mask`: Bitmap to indicate which dimensions should be ignored by the vehicle.
  public var typeMask: PositionTargetTypeMask

  /// `x`, m: X Position in NED frame.
  public var x: Float

  /// `y`, m: Y Position in NED frame.
  public var y: Float

  /// `z`, m: Z Position in NED frame (note, altitude is negative in NED).
  public var z: Float

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
    targetSystem: UInt8,
    targetComponent: UInt8,
    coordinateFrame: CoordinateFrame,
    typeMask: PositionTargetTypeMask,
    x: Float = 0,
    y: Float = 0,
    z: Float = 0,
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
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
    self.coordinateFrame = coordinateFrame
    self.typeMask = typeMask
    self.x = x
    self.y = y
    self.z = z
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
    x = payload.load(at: 4)
    y = payload.load(at: 8)
    z = payload.load(at: 12)
    vx = payload.load(at: 16)
    vy = payload.load(at: 20)
    vz = payload.load(at: 24)
    afx = payload.load(at: 28)
    afy = payload.load(at: 32)
    afz = payload.load(at: 36)
    yaw = payload.load(at: 40)
    yawRate = payload.load(at: 44)
    typeMask = payload.load(at: 48)
    targetSystem = payload.load(at: 50)
    targetComponent = payload.load(at: 51)
    coordinateFrame = payload.load(at: 52)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeBootMs, at: 0)
    payload.store(x, at: 4)
    payload.store(y, at: 8)
    payload.store(z, at: 12)
    payload.store(vx, at: 16)
    payload.store(vy, at: 20)
    payload.store(vz, at: 24)
    payload.store(afx, at: 28)
    payload.store(afy, at: 32)
    payload.store(afz, at: 36)
    payload.store(yaw, at: 40)
    payload.store(yawRate, at: 44)
    payload.store(typeMask, at: 48)
    payload.store(targetSystem, at: 50)
    payload.store(targetComponent, at: 51)
    payload.store(coordinateFrame, at: 52)
  }
}

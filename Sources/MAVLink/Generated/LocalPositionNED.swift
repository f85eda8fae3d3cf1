// Written by scripts/mavlink-generate; do not edit.

/// `LOCAL_POSITION_NED` (32): The filtered local position (e.g. fused computer vision and
/// accelerometers). Coordinate frame is right-handed, Z-axis down (aeronautical frame, NED /
/// north-east-down convention).
public struct LocalPositionNED: Message {
  public static var specificationName: String { "LOCAL_POSITION_NED" }
  public static var messageID: UInt32 { 32 }
  public static var crcExtra: UInt8 { 185 }
  public static var maximumPayloadLength: Int { 28 }
  public static var minimumPayloadLength: Int { 28 }

  /// `time_boot_ms`, ms: Timestamp (time since system boot).
  public var timeBootMs: UInt32

  /// `x`, m: X Position.
  public var x: Float

  /// `y`, m: Y Position.
  public var y: Float

  /// `z`, m: Z Position.
  public var z: Float

  /// `vx`, m/s: X Speed.
  public var vx: Float

  /// `vy`, m/s: Y Speed.
  public var vy: Float

  /// `vz`, m/s: Z Speed.
  public var vz: Float

  public init(
    timeBootMs: UInt32 = 0,
    x: Float = 0,
    y: Float = 0,
    z: Float = 0,
    vx: Float = 0,
    vy: Float = 0,
    vz: Float = 0
  ) {
    self.timeBootMs = timeBootMs
    self.x = x
    self.y = y
    self.z = z
    self.vx = vx
    self.vy = vy
    self.vz = vz
  }

  public init(payload: RawSpan) {
    timeBootMs = payload.load(at: 0)
    x = payload.load(at: 4)
    y = payload.load(at: 8)
    z = payload.load(at: 12)
    vx = payload.load(at: 16)
    vy = payload.load(at: 20)
    vz = payload.load(at: 24)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeBootMs, at: 0)
    payload.store(x, at: 4)
    payload.store(y, at: 8)
    payload.store(z, at: 12)
    payload.store(vx, at: 16)
    payload.store(vy, at: 20)
    payload.store(vz, at: 24)
  }
}

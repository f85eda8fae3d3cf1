// Written by scripts/mavlink-generate; do not edit.

/// `ATTITUDE` (30): The attitude in the aeronautical frame (right-handed, Z-down, Y-right, X-front,
/// ZYX, intrinsic).
public struct Attitude: Message {
  public static var specificationName: String { "ATTITUDE" }
  public static var messageID: UInt32 { 30 }
  public static var crcExtra: UInt8 { 39 }
  public static var maximumPayloadLength: Int { 28 }
  public static var minimumPayloadLength: Int { 28 }

  /// `time_boot_ms`, ms: Timestamp (time since system boot).
  public var timeBootMs: UInt32

  /// `roll`, rad: Roll angle (-pi..+pi).
  public var roll: Float

  /// `pitch`, rad: Pitch angle (-pi..+pi).
  public var pitch: Float

  /// `yaw`, rad: Yaw angle (-pi..+pi).
  public var yaw: Float

  /// `rollspeed`, rad/s: Roll angular speed.
  public var rollspeed: Float

  /// `pitchspeed`, rad/s: Pitch angular speed.
  public var pitchspeed: Float

  /// `yawspeed`, rad/s: Yaw angular speed.
  public var yawspeed: Float

  public init(
    timeBootMs: UInt32 = 0,
    roll: Float = 0,
    pitch: Float = 0,
    yaw: Float = 0,
    rollspeed: Float = 0,
    pitchspeed: Float = 0,
    yawspeed: Float = 0
  ) {
    self.timeBootMs = timeBootMs
    self.roll = roll
    self.pitch = pitch
    self.yaw = yaw
    self.rollspeed = rollspeed
    self.pitchspeed = pitchspeed
    self.yawspeed = yawspeed
  }

  public init(payload: RawSpan) {
    timeBootMs = payload.load(at: 0)
    roll = payload.load(at: 4)
    pitch = payload.load(at: 8)
    yaw = payload.load(at: 12)
    rollspeed = payload.load(at: 16)
    pitchspeed = payload.load(at: 20)
    yawspeed = payload.load(at: 24)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeBootMs, at: 0)
    payload.store(roll, at: 4)
    payload.store(pitch, at: 8)
    payload.store(yaw, at: 12)
    payload.store(rollspeed, at: 16)
    payload.store(pitchspeed, at: 20)
    payload.store(yawspeed, at: 24)
  }
}

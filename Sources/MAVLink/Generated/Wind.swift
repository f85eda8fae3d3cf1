// Written by scripts/mavlink-generate; do not edit.

/// `WIND` (168): Wind estimation.
public struct Wind: Message {
  public static var specificationName: String { "WIND" }
  public static var messageID: UInt32 { 168 }
  public static var crcExtra: UInt8 { 1 }
  public static var maximumPayloadLength: Int { 12 }
  public static var minimumPayloadLength: Int { 12 }

  /// `direction`, deg: Wind direction (that wind is coming from).
  public var direction: Float

  /// `speed`, m/s: Wind speed in ground plane.
  public var speed: Float

  /// `speed_z`, m/s: Vertical wind speed.
  public var speedZ: Float

  public init(
    direction: Float = 0,
    speed: Float = 0,
    speedZ: Float = 0
  ) {
    self.direction = direction
    self.speed = speed
    self.speedZ = speedZ
  }

  public init(payload: RawSpan) {
    direction = payload.load(at: 0)
    speed = payload.load(at: 4)
    speedZ = payload.load(at: 8)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(direction, at: 0)
    payload.store(speed, at: 4)
    payload.store(speedZ, at: 8)
  }
}

// Written by scripts/mavlink-generate; do not edit.

/// `EKF_STATUS_REPORT` (193): EKF Status message including flags and variances.
public struct EKFStatusReport: Message {
  public static var specificationName: String { "EKF_STATUS_REPORT" }
  public static var messageID: UInt32 { 193 }
  public static var crcExtra: UInt8 { 71 }
  public static var maximumPayloadLength: Int { 26 }
  public static var minimumPayloadLength: Int { 22 }

  /// `flags`: Flags.
  public var flags: EKFStatusFlags

  /// `velocity_variance`: Velocity variance.
  public var velocityVariance: Float

  /// `pos_horiz_variance`: Horizontal Position variance.
  public var posHorizVariance: Float

  /// `pos_vert_variance`: Vertical Position variance.
  public var posVertVariance: Float

  /// `compass_variance`: Compass variance.
  public var compassVariance: Float

  /// `terrain_alt_variance`: Terrain Altitude variance.
  public var terrainAltVariance: Float

  /// `airspeed_variance`, extension: Airspeed variance.
  public var airspeedVariance: Float

  public init(
    flags: EKFStatusFlags = .init(rawValue: 0),
    velocityVariance: Float = 0,
    posHorizVariance: Float = 0,
    posVertVariance: Float = 0,
    compassVariance: Float = 0,
    terrainAltVariance: Float = 0,
    airspeedVariance: Float = 0
  ) {
    self.flags = flags
    self.velocityVariance = velocityVariance
    self.posHorizVariance = posHorizVariance
    self.posVertVariance = posVertVariance
    self.compassVariance = compassVariance
    self.terrainAltVariance = terrainAltVariance
    self.airspeedVariance = airspeedVariance
  }

  public init(payload: RawSpan) {
    velocityVariance = payload.load(at: 0)
    posHorizVariance = payload.load(at: 4)
    posVertVariance = payload.load(at: 8)
    compassVariance = payload.load(at: 12)
    terrainAltVariance = payload.load(at: 16)
    flags = payload.load(at: 20)
    airspeedVariance = payload.load(at: 22)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(velocityVariance, at: 0)
    payload.store(posHorizVariance, at: 4)
    payload.store(posVertVariance, at: 8)
    payload.store(compassVariance, at: 12)
    payload.store(terrainAltVariance, at: 16)
    payload.store(flags, at: 20)
    payload.store(airspeedVariance, at: 22)
  }
}

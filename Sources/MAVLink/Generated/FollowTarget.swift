// Written by scripts/mavlink-generate; do not edit.

/// `FOLLOW_TARGET` (144): Current motion information from a designated system.
public struct FollowTarget: Message {
  public static var specificationName: String { "FOLLOW_TARGET" }
  public static var messageID: UInt32 { 144 }
  public static var crcExtra: UInt8 { 127 }
  public static var maximumPayloadLength: Int { 93 }
  public static var minimumPayloadLength: Int { 93 }

  /// `timestamp`, ms: Timestamp (time since system boot).
  public var timestamp: UInt64

  /// `est_capabilities`: bit positions for tracker reporting capabilities (POS = 0, VEL = 1, ACCEL
  /// = 2, ATT + RATES = 3).
  public var estCapabilities: UInt8

  /// `lat`, degE7: Latitude (WGS84).
  public var lat: Int32

  /// `lon`, degE7: Longitude (WGS84).
  public var lon: Int32

  /// `alt`, m: Altitude (MSL).
  public var alt: Float

  /// `vel`, m/s: target velocity (0,0,0) for unknown.
  public var vel: FixedArray<3, Float>

  /// `acc`, m/s/s: linear target acceleration (0,0,0) for unknown.
  public var acc: FixedArray<3, Float>

  /// `attitude_q`: (1 0 0 0 for unknown).
  public var attitudeQ: FixedArray<4, Float>

  /// `rates`: (0 0 0 for unknown).
  public var rates: FixedArray<3, Float>

  /// `position_cov`: eph epv.
  public var positionCov: FixedArray<3, Float>

  /// `custom_state`: button states or switches of a tracker device.
  public var customState: UInt64

  public init(
    timestamp: UInt64 = 0,
    estCapabilities: UInt8 = 0,
    lat: Int32,
    lon: Int32,
    alt: Float = 0,
    vel: FixedArray<3, Float> = .init(),
    acc: FixedArray<3, Float> = .init(),
    attitudeQ: FixedArray<4, Float> = .init(),
    rates: FixedArray<3, Float> = .init(),
    positionCov: FixedArray<3, Float> = .init(),
    customState: UInt64 = 0
  ) {
    self.timestamp = timestamp
    self.estCapabilities = estCapabilities
    self.lat = lat
    self.lon = lon
    self.alt = alt
    self.vel = vel
    self.acc = acc
    self.attitudeQ = attitudeQ
    self.rates = rates
    self.positionCov = positionCov
    self.customState = customState
  }

  public init(payload: RawSpan) {
    timestamp = payload.load(at: 0)
    customState = payload.load(at: 8)
    lat = payload.load(at: 16)
    lon = payload.load(at: 20)
    alt = payload.load(at: 24)
    vel = payload.load(at: 28)
    acc = payload.load(at: 40)
    attitudeQ = payload.load(at: 52)
    rates = payload.load(at: 68)
    positionCov = payload.load(at: 80)
    estCapabilities = payload.load(at: 92)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timestamp, at: 0)
    payload.store(customState, at: 8)
    payload.store(lat, at: 16)
    payload.store(lon, at: 20)
    payload.store(alt, at: 24)
    payload.store(vel, at: 28)
    payload.store(acc, at: 40)
    payload.store(attitudeQ, at: 52)
    payload.store(rates, at: 68)
    payload.store(positionCov, at: 80)
    payload.store(estCapabilities, at: 92)
  }
}

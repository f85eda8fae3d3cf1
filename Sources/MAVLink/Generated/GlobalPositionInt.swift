// Written by scripts/mavlink-generate; do not edit.

/// `GLOBAL_POSITION_INT` (33): The filtered global position (e.g. fused GPS and accelerometers).
/// The position is in GPS-frame (right-handed, Z-up). It is designed as scaled integer message
/// since the resolution of float is not sufficient.
public struct GlobalPositionInt: Message {
  public static var specificationName: String { "GLOBAL_POSITION_INT" }
  public static var messageID: UInt32 { 33 }
  public static var crcExtra: UInt8 { 104 }
  public static var maximumPayloadLength: Int { 28 }
  public static var minimumPayloadLength: Int { 28 }

  /// `time_boot_ms`, ms: Timestamp (time since system boot).
  public var timeBootMs: UInt32

  /// `lat`, degE7: Latitude, expressed.
  public var lat: Int32

  /// `lon`, degE7: Longitude, expressed.
  public var lon: Int32

  /// `alt`, mm: Altitude (MSL). Note that virtually all GPS modules provide both WGS84 and MSL.
  public var alt: Int32

  /// `relative_alt`, mm: Altitude above home.
  public var relativeAlt: Int32

  /// `vx`, cm/s: Ground X Speed (Latitude, positive north).
  public var vx: Int16

  /// `vy`, cm/s: Ground Y Speed (Longitude, positive east).
  public var vy: Int16

  /// `vz`, cm/s: Ground Z Speed (Altitude, positive down).
  public var vz: Int16

  /// `hdg`, cdeg: Vehicle heading (yaw angle), 0.0..359.99 degrees. If unknown, set to: UINT16_MAX.
  /// Not known: `UINT16_MAX`.
  public var hdg: UInt16

  public init(
    timeBootMs: UInt32 = 0,
    lat: Int32,
    lon: Int32,
    alt: Int32 = 0,
    relativeAlt: Int32 = 0,
    vx: Int16 = 0,
    vy: Int16 = 0,
    vz: Int16 = 0,
    hdg: UInt16 = 0
  ) {
    self.timeBootMs = timeBootMs
    self.lat = lat
    self.lon = lon
    self.alt = alt
    self.relativeAlt = relativeAlt
    self.vx = vx
    self.vy = vy
    self.vz = vz
    self.hdg = hdg
  }

  public init(payload: RawSpan) {
    timeBootMs = payload.load(at: 0)
    lat = payload.load(at: 4)
    lon = payload.load(at: 8)
    alt = payload.load(at: 12)
    relativeAlt = payload.load(at: 16)
    vx = payload.load(at: 20)
    vy = payload.load(at: 22)
    vz = payload.load(at: 24)
    hdg = payload.load(at: 26)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeBootMs, at: 0)
    payload.store(lat, at: 4)
    payload.store(lon, at: 8)
    payload.store(alt, at: 12)
    payload.store(relativeAlt, at: 16)
    payload.store(vx, at: 20)
    payload.store(vy, at: 22)
    payload.store(vz, at: 24)
    payload.store(hdg, at: 26)
  }
}

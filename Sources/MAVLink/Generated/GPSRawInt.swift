// Written by scripts/mavlink-generate; do not edit.

/// `GPS_RAW_INT` (24): The global position, as returned by the Global Positioning System (GPS).
/// This is NOT the global position estimate of the system, but rather a RAW sensor value. See
/// message GLOBAL_POSITION_INT for the global position estimate.
public struct GPSRawInt: Message {
  public static var specificationName: String { "GPS_RAW_INT" }
  public static var messageID: UInt32 { 24 }
  public static var crcExtra: UInt8 { 24 }
  public static var maximumPayloadLength: Int { 52 }
  public static var minimumPayloadLength: Int { 30 }

  /// `time_usec`, us: Timestamp (UNIX Epoch time or time since system boot). The receiving end can
  /// infer timestamp format (since 1.1.1970 or since system boot) by checking for the magnitude of
  /// the number.
  public var timeUsec: UInt64

  /// `fix_type`: GPS fix type.
  public var fixType: GPSFixType

  /// `lat`, degE7: Latitude (WGS84, EGM96 ellipsoid).
  public var lat: Int32

  /// `lon`, degE7: Longitude (WGS84, EGM96 ellipsoid).
  public var lon: Int32

  /// `alt`, mm: Altitude (MSL). Positive for up. Note that virtually all GPS modules provide the
  /// MSL altitude in addition to the WGS84 altitude.
  public var alt: Int32

  /// `eph`: GPS HDOP horizontal dilution of position (unitless * 100). If unknown, set to:
  /// UINT16_MAX. Not known: `UINT16_MAX`.
  public var eph: UInt16

  /// `epv`: GPS VDOP vertical dilution of position (unitless * 100). If unknown, set to:
  /// UINT16_MAX. Not known: `UINT16_MAX`.
  public var epv: UInt16

  /// `vel`, cm/s: GPS ground speed. If unknown, set to: UINT16_MAX. Not known: `UINT16_MAX`.
  public var vel: UInt16

  /// `cog`, cdeg: Course over ground (NOT heading, but direction of movement) in degrees * 100,
  /// 0.0..359.99 degrees. If unknown, set to: UINT16_MAX. Not known: `UINT16_MAX`.
  public var cog: UInt16

  /// `satellites_visible`: Number of satellites visible. If unknown, set to UINT8_MAX. Not known:
  /// `UINT8_MAX`.
  public var satellitesVisible: UInt8

  /// `alt_ellipsoid`, mm, extension: Altitude (above WGS84, EGM96 ellipsoid). Positive for up.
  public var altEllipsoid: Int32

  /// `h_acc`, mm, extension: Position uncertainty.
  public var hAcc: UInt32

  /// `v_acc`, mm, extension: Altitude uncertainty.
  public var vAcc: UInt32

  /// `vel_acc`, mm/s, extension: Speed uncertainty.
  public var velAcc: UInt32

  /// `hdg_acc`, degE5, extension: Heading / track uncertainty.
  public var hdgAcc: UInt32

  /// `yaw`, cdeg, extension: Yaw in earth frame from north. Use 0 if this GPS does not provide yaw.
  /// Use UINT16_MAX if this GPS is configured to provide yaw and is currently unable to provide it.
  /// Use 36000 for north. Not known: `0`.
  public var yaw: UInt16

  public init(
    timeUsec: UInt64 = 0,
    fixType: GPSFixType = .init(rawValue: 0),
    lat: Int32,
    lon: Int32,
    alt: Int32 = 0,
    eph: UInt16 = 0,
    epv: UInt16 = 0,
    vel: UInt16 = 0,
    cog: UInt16 = 0,
    satellitesVisible: UInt8 = 0,
    altEllipsoid: Int32 = 0,
    hAcc: UInt32 = 0,
    vAcc: UInt32 = 0,
    velAcc: UInt32 = 0,
    hdgAcc: UInt32 = 0,
    yaw: UInt16 = 0
  ) {
    self.timeUsec = timeUsec
    self.fixType = fixType
    self.lat = lat
    self.lon = lon
    self.alt = alt
    self.eph = eph
    self.epv = epv
    self.vel = vel
    self.cog = cog
    self.satellitesVisible = satellitesVisible
    self.altEllipsoid = altEllipsoid
    self.hAcc = hAcc
    self.vAcc = vAcc
    self.velAcc = velAcc
    self.hdgAcc = hdgAcc
    self.yaw = yaw
  }

  public init(payload: RawSpan) {
    timeUsec = payload.load(at: 0)
    lat = payload.load(at: 8)
    lon = payload.load(at: 12)
    alt = payload.load(at: 16)
    eph = payload.load(at: 20)
    epv = payload.load(at: 22)
    vel = payload.load(at: 24)
    cog = payload.load(at: 26)
    fixType = payload.load(at: 28)
    satellitesVisible = payload.load(at: 29)
    altEllipsoid = payload.load(at: 30)
    hAcc = payload.load(at: 34)
    vAcc = payload.load(at: 38)
    velAcc = payload.load(at: 42)
    hdgAcc = payload.load(at: 46)
    yaw = payload.load(at: 50)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeUsec, at: 0)
    payload.store(lat, at: 8)
    payload.store(lon, at: 12)
    payload.store(alt, at: 16)
    payload.store(eph, at: 20)
    payload.store(epv, at: 22)
    payload.store(vel, at: 24)
    payload.store(cog, at: 26)
    payload.store(fixType, at: 28)
    payload.store(satellitesVisible, at: 29)
    payload.store(altEllipsoid, at: 30)
    payload.store(hAcc, at: 34)
    payload.store(vAcc, at: 38)
    payload.store(velAcc, at: 42)
    payload.store(hdgAcc, at: 46)
    payload.store(yaw, at: 50)
  }
}

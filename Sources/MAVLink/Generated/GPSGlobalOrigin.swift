// Written by scripts/mavlink-generate; do not edit.

/// `GPS_GLOBAL_ORIGIN` (49): Publishes the GPS coordinates of the vehicle local origin (0,0,0)
/// position. Emitted whenever a new GPS-Local position mapping is requested or set - e.g. following
/// SET_GPS_GLOBAL_ORIGIN message.
public struct GPSGlobalOrigin: Message {
  public static var specificationName: String { "GPS_GLOBAL_ORIGIN" }
  public static var messageID: UInt32 { 49 }
  public static var crcExtra: UInt8 { 39 }
  public static var maximumPayloadLength: Int { 20 }
  public static var minimumPayloadLength: Int { 12 }

  /// `latitude`, degE7: Latitude (WGS84).
  public var latitude: Int32

  /// `longitude`, degE7: Longitude (WGS84).
  public var longitude: Int32

  /// `altitude`, mm: Altitude (MSL). Positive for up.
  public var altitude: Int32

  /// `time_usec`, us, extension: Timestamp (UNIX Epoch time or time since system boot). The
  /// receiving end can infer timestamp format (since 1.1.1970 or since system boot) by checking for
  /// the magnitude of the number.
  public var timeUsec: UInt64

  public init(
    latitude: Int32,
    longitude: Int32,
    altitude: Int32 = 0,
    timeUsec: UInt64 = 0
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
    self.timeUsec = timeUsec
  }

  public init(payload: RawSpan) {
    latitude = payload.load(at: 0)
    longitude = payload.load(at: 4)
    altitude = payload.load(at: 8)
    timeUsec = payload.load(at: 12)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(latitude, at: 0)
    payload.store(longitude, at: 4)
    payload.store(altitude, at: 8)
    payload.store(timeUsec, at: 12)
  }
}

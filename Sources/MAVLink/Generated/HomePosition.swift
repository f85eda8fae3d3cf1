// Written by scripts/mavlink-generate; do not edit.

/// `HOME_POSITION` (242): This message can be requested by sending the MAV_CMD_GET_HOME_POSITION
/// command. The position the system will return to and land on. The position is set automatically
/// by the system during the takeoff in case it was not explicitly set by the operator before or
/// after. The global and local positions encode the position in the respective coordinate frames,
/// while the q parameter encodes the orientation of the surface. Under normal conditions it
/// describes the heading and terrain slope, which can be used by the aircraft to adjust the
/// approach. The approach 3D vector describes the point to which the system should fly in normal
/// flight mode and then perform a landing sequence along the vector.
public struct HomePosition: Message {
  public static var specificationName: String { "HOME_POSITION" }
  public static var messageID: UInt32 { 242 }
  public static var crcExtra: UInt8 { 104 }
  public static var maximumPayloadLength: Int { 60 }
  public static var minimumPayloadLength: Int { 52 }

  /// `latitude`, degE7: Latitude (WGS84).
  public var latitude: Int32

  /// `longitude`, degE7: Longitude (WGS84).
  public var longitude: Int32

  /// `altitude`, mm: Altitude (MSL). Positive for up.
  public var altitude: Int32

  /// `x`, m: Local X position of this position in the local coordinate frame.
  public var x: Float

  /// `y`, m: Local Y position of this position in the local coordinate frame.
  public var y: Float

  /// `z`, m: Local Z position of this position in the local coordinate frame.
  public var z: Float

  /// `q`: World to surface normal and heading transformation of the takeoff position. Used to
  /// indicate the heading and slope of the ground.
  public var q: FixedArray<4, Float>

  /// `approach_x`, m: Local X position of the end of the approach vector. Multicopters should set
  /// this position based on their takeoff path. Grass-landing fixed wing aircraft should set it the
  /// same way as multicopters. Runway-landing fixed wing aircraft should set it to the opposite
  /// direction of the takeoff, assuming the takeoff happened from the threshold / touchdown zone.
  public var approachX: Float

  /// `approach_y`, m: Local Y position of the end of the approach vector. Multicopters should set
  /// this position based on their takeoff path. Grass-landing fixed wing aircraft should set it the
  /// same way as multicopters. Runway-landing fixed wing aircraft should set it to the opposite
  /// direction of the takeoff, assuming the takeoff happened from the threshold / touchdown zone.
  public var approachY: Float

  /// `approach_z`, m: Local Z position of the end of the approach vector. Multicopters should set
  /// this position based on their takeoff path. Grass-landing fixed wing aircraft should set it the
  /// same way as multicopters. Runway-landing fixed wing aircraft should set it to the opposite
  /// direction of the takeoff, assuming the takeoff happened from the threshold / touchdown zone.
  public var approachZ: Float

  /// `time_usec`, us, extension: Timestamp (UNIX Epoch time or time since system boot). The
  /// receiving end can infer timestamp format (since 1.1.1970 or since system boot) by checking for
  /// the magnitude of the number.
  public var timeUsec: UInt64

  public init(
    latitude: Int32,
    longitude: Int32,
    altitude: Int32 = 0,
    x: Float = 0,
    y: Float = 0,
    z: Float = 0,
    q: FixedArray<4, Float> = .init(),
    approachX: Float = 0,
    approachY: Float = 0,
    approachZ: Float = 0,
    timeUsec: UInt64 = 0
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
    self.x = x
    self.y = y
    self.z = z
    self.q = q
    self.approachX = approachX
    self.approachY = approachY
    self.approachZ = approachZ
    self.timeUsec = timeUsec
  }

  public init(payload: RawSpan) {
    latitude = payload.load(at: 0)
    longitude = payload.load(at: 4)
    altitude = payload.load(at: 8)
    x = payload.load(at: 12)
    y = payload.load(at: 16)
    z = payload.load(at: 20)
    q = payload.load(at: 24)
    approachX = payload.load(at: 40)
    approachY = payload.load(at: 44)
    approachZ = payload.load(at: 48)
    timeUsec = payload.load(at: 52)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(latitude, at: 0)
    payload.store(longitude, at: 4)
    payload.store(altitude, at: 8)
    payload.store(x, at: 12)
    payload.store(y, at: 16)
    payload.store(z, at: 20)
    payload.store(q, at: 24)
    payload.store(approachX, at: 40)
    payload.store(approachY, at: 44)
    payload.store(approachZ, at: 48)
    payload.store(timeUsec, at: 52)
  }
}

// Written by scripts/mavlink-generate; do not edit.

/// `ALTITUDE` (141): The current system altitude.
public struct Altitude: Message {
  public static var specificationName: String { "ALTITUDE" }
  public static var messageID: UInt32 { 141 }
  public static var crcExtra: UInt8 { 47 }
  public static var maximumPayloadLength: Int { 32 }
  public static var minimumPayloadLength: Int { 32 }

  /// `time_usec`, us: Timestamp (UNIX Epoch time or time since system boot). The receiving end can
  /// infer timestamp format (since 1.1.1970 or since system boot) by checking for the magnitude of
  /// the number.
  public var timeUsec: UInt64

  /// `altitude_monotonic`, m: This altitude measure is initialized on system boot and monotonic (it
  /// is never reset, but represents the local altitude change). The only guarantee on this field is
  /// that it will never be reset and is consistent within a flight. The recommended value for this
  /// field is the uncorrected barometric altitude at boot time. This altitude will also drift and
  /// vary between flights.
  public var altitudeMonotonic: Float

  /// `altitude_amsl`, m: This altitude measure is strictly above mean sea level and might be
  /// non-monotonic (it might reset on events like GPS lock or when a new QNH value is set). It
  /// should be the altitude to which global altitude waypoints are compared to. Note that it is
  /// *not* the GPS altitude, however, most GPS modules already output MSL by default and not the
  /// WGS84 altitude.
  public var altitudeAmsl: Float

  /// `altitude_local`, m: This is the local altitude in the local coordinate frame. It is not the
  /// altitude above home, but in reference to the coordinate origin (0, 0, 0). It is up-positive.
  public var altitudeLocal: Float

  /// `altitude_relative`, m: This is the altitude above the home position. It resets on each change
  /// of the current home position.
  public var altitudeRelative: Float

  /// `altitude_terrain`, m: This is the altitude above terrain. It might be fed by a terrain
  /// database or an altimeter. Values smaller than -1000 should be interpreted as unknown.
  public var altitudeTerrain: Float

  /// `bottom_clearance`, m: This is not the altitude, but the clear space below the system
  /// according to the fused clearance estimate. It generally should max out at the maximum range of
  /// e.g. the laser altimeter. It is generally a moving target. A negative value indicates no
  /// measurement available.
  public var bottomClearance: Float

  public init(
    timeUsec: UInt64 = 0,
    altitudeMonotonic: Float = 0,
    altitudeAmsl: Float = 0,
    altitudeLocal: Float = 0,
    altitudeRelative: Float = 0,
    altitudeTerrain: Float = 0,
    bottomClearance: Float = 0
  ) {
    self.timeUsec = timeUsec
    self.altitudeMonotonic = altitudeMonotonic
    self.altitudeAmsl = altitudeAmsl
    self.altitudeLocal = altitudeLocal
    self.altitudeRelative = altitudeRelative
    self.altitudeTerrain = altitudeTerrain
    self.bottomClearance = bottomClearance
  }

  public init(payload: RawSpan) {
    timeUsec = payload.load(at: 0)
    altitudeMonotonic = payload.load(at: 8)
    altitudeAmsl = payload.load(at: 12)
    altitudeLocal = payload.load(at: 16)
    altitudeRelative = payload.load(at: 20)
    altitudeTerrain = payload.load(at: 24)
    bottomClearance = payload.load(at: 28)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeUsec, at: 0)
    payload.store(altitudeMonotonic, at: 8)
    payload.store(altitudeAmsl, at: 12)
    payload.store(altitudeLocal, at: 16)
    payload.store(altitudeRelative, at: 20)
    payload.store(altitudeTerrain, at: 24)
    payload.store(bottomClearance, at: 28)
  }
}

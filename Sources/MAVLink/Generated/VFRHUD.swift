// Written by scripts/mavlink-generate; do not edit.

/// `VFR_HUD` (74): Metrics typically displayed on a HUD for fixed wing aircraft.
public struct VFRHUD: Message {
  public static var specificationName: String { "VFR_HUD" }
  public static var messageID: UInt32 { 74 }
  public static var crcExtra: UInt8 { 20 }
  public static var maximumPayloadLength: Int { 20 }
  public static var minimumPayloadLength: Int { 20 }

  /// `airspeed`, m/s: Vehicle speed in form appropriate for vehicle type. For standard aircraft
  /// this is typically calibrated airspeed (CAS) or indicated airspeed (IAS) - either of which can
  /// be used by a pilot to estimate stall speed.
  public var airspeed: Float

  /// `groundspeed`, m/s: Current ground speed.
  public var groundspeed: Float

  /// `heading`, deg: Current heading in compass units (0-360, 0=north).
  public var heading: Int16

  /// `throttle`, %: Current throttle setting (0 to 100).
  public var throttle: UInt16

  /// `alt`, m: Current altitude (MSL).
  public var alt: Float

  /// `climb`, m/s: Current climb rate.
  public var climb: Float

  public init(
    airspeed: Float = 0,
    groundspeed: Float = 0,
    heading: Int16 = 0,
    throttle: UInt16 = 0,
    alt: Float = 0,
    climb: Float = 0
  ) {
    self.airspeed = airspeed
    self.groundspeed = groundspeed
    self.heading = heading
    self.throttle = throttle
    self.alt = alt
    self.climb = climb
  }

  public init(payload: RawSpan) {
    airspeed = payload.load(at: 0)
    groundspeed = payload.load(at: 4)
    alt = payload.load(at: 8)
    climb = payload.load(at: 12)
    heading = payload.load(at: 16)
    throttle = payload.load(at: 18)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(airspeed, at: 0)
    payload.store(groundspeed, at: 4)
    payload.store(alt, at: 8)
    payload.store(climb, at: 12)
    payload.store(heading, at: 16)
    payload.store(throttle, at: 18)
  }
}

// Written by scripts/mavlink-generate; do not edit.

/// `NAV_CONTROLLER_OUTPUT` (62): The state of the navigation and position controller.
public struct NavControllerOutput: Message {
  public static var specificationName: String { "NAV_CONTROLLER_OUTPUT" }
  public static var messageID: UInt32 { 62 }
  public static var crcExtra: UInt8 { 183 }
  public static var maximumPayloadLength: Int { 26 }
  public static var minimumPayloadLength: Int { 26 }

  /// `nav_roll`, deg: Current desired roll.
  public var navRoll: Float

  /// `nav_pitch`, deg: Current desired pitch.
  public var navPitch: Float

  /// `nav_bearing`, deg: Current desired heading.
  public var navBearing: Int16

  /// `target_bearing`, deg: Bearing to current waypoint/target.
  public var targetBearing: Int16

  /// `wp_dist`, m: Distance to active waypoint.
  public var wpDist: UInt16

  /// `alt_error`, m: Current altitude error.
  public var altError: Float

  /// `aspd_error`, m/s: Current airspeed error.
  public var aspdError: Float

  /// `xtrack_error`, m: Current crosstrack error on x-y plane.
  public var xtrackError: Float

  public init(
    navRoll: Float = 0,
    navPitch: Float = 0,
    navBearing: Int16 = 0,
    targetBearing: Int16 = 0,
    wpDist: UInt16 = 0,
    altError: Float = 0,
    aspdError: Float = 0,
    xtrackError: Float = 0
  ) {
    self.navRoll = navRoll
    self.navPitch = navPitch
    self.navBearing = navBearing
    self.targetBearing = targetBearing
    self.wpDist = wpDist
    self.altError = altError
    self.aspdError = aspdError
    self.xtrackError = xtrackError
  }

  public init(payload: RawSpan) {
    navRoll = payload.load(at: 0)
    navPitch = payload.load(at: 4)
    altError = payload.load(at: 8)
    aspdError = payload.load(at: 12)
    xtrackError = payload.load(at: 16)
    navBearing = payload.load(at: 20)
    targetBearing = payload.load(at: 22)
    wpDist = payload.load(at: 24)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(navRoll, at: 0)
    payload.store(navPitch, at: 4)
    payload.store(altError, at: 8)
    payload.store(aspdError, at: 12)
    payload.store(xtrackError, at: 16)
    payload.store(navBearing, at: 20)
    payload.store(targetBearing, at: 22)
    payload.store(wpDist, at: 24)
  }
}

// Written by scripts/mavlink-generate; do not edit.

/// `COPTER_MODE`: A mapping of copter flight modes for custom_mode field of heartbeat.
public struct CopterMode: PayloadConstant {
  public var rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// `COPTER_MODE_STABILIZE`: STABILIZE.
  public static let stabilize = CopterMode(rawValue: 0)

  /// `COPTER_MODE_ACRO`: ACRO.
  public static let acro = CopterMode(rawValue: 1)

  /// `COPTER_MODE_ALT_HOLD`: ALT HOLD.
  public static let altHold = CopterMode(rawValue: 2)

  /// `COPTER_MODE_AUTO`: AUTO.
  public static let auto = CopterMode(rawValue: 3)

  /// `COPTER_MODE_GUIDED`: GUIDED.
  public static let guided = CopterMode(rawValue: 4)

  /// `COPTER_MODE_LOITER`: LOITER.
  public static let loiter = CopterMode(rawValue: 5)

  /// `COPTER_MODE_RTL`: RTL.
  public static let rtl = CopterMode(rawValue: 6)

  /// `COPTER_MODE_CIRCLE`: CIRCLE.
  public static let circle = CopterMode(rawValue: 7)

  /// `COPTER_MODE_LAND`: LAND.
  public static let land = CopterMode(rawValue: 9)

  /// `COPTER_MODE_DRIFT`: DRIFT.
  public static let drift = CopterMode(rawValue: 11)

  /// `COPTER_MODE_SPORT`: SPORT.
  public static let sport = CopterMode(rawValue: 13)

  /// `COPTER_MODE_FLIP`: FLIP.
  public static let flip = CopterMode(rawValue: 14)

  /// `COPTER_MODE_AUTOTUNE`: AUTOTUNE.
  public static let autotune = CopterMode(rawValue: 15)

  /// `COPTER_MODE_POSHOLD`: POSHOLD.
  public static let poshold = CopterMode(rawValue: 16)

  /// `COPTER_MODE_BRAKE`: BRAKE.
  public static let brake = CopterMode(rawValue: 17)

  /// `COPTER_MODE_THROW`: THROW.
  public static let `throw` = CopterMode(rawValue: 18)

  /// `COPTER_MODE_AVOID_ADSB`: AVOID ADSB.
  public static let avoidADSB = CopterMode(rawValue: 19)

  /// `COPTER_MODE_GUIDED_NOGPS`: GUIDED NOGPS.
  public static let guidedNogps = CopterMode(rawValue: 20)

  /// `COPTER_MODE_SMART_RTL`: SMARTRTL.
  public static let smartRTL = CopterMode(rawValue: 21)

  /// `COPTER_MODE_FLOWHOLD`: FLOWHOLD.
  public static let flowhold = CopterMode(rawValue: 22)

  /// `COPTER_MODE_FOLLOW`: FOLLOW.
  public static let follow = CopterMode(rawValue: 23)

  /// `COPTER_MODE_ZIGZAG`: ZIGZAG.
  public static let zigzag = CopterMode(rawValue: 24)

  /// `COPTER_MODE_SYSTEMID`: SYSTEMID.
  public static let systemid = CopterMode(rawValue: 25)

  /// `COPTER_MODE_AUTOROTATE`: AUTOROTATE.
  public static let autorotate = CopterMode(rawValue: 26)

  /// `COPTER_MODE_AUTO_RTL`: AUTO RTL.
  public static let autoRTL = CopterMode(rawValue: 27)

  /// `COPTER_MODE_TURTLE`: TURTLE.
  public static let turtle = CopterMode(rawValue: 28)
}

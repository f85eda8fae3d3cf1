// Written by scripts/mavlink-generate; do not edit.

/// `PLANE_MODE`: A mapping of plane flight modes for custom_mode field of heartbeat.
public struct PlaneMode: PayloadConstant {
  public var rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// `PLANE_MODE_MANUAL`: MANUAL.
  public static let manual = PlaneMode(rawValue: 0)

  /// `PLANE_MODE_CIRCLE`: CIRCLE.
  public static let circle = PlaneMode(rawValue: 1)

  /// `PLANE_MODE_STABILIZE`: STABILIZE.
  public static let stabilize = PlaneMode(rawValue: 2)

  /// `PLANE_MODE_TRAINING`: TRAINING.
  public static let training = PlaneMode(rawValue: 3)

  /// `PLANE_MODE_ACRO`: ACRO.
  public static let acro = PlaneMode(rawValue: 4)

  /// `PLANE_MODE_FLY_BY_WIRE_A`: FBWA.
  public static let flyByWireA = PlaneMode(rawValue: 5)

  /// `PLANE_MODE_FLY_BY_WIRE_B`: FBWB.
  public static let flyByWireB = PlaneMode(rawValue: 6)

  /// `PLANE_MODE_CRUISE`: CRUISE.
  public static let cruise = PlaneMode(rawValue: 7)

  /// `PLANE_MODE_AUTOTUNE`: AUTOTUNE.
  public static let autotune = PlaneMode(rawValue: 8)

  /// `PLANE_MODE_AUTO`: AUTO.
  public static let auto = PlaneMode(rawValue: 10)

  /// `PLANE_MODE_RTL`: RTL.
  public static let rtl = PlaneMode(rawValue: 11)

  /// `PLANE_MODE_LOITER`: LOITER.
  public static let loiter = PlaneMode(rawValue: 12)

  /// `PLANE_MODE_TAKEOFF`: TAKEOFF.
  public static let takeoff = PlaneMode(rawValue: 13)

  /// `PLANE_MODE_AVOID_ADSB`: AVOID ADSB.
  public static let avoidADSB = PlaneMode(rawValue: 14)

  /// `PLANE_MODE_GUIDED`: GUIDED.
  public static let guided = PlaneMode(rawValue: 15)

  /// `PLANE_MODE_INITIALIZING`: INITIALISING.
  public static let initializing = PlaneMode(rawValue: 16)

  /// `PLANE_MODE_QSTABILIZE`: QSTABILIZE.
  public static let qstabilize = PlaneMode(rawValue: 17)

  /// `PLANE_MODE_QHOVER`: QHOVER.
  public static let qhover = PlaneMode(rawValue: 18)

  /// `PLANE_MODE_QLOITER`: QLOITER.
  public static let qloiter = PlaneMode(rawValue: 19)

  /// `PLANE_MODE_QLAND`: QLAND.
  public static let qland = PlaneMode(rawValue: 20)

  /// `PLANE_MODE_QRTL`: QRTL.
  public static let qrtl = PlaneMode(rawValue: 21)

  /// `PLANE_MODE_QAUTOTUNE`: QAUTOTUNE.
  public static let qautotune = PlaneMode(rawValue: 22)

  /// `PLANE_MODE_QACRO`: QACRO.
  public static let qacro = PlaneMode(rawValue: 23)

  /// `PLANE_MODE_THERMAL`: THERMAL.
  public static let thermal = PlaneMode(rawValue: 24)

  /// `PLANE_MODE_LOITER_ALT_QLAND`: LOITER2QLAND.
  public static let loiterAltQland = PlaneMode(rawValue: 25)

  /// `PLANE_MODE_AUTOLAND`: AUTOLAND.
  public static let autoland = PlaneMode(rawValue: 26)
}

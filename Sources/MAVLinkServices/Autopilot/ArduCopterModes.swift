import MAVLink
import Vehicle

/// ArduCopter's numbers for its flight modes (`custom_mode` of HEARTBEAT; enum COPTER_MODE of the dialect).
enum ArduCopterModes {
  static func name(_ mode: CopterMode) -> String? {
    switch mode {
    case .stabilize: "STABILIZE"
    case .acro: "ACRO"
    case .altHold: "ALT_HOLD"
    case .auto: "AUTO"
    case .guided: "GUIDED"
    case .loiter: "LOITER"
    case .rtl: "RTL"
    case .circle: "CIRCLE"
    case .land: "LAND"
    case .drift: "DRIFT"
    case .sport: "SPORT"
    case .flip: "FLIP"
    case .autotune: "AUTOTUNE"
    case .poshold: "POSHOLD"
    case .brake: "BRAKE"
    case .throw: "THROW"
    case .avoidADSB: "AVOID_ADSB"
    case .guidedNogps: "GUIDED_NOGPS"
    case .smartRTL: "SMART_RTL"
    case .flowhold: "FLOWHOLD"
    case .follow: "FOLLOW"
    case .zigzag: "ZIGZAG"
    case .systemid: "SYSTEMID"
    case .autorotate: "AUTOROTATE"
    case .autoRTL: "AUTO_RTL"
    case .turtle: "TURTLE"
    default: nil
    }
  }

  static func flightMode(_ mode: CopterMode) -> FlightMode {
    switch mode {
    case .guided: .guided
    case .brake: .hold
    case .land: .land
    case .rtl, .smartRTL, .autoRTL: .returnToLaunch
    default: .other
    }
  }

  /// Whether a vehicle of this type runs ArduCopter: the numbers mean other modes on a plane or a rover.
  static func apply(to type: SystemType) -> Bool {
    switch type {
    case .quadrotor, .coaxial, .helicopter, .hexarotor, .octorotor, .tricopter, .dodecarotor, .decarotor,
      .genericMultirotor:
      true
    default: false
    }
  }
}

import Geodesy
import MAVLink
import Vehicle

/// What ArduCopter, ArduPlane and ArduRover are asked for in the same words.
enum ArduPilot {
  /// DO_SET_MODE with the vehicle's own number of the mode.
  static func command(settingMode number: UInt32, for situation: Situation) -> CommandLong {
    CommandLong(
      targetSystem: situation.address.systemID, targetComponent: situation.address.componentID,
      command: .doSetMode, param1: Float(ModeFlags.customModeEnabled.rawValue), param2: Float(number))
  }

  /// A target for GUIDED: above home whatever the map says; position only, all three axes.
  static func target(
    _ coordinate: Coordinate, _ heightAboveHomeMeters: Double, for situation: Situation
  ) -> OutgoingMessage {
    .target(
      SetPositionTargetGlobalInt(
        targetSystem: situation.address.systemID, targetComponent: situation.address.componentID,
        coordinateFrame: .globalRelativeAltInt, typeMask: PositionTargetTypeMask(rawValue: 0x0DF8),
        latInt: Int32((coordinate.latitude * 1e7).rounded()),
        lonInt: Int32((coordinate.longitude * 1e7).rounded()), alt: Float(heightAboveHomeMeters)))
  }
}

/// What the mode numbers of ArduPlane mean (enum PLANE_MODE of the dialect).
enum ArduPlaneModes {
  static func flightMode(_ mode: PlaneMode) -> FlightMode {
    switch mode {
    case .guided: .guided
    // Circling is how a plane stays; QLOITER and QHOVER are a pilot's.
    case .loiter: .hold
    case .rtl, .qrtl: .returnToLaunch
    case .qland: .land
    case .takeoff: .takeoff
    default: .other
    }
  }

  static func name(_ mode: PlaneMode) -> String? {
    switch mode {
    case .manual: "MANUAL"
    case .circle: "CIRCLE"
    case .stabilize: "STABILIZE"
    case .training: "TRAINING"
    case .acro: "ACRO"
    case .flyByWireA: "FBWA"
    case .flyByWireB: "FBWB"
    case .cruise: "CRUISE"
    case .autotune: "AUTOTUNE"
    case .auto: "AUTO"
    case .rtl: "RTL"
    case .loiter: "LOITER"
    case .takeoff: "TAKEOFF"
    case .guided: "GUIDED"
    case .qstabilize: "QSTABILIZE"
    case .qhover: "QHOVER"
    case .qloiter: "QLOITER"
    case .qland: "QLAND"
    case .qrtl: "QRTL"
    default: nil
    }
  }
}

/// What the mode numbers of ArduRover mean (enum ROVER_MODE of the dialect).
enum ArduRoverModes {
  static func flightMode(_ mode: RoverMode, isBoat: Bool) -> FlightMode {
    switch mode {
    case .guided: .guided
    case .hold: isBoat ? .other : .hold
    case .loiter: isBoat ? .hold : .other
    case .rtl, .smartRTL: .returnToLaunch
    default: .other
    }
  }

  static func name(_ mode: RoverMode) -> String? {
    switch mode {
    case .manual: "MANUAL"
    case .acro: "ACRO"
    case .steering: "STEERING"
    case .hold: "HOLD"
    case .loiter: "LOITER"
    case .follow: "FOLLOW"
    case .simple: "SIMPLE"
    case .auto: "AUTO"
    case .rtl: "RTL"
    case .smartRTL: "SMART_RTL"
    case .guided: "GUIDED"
    default: nil
    }
  }
}

extension VehicleKind {
  /// As the autopilot says in its heartbeat; nil for what is none of them.
  init?(_ type: SystemType) {
    switch type {
    case .fixedWing, .vtolDuorotor, .vtolQuadrotor, .vtolTiltrotor, .vtolReserved2, .vtolReserved3,
      .vtolReserved4,
      .vtolReserved5:
      self = .plane
    case .groundRover: self = .rover
    case .surfaceBoat: self = .boat
    default:
      guard ArduCopterModes.apply(to: type) else { return nil }
      self = .multicopter
    }
  }
}

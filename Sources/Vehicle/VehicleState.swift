public import Geodesy

/// What kind of autopilot answers, from its heartbeat.
public enum Autopilot: String, Equatable, Sendable {
  case ardupilot
  case px4
  case other
}

/// How a vehicle moves, as far as it changes what can be asked of it.
public enum VehicleKind: String, Equatable, Sendable {
  case multicopter
  /// A fixed wing, also one that can hover: it holds by circling.
  case plane
  case rover
  case boat

  /// Can be told to land where it is.
  public var canLand: Bool {
    switch self {
    case .multicopter: true
    case .plane, .rover, .boat: false
    }
  }

  /// Neither takes off nor lands.
  public var isOnSurface: Bool {
    switch self {
    case .multicopter, .plane: false
    case .rover, .boat: true
    }
  }
}

/// What the vehicle is doing, in words that hold for every autopilot.
public enum FlightMode: String, Equatable, Sendable {
  /// Flies to targets it is given (ArduPilot GUIDED, PX4 Hold with reposition).
  case guided
  /// Stops and keeps position and height (ArduPilot BRAKE).
  case hold
  case takeoff
  case land
  case returnToLaunch
  /// The pilot, a mission or another program is flying.
  case other
}

public enum LandedState: String, Equatable, Sendable {
  case onGround
  case inAir
  case takingOff
  case landing
}

/// What the relay knows of the vehicle now; everything not heard yet, or void after a restart, is nil.
public struct VehicleState: Equatable, Sendable {
  /// The last heartbeat of the autopilot, nil before the first and after the serial device vanished.
  public var heartbeatAt: ContinuousClock.Instant?
  public var autopilot: Autopilot?
  public var kind: VehicleKind?
  public var isArmed: Bool?
  public var mode: FlightMode?
  /// The autopilot's own name of its mode, such as `GUIDED` or `LOITER`.
  public var modeName: String?
  public var landed: LandedState?
  public var coordinate: Coordinate?
  public var positionAt: ContinuousClock.Instant?
  public var altitudeAboveHomeMeters: Double?
  public var altitudeMSLMeters: Double?
  public var home: Coordinate?
  public var homeAltitudeMSLMeters: Double?
  public var groundSpeedMetersPerSecond: Double?
  public var climbRateMetersPerSecond: Double?
  public var headingDegrees: Double?
  /// 0 to 100.
  public var batteryPercent: Int?
  public var batteryVolts: Double?
  /// The autopilot's receiver: MAVLink `GPS_FIX_TYPE`, 0 to 8, 3 is a three-dimensional fix.
  public var gpsFixType: Int?
  public var satellites: Int?
  /// The autopilot's own arming checks pass.
  public var isReadyToArm: Bool?
  /// The autopilot says that one of its failsafes is active.
  public var isFailsafe: Bool?
  /// Milliseconds since the autopilot started, by its own clock; falls when it restarted.
  public var uptimeMilliseconds: UInt32?

  public init() {}

  /// Airborne as far as is known: the landed state where there is one, else armed and above a metre. A rover or boat counts as soon
  /// as it is armed: it may be driving.
  public var isAirborne: Bool {
    if let kind, kind.isOnSurface { return isArmed == true }
    return switch landed {
    case .inAir, .takingOff, .landing: isArmed != false
    case .onGround: false
    case nil: isArmed == true && (altitudeAboveHomeMeters ?? 0) > 1
    }
  }
}

/// What the relay asks of the autopilot.
public enum VehicleAction: Equatable, Sendable {
  /// Guided mode, arm, climb; confirmed step by step, never repeated.
  case takeoff(altitudeAboveHomeMeters: Double)
  case goTo(Coordinate, altitudeAboveHomeMeters: Double)
  /// Stop now, keep position and height.
  case hold
  case land
  case returnToLaunch
  /// Restart of the autopilot; on the ground and disarmed only.
  case rebootAutopilot

  /// The word used in logs, receipts and on the command line.
  public var name: String {
    switch self {
    case .takeoff: "takeoff"
    case .goTo: "goto"
    case .hold: "stop"
    case .land: "land"
    case .returnToLaunch: "return"
    case .rebootAutopilot: "reset"
    }
  }
}

/// How an action ended, or how far it is.
public enum ActionProgress: Equatable, Sendable {
  /// Bytes for it were handed to the serial line.
  case forwarded
  /// Acknowledged, and the state that proves it was seen (guided and climbing, mode changed, target reported).
  case accepted
  /// The autopilot said no; `reason` carries its own text where it gave one.
  case refused(reason: String)
  /// No answer and no proof in time: the vehicle may or may not have acted.
  case unknown(reason: String)
  /// A newer action took its place before it ended.
  case superseded

  public var isFinal: Bool { self != .forwarded }
}

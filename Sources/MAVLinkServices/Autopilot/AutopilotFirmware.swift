public import Geodesy
public import MAVLink
public import Vehicle

/// What one autopilot is asked for in the steps that are the same for all of them.
public protocol AutopilotFirmware: Sendable {
  /// The modes that a takeoff passes through, from arming until its height; the first is asked for before it.
  static var takeoffModes: [FlightMode] { get }
  /// The modes that fly to targets, the first asked for before; nil where a target brings its mode along.
  static var targetModes: [FlightMode]? { get }
  /// The command that a target is, whose acknowledgement proves it; nil where a target is no command.
  static var targetCommand: CommandID? { get }
  /// The modes in which the next target is no change of mode, and in which it is sent only after a heartbeat has shown that the vehicle is
  /// still in one of them; empty where a target changes no mode by itself. A target that brings its mode along would take the vehicle
  /// from a pilot who changed the mode a moment ago, again with each target, and heartbeats come once a second.
  static var modesToCheckBeforeTarget: [FlightMode] { get }
  /// Whether a target's height means anything.
  static var targetsHaveHeight: Bool { get }

  /// Why this kind of vehicle cannot do an action at all, nil when it can.
  static func inability(for action: VehicleAction) -> String?

  static func command(setting mode: FlightMode, for situation: Situation) -> CommandLong
  /// Nil where a mode stops the vehicle.
  static func commandToStop(for situation: Situation) -> CommandLong?
  /// Nil while what its height is counted from is not known.
  static func commandToTakeOff(to heightAboveHomeMeters: Double, for situation: Situation) -> CommandLong?
  /// Nil while what its height is counted from is not known.
  static func target(
    _ coordinate: Coordinate, _ heightAboveHomeMeters: Double, for situation: Situation
  ) -> OutgoingMessage?
}

extension AutopilotFirmware {
  public static var targetsHaveHeight: Bool { true }
  public static var modesToCheckBeforeTarget: [FlightMode] { [] }
  public static func inability(for action: VehicleAction) -> String? { nil }
  public static func commandToStop(for situation: Situation) -> CommandLong? { nil }
}

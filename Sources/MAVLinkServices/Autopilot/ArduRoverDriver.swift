public import Geodesy
public import MAVLink
public import Vehicle

/// The sequences for ArduRover on wheels.
public typealias ArduRoverDriver = SequencedDriver<ArduRoverFirmware>
/// The sequences for ArduRover on a boat.
public typealias ArduBoatDriver = SequencedDriver<ArduBoatFirmware>

/// ArduRover on wheels: stands still in HOLD, drives to targets in GUIDED.
///
/// Source: ArduPilot documentation, "Rover modes" and "Rover commands in Guided mode"; not measured.
public enum ArduRoverFirmware: AutopilotFirmware {
  public static let takeoffModes: [FlightMode] = [.guided]
  public static let targetModes: [FlightMode]? = [.guided]
  public static let targetCommand: CommandID? = nil
  public static let targetsHaveHeight = false

  public static func inability(for action: VehicleAction) -> String? {
    switch action {
    case .takeoff: "this vehicle does not fly"
    case .land: "this vehicle does not fly; stop makes it stand still"
    case .goTo, .hold, .returnToLaunch, .rebootAutopilot: nil
    }
  }

  public static func command(setting mode: FlightMode, for situation: Situation) -> CommandLong {
    ArduPilot.command(settingMode: number(of: mode, hold: .hold).rawValue, for: situation)
  }

  public static func commandToTakeOff(
    to heightAboveHomeMeters: Double, for situation: Situation
  ) -> CommandLong? { nil }

  public static func target(
    _ coordinate: Coordinate, _ heightAboveHomeMeters: Double, for situation: Situation
  ) -> OutgoingMessage? {
    ArduPilot.target(coordinate, 0, for: situation)
  }

  static func number(of mode: FlightMode, hold: RoverMode) -> RoverMode {
    switch mode {
    case .hold: hold
    case .returnToLaunch: .rtl
    case .guided, .takeoff, .land, .other: .guided
    }
  }
}

/// ArduRover on a boat: HOLD would let it drift, so a stop is LOITER, which keeps its place.
public enum ArduBoatFirmware: AutopilotFirmware {
  public static let takeoffModes = ArduRoverFirmware.takeoffModes
  public static let targetModes = ArduRoverFirmware.targetModes
  public static let targetCommand = ArduRoverFirmware.targetCommand
  public static let targetsHaveHeight = false

  public static func inability(for action: VehicleAction) -> String? {
    switch action {
    case .takeoff: "this vehicle does not fly"
    case .land: "this vehicle does not fly; stop makes it keep its place"
    case .goTo, .hold, .returnToLaunch, .rebootAutopilot: nil
    }
  }

  public static func command(setting mode: FlightMode, for situation: Situation) -> CommandLong {
    ArduPilot.command(
      settingMode: ArduRoverFirmware.number(of: mode, hold: .loiter).rawValue, for: situation)
  }

  public static func commandToTakeOff(
    to heightAboveHomeMeters: Double, for situation: Situation
  ) -> CommandLong? { nil }

  public static func target(
    _ coordinate: Coordinate, _ heightAboveHomeMeters: Double, for situation: Situation
  ) -> OutgoingMessage? {
    ArduRoverFirmware.target(coordinate, heightAboveHomeMeters, for: situation)
  }
}

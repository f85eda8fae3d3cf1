public import Geodesy
public import MAVLink
public import Vehicle

/// The sequences for ArduCopter, as measured on a simulated 4.7.
public typealias ArduPilotDriver = SequencedDriver<ArduCopterFirmware>

/// ArduCopter: everything in GUIDED, heights above home, BRAKE for a stop.
public enum ArduCopterFirmware: AutopilotFirmware {
  public static let takeoffModes: [FlightMode] = [.guided]
  public static let targetModes: [FlightMode]? = [.guided]
  public static let targetCommand: CommandID? = nil

  public static func command(setting mode: FlightMode, for situation: Situation) -> CommandLong {
    let number: CopterMode =
      switch mode {
      // Never LOITER for a stop: without a pilot's radio it descends to the ground.
      case .hold: .brake
      case .land: .land
      case .returnToLaunch: .rtl
      case .guided, .takeoff, .other: .guided
      }
    return ArduPilot.command(settingMode: number.rawValue, for: situation)
  }

  public static func commandToTakeOff(
    to heightAboveHomeMeters: Double, for situation: Situation
  ) -> CommandLong? {
    CommandLong(
      targetSystem: situation.address.systemID, targetComponent: situation.address.componentID,
      command: .navTakeoff, param7: Float(heightAboveHomeMeters))
  }

  public static func target(
    _ coordinate: Coordinate, _ heightAboveHomeMeters: Double, for situation: Situation
  ) -> OutgoingMessage? {
    ArduPilot.target(coordinate, heightAboveHomeMeters, for: situation)
  }
}

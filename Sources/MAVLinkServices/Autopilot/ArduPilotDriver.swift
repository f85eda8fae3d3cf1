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
    return CommandLong(
      targetSystem: situation.address.systemID, targetComponent: situation.address.componentID,
      command: .doSetMode, param1: Float(ModeFlags.customModeEnabled.rawValue),
      param2: Float(number.rawValue))
  }

  public static func commandToStop(for situation: Situation) -> CommandLong? { nil }

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
    .target(
      SetPositionTargetGlobalInt(
        targetSystem: situation.address.systemID, targetComponent: situation.address.componentID,
        // Above home whatever the map says; position only, all three axes.
        coordinateFrame: .globalRelativeAltInt, typeMask: PositionTargetTypeMask(rawValue: 0x0DF8),
        latInt: Int32((coordinate.latitude * 1e7).rounded()),
        lonInt: Int32((coordinate.longitude * 1e7).rounded()), alt: Float(heightAboveHomeMeters)))
  }
}

public import Geodesy
public import MAVLink
public import Vehicle

/// The sequences for a multicopter with PX4, as measured on the simulator of its main branch of 2026.
public typealias PX4Driver = SequencedDriver<PX4Firmware>

/// PX4: repositions in Hold, all heights above mean sea level.
public enum PX4Firmware: AutopilotFirmware {
  /// It arms in Hold, climbs in TAKEOFF, and is back in Hold at the height. Arming in the mode that a landing or a
  /// mission left behind would be refused or begin that again.
  public static let takeoffModes: [FlightMode] = [.hold, .takeoff]
  public static let targetModes: [FlightMode]? = nil
  public static let targetCommand: CommandID? = .doReposition
  public static let modesToCheckBeforeTarget: [FlightMode] = [.hold]

  public static func command(setting mode: FlightMode, for situation: Situation) -> CommandLong {
    let number: PX4Mode =
      switch mode {
      case .hold, .guided, .other: .loiter
      case .takeoff: .takeoff
      case .land: .land
      case .returnToLaunch: .rtl
      }
    return CommandLong(
      targetSystem: situation.address.systemID, targetComponent: situation.address.componentID,
      command: .doSetMode, param1: Float(ModeFlags.customModeEnabled.rawValue), param2: Float(number.main),
      param3: Float(number.sub))
  }

  /// To where it is now. Hold would not do: a reposition is flown in Hold already, and goes on.
  public static func commandToStop(for situation: Situation) -> CommandLong? {
    CommandLong(
      targetSystem: situation.address.systemID, targetComponent: situation.address.componentID,
      command: .doReposition, param1: -1, param2: changesMode, param4: .nan, param5: .nan, param6: .nan,
      param7: .nan)
  }

  public static func commandToTakeOff(
    to heightAboveHomeMeters: Double, for situation: Situation
  ) -> CommandLong? {
    guard let home = situation.state.altitudeOfHomeMSLMeters else { return nil }
    return CommandLong(
      targetSystem: situation.address.systemID, targetComponent: situation.address.componentID,
      command: .navTakeoff, param4: .nan, param5: .nan, param6: .nan,
      param7: Float(home + heightAboveHomeMeters))
  }

  public static func target(
    _ coordinate: Coordinate, _ heightAboveHomeMeters: Double, for situation: Situation
  ) -> OutgoingMessage? {
    guard let home = situation.state.altitudeOfHomeMSLMeters else { return nil }
    return .reposition(
      CommandInt(
        targetSystem: situation.address.systemID, targetComponent: situation.address.componentID,
        // Above mean sea level is how it is read, whatever the frame says.
        frame: .global, command: .doReposition, param1: -1, param2: changesMode, param4: .nan,
        x: Int32((coordinate.latitude * 1e7).rounded()), y: Int32((coordinate.longitude * 1e7).rounded()),
        z: Float(home + heightAboveHomeMeters)))
  }

  /// MAV_DO_REPOSITION_FLAGS_CHANGE_MODE, without which a reposition is not supported.
  private static let changesMode: Float = 1
}

extension VehicleState {
  /// As told, or as the two heights of the position differ.
  fileprivate var altitudeOfHomeMSLMeters: Double? {
    if let homeAltitudeMSLMeters { return homeAltitudeMSLMeters }
    guard let altitudeMSLMeters, let altitudeAboveHomeMeters else { return nil }
    return altitudeMSLMeters - altitudeAboveHomeMeters
  }
}

public import Geodesy
public import MAVLink
public import Vehicle

/// The sequences for ArduPlane.
public typealias ArduPlaneDriver = SequencedDriver<ArduPlaneFirmware>

/// ArduPlane: holds by circling in LOITER, flies to repositions in GUIDED, and leaves takeoff and landing to missions and pilots.
///
/// Source: ArduPilot documentation, "Plane commands in Guided mode" and "Flight modes"; not measured.
public enum ArduPlaneFirmware: AutopilotFirmware {
  public static let takeoffModes: [FlightMode] = [.takeoff]
  /// A reposition brings GUIDED along.
  public static let targetModes: [FlightMode]? = nil
  public static let targetCommand: CommandID? = .doReposition

  public static func inability(for action: VehicleAction) -> String? {
    switch action {
    case .takeoff: "a plane takes off by its pilot or a mission, not by this relay"
    case .land:
      "a plane lands by its pilot or a mission, not by this relay; return brings it home, where it circles"
    case .goTo, .hold, .returnToLaunch, .rebootAutopilot: nil
    }
  }

  public static func command(setting mode: FlightMode, for situation: Situation) -> CommandLong {
    let number: PlaneMode =
      switch mode {
      case .hold: .loiter
      case .returnToLaunch: .rtl
      case .guided, .takeoff, .land, .other: .guided
      }
    return ArduPilot.command(settingMode: number.rawValue, for: situation)
  }

  public static func commandToTakeOff(
    to heightAboveHomeMeters: Double, for situation: Situation
  ) -> CommandLong? { nil }

  public static func target(
    _ coordinate: Coordinate, _ heightAboveHomeMeters: Double, for situation: Situation
  ) -> OutgoingMessage? {
    .reposition(
      CommandInt(
        targetSystem: situation.address.systemID, targetComponent: situation.address.componentID,
        frame: .globalRelativeAlt, command: .doReposition, param1: -1,
        // MAV_DO_REPOSITION_FLAGS_CHANGE_MODE. Without it, one that is not in GUIDED any more, for a pilot's sake, denies it.
        param2: situation.state.mode == .guided ? 0 : 1, param4: .nan,
        x: Int32((coordinate.latitude * 1e7).rounded()),
        y: Int32((coordinate.longitude * 1e7).rounded()), z: Float(heightAboveHomeMeters)))
  }
}

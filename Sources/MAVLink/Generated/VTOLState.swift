// Written by scripts/mavlink-generate; do not edit.

/// `MAV_VTOL_STATE`: Enumeration of VTOL states.
public struct VTOLState: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_VTOL_STATE_UNDEFINED`: MAV is not configured as VTOL.
  public static let undefined = VTOLState(rawValue: 0)

  /// `MAV_VTOL_STATE_TRANSITION_TO_FW`: VTOL is in transition from multicopter to fixed-wing.
  public static let transitionToFw = VTOLState(rawValue: 1)

  /// `MAV_VTOL_STATE_TRANSITION_TO_MC`: VTOL is in transition from fixed-wing to multicopter.
  public static let transitionToMc = VTOLState(rawValue: 2)

  /// `MAV_VTOL_STATE_MC`: VTOL is in multicopter state.
  public static let mc = VTOLState(rawValue: 3)

  /// `MAV_VTOL_STATE_FW`: VTOL is in fixed-wing state.
  public static let fw = VTOLState(rawValue: 4)
}

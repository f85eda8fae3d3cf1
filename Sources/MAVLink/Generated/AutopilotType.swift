// Written by scripts/mavlink-generate; do not edit.

/// `MAV_AUTOPILOT`: Micro air vehicle / autopilot classes. This identifies the individual model.
public struct AutopilotType: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_AUTOPILOT_GENERIC`: Generic autopilot, full support for everything.
  public static let generic = AutopilotType(rawValue: 0)

  /// `MAV_AUTOPILOT_SLUGS`: SLUGS autopilot, http://slugsuav.soe.ucsc.edu.
  public static let slugs = AutopilotType(rawValue: 2)

  /// `MAV_AUTOPILOT_ARDUPILOTMEGA`: ArduPilot - Plane/Copter/Rover/Sub/Tracker,
  /// https://ardupilot.org.
  public static let arduPilotMega = AutopilotType(rawValue: 3)

  /// `MAV_AUTOPILOT_OPENPILOT`: OpenPilot, http://openpilot.org.
  public static let openpilot = AutopilotType(rawValue: 4)

  /// `MAV_AUTOPILOT_GENERIC_WAYPOINTS_ONLY`: Generic autopilot only supporting simple waypoints.
  public static let genericWaypointsOnly = AutopilotType(rawValue: 5)

  /// `MAV_AUTOPILOT_GENERIC_WAYPOINTS_AND_SIMPLE_NAVIGATION_ONLY`: Generic autopilot supporting
  /// waypoints and other simple navigation commands.
  public static let genericWaypointsAndSimpleNavigationOnly = AutopilotType(rawValue: 6)

  /// `MAV_AUTOPILOT_GENERIC_MISSION_FULL`: Generic autopilot supporting the full mission command
  /// set.
  public static let genericMissionFull = AutopilotType(rawValue: 7)

  /// `MAV_AUTOPILOT_INVALID`: No valid autopilot, e.g. a GCS or other MAVLink component.
  public static let invalid = AutopilotType(rawValue: 8)

  /// `MAV_AUTOPILOT_PPZ`: PPZ UAV - http://nongnu.org/paparazzi.
  public static let ppz = AutopilotType(rawValue: 9)

  /// `MAV_AUTOPILOT_UDB`: UAV Dev Board.
  public static let udb = AutopilotType(rawValue: 10)

  /// `MAV_AUTOPILOT_FP`: FlexiPilot.
  public static let fp = AutopilotType(rawValue: 11)

  /// `MAV_AUTOPILOT_PX4`: PX4 Autopilot - http://px4.io/.
  public static let px4 = AutopilotType(rawValue: 12)

  /// `MAV_AUTOPILOT_SMACCMPILOT`: SMACCMPilot - http://smaccmpilot.org.
  public static let smaccmpilot = AutopilotType(rawValue: 13)

  /// `MAV_AUTOPILOT_AUTOQUAD`: AutoQuad -- http://autoquad.org.
  public static let autoquad = AutopilotType(rawValue: 14)

  /// `MAV_AUTOPILOT_ARMAZILA`: Armazila -- http://armazila.com.
  public static let armazila = AutopilotType(rawValue: 15)

  /// `MAV_AUTOPILOT_AEROB`: Aerob -- http://aerob.ru.
  public static let aerob = AutopilotType(rawValue: 16)

  /// `MAV_AUTOPILOT_ASLUAV`: ASLUAV autopilot -- http://www.asl.ethz.ch.
  public static let asluav = AutopilotType(rawValue: 17)

  /// `MAV_AUTOPILOT_SMARTAP`: SmartAP Autopilot - http://sky-drones.com.
  public static let smartap = AutopilotType(rawValue: 18)

  /// `MAV_AUTOPILOT_AIRRAILS`: AirRails - http://uaventure.com.
  public static let airrails = AutopilotType(rawValue: 19)

  /// `MAV_AUTOPILOT_REFLEX`: Fusion Reflex - https://fusion.engineering.
  public static let reflex = AutopilotType(rawValue: 20)
}

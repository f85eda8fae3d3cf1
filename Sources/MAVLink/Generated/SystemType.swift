// Written by scripts/mavlink-generate; do not edit.

/// `MAV_TYPE`: MAVLINK component type reported in HEARTBEAT message. Flight controllers must report
/// the type of the vehicle on which they are mounted (e.g. MAV_TYPE_OCTOROTOR). All other
/// components must report a value appropriate for their type (e.g. a camera must use
/// MAV_TYPE_CAMERA).
public struct SystemType: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_TYPE_GENERIC`: Generic micro air vehicle.
  public static let generic = SystemType(rawValue: 0)

  /// `MAV_TYPE_FIXED_WING`: Fixed wing aircraft.
  public static let fixedWing = SystemType(rawValue: 1)

  /// `MAV_TYPE_QUADROTOR`: Quadrotor.
  public static let quadrotor = SystemType(rawValue: 2)

  /// `MAV_TYPE_COAXIAL`: Coaxial helicopter.
  public static let coaxial = SystemType(rawValue: 3)

  /// `MAV_TYPE_HELICOPTER`: Normal helicopter with tail rotor.
  public static let helicopter = SystemType(rawValue: 4)

  /// `MAV_TYPE_ANTENNA_TRACKER`: Ground installation.
  public static let antennaTracker = SystemType(rawValue: 5)

  /// `MAV_TYPE_GCS`: Operator control unit / ground control station.
  public static let groundControlStation = SystemType(rawValue: 6)

  /// `MAV_TYPE_AIRSHIP`: Airship, controlled.
  public static let airship = SystemType(rawValue: 7)

  /// `MAV_TYPE_FREE_BALLOON`: Free balloon, uncontrolled.
  public static let freeBalloon = SystemType(rawValue: 8)

  /// `MAV_TYPE_ROCKET`: Rocket.
  public static let rocket = SystemType(rawValue: 9)

  /// `MAV_TYPE_GROUND_ROVER`: Ground rover.
  public static let groundRover = SystemType(rawValue: 10)

  /// `MAV_TYPE_SURFACE_BOAT`: Surface vessel, boat, ship.
  public static let surfaceBoat = SystemType(rawValue: 11)

  /// `MAV_TYPE_SUBMARINE`: Submarine.
  public static let submarine = SystemType(rawValue: 12)

  /// `MAV_TYPE_HEXAROTOR`: Hexarotor.
  public static let hexarotor = SystemType(rawValue: 13)

  /// `MAV_TYPE_OCTOROTOR`: Octorotor.
  public static let octorotor = SystemType(rawValue: 14)

  /// `MAV_TYPE_TRICOPTER`: Tricopter.
  public static let tricopter = SystemType(rawValue: 15)

  /// `MAV_TYPE_FLAPPING_WING`: Flapping wing.
  public static let flappingWing = SystemType(rawValue: 16)

  /// `MAV_TYPE_KITE`: Kite.
  public static let kite = SystemType(rawValue: 17)

  /// `MAV_TYPE_ONBOARD_CONTROLLER`: Onboard companion controller.
  public static let onboardController = SystemType(rawValue: 18)

  /// `MAV_TYPE_VTOL_DUOROTOR`: Two-rotor VTOL using control surfaces in vertical operation in
  /// addition. Tailsitter.
  public static let vtolDuorotor = SystemType(rawValue: 19)

  /// `MAV_TYPE_VTOL_QUADROTOR`: Quad-rotor VTOL using a V-shaped quad config in vertical operation.
  /// Tailsitter.
  public static let vtolQuadrotor = SystemType(rawValue: 20)

  /// `MAV_TYPE_VTOL_TILTROTOR`: Tiltrotor VTOL.
  public static let vtolTiltrotor = SystemType(rawValue: 21)

  /// `MAV_TYPE_VTOL_RESERVED2`: VTOL reserved 2.
  public static let vtolReserved2 = SystemType(rawValue: 22)

  /// `MAV_TYPE_VTOL_RESERVED3`: VTOL reserved 3.
  public static let vtolReserved3 = SystemType(rawValue: 23)

  /// `MAV_TYPE_VTOL_RESERVED4`: VTOL reserved 4.
  public static let vtolReserved4 = SystemType(rawValue: 24)

  /// `MAV_TYPE_VTOL_RESERVED5`: VTOL reserved 5.
  public static let vtolReserved5 = SystemType(rawValue: 25)

  /// `MAV_TYPE_GIMBAL`: Gimbal.
  public static let gimbal = SystemType(rawValue: 26)

  /// `MAV_TYPE_ADSB`: ADSB system.
  public static let adsb = SystemType(rawValue: 27)

  /// `MAV_TYPE_PARAFOIL`: Steerable, nonrigid airfoil.
  public static let parafoil = SystemType(rawValue: 28)

  /// `MAV_TYPE_DODECAROTOR`: Dodecarotor.
  public static let dodecarotor = SystemType(rawValue: 29)

  /// `MAV_TYPE_CAMERA`: Camera.
  public static let camera = SystemType(rawValue: 30)

  /// `MAV_TYPE_CHARGING_STATION`: Charging station.
  public static let chargingStation = SystemType(rawValue: 31)

  /// `MAV_TYPE_FLARM`: FLARM collision avoidance system.
  public static let flarm = SystemType(rawValue: 32)

  /// `MAV_TYPE_SERVO`: Servo.
  public static let servo = SystemType(rawValue: 33)

  /// `MAV_TYPE_ODID`: Open Drone ID. See https://mavlink.io/en/services/opendroneid.html.
  public static let odid = SystemType(rawValue: 34)

  /// `MAV_TYPE_DECAROTOR`: Decarotor.
  public static let decarotor = SystemType(rawValue: 35)

  /// `MAV_TYPE_BATTERY`: Battery.
  public static let battery = SystemType(rawValue: 36)

  /// `MAV_TYPE_PARACHUTE`: Parachute.
  public static let parachute = SystemType(rawValue: 37)

  /// `MAV_TYPE_LOG`: Log.
  public static let log = SystemType(rawValue: 38)

  /// `MAV_TYPE_OSD`: OSD.
  public static let osd = SystemType(rawValue: 39)

  /// `MAV_TYPE_IMU`: IMU.
  public static let imu = SystemType(rawValue: 40)

  /// `MAV_TYPE_GPS`: GPS.
  public static let gps = SystemType(rawValue: 41)

  /// `MAV_TYPE_WINCH`: Winch.
  public static let winch = SystemType(rawValue: 42)

  /// `MAV_TYPE_GENERIC_MULTIROTOR`: Generic multirotor that does not fit into a specific type or
  /// whose type is unknown.
  public static let genericMultirotor = SystemType(rawValue: 43)

  /// `MAV_TYPE_ILLUMINATOR`: Illuminator. An illuminator is a light source that is used for
  /// lighting up dark areas external to the system: e.g. a torch or searchlight (as opposed to a
  /// light source for illuminating the system itself, e.g. an indicator light).
  public static let illuminator = SystemType(rawValue: 44)

  /// `MAV_TYPE_SPACECRAFT_ORBITER`: Orbiter spacecraft. Includes satellites orbiting terrestrial
  /// and extra-terrestrial bodies. Follows NASA Spacecraft Classification.
  public static let spacecraftOrbiter = SystemType(rawValue: 45)

  /// `MAV_TYPE_GROUND_QUADRUPED`: A generic four-legged ground vehicle (e.g., a robot dog).
  public static let groundQuadruped = SystemType(rawValue: 46)

  /// `MAV_TYPE_VTOL_GYRODYNE`: VTOL hybrid of helicopter and autogyro. It has a main rotor for lift
  /// and separate propellers for forward flight. The rotor must be powered for hover but can
  /// autorotate in cruise flight. See: https://en.wikipedia.org/wiki/Gyrodyne.
  public static let vtolGyrodyne = SystemType(rawValue: 47)

  /// `MAV_TYPE_GRIPPER`: Gripper.
  public static let gripper = SystemType(rawValue: 48)
}

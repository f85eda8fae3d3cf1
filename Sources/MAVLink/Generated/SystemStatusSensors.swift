// Written by scripts/mavlink-generate; do not edit.

/// `MAV_SYS_STATUS_SENSOR`: These encode the sensors whose status is sent as part of the SYS_STATUS
/// message.
public struct SystemStatusSensors: PayloadConstant, OptionSet {
  public var rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// `MAV_SYS_STATUS_SENSOR_3D_GYRO`: 0x01 3D gyro.
  public static let sensor3dGyro = SystemStatusSensors(rawValue: 1 << 0)

  /// `MAV_SYS_STATUS_SENSOR_3D_ACCEL`: 0x02 3D accelerometer.
  public static let sensor3dAccel = SystemStatusSensors(rawValue: 1 << 1)

  /// `MAV_SYS_STATUS_SENSOR_3D_MAG`: 0x04 3D magnetometer.
  public static let sensor3dMag = SystemStatusSensors(rawValue: 1 << 2)

  /// `MAV_SYS_STATUS_SENSOR_ABSOLUTE_PRESSURE`: 0x08 absolute pressure.
  public static let sensorAbsolutePressure = SystemStatusSensors(rawValue: 1 << 3)

  /// `MAV_SYS_STATUS_SENSOR_DIFFERENTIAL_PRESSURE`: 0x10 differential pressure.
  public static let sensorDifferentialPressure = SystemStatusSensors(rawValue: 1 << 4)

  /// `MAV_SYS_STATUS_SENSOR_GPS`: 0x20 GPS.
  public static let sensorGPS = SystemStatusSensors(rawValue: 1 << 5)

  /// `MAV_SYS_STATUS_SENSOR_OPTICAL_FLOW`: 0x40 optical flow.
  public static let sensorOpticalFlow = SystemStatusSensors(rawValue: 1 << 6)

  /// `MAV_SYS_STATUS_SENSOR_VISION_POSITION`: 0x80 computer vision position.
  public static let sensorVisionPosition = SystemStatusSensors(rawValue: 1 << 7)

  /// `MAV_SYS_STATUS_SENSOR_LASER_POSITION`: 0x100 laser based position.
  public static let sensorLaserPosition = SystemStatusSensors(rawValue: 1 << 8)

  /// `MAV_SYS_STATUS_SENSOR_EXTERNAL_GROUND_TRUTH`: 0x200 external ground truth (Vicon or Leica).
  public static let sensorExternalGroundTruth = SystemStatusSensors(rawValue: 1 << 9)

  /// `MAV_SYS_STATUS_SENSOR_ANGULAR_RATE_CONTROL`: 0x400 3D angular rate control.
  public static let sensorAngularRateControl = SystemStatusSensors(rawValue: 1 << 10)

  /// `MAV_SYS_STATUS_SENSOR_ATTITUDE_STABILIZATION`: 0x800 attitude stabilization.
  public static let sensorAttitudeStabilization = SystemStatusSensors(rawValue: 1 << 11)

  /// `MAV_SYS_STATUS_SENSOR_YAW_POSITION`: 0x1000 yaw position.
  public static let sensorYawPosition = SystemStatusSensors(rawValue: 1 << 12)

  /// `MAV_SYS_STATUS_SENSOR_Z_ALTITUDE_CONTROL`: 0x2000 z/altitude control.
  public static let sensorZAltitudeControl = SystemStatusSensors(rawValue: 1 << 13)

  /// `MAV_SYS_STATUS_SENSOR_XY_POSITION_CONTROL`: 0x4000 x/y position control.
  public static let sensorXyPositionControl = SystemStatusSensors(rawValue: 1 << 14)

  /// `MAV_SYS_STATUS_SENSOR_MOTOR_OUTPUTS`: 0x8000 motor outputs / control.
  public static let sensorMotorOutputs = SystemStatusSensors(rawValue: 1 << 15)

  /// `MAV_SYS_STATUS_SENSOR_RC_RECEIVER`: 0x10000 RC receiver.
  public static let sensorRCReceiver = SystemStatusSensors(rawValue: 1 << 16)

  /// `MAV_SYS_STATUS_SENSOR_3D_GYRO2`: 0x20000 2nd 3D gyro.
  public static let sensor3dGyro2 = SystemStatusSensors(rawValue: 1 << 17)

  /// `MAV_SYS_STATUS_SENSOR_3D_ACCEL2`: 0x40000 2nd 3D accelerometer.
  public static let sensor3dAccel2 = SystemStatusSensors(rawValue: 1 << 18)

  /// `MAV_SYS_STATUS_SENSOR_3D_MAG2`: 0x80000 2nd 3D magnetometer.
  public static let sensor3dMag2 = SystemStatusSensors(rawValue: 1 << 19)

  /// `MAV_SYS_STATUS_GEOFENCE`: 0x100000 geofence.
  public static let geofence = SystemStatusSensors(rawValue: 1 << 20)

  /// `MAV_SYS_STATUS_AHRS`: 0x200000 AHRS subsystem health.
  public static let ahrs = SystemStatusSensors(rawValue: 1 << 21)

  /// `MAV_SYS_STATUS_TERRAIN`: 0x400000 Terrain subsystem health.
  public static let terrain = SystemStatusSensors(rawValue: 1 << 22)

  /// `MAV_SYS_STATUS_REVERSE_MOTOR`: 0x800000 Motors are reversed.
  public static let reverseMotor = SystemStatusSensors(rawValue: 1 << 23)

  /// `MAV_SYS_STATUS_LOGGING`: 0x1000000 Logging.
  public static let logging = SystemStatusSensors(rawValue: 1 << 24)

  /// `MAV_SYS_STATUS_SENSOR_BATTERY`: 0x2000000 Battery.
  public static let sensorBattery = SystemStatusSensors(rawValue: 1 << 25)

  /// `MAV_SYS_STATUS_SENSOR_PROXIMITY`: 0x4000000 Proximity.
  public static let sensorProximity = SystemStatusSensors(rawValue: 1 << 26)

  /// `MAV_SYS_STATUS_SENSOR_SATCOM`: 0x8000000 Satellite Communication.
  public static let sensorSatcom = SystemStatusSensors(rawValue: 1 << 27)

  /// `MAV_SYS_STATUS_PREARM_CHECK`: 0x10000000 pre-arm check status. Always healthy when armed.
  public static let prearmCheck = SystemStatusSensors(rawValue: 1 << 28)

  /// `MAV_SYS_STATUS_OBSTACLE_AVOIDANCE`: 0x20000000 Avoidance/collision prevention.
  public static let obstacleAvoidance = SystemStatusSensors(rawValue: 1 << 29)

  /// `MAV_SYS_STATUS_SENSOR_PROPULSION`: 0x40000000 propulsion (actuator, esc, motor or propellor).
  public static let sensorPropulsion = SystemStatusSensors(rawValue: 1 << 30)

  /// `MAV_SYS_STATUS_EXTENSION_USED`: 0x80000000 Extended bit-field are used for further sensor
  /// status bits (needs to be set in onboard_control_sensors_present only).
  public static let extensionUsed = SystemStatusSensors(rawValue: 1 << 31)
}

// Written by scripts/mavlink-generate; do not edit.

/// `MAV_COMPONENT`: Component ids (values) for the different types and instances of onboard
/// hardware/software that might make up a MAVLink system (autopilot, cameras, servos, GPS systems,
/// avoidance systems etc.). Components must use the appropriate ID in their source address when
/// sending messages. Components can also use IDs to determine if they are the intended recipient of
/// an incoming message. The MAV_COMP_ID_ALL value is used to indicate messages that must be
/// processed by all components. When creating new entries, components that can have multiple
/// instances (e.g. cameras, servos etc.) should be allocated sequential values. An appropriate
/// number of values should be left free after these components to allow the number of instances to
/// be expanded.
public struct ComponentID: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_COMP_ID_ALL`: Target id (target_component) used to broadcast messages to all components
  /// of the receiving system. Components should attempt to process messages with this component ID
  /// and forward to components on any other interfaces. Note: This is not a valid *source*
  /// component id for a message.
  public static let all = ComponentID(rawValue: 0)

  /// `MAV_COMP_ID_AUTOPILOT1`: System flight controller component ("autopilot"). Only one autopilot
  /// is expected in a particular system.
  public static let autopilot1 = ComponentID(rawValue: 1)

  /// `MAV_COMP_ID_TELEMETRY_RADIO`: Telemetry radio (e.g. SiK radio, or other component that emits
  /// RADIO_STATUS messages).
  public static let telemetryRadio = ComponentID(rawValue: 68)

  /// `MAV_COMP_ID_CAMERA`: Camera #1.
  public static let camera = ComponentID(rawValue: 100)

  /// `MAV_COMP_ID_CAMERA2`: Camera #2.
  public static let camera2 = ComponentID(rawValue: 101)

  /// `MAV_COMP_ID_CAMERA3`: Camera #3.
  public static let camera3 = ComponentID(rawValue: 102)

  /// `MAV_COMP_ID_CAMERA4`: Camera #4.
  public static let camera4 = ComponentID(rawValue: 103)

  /// `MAV_COMP_ID_CAMERA5`: Camera #5.
  public static let camera5 = ComponentID(rawValue: 104)

  /// `MAV_COMP_ID_CAMERA6`: Camera #6.
  public static let camera6 = ComponentID(rawValue: 105)

  /// `MAV_COMP_ID_SERVO1`: Servo #1.
  public static let servo1 = ComponentID(rawValue: 140)

  /// `MAV_COMP_ID_SERVO2`: Servo #2.
  public static let servo2 = ComponentID(rawValue: 141)

  /// `MAV_COMP_ID_SERVO3`: Servo #3.
  public static let servo3 = ComponentID(rawValue: 142)

  /// `MAV_COMP_ID_SERVO4`: Servo #4.
  public static let servo4 = ComponentID(rawValue: 143)

  /// `MAV_COMP_ID_SERVO5`: Servo #5.
  public static let servo5 = ComponentID(rawValue: 144)

  /// `MAV_COMP_ID_SERVO6`: Servo #6.
  public static let servo6 = ComponentID(rawValue: 145)

  /// `MAV_COMP_ID_SERVO7`: Servo #7.
  public static let servo7 = ComponentID(rawValue: 146)

  /// `MAV_COMP_ID_SERVO8`: Servo #8.
  public static let servo8 = ComponentID(rawValue: 147)

  /// `MAV_COMP_ID_SERVO9`: Servo #9.
  public static let servo9 = ComponentID(rawValue: 148)

  /// `MAV_COMP_ID_SERVO10`: Servo #10.
  public static let servo10 = ComponentID(rawValue: 149)

  /// `MAV_COMP_ID_SERVO11`: Servo #11.
  public static let servo11 = ComponentID(rawValue: 150)

  /// `MAV_COMP_ID_SERVO12`: Servo #12.
  public static let servo12 = ComponentID(rawValue: 151)

  /// `MAV_COMP_ID_SERVO13`: Servo #13.
  public static let servo13 = ComponentID(rawValue: 152)

  /// `MAV_COMP_ID_SERVO14`: Servo #14.
  public static let servo14 = ComponentID(rawValue: 153)

  /// `MAV_COMP_ID_GIMBAL`: Gimbal #1.
  public static let gimbal = ComponentID(rawValue: 154)

  /// `MAV_COMP_ID_LOG`: Logging component.
  public static let log = ComponentID(rawValue: 155)

  /// `MAV_COMP_ID_ADSB`: Automatic Dependent Surveillance-Broadcast (ADS-B) component.
  public static let adsb = ComponentID(rawValue: 156)

  /// `MAV_COMP_ID_OSD`: On Screen Display (OSD) devices for video links.
  public static let osd = ComponentID(rawValue: 157)

  /// `MAV_COMP_ID_PERIPHERAL`: Generic autopilot peripheral component ID. Meant for devices that do
  /// not implement the parameter microservice.
  public static let peripheral = ComponentID(rawValue: 158)

  /// `MAV_COMP_ID_QX1_GIMBAL`: Gimbal ID for QX1.
  public static let qx1Gimbal = ComponentID(rawValue: 159)

  /// `MAV_COMP_ID_FLARM`: FLARM collision alert component.
  public static let flarm = ComponentID(rawValue: 160)

  /// `MAV_COMP_ID_PARACHUTE`: Parachute component.
  public static let parachute = ComponentID(rawValue: 161)

  /// `MAV_COMP_ID_WINCH`: Winch component.
  public static let winch = ComponentID(rawValue: 169)

  /// `MAV_COMP_ID_GIMBAL2`: Gimbal #2.
  public static let gimbal2 = ComponentID(rawValue: 171)

  /// `MAV_COMP_ID_GIMBAL3`: Gimbal #3.
  public static let gimbal3 = ComponentID(rawValue: 172)

  /// `MAV_COMP_ID_GIMBAL4`: Gimbal #4.
  public static let gimbal4 = ComponentID(rawValue: 173)

  /// `MAV_COMP_ID_GIMBAL5`: Gimbal #5.
  public static let gimbal5 = ComponentID(rawValue: 174)

  /// `MAV_COMP_ID_GIMBAL6`: Gimbal #6.
  public static let gimbal6 = ComponentID(rawValue: 175)

  /// `MAV_COMP_ID_BATTERY`: Battery #1.
  public static let battery = ComponentID(rawValue: 180)

  /// `MAV_COMP_ID_BATTERY2`: Battery #2.
  public static let battery2 = ComponentID(rawValue: 181)

  /// `MAV_COMP_ID_MAVCAN`: CAN over MAVLink client.
  public static let mavcan = ComponentID(rawValue: 189)

  /// `MAV_COMP_ID_MISSIONPLANNER`: Component that can generate/supply a mission flight plan (e.g.
  /// GCS or developer API).
  public static let missionplanner = ComponentID(rawValue: 190)

  /// `MAV_COMP_ID_ONBOARD_COMPUTER`: Component that lives on the onboard computer (companion
  /// computer) and has some generic functionalities, such as settings system parameters and
  /// monitoring the status of some processes that don't directly speak mavlink and so on.
  public static let onboardComputer = ComponentID(rawValue: 191)

  /// `MAV_COMP_ID_ONBOARD_COMPUTER2`: Component that lives on the onboard computer (companion
  /// computer) and has some generic functionalities, such as settings system parameters and
  /// monitoring the status of some processes that don't directly speak mavlink and so on.
  public static let onboardComputer2 = ComponentID(rawValue: 192)

  /// `MAV_COMP_ID_ONBOARD_COMPUTER3`: Component that lives on the onboard computer (companion
  /// computer) and has some generic functionalities, such as settings system parameters and
  /// monitoring the status of some processes that don't directly speak mavlink and so on.
  public static let onboardComputer3 = ComponentID(rawValue: 193)

  /// `MAV_COMP_ID_ONBOARD_COMPUTER4`: Component that lives on the onboard computer (companion
  /// computer) and has some generic functionalities, such as settings system parameters and
  /// monitoring the status of some processes that don't directly speak mavlink and so on.
  public static let onboardComputer4 = ComponentID(rawValue: 194)

  /// `MAV_COMP_ID_PATHPLANNER`: Component that finds an optimal path between points based on a
  /// certain constraint (e.g. minimum snap, shortest path, cost, etc.).
  public static let pathplanner = ComponentID(rawValue: 195)

  /// `MAV_COMP_ID_OBSTACLE_AVOIDANCE`: Component that plans a collision free path between two
  /// points.
  public static let obstacleAvoidance = ComponentID(rawValue: 196)

  /// `MAV_COMP_ID_VISUAL_INERTIAL_ODOMETRY`: Component that provides position estimates using VIO
  /// techniques.
  public static let visualInertialOdometry = ComponentID(rawValue: 197)

  /// `MAV_COMP_ID_PAIRING_MANAGER`: Component that manages pairing of vehicle and GCS.
  public static let pairingManager = ComponentID(rawValue: 198)

  /// `MAV_COMP_ID_IMU`: Inertial Measurement Unit (IMU) #1.
  public static let imu = ComponentID(rawValue: 200)

  /// `MAV_COMP_ID_IMU_2`: Inertial Measurement Unit (IMU) #2.
  public static let imu2 = ComponentID(rawValue: 201)

  /// `MAV_COMP_ID_IMU_3`: Inertial Measurement Unit (IMU) #3.
  public static let imu3 = ComponentID(rawValue: 202)

  /// `MAV_COMP_ID_GPS`: GPS #1.
  public static let gps = ComponentID(rawValue: 220)

  /// `MAV_COMP_ID_GPS2`: GPS #2.
  public static let gps2 = ComponentID(rawValue: 221)

  /// `MAV_COMP_ID_ODID_TXRX_1`: Open Drone ID transmitter/receiver (Bluetooth/WiFi/Internet).
  public static let odidTxrx1 = ComponentID(rawValue: 236)

  /// `MAV_COMP_ID_ODID_TXRX_2`: Open Drone ID transmitter/receiver (Bluetooth/WiFi/Internet).
  public static let odidTxrx2 = ComponentID(rawValue: 237)

  /// `MAV_COMP_ID_ODID_TXRX_3`: Open Drone ID transmitter/receiver (Bluetooth/WiFi/Internet).
  public static let odidTxrx3 = ComponentID(rawValue: 238)

  /// `MAV_COMP_ID_UDP_BRIDGE`: Component to bridge MAVLink to UDP (i.e. from a UART).
  public static let udpBridge = ComponentID(rawValue: 240)

  /// `MAV_COMP_ID_UART_BRIDGE`: Component to bridge to UART (i.e. from UDP).
  public static let uartBridge = ComponentID(rawValue: 241)

  /// `MAV_COMP_ID_TUNNEL_NODE`: Component handling TUNNEL messages (e.g. vendor specific GUI of a
  /// component).
  public static let tunnelNode = ComponentID(rawValue: 242)

  /// `MAV_COMP_ID_ILLUMINATOR`: Illuminator.
  public static let illuminator = ComponentID(rawValue: 243)

  /// `MAV_COMP_ID_SYSTEM_CONTROL`: Deprecated, don't use. Component for handling system messages
  /// (e.g. to ARM, takeoff, etc.).
  public static let systemControl = ComponentID(rawValue: 250)
}

// Written by scripts/mavlink-generate; do not edit.

/// `HEARTBEAT` (0): The heartbeat message shows that a system or component is present and
/// responding. The type and autopilot fields (along with the message component id), allow the
/// receiving system to treat further messages from this system appropriately (e.g. by laying out
/// the user interface based on the autopilot). This microservice is documented at
/// https://mavlink.io/en/services/heartbeat.html.
public struct Heartbeat: Message {
  public static var specificationName: String { "HEARTBEAT" }
  public static var messageID: UInt32 { 0 }
  public static var crcExtra: UInt8 { 50 }
  public static var maximumPayloadLength: Int { 9 }
  public static var minimumPayloadLength: Int { 9 }

  /// `type`: Vehicle or component type. For a flight controller component the vehicle type
  /// (quadrotor, helicopter, etc.). For other components the component type (e.g. camera, gimbal,
  /// etc.). This should be used in preference to component id for identifying the component type.
  public var type: SystemType

  /// `autopilot`: Autopilot type / class. Use MAV_AUTOPILOT_INVALID for components that are not
  /// flight controllers.
  public var autopilot: AutopilotType

  /// `base_mode`: System mode bitmap.
  public var baseMode: ModeFlags

  /// `custom_mode`: A bitfield for use for autopilot-specific flags.
  public var customMode: UInt32

  /// `system_status`: System status flag.
  public var systemStatus: SystemState

  /// `mavlink_version`: MAVLink version, not writable by user, gets added by protocol because of
  /// magic data type: uint8_t_mavlink_version.
  public var mavlinkVersion: UInt8

  public init(
    type: SystemType = .init(rawValue: 0),
    autopilot: AutopilotType = .init(rawValue: 0),
    baseMode: ModeFlags = .init(rawValue: 0),
    customMode: UInt32 = 0,
    systemStatus: SystemState = .init(rawValue: 0),
    mavlinkVersion: UInt8 = 3
  ) {
    self.type = type
    self.autopilot = autopilot
    self.baseMode = baseMode
    self.customMode = customMode
    self.systemStatus = systemStatus
    self.mavlinkVersion = mavlinkVersion
  }

  public init(payload: RawSpan) {
    customMode = payload.load(at: 0)
    type = payload.load(at: 4)
    autopilot = payload.load(at: 5)
    baseMode = payload.load(at: 6)
    systemStatus = payload.load(at: 7)
    mavlinkVersion = payload.load(at: 8)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(customMode, at: 0)
    payload.store(type, at: 4)
    payload.store(autopilot, at: 5)
    payload.store(baseMode, at: 6)
    payload.store(systemStatus, at: 7)
    payload.store(mavlinkVersion, at: 8)
  }
}

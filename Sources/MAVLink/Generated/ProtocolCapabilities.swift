// Written by scripts/mavlink-generate; do not edit.

/// `MAV_PROTOCOL_CAPABILITY`: Bitmask of (optional) autopilot capabilities (64 bit). If a bit is
/// set, the autopilot supports this capability.
public struct ProtocolCapabilities: PayloadConstant, OptionSet {
  public var rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// `MAV_PROTOCOL_CAPABILITY_MISSION_FLOAT`: Autopilot supports the MISSION_ITEM float message
  /// type. Note that MISSION_ITEM is deprecated, and autopilots should use MISSION_ITEM_INT
  /// instead.
  public static let missionFloat = ProtocolCapabilities(rawValue: 1 << 0)

  /// `MAV_PROTOCOL_CAPABILITY_PARAM_FLOAT`: Autopilot supports the new param float message type.
  public static let paramFloat = ProtocolCapabilities(rawValue: 1 << 1)

  /// `MAV_PROTOCOL_CAPABILITY_MISSION_INT`: Autopilot supports MISSION_ITEM_INT scaled integer
  /// message type. Note that this flag must always be set if missions are supported, because
  /// missions must always use MISSION_ITEM_INT (rather than MISSION_ITEM, which is deprecated).
  public static let missionInt = ProtocolCapabilities(rawValue: 1 << 2)

  /// `MAV_PROTOCOL_CAPABILITY_COMMAND_INT`: Autopilot supports COMMAND_INT scaled integer message
  /// type.
  public static let commandInt = ProtocolCapabilities(rawValue: 1 << 3)

  /// `MAV_PROTOCOL_CAPABILITY_PARAM_ENCODE_BYTEWISE`: Parameter protocol uses byte-wise encoding of
  /// parameter values into param_value (float) fields:
  /// https://mavlink.io/en/services/parameter.html#parameter-encoding. Note that either this flag
  /// or MAV_PROTOCOL_CAPABILITY_PARAM_ENCODE_C_CAST should be set if the parameter protocol is
  /// supported.
  public static let paramEncodeBytewise = ProtocolCapabilities(rawValue: 1 << 4)

  /// `MAV_PROTOCOL_CAPABILITY_FTP`: Autopilot supports the File Transfer Protocol v1:
  /// https://mavlink.io/en/services/ftp.html.
  public static let ftp = ProtocolCapabilities(rawValue: 1 << 5)

  /// `MAV_PROTOCOL_CAPABILITY_SET_ATTITUDE_TARGET`: Autopilot supports commanding attitude
  /// offboard.
  public static let setAttitudeTarget = ProtocolCapabilities(rawValue: 1 << 6)

  /// `MAV_PROTOCOL_CAPABILITY_SET_POSITION_TARGET_LOCAL_NED`: Autopilot supports commanding
  /// position and velocity targets in local NED frame.
  public static let setPositionTargetLocalNED = ProtocolCapabilities(rawValue: 1 << 7)

  /// `MAV_PROTOCOL_CAPABILITY_SET_POSITION_TARGET_GLOBAL_INT`: Autopilot supports commanding
  /// position and velocity targets in global scaled integers.
  public static let setPositionTargetGlobalInt = ProtocolCapabilities(rawValue: 1 << 8)

  /// `MAV_PROTOCOL_CAPABILITY_TERRAIN`: Autopilot supports terrain protocol / data handling.
  public static let terrain = ProtocolCapabilities(rawValue: 1 << 9)

  /// `MAV_PROTOCOL_CAPABILITY_FLIGHT_TERMINATION`: Autopilot supports the
  /// MAV_CMD_DO_FLIGHTTERMINATION command (flight termination).
  public static let flightTermination = ProtocolCapabilities(rawValue: 1 << 11)

  /// `MAV_PROTOCOL_CAPABILITY_COMPASS_CALIBRATION`: Autopilot supports onboard compass calibration.
  public static let compassCalibration = ProtocolCapabilities(rawValue: 1 << 12)

  /// `MAV_PROTOCOL_CAPABILITY_MAVLINK2`: Autopilot supports MAVLink version 2.
  public static let mavlink2 = ProtocolCapabilities(rawValue: 1 << 13)

  /// `MAV_PROTOCOL_CAPABILITY_MISSION_FENCE`: Autopilot supports mission fence protocol.
  public static let missionFence = ProtocolCapabilities(rawValue: 1 << 14)

  /// `MAV_PROTOCOL_CAPABILITY_MISSION_RALLY`: Autopilot supports mission rally point protocol.
  public static let missionRally = ProtocolCapabilities(rawValue: 1 << 15)

  /// `MAV_PROTOCOL_CAPABILITY_PARAM_ENCODE_C_CAST`: Parameter protocol uses C-cast of parameter
  /// values to set the param_value (float) fields:
  /// https://mavlink.io/en/services/parameter.html#parameter-encoding. Note that either this flag
  /// or MAV_PROTOCOL_CAPABILITY_PARAM_ENCODE_BYTEWISE should be set if the parameter protocol is
  /// supported.
  public static let paramEncodeCCast = ProtocolCapabilities(rawValue: 1 << 17)

  /// `MAV_PROTOCOL_CAPABILITY_COMPONENT_IMPLEMENTS_GIMBAL_MANAGER`: This component implements/is a
  /// gimbal manager. This means the GIMBAL_MANAGER_INFORMATION, and other messages can be
  /// requested.
  public static let componentImplementsGimbalManager = ProtocolCapabilities(rawValue: 1 << 18)

  /// `MAV_PROTOCOL_CAPABILITY_COMPONENT_ACCEPTS_GCS_CONTROL`: Component supports locking control to
  /// a particular GCS independent of its system (via MAV_CMD_REQUEST_OPERATOR_CONTROL).
  public static let componentAcceptsGCSControl = ProtocolCapabilities(rawValue: 1 << 19)

  /// `MAV_PROTOCOL_CAPABILITY_GRIPPER`: Autopilot has a connected gripper. MAVLink Grippers would
  /// set MAV_TYPE_GRIPPER instead.
  public static let gripper = ProtocolCapabilities(rawValue: 1 << 20)
}

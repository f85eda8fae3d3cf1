// Written by scripts/mavlink-generate; do not edit.

/// `MAV_DATA_STREAM`: A data stream is not a fixed set of messages, but rather a recommendation to
/// the autopilot software. Individual autopilots may or may not obey the recommended messages.
public struct DataStream: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_DATA_STREAM_ALL`: Enable all data streams.
  public static let all = DataStream(rawValue: 0)

  /// `MAV_DATA_STREAM_RAW_SENSORS`: Enable IMU_RAW, GPS_RAW, GPS_STATUS packets.
  public static let rawSensors = DataStream(rawValue: 1)

  /// `MAV_DATA_STREAM_EXTENDED_STATUS`: Enable GPS_STATUS, CONTROL_STATUS, AUX_STATUS.
  public static let extendedStatus = DataStream(rawValue: 2)

  /// `MAV_DATA_STREAM_RC_CHANNELS`: Enable RC_CHANNELS_SCALED, RC_CHANNELS_RAW, SERVO_OUTPUT_RAW.
  public static let rcChannels = DataStream(rawValue: 3)

  /// `MAV_DATA_STREAM_RAW_CONTROLLER`: Enable ATTITUDE_CONTROLLER_OUTPUT,
  /// POSITION_CONTROLLER_OUTPUT, NAV_CONTROLLER_OUTPUT.
  public static let rawController = DataStream(rawValue: 4)

  /// `MAV_DATA_STREAM_POSITION`: Enable LOCAL_POSITION, GLOBAL_POSITION_INT messages.
  public static let position = DataStream(rawValue: 6)

  /// `MAV_DATA_STREAM_EXTRA1`: Dependent on the autopilot.
  public static let extra1 = DataStream(rawValue: 10)

  /// `MAV_DATA_STREAM_EXTRA2`: Dependent on the autopilot.
  public static let extra2 = DataStream(rawValue: 11)

  /// `MAV_DATA_STREAM_EXTRA3`: Dependent on the autopilot.
  public static let extra3 = DataStream(rawValue: 12)
}

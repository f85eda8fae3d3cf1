// Written by scripts/mavlink-generate; do not edit.

/// `MAV_MISSION_RESULT`: Result of mission operation (in a MISSION_ACK message).
public struct MissionResult: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_MISSION_ACCEPTED`: mission accepted OK.
  public static let accepted = MissionResult(rawValue: 0)

  /// `MAV_MISSION_ERROR`: Generic error / not accepting mission commands at all right now.
  public static let error = MissionResult(rawValue: 1)

  /// `MAV_MISSION_UNSUPPORTED_FRAME`: Coordinate frame is not supported.
  public static let unsupportedFrame = MissionResult(rawValue: 2)

  /// `MAV_MISSION_UNSUPPORTED`: Command is not supported.
  public static let unsupported = MissionResult(rawValue: 3)

  /// `MAV_MISSION_NO_SPACE`: Mission items exceed storage space.
  public static let noSpace = MissionResult(rawValue: 4)

  /// `MAV_MISSION_INVALID`: One of the parameters has an invalid value.
  public static let invalid = MissionResult(rawValue: 5)

  /// `MAV_MISSION_INVALID_PARAM1`: param1 has an invalid value.
  public static let invalidParam1 = MissionResult(rawValue: 6)

  /// `MAV_MISSION_INVALID_PARAM2`: param2 has an invalid value.
  public static let invalidParam2 = MissionResult(rawValue: 7)

  /// `MAV_MISSION_INVALID_PARAM3`: param3 has an invalid value.
  public static let invalidParam3 = MissionResult(rawValue: 8)

  /// `MAV_MISSION_INVALID_PARAM4`: param4 has an invalid value.
  public static let invalidParam4 = MissionResult(rawValue: 9)

  /// `MAV_MISSION_INVALID_PARAM5_X`: x / param5 has an invalid value.
  public static let invalidParam5X = MissionResult(rawValue: 10)

  /// `MAV_MISSION_INVALID_PARAM6_Y`: y / param6 has an invalid value.
  public static let invalidParam6Y = MissionResult(rawValue: 11)

  /// `MAV_MISSION_INVALID_PARAM7`: z / param7 has an invalid value.
  public static let invalidParam7 = MissionResult(rawValue: 12)

  /// `MAV_MISSION_INVALID_SEQUENCE`: Mission item received out of sequence.
  public static let invalidSequence = MissionResult(rawValue: 13)

  /// `MAV_MISSION_DENIED`: Not accepting any mission commands from this communication partner.
  public static let denied = MissionResult(rawValue: 14)

  /// `MAV_MISSION_OPERATION_CANCELLED`: Current mission operation cancelled (e.g. mission upload,
  /// mission download).
  public static let operationCancelled = MissionResult(rawValue: 15)
}

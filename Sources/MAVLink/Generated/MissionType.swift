// Written by scripts/mavlink-generate; do not edit.

/// `MAV_MISSION_TYPE`: Type of mission items being requested/sent in mission protocol.
public struct MissionType: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_MISSION_TYPE_MISSION`: Items are mission commands for main mission.
  public static let mission = MissionType(rawValue: 0)

  /// `MAV_MISSION_TYPE_FENCE`: Specifies GeoFence area(s). Items are MAV_CMD_NAV_FENCE_ GeoFence
  /// items.
  public static let fence = MissionType(rawValue: 1)

  /// `MAV_MISSION_TYPE_RALLY`: Specifies the rally points for the vehicle. Rally points are
  /// alternative RTL points. Items are MAV_CMD_NAV_RALLY_POINT rally point items.
  public static let rally = MissionType(rawValue: 2)

  /// `MAV_MISSION_TYPE_ALL`: Only used in MISSION_CLEAR_ALL to clear all mission types.
  public static let all = MissionType(rawValue: 255)
}

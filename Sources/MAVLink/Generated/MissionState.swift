// Written by scripts/mavlink-generate; do not edit.

/// `MISSION_STATE`: States of the mission state machine. Note that these states are independent of
/// whether the mission is in a mode that can execute mission items or not (is suspended). They may
/// not all be relevant on all vehicles.
public struct MissionState: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MISSION_STATE_UNKNOWN`: The mission status reporting is not supported.
  public static let unknown = MissionState(rawValue: 0)

  /// `MISSION_STATE_NO_MISSION`: No mission on the vehicle.
  public static let noMission = MissionState(rawValue: 1)

  /// `MISSION_STATE_NOT_STARTED`: Mission has not started. This is the case after a mission has
  /// uploaded but not yet started executing.
  public static let notStarted = MissionState(rawValue: 2)

  /// `MISSION_STATE_ACTIVE`: Mission is active, and will execute mission items when in auto mode.
  public static let active = MissionState(rawValue: 3)

  /// `MISSION_STATE_PAUSED`: Mission is paused when in auto mode.
  public static let paused = MissionState(rawValue: 4)

  /// `MISSION_STATE_COMPLETE`: Mission has executed all mission items.
  public static let complete = MissionState(rawValue: 5)
}

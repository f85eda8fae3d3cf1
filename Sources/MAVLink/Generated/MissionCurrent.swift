// Written by scripts/mavlink-generate; do not edit.

/// `MISSION_CURRENT` (42): Message that announces the sequence number of the current target mission
/// item (that the system will fly towards/execute when the mission is running). This message should
/// be streamed all the time (nominally at 1Hz). This message should be emitted following a call to
/// MAV_CMD_DO_SET_MISSION_CURRENT or MISSION_SET_CURRENT.
public struct MissionCurrent: Message {
  public static var specificationName: String { "MISSION_CURRENT" }
  public static var messageID: UInt32 { 42 }
  public static var crcExtra: UInt8 { 28 }
  public static var maximumPayloadLength: Int { 6 }
  public static var minimumPayloadLength: Int { 2 }

  /// `seq`: Sequence.
  public var seq: UInt16

  /// `total`, extension: Total number of mission items on vehicle (on last item, sequence ==
  /// total). If the autopilot stores its home location as part of the mission this will be excluded
  /// from the total. 0: Not supported, UINT16_MAX if no mission is present on the vehicle. Not
  /// known: `UINT16_MAX`.
  public var total: UInt16

  /// `mission_state`, extension: Mission state machine state. MISSION_STATE_UNKNOWN if state
  /// reporting not supported. Not known: `0`.
  public var missionState: MissionState

  /// `mission_mode`, extension: Vehicle is in a mode that can execute mission items or suspended.
  /// 0: Unknown, 1: In mission mode, 2: Suspended (not in mission mode). Not known: `0`.
  public var missionMode: UInt8

  public init(
    seq: UInt16 = 0,
    total: UInt16 = 0,
    missionState: MissionState = .init(rawValue: 0),
    missionMode: UInt8 = 0
  ) {
    self.seq = seq
    self.total = total
    self.missionState = missionState
    self.missionMode = missionMode
  }

  public init(payload: RawSpan) {
    seq = payload.load(at: 0)
    total = payload.load(at: 2)
    missionState = payload.load(at: 4)
    missionMode = payload.load(at: 5)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(seq, at: 0)
    payload.store(total, at: 2)
    payload.store(missionState, at: 4)
    payload.store(missionMode, at: 5)
  }
}

// Written by scripts/mavlink-generate; do not edit.

/// `MISSION_COUNT` (44): This message is emitted as response to MISSION_REQUEST_LIST by the MAV and
/// to initiate a write transaction. The GCS can then request the individual mission item based on
/// the knowledge of the total number of waypoints.
public struct MissionCount: Message {
  public static var specificationName: String { "MISSION_COUNT" }
  public static var messageID: UInt32 { 44 }
  public static var crcExtra: UInt8 { 221 }
  public static var maximumPayloadLength: Int { 5 }
  public static var minimumPayloadLength: Int { 4 }

  /// `target_system`: System ID.
  public var targetSystem: UInt8

  /// `target_component`: Component ID.
  public var targetComponent: UInt8

  /// `count`: Number of mission items in the sequence.
  public var count: UInt16

  /// `mission_type`, extension: Mission type.
  public var missionType: MissionType

  public init(
    targetSystem: UInt8,
    targetComponent: UInt8,
    count: UInt16 = 0,
    missionType: MissionType = .init(rawValue: 0)
  ) {
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
    self.count = count
    self.missionType = missionType
  }

  public init(payload: RawSpan) {
    count = payload.load(at: 0)
    targetSystem = payload.load(at: 2)
    targetComponent = payload.load(at: 3)
    missionType = payload.load(at: 4)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(count, at: 0)
    payload.store(targetSystem, at: 2)
    payload.store(targetComponent, at: 3)
    payload.store(missionType, at: 4)
  }
}

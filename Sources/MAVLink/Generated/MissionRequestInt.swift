// Written by scripts/mavlink-generate; do not edit.

/// `MISSION_REQUEST_INT` (51): Request the information of the mission item with the sequence number
/// seq. The response of the system to this message should be a MISSION_ITEM_INT message.
/// https://mavlink.io/en/services/mission.html.
public struct MissionRequestInt: Message {
  public static var specificationName: String { "MISSION_REQUEST_INT" }
  public static var messageID: UInt32 { 51 }
  public static var crcExtra: UInt8 { 196 }
  public static var maximumPayloadLength: Int { 5 }
  public static var minimumPayloadLength: Int { 4 }

  /// `target_system`: System ID.
  public var targetSystem: UInt8

  /// `target_component`: Component ID.
  public var targetComponent: UInt8

  /// `seq`: Sequence.
  public var seq: UInt16

  /// `mission_type`, extension: Mission type.
  public var missionType: MissionType

  public init(
    targetSystem: UInt8,
    targetComponent: UInt8,
    seq: UInt16 = 0,
    missionType: MissionType = .init(rawValue: 0)
  ) {
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
    self.seq = seq
    self.missionType = missionType
  }

  public init(payload: RawSpan) {
    seq = payload.load(at: 0)
    targetSystem = payload.load(at: 2)
    targetComponent = payload.load(at: 3)
    missionType = payload.load(at: 4)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(seq, at: 0)
    payload.store(targetSystem, at: 2)
    payload.store(targetComponent, at: 3)
    payload.store(missionType, at: 4)
  }
}

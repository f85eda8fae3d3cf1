// Written by scripts/mavlink-generate; do not edit.

/// `MISSION_ACK` (47): Acknowledgment message during waypoint handling. The type field states if
/// this message is a positive ack (type=0) or if an error happened (type=non-zero).
public struct MissionAck: Message {
  public static var specificationName: String { "MISSION_ACK" }
  public static var messageID: UInt32 { 47 }
  public static var crcExtra: UInt8 { 153 }
  public static var maximumPayloadLength: Int { 4 }
  public static var minimumPayloadLength: Int { 3 }

  /// `target_system`: System ID.
  public var targetSystem: UInt8

  /// `target_component`: Component ID.
  public var targetComponent: UInt8

  /// `type`: Mission result.
  public var type: MissionResult

  /// `mission_type`, extension: Mission type.
  public var missionType: MissionType

  public init(
    targetSystem: UInt8,
    targetComponent: UInt8,
    type: MissionResult = .init(rawValue: 0),
    missionType: MissionType = .init(rawValue: 0)
  ) {
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
    self.type = type
    self.missionType = missionType
  }

  public init(payload: RawSpan) {
    targetSystem = payload.load(at: 0)
    targetComponent = payload.load(at: 1)
    type = payload.load(at: 2)
    missionType = payload.load(at: 3)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(targetSystem, at: 0)
    payload.store(targetComponent, at: 1)
    payload.store(type, at: 2)
    payload.store(missionType, at: 3)
  }
}

// Written by scripts/mavlink-generate; do not edit.

/// `SET_MODE` (11): Set the system mode, as defined by enum MAV_MODE. There is no target component
/// id as the mode is by definition for the overall aircraft, not only for one component.
public struct SetMode: Message {
  public static var specificationName: String { "SET_MODE" }
  public static var messageID: UInt32 { 11 }
  public static var crcExtra: UInt8 { 89 }
  public static var maximumPayloadLength: Int { 6 }
  public static var minimumPayloadLength: Int { 6 }

  /// `target_system`: The system setting the mode.
  public var targetSystem: UInt8

  /// `base_mode`: The new base mode.
  public var baseMode: UInt8

  /// `custom_mode`: The new autopilot-specific mode. This field can be ignored by an autopilot.
  public var customMode: UInt32

  public init(
    targetSystem: UInt8,
    baseMode: UInt8 = 0,
    customMode: UInt32 = 0
  ) {
    self.targetSystem = targetSystem
    self.baseMode = baseMode
    self.customMode = customMode
  }

  public init(payload: RawSpan) {
    customMode = payload.load(at: 0)
    targetSystem = payload.load(at: 4)
    baseMode = payload.load(at: 5)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(customMode, at: 0)
    payload.store(targetSystem, at: 4)
    payload.store(baseMode, at: 5)
  }
}

// Written by scripts/mavlink-generate; do not edit.

/// `PARAM_REQUEST_READ` (20): Request to read the onboard parameter with the param_id string id.
/// Onboard parameters are stored as key[const char*] -> value[float]. This allows to send a
/// parameter to any other component (such as the GCS) without the need of previous knowledge of
/// possible parameter names. Thus the same GCS can store different parameters for different
/// autopilots. See also https://mavlink.io/en/services/parameter.html for a full documentation of
/// QGroundControl and IMU code.
public struct ParamRequestRead: Message {
  public static var specificationName: String { "PARAM_REQUEST_READ" }
  public static var messageID: UInt32 { 20 }
  public static var crcExtra: UInt8 { 214 }
  public static var maximumPayloadLength: Int { 20 }
  public static var minimumPayloadLength: Int { 20 }

  /// `target_system`: System ID.
  public var targetSystem: UInt8

  /// `target_component`: Component ID.
  public var targetComponent: UInt8

  /// `param_id`: Onboard parameter id, terminated by NULL if the length is less than 16
  /// human-readable chars and WITHOUT null termination (NULL) byte if the length is exactly 16
  /// chars - applications have to provide 16+1 bytes storage if the ID is stored as string.
  public var paramId: FixedText<16>

  /// `param_index`: Parameter index. Send -1 to use the param ID field as identifier (else the
  /// param id will be ignored). Not known: `-1`.
  public var paramIndex: Int16

  public init(
    targetSystem: UInt8,
    targetComponent: UInt8,
    paramId: FixedText<16> = "",
    paramIndex: Int16 = 0
  ) {
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
    self.paramId = paramId
    self.paramIndex = paramIndex
  }

  public init(payload: RawSpan) {
    paramIndex = payload.load(at: 0)
    targetSystem = payload.load(at: 2)
    targetComponent = payload.load(at: 3)
    paramId = payload.load(at: 4)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(paramIndex, at: 0)
    payload.store(targetSystem, at: 2)
    payload.store(targetComponent, at: 3)
    payload.store(paramId, at: 4)
  }
}

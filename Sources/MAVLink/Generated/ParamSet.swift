// Written by scripts/mavlink-generate; do not edit.

/// `PARAM_SET` (23): Set a parameter value (write new value to permanent storage). The receiving
/// component should acknowledge the new parameter value by broadcasting a PARAM_VALUE message
/// (broadcasting ensures that multiple GCS all have an up-to-date list of all parameters). If the
/// sending GCS did not receive a PARAM_VALUE within its timeout time, it should re-send the
/// PARAM_SET message. The parameter microservice is documented at
/// https://mavlink.io/en/services/parameter.html.
public struct ParamSet: Message {
  public static var specificationName: String { "PARAM_SET" }
  public static var messageID: UInt32 { 23 }
  public static var crcExtra: UInt8 { 168 }
  public static var maximumPayloadLength: Int { 23 }
  public static var minimumPayloadLength: Int { 23 }

  /// `target_system`: System ID.
  public var targetSystem: UInt8

  /// `target_component`: Component ID.
  public var targetComponent: UInt8

  /// `param_id`: Onboard parameter id, terminated by NULL if the length is less than 16
  /// human-readable chars and WITHOUT null termination (NULL) byte if the length is exactly 16
  /// chars - applications have to provide 16+1 bytes storage if the ID is stored as string.
  public var paramId: FixedText<16>

  /// `param_value`: Onboard parameter value.
  public var paramValue: Float

  /// `param_type`: Onboard parameter type.
  public var paramType: ParameterType

  public init(
    targetSystem: UInt8,
    targetComponent: UInt8,
    paramId: FixedText<16> = "",
    paramValue: Float = 0,
    paramType: ParameterType = .init(rawValue: 0)
  ) {
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
    self.paramId = paramId
    self.paramValue = paramValue
    self.paramType = paramType
  }

  public init(payload: RawSpan) {
    paramValue = payload.load(at: 0)
    targetSystem = payload.load(at: 4)
    targetComponent = payload.load(at: 5)
    paramId = payload.load(at: 6)
    paramType = payload.load(at: 22)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(paramValue, at: 0)
    payload.store(targetSystem, at: 4)
    payload.store(targetComponent, at: 5)
    payload.store(paramId, at: 6)
    payload.store(paramType, at: 22)
  }
}

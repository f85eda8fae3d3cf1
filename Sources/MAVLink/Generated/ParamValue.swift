// Written by scripts/mavlink-generate; do not edit.

/// `PARAM_VALUE` (22): Emit the value of a onboard parameter. The inclusion of param_count and
/// param_index in the message allows the recipient to keep track of received parameters and allows
/// him to re-request missing parameters after a loss or timeout. The parameter microservice is
/// documented at https://mavlink.io/en/services/parameter.html.
public struct ParamValue: Message {
  public static var specificationName: String { "PARAM_VALUE" }
  public static var messageID: UInt32 { 22 }
  public static var crcExtra: UInt8 { 220 }
  public static var maximumPayloadLength: Int { 25 }
  public static var minimumPayloadLength: Int { 25 }

  /// `param_id`: Onboard parameter id, terminated by NULL if the length is less than 16
  /// human-readable chars and WITHOUT null termination (NULL) byte if the length is exactly 16
  /// chars - applications have to provide 16+1 bytes storage if the ID is stored as string.
  public var paramId: FixedText<16>

  /// `param_value`: Onboard parameter value.
  public var paramValue: Float

  /// `param_type`: Onboard parameter type.
  public var paramType: ParameterType

  /// `param_count`: Total number of onboard parameters.
  public var paramCount: UInt16

  /// `param_index`: Index of this onboard parameter.
  public var paramIndex: UInt16

  public init(
    paramId: FixedText<16> = "",
    paramValue: Float = 0,
    paramType: ParameterType = .init(rawValue: 0),
    paramCount: UInt16 = 0,
    paramIndex: UInt16 = 0
  ) {
    self.paramId = paramId
    self.paramValue = paramValue
    self.paramType = paramType
    self.paramCount = paramCount
    self.paramIndex = paramIndex
  }

  public init(payload: RawSpan) {
    paramValue = payload.load(at: 0)
    paramCount = payload.load(at: 4)
    paramIndex = payload.load(at: 6)
    paramId = payload.load(at: 8)
    paramType = payload.load(at: 24)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(paramValue, at: 0)
    payload.store(paramCount, at: 4)
    payload.store(paramIndex, at: 6)
    payload.store(paramId, at: 8)
    payload.store(paramType, at: 24)
  }
}

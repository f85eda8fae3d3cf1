// Written by scripts/mavlink-generate; do not edit.

/// `PARAM_REQUEST_LIST` (21): Request all parameters of this component. After this request, all
/// parameters are emitted. The parameter microservice is documented at
/// https://mavlink.io/en/services/parameter.html.
public struct ParamRequestList: Message {
  public static var specificationName: String { "PARAM_REQUEST_LIST" }
  public static var messageID: UInt32 { 21 }
  public static var crcExtra: UInt8 { 159 }
  public static var maximumPayloadLength: Int { 2 }
  public static var minimumPayloadLength: Int { 2 }

  /// `target_system`: System ID.
  public var targetSystem: UInt8

  /// `target_component`: Component ID.
  public var targetComponent: UInt8

  public init(
    targetSystem: UInt8,
    targetComponent: UInt8
  ) {
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
  }

  public init(payload: RawSpan) {
    targetSystem = payload.load(at: 0)
    targetComponent = payload.load(at: 1)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(targetSystem, at: 0)
    payload.store(targetComponent, at: 1)
  }
}

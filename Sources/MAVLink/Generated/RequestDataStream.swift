// Written by scripts/mavlink-generate; do not edit.

/// `REQUEST_DATA_STREAM` (66): Request a data stream.
public struct RequestDataStream: Message {
  public static var specificationName: String { "REQUEST_DATA_STREAM" }
  public static var messageID: UInt32 { 66 }
  public static var crcExtra: UInt8 { 148 }
  public static var maximumPayloadLength: Int { 6 }
  public static var minimumPayloadLength: Int { 6 }

  /// `target_system`: The target requested to send the message stream.
  public var targetSystem: UInt8

  /// `target_component`: The target requested to send the message stream.
  public var targetComponent: UInt8

  /// `req_stream_id`: The ID of the requested data stream.
  public var reqStreamId: DataStream

  /// `req_message_rate`, Hz: The requested message rate.
  public var reqMessageRate: UInt16

  /// `start_stop`: 1 to start sending, 0 to stop sending.
  public var startStop: UInt8

  public init(
    targetSystem: UInt8,
    targetComponent: UInt8,
    reqStreamId: DataStream = .init(rawValue: 0),
    reqMessageRate: UInt16 = 0,
    startStop: UInt8 = 0
  ) {
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
    self.reqStreamId = reqStreamId
    self.reqMessageRate = reqMessageRate
    self.startStop = startStop
  }

  public init(payload: RawSpan) {
    reqMessageRate = payload.load(at: 0)
    targetSystem = payload.load(at: 2)
    targetComponent = payload.load(at: 3)
    reqStreamId = payload.load(at: 4)
    startStop = payload.load(at: 5)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(reqMessageRate, at: 0)
    payload.store(targetSystem, at: 2)
    payload.store(targetComponent, at: 3)
    payload.store(reqStreamId, at: 4)
    payload.store(startStop, at: 5)
  }
}

// Written by scripts/mavlink-generate; do not edit.

/// `MESSAGE_INTERVAL` (244): The interval between messages for a particular MAVLink message ID.
/// This message is sent in response to the MAV_CMD_REQUEST_MESSAGE command with param1=244 (this
/// message) and param2=message_id (the id of the message for which the interval is required). It
/// may also be sent in response to MAV_CMD_GET_MESSAGE_INTERVAL. This interface replaces
/// DATA_STREAM.
public struct MessageInterval: Message {
  public static var specificationName: String { "MESSAGE_INTERVAL" }
  public static var messageID: UInt32 { 244 }
  public static var crcExtra: UInt8 { 95 }
  public static var maximumPayloadLength: Int { 6 }
  public static var minimumPayloadLength: Int { 6 }

  /// `message_id`: The ID of the requested MAVLink message. v1.0 is limited to 254 messages.
  public var messageId: UInt16

  /// `interval_us`, us: The interval between two messages. A value of -1 indicates this stream is
  /// disabled, 0 indicates it is not available, > 0 indicates the interval at which it is sent.
  public var intervalUs: Int32

  public init(
    messageId: UInt16 = 0,
    intervalUs: Int32 = 0
  ) {
    self.messageId = messageId
    self.intervalUs = intervalUs
  }

  public init(payload: RawSpan) {
    intervalUs = payload.load(at: 0)
    messageId = payload.load(at: 4)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(intervalUs, at: 0)
    payload.store(messageId, at: 4)
  }
}

// Written by scripts/mavlink-generate; do not edit.

/// `TIMESYNC` (111): Time synchronization message. The message is used for both timesync requests
/// and responses. The request is sent with `ts1=syncing component timestamp` and `tc1=0`, and may
/// be broadcast or targeted to a specific system/component. The response is sent with `ts1=syncing
/// component timestamp` (mirror back unchanged), and `tc1=responding component timestamp`, with the
/// `target_system` and `target_component` set to ids of the original request. Systems can determine
/// if they are receiving a request or response based on the value of `tc`. If the response has
/// `target_system==target_component==0` the remote system has not been updated to use the component
/// IDs and cannot reliably timesync; the requester may report an error. Timestamps are UNIX Epoch
/// time or time since system boot in nanoseconds (the timestamp format can be inferred by checking
/// for the magnitude of the number; generally it doesn't matter as only the offset is used). The
/// message sequence is repeated numerous times with results being filtered/averaged to estimate the
/// offset. See also: https://mavlink.io/en/services/timesync.html.
public struct TimeSync: Message {
  public static var specificationName: String { "TIMESYNC" }
  public static var messageID: UInt32 { 111 }
  public static var crcExtra: UInt8 { 34 }
  public static var maximumPayloadLength: Int { 16 }
  public static var minimumPayloadLength: Int { 16 }

  /// `tc1`, ns: Time sync timestamp 1. Syncing: 0. Responding: Timestamp of responding component.
  public var tc1: Int64

  /// `ts1`, ns: Time sync timestamp 2. Timestamp of syncing component (mirrored in response).
  public var ts1: Int64

  public init(
    tc1: Int64 = 0,
    ts1: Int64 = 0
  ) {
    self.tc1 = tc1
    self.ts1 = ts1
  }

  public init(payload: RawSpan) {
    tc1 = payload.load(at: 0)
    ts1 = payload.load(at: 8)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(tc1, at: 0)
    payload.store(ts1, at: 8)
  }
}

// Written by scripts/mavlink-generate; do not edit.

/// `PING` (4): A ping message either requesting or responding to a ping. This allows to measure the
/// system latencies, including serial port, radio modem and UDP connections. The ping microservice
/// is documented at https://mavlink.io/en/services/ping.html.
public struct Ping: Message {
  public static var specificationName: String { "PING" }
  public static var messageID: UInt32 { 4 }
  public static var crcExtra: UInt8 { 237 }
  public static var maximumPayloadLength: Int { 14 }
  public static var minimumPayloadLength: Int { 14 }

  /// `time_usec`, us: Timestamp (UNIX Epoch time or time since system boot). The receiving end can
  /// infer timestamp format (since 1.1.1970 or since system boot) by checking for the magnitude of
  /// the number.
  public var timeUsec: UInt64

  /// `seq`: PING sequence.
  public var seq: UInt32

  /// `target_system`: 0: request ping from all receiving systems. If greater than 0: message is a
  /// ping response and number is the system id of the requesting system.
  public var targetSystem: UInt8

  /// `target_component`: 0: request ping from all receiving components. If greater than 0: message
  /// is a ping response and number is the component id of the requesting component.
  public var targetComponent: UInt8

  public init(
    timeUsec: UInt64 = 0,
    seq: UInt32 = 0,
    targetSystem: UInt8,
    targetComponent: UInt8
  ) {
    self.timeUsec = timeUsec
    self.seq = seq
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
  }

  public init(payload: RawSpan) {
    timeUsec = payload.load(at: 0)
    seq = payload.load(at: 8)
    targetSystem = payload.load(at: 12)
    targetComponent = payload.load(at: 13)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeUsec, at: 0)
    payload.store(seq, at: 8)
    payload.store(targetSystem, at: 12)
    payload.store(targetComponent, at: 13)
  }
}

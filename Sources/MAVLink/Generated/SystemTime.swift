// Written by scripts/mavlink-generate; do not edit.

/// `SYSTEM_TIME` (2): The system time is the time of the sender's master clock. This can be emitted
/// by flight controllers, onboard computers, or other components in the MAVLink network. Components
/// that are using a less reliable time source, such as a battery-backed real time clock, can choose
/// to match their system clock to that of a system that indicates a more recent time. This allows
/// more broadly accurate date stamping of logs, and so on. If precise time synchronization is
/// needed then use TIMESYNC instead.
public struct SystemTime: Message {
  public static var specificationName: String { "SYSTEM_TIME" }
  public static var messageID: UInt32 { 2 }
  public static var crcExtra: UInt8 { 137 }
  public static var maximumPayloadLength: Int { 12 }
  public static var minimumPayloadLength: Int { 12 }

  /// `time_unix_usec`, us: Timestamp (UNIX epoch time).
  public var timeUnixUsec: UInt64

  /// `time_boot_ms`, ms: Timestamp (time since system boot).
  public var timeBootMs: UInt32

  public init(
    timeUnixUsec: UInt64 = 0,
    timeBootMs: UInt32 = 0
  ) {
    self.timeUnixUsec = timeUnixUsec
    self.timeBootMs = timeBootMs
  }

  public init(payload: RawSpan) {
    timeUnixUsec = payload.load(at: 0)
    timeBootMs = payload.load(at: 8)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeUnixUsec, at: 0)
    payload.store(timeBootMs, at: 8)
  }
}

// Written by scripts/mavlink-generate; do not edit.

/// `FENCE_STATUS` (162): Status of geo-fencing. Sent in extended status stream when fencing
/// enabled.
public struct FenceStatus: Message {
  public static var specificationName: String { "FENCE_STATUS" }
  public static var messageID: UInt32 { 162 }
  public static var crcExtra: UInt8 { 189 }
  public static var maximumPayloadLength: Int { 9 }
  public static var minimumPayloadLength: Int { 8 }

  /// `breach_status`: Breach status (0 if currently inside fence, 1 if outside).
  public var breachStatus: UInt8

  /// `breach_count`: Number of fence breaches.
  public var breachCount: UInt16

  /// `breach_type`: Last breach type.
  public var breachType: FenceBreach

  /// `breach_time`, ms: Time (since boot) of last breach.
  public var breachTime: UInt32

  /// `breach_mitigation`, extension: Active action to prevent fence breach.
  public var breachMitigation: UInt8

  public init(
    breachStatus: UInt8 = 0,
    breachCount: UInt16 = 0,
    breachType: FenceBreach = .init(rawValue: 0),
    breachTime: UInt32 = 0,
    breachMitigation: UInt8 = 0
  ) {
    self.breachStatus = breachStatus
    self.breachCount = breachCount
    self.breachType = breachType
    self.breachTime = breachTime
    self.breachMitigation = breachMitigation
  }

  public init(payload: RawSpan) {
    breachTime = payload.load(at: 0)
    breachCount = payload.load(at: 4)
    breachStatus = payload.load(at: 6)
    breachType = payload.load(at: 7)
    breachMitigation = payload.load(at: 8)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(breachTime, at: 0)
    payload.store(breachCount, at: 4)
    payload.store(breachStatus, at: 6)
    payload.store(breachType, at: 7)
    payload.store(breachMitigation, at: 8)
  }
}

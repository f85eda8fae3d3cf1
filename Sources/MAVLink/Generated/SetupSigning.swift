// Written by scripts/mavlink-generate; do not edit.

/// `SETUP_SIGNING` (256): Setup a MAVLink2 signing key. If called with secret_key of all zero and
/// zero initial_timestamp will disable signing.
public struct SetupSigning: Message {
  public static var specificationName: String { "SETUP_SIGNING" }
  public static var messageID: UInt32 { 256 }
  public static var crcExtra: UInt8 { 71 }
  public static var maximumPayloadLength: Int { 42 }
  public static var minimumPayloadLength: Int { 42 }

  /// `target_system`: system id of the target.
  public var targetSystem: UInt8

  /// `target_component`: component ID of the target.
  public var targetComponent: UInt8

  /// `secret_key`: signing key.
  public var secretKey: FixedArray<32, UInt8>

  /// `initial_timestamp`: initial timestamp.
  public var initialTimestamp: UInt64

  public init(
    targetSystem: UInt8,
    targetComponent: UInt8,
    secretKey: FixedArray<32, UInt8> = .init(),
    initialTimestamp: UInt64 = 0
  ) {
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
    self.secretKey = secretKey
    self.initialTimestamp = initialTimestamp
  }

  public init(payload: RawSpan) {
    initialTimestamp = payload.load(at: 0)
    targetSystem = payload.load(at: 8)
    targetComponent = payload.load(at: 9)
    secretKey = payload.load(at: 10)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(initialTimestamp, at: 0)
    payload.store(targetSystem, at: 8)
    payload.store(targetComponent, at: 9)
    payload.store(secretKey, at: 10)
  }
}

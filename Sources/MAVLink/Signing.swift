/// The secret that both ends of a line share: 32 bytes (MAVLink developer guide, "Message signing").
public struct SigningKey: Sendable, Equatable {
  public static var byteCount: Int { 32 }

  let bytes: [UInt8]

  /// Nil unless there are 32 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == SigningKey.byteCount else { return nil }
    self.bytes = bytes
  }
}

/// The time of a signature: units of 10 µs since 2015-01-01 00:00 UTC, 48 bits.
public struct SigningTimestamp: Sendable, Equatable, Comparable {
  /// 2015-01-01 00:00 UTC in seconds of Unix time.
  private static let epochUnixSeconds: UInt64 = 1_420_070_400
  private static let maximum: UInt64 = 1 << 48 - 1

  public let value: UInt64

  /// Bounded to 48 bits.
  public init(_ value: UInt64) { self.value = min(value, SigningTimestamp.maximum) }

  /// What the wall clock says; 0 before 2015, as a computer without a clock's battery would have it.
  public init(unixMicroseconds: UInt64) {
    let epoch = SigningTimestamp.epochUnixSeconds * 1_000_000
    self.init(unixMicroseconds > epoch ? (unixMicroseconds - epoch) / 10 : 0)
  }

  /// The smallest later time; the last one has no later one and stays.
  public var next: SigningTimestamp { SigningTimestamp(value + 1) }

  public static func < (left: SigningTimestamp, right: SigningTimestamp) -> Bool { left.value < right.value }

  /// How far this lies behind `other`, zero when it does not.
  public func behind(_ other: SigningTimestamp) -> Duration {
    other.value > value ? .microseconds((other.value - value) * 10) : .zero
  }

  init(littleEndian bytes: some Sequence<UInt8>) {
    var shift: UInt64 = 0
    value = bytes.prefix(6).reduce(0) { value, byte in
      defer { shift += 8 }
      return value | UInt64(byte) << shift
    }
  }

  var littleEndianBytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
}

/// Signs the frames of one link and judges the signatures of the other end.
///
/// A signature is the link's number, the time and the first 48 bits of SHA-256 over key, frame, number and time. It proves who
/// sent a frame, and hides nothing. The time rises with every frame, so that a recorded frame is worth nothing later.
public struct FrameSigning: Sendable {
  /// Why a frame does not count.
  public enum Refusal: Error, Sendable, Equatable {
    case unsigned
    case wrongSignature
    /// Not later than the last one of its sender and link: a repetition.
    case replayed
    /// More than a minute behind this side's time.
    case stale(by: Duration)
  }

  private struct Source: Sendable, Hashable {
    let systemID: UInt8
    let componentID: UInt8
    let linkID: UInt8
  }

  /// Sender and link pairs remembered. Without a bound whoever holds the key could fill memory; a new one is then refused.
  private static let maximumSources = 64
  /// What a sender not heard before may lag (MAVLink reference implementation, `MAVLINK_SIGNING_TIMESTAMP_LIMIT`).
  private static let maximumLag: Duration = .seconds(60)
  /// RADIO_STATUS comes from the radio, which has no key (MAVLink developer guide, "Accepting unsigned packets").
  private static let radioStatusID: UInt32 = 109

  private let key: SigningKey
  private let linkID: UInt8
  private let sha256: @Sendable ([UInt8]) -> [UInt8]
  private var lastSeen: [Source: SigningTimestamp] = [:]
  /// Of the last signature made or accepted; store it now and then, and begin with it after a restart.
  public private(set) var timestamp: SigningTimestamp

  /// - Parameters:
  ///   - timestamp: where the last run ended.
  ///   - sha256: the hash function, 32 bytes.
  public init(
    key: SigningKey, linkID: UInt8, timestamp: SigningTimestamp,
    sha256: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.key = key
    self.linkID = linkID
    self.timestamp = timestamp
    self.sha256 = sha256
  }

  /// Appends a signature to a frame that was encoded as signed and ends with its checksum.
  ///
  /// Made anew for each sending: a repeated signature is a repetition and refused.
  public mutating func sign(_ frame: inout [UInt8], at wallClock: SigningTimestamp) {
    timestamp = max(timestamp.next, wallClock)
    let tail = [linkID] + timestamp.littleEndianBytes
    let digest = sha256(key.bytes + frame + tail)
    frame += tail + digest.prefix(6)
  }

  /// Judges what arrived.
  ///
  /// - Throws: why it does not count.
  public mutating func verify(_ frame: Frame, at wallClock: SigningTimestamp) throws(Refusal) {
    guard let signature = frame.signature else {
      if frame.messageID == FrameSigning.radioStatusID { return }
      throw .unsigned
    }
    let bytes = frame.bytes
    let digest = sha256(key.bytes + bytes.dropLast(6))
    var difference: UInt8 = 0
    for index in 0..<6 { difference |= digest[index] ^ signature[7 + index] }
    guard difference == 0 else { throw .wrongSignature }
    let sent = SigningTimestamp(littleEndian: (1...6).map { signature[$0] })
    let source = Source(systemID: frame.systemID, componentID: frame.componentID, linkID: signature[0])
    if let last = lastSeen[source] {
      guard sent > last else { throw .replayed }
    } else {
      let lag = sent.behind(max(timestamp, wallClock))
      guard lag <= FrameSigning.maximumLag, lastSeen.count < FrameSigning.maximumSources else {
        throw .stale(by: lag)
      }
    }
    lastSeen[source] = sent
    // The other end may have a clock that runs ahead; it takes only what is later than its own.
    timestamp = max(timestamp, sent)
  }
}

extension Frame {
  /// The frame without its signature, as it belongs into logs: many signatures in one place would help to attack the key
  /// (MAVLink developer guide, "Logging").
  ///
  /// Nil when the checksum cannot be made anew, as the message is in no known dialect.
  public var withoutSignature: Frame? {
    guard signature != nil else { return self }
    guard let crcExtra = DialectTable.crcExtra(of: messageID) else { return nil }
    var bytes = Array(self.bytes.dropLast(Frame.signatureLength + 2))
    bytes[2] &= ~1
    var checksum = Checksum()
    bytes.withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[1...])) }
    checksum.add(crcExtra)
    bytes.append(UInt8(truncatingIfNeeded: checksum.value))
    bytes.append(UInt8(truncatingIfNeeded: checksum.value >> 8))
    return Frame(encoded: bytes)
  }
}

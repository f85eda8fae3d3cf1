/// Who a peer is: the SHA-256 of its certificate in DER form.
///
/// The order is that of the bytes, so two peers agree on which of them comes first.
public struct PeerID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Bytes in an identity.
  public static let byteCount = 32

  // Four big-endian words, the first the most significant: no allocation, and word order is byte order.
  private let word0: UInt64
  private let word1: UInt64
  private let word2: UInt64
  private let word3: UInt64

  /// - Returns: nil unless there are exactly 32 bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    for byte in bytes {
      words.0 = words.0 << 8 | words.1 >> 56
      words.1 = words.1 << 8 | words.2 >> 56
      words.2 = words.2 << 8 | words.3 >> 56
      words.3 = words.3 << 8 | UInt64(byte)
    }
    (word0, word1, word2, word3) = words
  }

  /// - Returns: nil unless the text is exactly 64 hexadecimal digits, in either case.
  public init?(hex: some StringProtocol) {
    let digits = hex.utf8
    guard digits.count == Self.byteCount * 2 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    var high: UInt8?
    for digit in digits {
      guard let value = Self.value(ofHexDigit: digit) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    self.init(bytes: bytes)
  }

  public var bytes: [UInt8] {
    [word0, word1, word2, word3].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }

  /// 64 lower-case hexadecimal digits.
  public var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(Self.byteCount * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The first eight digits, for people; never for a decision.
  public var short: String { String(hex.prefix(8)) }

  public var description: String { hex }

  public static func < (left: PeerID, right: PeerID) -> Bool {
    (left.word0, left.word1, left.word2, left.word3)
      < (right.word0, right.word1, right.word2, right.word3)
  }

  private static func value(ofHexDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// Why bytes are not the JSON that was expected, and where.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Reason: Equatable, Sendable {
    case tooLong(maximumBytes: Int)
    case tooDeep(maximumDepth: Int)
    case tooManyValues(maximumValues: Int)
    /// The text ends inside a value.
    case truncated
    case unexpectedByte(UInt8)
    case invalidNumber
    case numberOutOfRange
    case controlCharacterInString
    case invalidEscape
    case loneSurrogate
    case invalidUTF8
    case duplicateKey
    case textAfterValue
  }

  public var reason: Reason
  /// Bytes from the beginning of the text.
  public var offset: Int

  public init(reason: Reason, offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  public var description: String {
    let what =
      switch reason {
      case .tooLong(let maximum): "longer than \(maximum) bytes"
      case .tooDeep(let maximum): "nested more than \(maximum) deep"
      case .tooManyValues(let maximum): "more than \(maximum) values"
      case .truncated: "ends too early"
      case .unexpectedByte(let byte):
        (0x21...0x7E).contains(byte)
          ? "unexpected '\(Character(Unicode.Scalar(byte)))'" : "unexpected byte 0x\(String(byte, radix: 16))"
      case .invalidNumber: "not a valid number"
      case .numberOutOfRange: "number out of range"
      case .controlCharacterInString: "control character in a string"
      case .invalidEscape: "unknown escape in a string"
      case .loneSurrogate: "half of a surrogate pair in a string"
      case .invalidUTF8: "string is not UTF-8"
      case .duplicateKey: "key appears twice in an object"
      case .textAfterValue: "more text after the value"
      }
    return "\(what) at byte \(offset)"
  }
}

extension JSON {
  /// What a text may cost before it is refused.
  public struct Limits: Equatable, Sendable {
    public var maximumBytes: Int
    /// Arrays and objects within one another; the reader recurses once for each.
    public var maximumDepth: Int
    /// Values in all: a short text like `[0,0,0…` otherwise takes 16 times its size in memory.
    public var maximumValues: Int

    public init(maximumBytes: Int = 65536, maximumDepth: Int = 16, maximumValues: Int = 10000) {
      self.maximumBytes = maximumBytes
      self.maximumDepth = maximumDepth
      self.maximumValues = maximumValues
    }
  }

  /// The one value that `bytes` hold.
  ///
  /// Strict RFC 8259: no comments, trailing commas, byte order mark or bare words. A key that appears twice is
  /// refused as well, since two readers could then disagree about what a line says.
  public static func parse(_ bytes: some Sequence<UInt8>, limits: Limits = Limits()) throws(JSONError) -> JSON
  {
    var reader = JSONReader(bytes: Array(bytes), limits: limits)
    return try reader.readDocument()
  }

  public static func parse(_ text: String, limits: Limits = Limits()) throws(JSONError) -> JSON {
    try parse(text.utf8, limits: limits)
  }
}

private struct JSONReader {
  let bytes: [UInt8]
  let limits: JSON.Limits
  var offset = 0
  var valueCount = 0

  /// Longer digit strings say nothing more in a double, and cost time to convert.
  private static let maximumNumberBytes = 1024

  init(bytes: [UInt8], limits: JSON.Limits) {
    self.bytes = bytes
    self.limits = limits
  }

  mutating func readDocument() throws(JSONError) -> JSON {
    guard bytes.count <= limits.maximumBytes else {
      throw JSONError(reason: .tooLong(maximumBytes: limits.maximumBytes), offset: limits.maximumBytes)
    }
    let value = try readValue(depth: 0)
    skipSpace()
    guard offset == bytes.count else { throw failure(.textAfterValue) }
    return value
  }

  private func failure(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: offset) }

  private mutating func skipSpace() {
    while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
  }

  /// The next byte that is no white space, not consumed.
  private mutating func peek() throws(JSONError) -> UInt8 {
    skipSpace()
    guard offset < bytes.count else { throw failure(.truncated) }
    return bytes[offset]
  }

  private mutating func readValue(depth: Int) throws(JSONError) -> JSON {
    let first = try peek()
    valueCount += 1
    guard valueCount <= limits.maximumValues else {
      throw failure(.tooManyValues(maximumValues: limits.maximumValues))
    }
    switch first {
    case UInt8(ascii: "{"): return try readObject(depth: depth + 1)
    case UInt8(ascii: "["): return try readArray(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "t"): return try readWord("true", .bool(true))
    case UInt8(ascii: "f"): return try readWord("false", .bool(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
    default: throw failure(.unexpectedByte(first))
    }
  }

  private mutating func readWord(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
    for byte in word.description.utf8 {
      guard offset < bytes.count else { throw failure(.truncated) }
      guard bytes[offset] == byte else { throw failure(.unexpectedByte(bytes[offset])) }
      offset += 1
    }
    return value
  }

  private mutating func enter(depth: Int) throws(JSONError) {
    guard depth <= limits.maximumDepth else { throw failure(.tooDeep(maximumDepth: limits.maximumDepth)) }
    offset += 1
  }

  private mutating func readArray(depth: Int) throws(JSONError) -> JSON {
    try enter(depth: depth)
    var elements: [JSON] = []
    if try peek() == UInt8(ascii: "]") {
      offset += 1
      return .array(elements)
    }
    while true {
      elements.append(try readValue(depth: depth))
      guard try readSeparator(closing: UInt8(ascii: "]")) else { return .array(elements) }
    }
  }

  private mutating func readObject(depth: Int) throws(JSONError) -> JSON {
    try enter(depth: depth)
    var members: [JSON.Object.Member] = []
    var keys: Set<String> = []
    if try peek() == UInt8(ascii: "}") {
      offset += 1
      return .object(JSON.Object(distinct: members))
    }
    while true {
      let first = try peek()
      guard first == UInt8(ascii: "\"") else { throw failure(.unexpectedByte(first)) }
      let keyOffset = offset
      let key = try readString()
      guard keys.insert(key).inserted else { throw JSONError(reason: .duplicateKey, offset: keyOffset) }
      let colon = try peek()
      guard colon == UInt8(ascii: ":") else { throw failure(.unexpectedByte(colon)) }
      offset += 1
      members.append(JSON.Object.Member(key: key, value: try readValue(depth: depth)))
      guard try readSeparator(closing: UInt8(ascii: "}")) else {
        return .object(JSON.Object(distinct: members))
      }
    }
  }

  /// True after a comma, false after the closing bracket.
  private mutating func readSeparator(closing: UInt8) throws(JSONError) -> Bool {
    let byte = try peek()
    guard byte == UInt8(ascii: ",") || byte == closing else { throw failure(.unexpectedByte(byte)) }
    offset += 1
    return byte != closing
  }

  private mutating func readNumber() throws(JSONError) -> JSON {
    let start = offset
    if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
    let leadingZero = offset < bytes.count && bytes[offset] == UInt8(ascii: "0")
    let wholeDigits = try readDigits()
    guard !leadingZero || wholeDigits == 1 else { throw JSONError(reason: .invalidNumber, offset: start) }
    var isWhole = true
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      isWhole = false
      offset += 1
      _ = try readDigits()
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      offset += 1
      if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") {
        offset += 1
      }
      _ = try readDigits()
    }
    guard offset - start <= Self.maximumNumberBytes else {
      throw JSONError(reason: .numberOutOfRange, offset: start)
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    // "-0" stays a double: an integer cannot keep its sign.
    if isWhole, text != "-0", let integer = Int64(text) { return .integer(integer) }
    guard let double = Double(text), double.isFinite else {
      throw JSONError(reason: .numberOutOfRange, offset: start)
    }
    return .number(double)
  }

  private mutating func readDigits() throws(JSONError) -> Int {
    let start = offset
    while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) { offset += 1 }
    guard offset > start else { throw failure(offset < bytes.count ? .invalidNumber : .truncated) }
    return offset - start
  }

  private mutating func readString() throws(JSONError) -> String {
    let start = offset
    offset += 1
    var content: [UInt8] = []
    while true {
      guard offset < bytes.count else { throw failure(.truncated) }
      let byte = bytes[offset]
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        guard let string = String(validating: content, as: UTF8.self) else {
          throw JSONError(reason: .invalidUTF8, offset: start)
        }
        return string
      case UInt8(ascii: "\\"):
        try readEscape(into: &content)
      case 0x00...0x1F:
        throw failure(.controlCharacterInString)
      default:
        content.append(byte)
        offset += 1
      }
    }
  }

  private mutating func readEscape(into content: inout [UInt8]) throws(JSONError) {
    let start = offset
    guard offset + 1 < bytes.count else { throw failure(.truncated) }
    offset += 2
    switch bytes[offset - 1] {
    case UInt8(ascii: "\""): content.append(0x22)
    case UInt8(ascii: "\\"): content.append(0x5C)
    case UInt8(ascii: "/"): content.append(0x2F)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"):
      var value = try readFourHexDigits()
      if (0xD800..<0xDC00).contains(value) {
        for expected in #"\u"#.utf8 {
          guard offset < bytes.count else { throw failure(.truncated) }
          guard bytes[offset] == expected else { throw JSONError(reason: .loneSurrogate, offset: start) }
          offset += 1
        }
        let low = try readFourHexDigits()
        guard (0xDC00..<0xE000).contains(low) else {
          throw JSONError(reason: .loneSurrogate, offset: start)
        }
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar) else {
        throw JSONError(reason: .loneSurrogate, offset: start)
      }
      content += encoded
    default: throw JSONError(reason: .invalidEscape, offset: start)
    }
  }

  private mutating func readFourHexDigits() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard offset < bytes.count else { throw failure(.truncated) }
      guard let digit = Character(Unicode.Scalar(bytes[offset])).hexDigitValue else {
        throw failure(.invalidEscape)
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }
}

extension JSON {
  /// The value on one line, without spaces; ASCII control characters are escaped, so that a line stays a line.
  public var text: String { String(decoding: utf8, as: UTF8.self) }

  /// `text` as bytes.
  public var utf8: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  /// Appends the value as one line without the newline.
  ///
  /// Numbers that are not finite have no form in JSON and become `null`. Other doubles take the shortest
  /// digits that read back as the same value.
  public func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .number(let value): bytes += (value.isFinite ? value.description : "null").utf8
    case .string(let value): JSON.writeQuoted(value, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSON.writeQuoted(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Escapes what RFC 8259 section 7 demands, and DEL, the C1 controls and the two line separators as well:
  /// the lines are printed on terminals, where U+009B begins a control sequence, and read by tools that split
  /// at U+2028.
  private static func writeQuoted(_ string: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for scalar in string.unicodeScalars {
      switch scalar.value {
      case 0x22: bytes += #"\""#.utf8
      case 0x5C: bytes += #"\\"#.utf8
      case 0x08: bytes += #"\b"#.utf8
      case 0x09: bytes += #"\t"#.utf8
      case 0x0A: bytes += #"\n"#.utf8
      case 0x0C: bytes += #"\f"#.utf8
      case 0x0D: bytes += #"\r"#.utf8
      case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029:
        bytes += #"\u"#.utf8
        let digits = String(scalar.value, radix: 16)
        bytes += String(repeating: "0", count: 4 - digits.utf8.count).utf8
        bytes += digits.utf8
      case 0x20...0x7E: bytes.append(UInt8(scalar.value))
      default: bytes += UTF8.encode(scalar)!
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension JSON: CustomStringConvertible {
  public var description: String { text }
}

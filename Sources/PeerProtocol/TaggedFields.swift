/// Writes a payload of tagged fields: tag (1 byte), length (1 byte), value. Readers skip tags that they do not know,
/// so that a field can be added without a new protocol version.
public struct TaggedFieldWriter: Sendable {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public mutating func set<T: FixedWidthInteger & UnsignedInteger>(_ tag: UInt8, _ value: T?) {
    guard let value else { return }
    bytes.append(tag)
    bytes.append(UInt8(T.bitWidth / 8))
    bytes.appendBigEndian(value)
  }

  public mutating func set(_ tag: UInt8, _ value: Double?) { set(tag, value?.bitPattern) }

  public mutating func set(_ tag: UInt8, _ value: Bool?) { set(tag, value.map { UInt8($0 ? 1 : 0) }) }

  /// Writes a text, shortened to whole characters of at most `maximumBytes` (255 at most).
  public mutating func set(_ tag: UInt8, _ value: String?, maximumBytes: Int) {
    guard let value else { return }
    let text = value.prefix(utf8Bytes: min(maximumBytes, 255))
    bytes.append(tag)
    bytes.append(UInt8(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes at most 255 bytes as they are.
  public mutating func set(_ tag: UInt8, _ value: ArraySlice<UInt8>) {
    bytes.append(tag)
    bytes.append(UInt8(value.count))
    bytes.append(contentsOf: value)
  }
}

/// Reads a payload of tagged fields.
public struct TaggedFieldReader: Sendable {
  private var fields: [UInt8: ArraySlice<UInt8>] = [:]

  /// Nil when the payload ends inside a field or names a tag twice.
  public init?(_ payload: ArraySlice<UInt8>) {
    var reader = ByteReader(payload)
    while reader.remainingCount > 0 {
      guard let tag = reader.integer(UInt8.self), let length = reader.integer(UInt8.self),
        let value = reader.slice(Int(length)), fields.updateValue(value, forKey: tag) == nil
      else { return nil }
    }
  }

  /// Nil when the field is missing or has another size.
  public func integer<T: FixedWidthInteger & UnsignedInteger>(_ tag: UInt8, _: T.Type) -> T? {
    guard let value = fields[tag], value.count == T.bitWidth / 8 else { return nil }
    var reader = ByteReader(value)
    return reader.integer(T.self)
  }

  /// Nil when the field is missing, has another size or is not finite.
  public func double(_ tag: UInt8) -> Double? {
    guard let value = integer(tag, UInt64.self).map(Double.init(bitPattern:)), value.isFinite else {
      return nil
    }
    return value
  }

  public func boolean(_ tag: UInt8) -> Bool? { integer(tag, UInt8.self).map { $0 != 0 } }

  public func bytes(_ tag: UInt8) -> ArraySlice<UInt8>? { fields[tag] }

  public func string(_ tag: UInt8) -> String? { fields[tag].map { String(decoding: $0, as: UTF8.self) } }
}

extension String {
  /// The longest prefix of whole characters that fits into `count` UTF-8 bytes.
  public func prefix(utf8Bytes count: Int) -> String {
    guard utf8.count > count else { return self }
    var result = ""
    var used = 0
    for character in self {
      used += character.utf8.count
      if used > count { break }
      result.append(character)
    }
    return result
  }
}

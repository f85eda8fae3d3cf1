/// What is wrong with the text of a value; `ValueType.validValues` says what would be right.
public struct InvalidValue: Error, Equatable, Sendable {
  /// The end of a sentence that begins with the option or key, such as "is not a number".
  public var problem: String

  public init(_ problem: String) { self.problem = problem }
}

/// How values of one kind are written: one description serves options and configuration keys, help, sample
/// file, parser, printer and error texts.
public struct ValueType<Value: Sendable>: Sendable {
  /// How help calls the value, such as `METERS`.
  public var name: String
  /// The unit of a bare number, or nil for values without unit.
  public var unit: String?
  /// Completes "valid: …".
  public var validValues: String
  public var parse: @Sendable (String) throws(InvalidValue) -> Value
  /// The text that `parse` reads as this value.
  public var text: @Sendable (Value) -> String

  public init(
    name: String, unit: String? = nil, validValues: String,
    parse: @escaping @Sendable (String) throws(InvalidValue) -> Value,
    text: @escaping @Sendable (Value) -> String
  ) {
    self.name = name
    self.unit = unit
    self.validValues = validValues
    self.parse = parse
    self.text = text
  }
}

extension ValueType {
  /// The same values, or a word such as `off` for none.
  public func orNone(_ word: String) -> ValueType<Value?> {
    ValueType<Value?>(
      name: "\(name)|\(word)", unit: unit, validValues: "\(validValues), or \(word)",
      parse: { (text) throws(InvalidValue) in text == word ? nil : try parse(text) },
      text: { $0.map(text) ?? word })
  }
}

extension ValueType where Value == Bool {
  public static let yesNo = ValueType(
    name: "yes|no", validValues: "yes or no",
    parse: { (text) throws(InvalidValue) in
      switch text {
      case "yes": true
      case "no": false
      default: throw InvalidValue("'\(printable(text))' is neither yes nor no")
      }
    },
    text: { $0 ? "yes" : "no" })
}

extension ValueType
where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
  /// One of the words of an enumeration.
  public static var choice: ValueType {
    let words = Value.allCases.map(\.rawValue)
    return ValueType(
      name: words.joined(separator: "|"), validValues: alternatives(words),
      parse: { (text) throws(InvalidValue) in
        if let value = Value(rawValue: text) { return value }
        let hint = nearest(to: text, among: words).map { "; did you mean \($0)?" } ?? ""
        throw InvalidValue("'\(printable(text))' is not known\(hint)")
      },
      text: \.rawValue)
  }
}

extension ValueType where Value == String {
  /// A display name as service discovery can carry it: 1 to 63 UTF-8 bytes, no control characters
  /// (RFC 6763 section 4.1.1).
  public static let displayName = ValueType(
    name: "NAME", validValues: "1 to 63 bytes of UTF-8 without control characters",
    parse: { (text) throws(InvalidValue) in
      guard !text.isEmpty else { throw InvalidValue("is empty") }
      guard text.utf8.count <= 63 else { throw InvalidValue("is \(text.utf8.count) bytes long") }
      guard printable(text) == text else { throw InvalidValue("contains control characters") }
      return text
    },
    text: { $0 })

  /// A path of a file or directory.
  public static func path(_ name: String) -> ValueType {
    ValueType(
      name: name, validValues: "a path of at most 1023 bytes",
      parse: { (text) throws(InvalidValue) in
        guard !text.isEmpty else { throw InvalidValue("is empty") }
        guard text.utf8.count <= 1023 else { throw InvalidValue("is \(text.utf8.count) bytes long") }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
          throw InvalidValue("contains control characters")
        }
        return text
      },
      text: { $0 })
  }

  /// The fingerprint of a certificate: lowercase hexadecimal SHA-256. Colons and capitals, as other tools
  /// print fingerprints, are accepted.
  public static let fingerprint = ValueType(
    name: "ID", validValues: "the 64 hexadecimal digits that 'identity' prints on the other side",
    parse: { (text) throws(InvalidValue) in
      let digits = text.filter { $0 != ":" }.lowercased()
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else {
        throw InvalidValue("'\(printable(text))' is not hexadecimal")
      }
      guard digits.utf8.count == 64 else { throw InvalidValue("has \(digits.utf8.count) digits") }
      return digits
    },
    text: { $0 })
}

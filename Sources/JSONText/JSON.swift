/// A JSON value (RFC 8259).
///
/// Whole numbers that fit keep all 64 bits (`integer`): log sequence numbers must not lose digits in a `Double`.
public enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object(Object)

  /// The members of an object, in the order in which they were added or read.
  ///
  /// Order is kept because people read the lines: time and event come first. Objects here have a few members,
  /// so that look-up walks them; there is no hash table to build for each line.
  public struct Object: Equatable, Sendable {
    public struct Member: Equatable, Sendable {
      public var key: String
      public var value: JSON

      public init(key: String, value: JSON) {
        self.key = key
        self.value = value
      }
    }

    public private(set) var members: [Member]

    public init() { members = [] }

    /// The members as given; of two with the same key the later wins, in the place of the first.
    public init(_ members: [Member]) {
      self.init()
      for member in members { self[member.key] = member.value }
    }

    /// Members known to have distinct keys (the reader has checked).
    init(distinct members: [Member]) { self.members = members }

    /// The value of a member. Setting replaces in place or appends; setting nil removes the member.
    public subscript(key: String) -> JSON? {
      get { members.first { $0.key == key }?.value }
      set {
        let index = members.firstIndex { $0.key == key }
        switch (index, newValue) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append(Member(key: key, value: value))
        case (nil, nil): break
        }
      }
    }
  }
}

extension JSON {
  /// The member `key` when this is an object that has it.
  public subscript(key: String) -> JSON? { object?[key] }

  /// The element at `index` when this is an array that has it.
  public subscript(index: Int) -> JSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  public var isNull: Bool { self == .null }

  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The whole number; nil for one written with a fraction or exponent, or beyond 64 bits.
  public var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// Any number.
  public var double: Double? {
    switch self {
    case .number(let value): value
    case .integer(let value): Double(value)
    case .null, .bool, .string, .array, .object: nil
    }
  }

  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  public var array: [JSON]? {
    if case .array(let value) = self { value } else { nil }
  }

  public var object: Object? {
    if case .object(let value) = self { value } else { nil }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Object(elements.map { Object.Member(key: $0.0, value: $0.1) }))
  }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self.init(elements.map { Member(key: $0.0, value: $0.1) })
  }
}

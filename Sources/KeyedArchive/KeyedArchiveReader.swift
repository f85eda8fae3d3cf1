/// Reads one flat object from an NSSecureCoding keyed archive, with nothing taken on trust.
///
/// The archive has to be a strict binary property list (``PropertyListLayout`` lists the rules) whose top dictionary holds exactly
/// `$archiver` = `NSKeyedArchiver`, `$version` = 100000, `$top` and `$objects`; whose `$top` holds one reference, under the expected
/// key; and whose object has an allowed class and single values only. Everything is checked by `init`; after that, typed reads tell
/// a missing value (`nil`) from one of another type (an error) from one that is there.
///
/// Reading does not recurse, and allocates one table of the object's values: at most 28 bytes for each key.
public struct KeyedArchiveReader: Sendable {
  private struct Entry {
    let key: PropertyListObject
    let value: PropertyListObject
    let kind: ArchivedKind
  }

  private let bytes: [UInt8]
  private let entries: [Entry]
  private let classNameObject: PropertyListObject

  /// - Parameters:
  ///   - bytes: the whole archive.
  ///   - rootKey: the key that the object was archived under; `root` for archivers that were not told another.
  ///   - classNames: classes that the object may have. A name allows itself and `Module.Name`, which is how Swift's Foundation
  ///     names a class; the module is not compared, since it is a detail of the sender's build.
  public init(
    _ bytes: [UInt8], rootKey: String, classNames: [String], limits: KeyedArchiveLimits = KeyedArchiveLimits()
  ) throws(KeyedArchiveError) {
    self.bytes = bytes
    let span = bytes.span
    let layout = try PropertyListLayout(span, limits: limits)
    let header = try ArchiveHeader(layout, span, rootKey: rootKey)
    let root = try layout.object(header.rootObject, span)

    var entries: [Entry] = []
    let pairs = Int(root.count)
    // A dictionary of few objects can repeat a key often: the table never grows past the objects there are.
    entries.reserveCapacity(min(pairs, layout.objectCount))
    var classObject: Int?
    for index in 0..<pairs {
      let key = try layout.object(layout.reference(root, index, span), span)
      let value = try layout.object(layout.reference(root, pairs + index, span), span)
      guard key.kind.isString else { throw .keyIsNotAString(object: header.rootObject) }
      if matches(key, "$class", span) {
        guard classObject == nil else { throw .repeatedKey("$class") }
        guard value.kind == .uid, let target = header.object(forUID: value, layout, span) else {
          throw .badClassDescription
        }
        classObject = target
        continue
      }
      for entry in entries where Self.sameText(entry.key, key, span) { throw .repeatedKey(text(key, span)) }
      entries.append(try Self.resolve(key, value, header, layout, span))
    }
    guard let classObject, classObject != header.rootObject else { throw .badClassDescription }
    classNameObject = try Self.checkClass(classObject, classNames, layout, span)
    try header.checkNoStrayObjects(classObject: classObject, layout, span)
    self.entries = entries
  }

  /// Follows a reference to a single value. Values that are no references stand for themselves.
  private static func resolve(
    _ key: PropertyListObject, _ value: PropertyListObject, _ header: ArchiveHeader,
    _ layout: PropertyListLayout,
    _ bytes: Span<UInt8>
  ) throws(KeyedArchiveError) -> Entry {
    var value = value
    if value.kind == .uid {
      guard let target = header.object(forUID: value, layout, bytes) else {
        throw .referenceOutOfRange(object: header.rootObject)
      }
      value = try layout.object(target, bytes)
      // By number and not by text: a string that reads "$null" is a string.
      if target == header.nullObject { return Entry(key: key, value: value, kind: .null) }
    }
    let kind: ArchivedKind
    switch value.kind {
    case .boolean: kind = .boolean
    case .integer: kind = .integer
    case .real: kind = .double
    case .date: kind = .date
    case .data: kind = .data
    case .asciiString, .utf16String: kind = .string
    case .uid, .array, .dictionary: throw .nestedObject(key: text(key, bytes))
    }
    return Entry(key: key, value: value, kind: kind)
  }

  /// Checks the class description and returns its name.
  private static func checkClass(
    _ number: Int, _ allowed: [String], _ layout: PropertyListLayout, _ bytes: Span<UInt8>
  ) throws(KeyedArchiveError) -> PropertyListObject {
    let description = try layout.object(number, bytes)
    let pairs = Int(description.count)
    // `$classhints` names classes to fall back on; an archiver writes it when a class asks for it.
    guard description.kind == .dictionary, pairs == 2 || pairs == 3 else { throw .badClassDescription }
    var name: PropertyListObject?
    var classes: PropertyListObject?
    var hints: PropertyListObject?
    for index in 0..<pairs {
      let key = try layout.object(layout.reference(description, index, bytes), bytes)
      let value = try layout.object(layout.reference(description, pairs + index, bytes), bytes)
      if matches(key, "$classname", bytes), value.kind.isString {
        name = value
      } else if matches(key, "$classes", bytes), value.kind == .array {
        classes = value
      } else if matches(key, "$classhints", bytes), value.kind == .array {
        hints = value
      } else {
        throw .badClassDescription
      }
    }
    guard let name, let classes, classes.count > 0, (hints != nil) == (pairs == 3) else {
      throw .badClassDescription
    }
    for list in [classes, hints ?? classes] {
      for index in 0..<Int(list.count) {
        guard try layout.object(layout.reference(list, index, bytes), bytes).kind.isString else {
          throw .badClassDescription
        }
      }
    }
    // The list names the class itself, then its superclasses; a reader that goes by the list must see the same class.
    guard sameText(try layout.object(layout.reference(classes, 0, bytes), bytes), name, bytes) else {
      throw .badClassDescription
    }
    for candidate in allowed where isName(name, candidate, bytes) { return name }
    throw .classNotAllowed(text(name, bytes))
  }

  /// Whether a class name is the allowed one, or the allowed one after one module name.
  private static func isName(_ object: PropertyListObject, _ allowed: String, _ bytes: Span<UInt8>) -> Bool {
    guard object.kind == .asciiString else { return false }
    let allowedText = allowed.utf8.span
    let start = Int(object.start)
    let module = Int(object.count) - allowedText.count - 1
    if module == -1 { return matches(object, allowed, bytes) }
    guard module > 0, bytes[start + module] == UInt8(ascii: "."),
      matches(bytes, from: start + module + 1, count: allowedText.count, allowedText)
    else { return false }
    for index in start..<(start + module) {
      switch bytes[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        continue
      default: return false
      }
    }
    return true
  }

  /// Whether two strings are equal. Text has one spelling only (``isCanonicalUTF16``), so comparing bytes is enough.
  private static func sameText(_ one: PropertyListObject, _ other: PropertyListObject, _ bytes: Span<UInt8>)
    -> Bool
  {
    guard one.kind == other.kind, one.count == other.count else { return false }
    let size = one.kind == .utf16String ? Int(one.count) * 2 : Int(one.count)
    for index in 0..<size where bytes[Int(one.start) + index] != bytes[Int(other.start) + index] {
      return false
    }
    return true
  }
}

// MARK: - Typed reads

extension KeyedArchiveReader {
  /// The class name as it was written, with a module if the archiver wrote one.
  public var className: String { text(classNameObject, bytes.span) }

  /// The keys of the object, in the order of the archive.
  public var keys: [String] { entries.map { text($0.key, bytes.span) } }

  /// What kind of value is there; `nil` when the key is missing.
  public func kind(forKey key: String) -> ArchivedKind? { entry(key)?.kind }

  /// `nil` when the key is missing or null.
  public func boolean(forKey key: String) throws(KeyedArchiveError) -> Bool? {
    guard let value = try value(key, .boolean) else { return nil }
    return value.count == 1
  }

  /// `nil` when the key is missing or null.
  public func integer(forKey key: String) throws(KeyedArchiveError) -> Int64? {
    guard let value = try value(key, .integer) else { return nil }
    let span = bytes.span
    let start = Int(value.start)
    switch value.count {
    case 16:
      // Sixteen bytes hold what needs more than 63 bits; some writers use them for less.
      let high = bigEndian(span, at: start, size: 8)
      let low = Int64(bitPattern: bigEndian(span, at: start + 8, size: 8))
      guard high == (low < 0 ? .max : 0) else { throw .integerOutOfRange(key: key) }
      return low
    // One, two and four bytes are unsigned, eight are signed.
    default: return Int64(bitPattern: bigEndian(span, at: start, size: Int(value.count)))
    }
  }

  /// A real number of 32 or 64 bits, as it stands there: it may be infinite or not a number. An integer is not taken for one.
  ///
  /// `nil` when the key is missing or null.
  public func double(forKey key: String) throws(KeyedArchiveError) -> Double? {
    guard let value = try value(key, .double) else { return nil }
    let bits = bigEndian(bytes.span, at: Int(value.start), size: Int(value.count))
    return value.count == 4
      ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
  }

  /// `nil` when the key is missing or null.
  public func string(forKey key: String) throws(KeyedArchiveError) -> String? {
    guard let value = try value(key, .string) else { return nil }
    return text(value, bytes.span)
  }

  private func value(_ key: String, _ expected: ArchivedKind) throws(KeyedArchiveError) -> PropertyListObject?
  {
    guard let entry = entry(key), entry.kind != .null else { return nil }
    guard entry.kind == expected else { throw .mistyped(key: key, expected: expected, found: entry.kind) }
    return entry.value
  }

  private func entry(_ key: String) -> Entry? {
    let span = bytes.span
    for entry in entries where matches(entry.key, key, span) { return entry }
    return nil
  }
}

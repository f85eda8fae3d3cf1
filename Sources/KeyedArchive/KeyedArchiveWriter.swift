/// Writes one flat object as an NSSecureCoding keyed archive that Foundation, `bpylist2` and ``KeyedArchiveReader`` read.
///
/// The same calls give the same bytes: values stand in the order in which they were set. Booleans and numbers stand in the object
/// itself and strings are objects of their own, as Foundation's archiver does it.
public struct KeyedArchiveWriter: Sendable {
  private enum Value: Sendable {
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
  }

  private let rootKey: String
  private let className: String
  private var keys: [String] = []
  private var values: [Value] = []
  private var stringCount = 0

  /// - Parameters:
  ///   - rootKey: the key to archive the object under; readers that are not told another expect `root`.
  ///   - className: the bare name. Foundation's readers map it with `setClass(_:forClassName:)`.
  public init(rootKey: String, className: String) {
    self.rootKey = rootKey
    self.className = className
    keys.reserveCapacity(16)
    values.reserveCapacity(16)
  }

  public mutating func set(_ value: Bool, forKey key: String) { add(.boolean(value), key) }
  public mutating func set(_ value: Int64, forKey key: String) { add(.integer(value), key) }
  public mutating func set(_ value: Double, forKey key: String) { add(.double(value), key) }
  public mutating func set(_ value: String, forKey key: String) {
    stringCount += 1
    add(.string(value), key)
  }

  private mutating func add(_ value: Value, _ key: String) {
    // "$" begins the archiver's own keys, such as "$class".
    precondition(key.utf8.first != UInt8(ascii: "$"), "the key \(key) begins with $")
    precondition(!keys.contains(key), "the key \(key) is set twice")
    keys.append(key)
    values.append(value)
  }

  /// The archive.
  public func encoded() -> [UInt8] {
    // Objects have fixed numbers up to 13: 0 top dictionary, 1...4 its keys, 5 version, 6 archiver, 7 `$top`, 8 and 9 its key and
    // reference, 10 `$objects`, 11 `$null`, 12 the object, 13 `$class`. Then its other keys, its values, six for the class, strings.
    let objectCount = 21 + keys.count * 2 + stringCount
    var list = PropertyListBuilder(objectCount: objectCount, capacity: 256 + keys.count * 40)
    list.beginDictionary(count: 4)
    for number in [1, 2, 3, 4, 5, 6, 7, 10] { list.reference(number) }
    list.string("$version")
    list.string("$archiver")
    list.string("$top")
    list.string("$objects")
    list.integer(100_000)
    list.string("NSKeyedArchiver")
    list.beginDictionary(count: 1)
    list.reference(8)
    list.reference(9)
    list.string(rootKey)
    list.uid(1)

    // `$objects`: null, the object, its class, the strings.
    let classDescription = 15 + keys.count * 2
    let firstString = classDescription + 6
    list.beginArray(count: 3 + stringCount)
    list.reference(11)
    list.reference(12)
    list.reference(classDescription)
    for index in 0..<stringCount { list.reference(firstString + index) }
    list.string("$null")

    list.beginDictionary(count: 1 + keys.count)
    let firstKey = 13
    let firstValue = firstKey + 1 + keys.count
    for index in 0...keys.count { list.reference(firstKey + index) }
    for index in 0...keys.count { list.reference(firstValue + index) }
    list.string("$class")
    for key in keys { list.string(key) }
    list.uid(2)
    var nextUID = 3
    for value in values {
      switch value {
      case .boolean(let value): list.boolean(value)
      case .integer(let value): list.integer(value)
      case .double(let value): list.double(value)
      case .string:
        list.uid(nextUID)
        nextUID += 1
      }
    }

    list.beginDictionary(count: 2)
    for number in 1...4 { list.reference(classDescription + number) }
    list.string("$classname")
    list.string("$classes")
    list.string(className)
    list.beginArray(count: 2)
    list.reference(classDescription + 3)
    list.reference(classDescription + 5)
    list.string("NSObject")
    for case .string(let value) in values { list.string(value) }
    return list.finish()
  }
}

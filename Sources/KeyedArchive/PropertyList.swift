/// One object of a binary property list, found but not copied.
struct PropertyListObject: Sendable {
  enum Kind: UInt8, Sendable {
    case boolean
    case integer
    case real
    case date
    case data
    case asciiString
    case utf16String
    case uid
    case array
    case dictionary

    var isContainer: Bool { self == .array || self == .dictionary }
    var isString: Bool { self == .asciiString || self == .utf16String }
  }

  let kind: Kind
  /// Where the contents begin.
  let start: Int32
  /// Contents in units of the kind: bytes, UTF-16 units, elements, pairs. For a boolean: 1 for true, 0 for false.
  let count: Int32
}

/// Where things are in a binary property list that passed every check that does not depend on its meaning.
///
/// After `init` returns, these hold, and the reader builds on them:
/// - objects follow each other from byte 8 to the offset table, in the order of their numbers: no gap, no overlap;
/// - each object is of a supported kind and complete, each reference in a container exists;
/// - no container is referenced more than once, and the top one never: what can be reached from it is a tree, without a cycle and
///   without a way to make few bytes stand for many objects. Objects that nothing refers to are allowed: Foundation on Linux writes
///   some, when equal values share one object.
///
/// Foundation on Linux and on Apple's systems, Python's `plistlib` and the writer here all produce this form. A scalar may be
/// referenced any number of times: all of them share equal keys and values.
///
/// The format is described in `CFBinaryPList.c` of Apple's CoreFoundation.
struct PropertyListLayout: Sendable {
  let objectCount: Int
  let topObject: Int
  private let offsetTable: Int
  private let offsetSize: Int
  let referenceSize: Int

  private static let headerSize = 8
  private static let trailerSize = 32

  init(_ bytes: Span<UInt8>, limits: KeyedArchiveLimits) throws(KeyedArchiveError) {
    let size = bytes.count
    guard size <= limits.maximumBytes else { throw .tooLarge(bytes: size, limit: limits.maximumBytes) }
    // One object of one byte with an offset of one byte is the smallest there is.
    guard size >= Self.headerSize + 2 + Self.trailerSize else { throw .tooShort(bytes: size) }
    // "bplist00"
    guard bigEndian(bytes, at: 0, size: 8) == 0x6270_6C69_7374_3030 else { throw .notABinaryPropertyList }

    let trailer = size - Self.trailerSize
    // Five unused bytes and a "sort version" that every known writer leaves at zero.
    guard bigEndian(bytes, at: trailer, size: 4) | bigEndian(bytes, at: trailer + 2, size: 4) == 0 else {
      throw .badTrailer(.unusedBytesNotZero)
    }
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard isPowerOfTwoUpToEight(offsetSize) else { throw .badTrailer(.offsetSize) }
    guard isPowerOfTwoUpToEight(referenceSize) else { throw .badTrailer(.referenceSize) }
    let count = bigEndian(bytes, at: trailer + 8, size: 8)
    guard count > 0 else { throw .badTrailer(.noObjects) }
    guard count <= UInt64(limits.maximumObjects) else {
      throw .tooManyObjects(count: Int(clamping: count), limit: limits.maximumObjects)
    }
    objectCount = Int(count)
    let top = bigEndian(bytes, at: trailer + 16, size: 8)
    guard top < count else { throw .badTrailer(.topObject) }
    topObject = Int(top)
    let table = trailer - objectCount * offsetSize
    guard table > Self.headerSize, bigEndian(bytes, at: trailer + 24, size: 8) == UInt64(table) else {
      throw .badTrailer(.offsetTable)
    }
    offsetTable = table
    try checkObjects(bytes)
  }

  private func checkObjects(_ bytes: Span<UInt8>) throws(KeyedArchiveError) {
    var once = ObjectSet()
    var again = ObjectSet()
    var containers = ObjectSet()
    var position = Self.headerSize
    for number in 0..<objectCount {
      guard bigEndian(bytes, at: offsetTable + number * offsetSize, size: offsetSize) == UInt64(position),
        position < offsetTable
      else { throw .misplacedObject(number) }
      let object = try parse(bytes, at: position, number: number)
      let start = Int(object.start)
      let count = Int(object.count)
      switch object.kind {
      case .boolean: position = start
      case .integer, .real, .date, .data, .uid: position = start + count
      case .asciiString:
        position = start + count
        guard isASCII(bytes, from: start, to: position) else { throw .badText(object: number) }
      case .utf16String:
        position = start + count * 2
        guard isCanonicalUTF16(bytes, from: start, count: count) else { throw .badText(object: number) }
      case .array, .dictionary:
        containers.insert(number)
        let references = object.kind == .array ? count : count * 2
        for index in 0..<references {
          let target = bigEndian(bytes, at: start + index * referenceSize, size: referenceSize)
          guard target < UInt64(objectCount) else { throw .referenceOutOfRange(object: number) }
          if !once.insert(Int(target)) { again.insert(Int(target)) }
        }
        position = start + references * referenceSize
      }
    }
    guard position == offsetTable else { throw .misplacedObject(objectCount) }
    guard !once.contains(topObject) else { throw .cyclicContainer(object: topObject) }
    if let shared = again.firstCommon(with: containers) { throw .sharedContainer(object: shared) }
  }

  /// The object at a position, complete before the offset table.
  private func parse(_ bytes: Span<UInt8>, at position: Int, number: Int) throws(KeyedArchiveError)
    -> PropertyListObject
  {
    let marker = bytes[position]
    let low = Int(marker & 0x0F)
    var start = position + 1
    var count = low
    let kind: PropertyListObject.Kind
    var unit = 1
    switch marker >> 4 {
    case 0x0:
      guard low == 8 || low == 9 else { throw .unsupportedMarker(object: number, marker: marker) }
      return PropertyListObject(kind: .boolean, start: Int32(start), count: Int32(low - 8))
    case 0x1:
      guard low <= 4 else { throw .unsupportedMarker(object: number, marker: marker) }
      kind = .integer
      count = 1 << low
    case 0x2:
      guard low == 2 || low == 3 else { throw .unsupportedMarker(object: number, marker: marker) }
      kind = .real
      count = 1 << low
    case 0x3:
      guard low == 3 else { throw .unsupportedMarker(object: number, marker: marker) }
      kind = .date
      count = 8
    case 0x8:
      count = low + 1
      guard isPowerOfTwoUpToEight(count) else { throw .unsupportedMarker(object: number, marker: marker) }
      kind = .uid
    case 0x4: kind = .data
    case 0x5: kind = .asciiString
    case 0x6:
      kind = .utf16String
      unit = 2
    case 0xA:
      kind = .array
      unit = referenceSize
    case 0xD:
      kind = .dictionary
      unit = referenceSize * 2
    default:
      // Null, fill, sets and the like: no keyed archiver writes them.
      throw .unsupportedMarker(object: number, marker: marker)
    }
    if low == 0x0F, marker >> 4 >= 0x4 {
      // A longer count follows as an integer object of its own.
      guard start < offsetTable else { throw .objectRunsOverTheEnd(number) }
      let countMarker = bytes[start]
      guard countMarker & 0xFC == 0x10 else {
        throw .unsupportedMarker(object: number, marker: countMarker)
      }
      let countSize = 1 << Int(countMarker & 0x03)
      start += 1
      guard countSize <= offsetTable - start else { throw .objectRunsOverTheEnd(number) }
      let long = bigEndian(bytes, at: start, size: countSize)
      // Compared before it is multiplied, so that a huge count cannot wrap around.
      guard long <= UInt64(offsetTable) else { throw .objectRunsOverTheEnd(number) }
      count = Int(long)
      start += countSize
    }
    guard count * unit <= offsetTable - start else { throw .objectRunsOverTheEnd(number) }
    return PropertyListObject(kind: kind, start: Int32(start), count: Int32(count))
  }

  /// The object with a number that was checked to exist.
  func object(_ number: Int, _ bytes: Span<UInt8>) throws(KeyedArchiveError) -> PropertyListObject {
    let position = bigEndian(bytes, at: offsetTable + number * offsetSize, size: offsetSize)
    return try parse(bytes, at: Int(position), number: number)
  }

  /// The number of the object that a container refers to at an index: elements of an array; keys of a dictionary, then its values.
  func reference(_ container: PropertyListObject, _ index: Int, _ bytes: Span<UInt8>) -> Int {
    Int(bigEndian(bytes, at: Int(container.start) + index * referenceSize, size: referenceSize))
  }
}

/// A set of object numbers without a heap allocation.
private struct ObjectSet {
  private var words = InlineArray<16, UInt64>(repeating: 0)

  /// Returns whether the number was new.
  @discardableResult
  mutating func insert(_ number: Int) -> Bool {
    let bit = UInt64(1) << UInt64(number & 63)
    let word = words[number >> 6]
    words[number >> 6] = word | bit
    return word & bit == 0
  }

  func contains(_ number: Int) -> Bool {
    words[number >> 6] & (UInt64(1) << UInt64(number & 63)) != 0
  }

  func firstCommon(with other: ObjectSet) -> Int? {
    for index in words.indices where words[index] & other.words[index] != 0 {
      return index << 6 + (words[index] & other.words[index]).trailingZeroBitCount
    }
    return nil
  }
}

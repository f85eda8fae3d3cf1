/// Lays out the objects of a binary property list one after the other.
///
/// The caller numbers the objects: the first one written is object 0, the top.
struct PropertyListBuilder {
  private var bytes: [UInt8]
  private var offsets: [Int] = []
  private let objectCount: Int
  private let referenceSize: Int

  init(objectCount: Int, capacity: Int) {
    precondition(
      objectCount <= Int(UInt16.max), "an archive of \(objectCount) objects is not what this is for")
    self.objectCount = objectCount
    referenceSize = objectCount <= 256 ? 1 : 2
    bytes = []
    bytes.reserveCapacity(capacity)
    offsets.reserveCapacity(objectCount)
    append(0x6270_6C69_7374_3030, size: 8)  // "bplist00"
  }

  mutating func boolean(_ value: Bool) { begin(value ? 0x09 : 0x08) }

  mutating func integer(_ value: Int64) {
    switch value {
    case 0...0xFF: begin(0x10, UInt64(value), size: 1)
    case 0x100...0xFFFF: begin(0x11, UInt64(value), size: 2)
    case 0x1_0000...0xFFFF_FFFF: begin(0x12, UInt64(value), size: 4)
    // Shorter integers are unsigned.
    default: begin(0x13, UInt64(bitPattern: value), size: 8)
    }
  }

  mutating func double(_ value: Double) { begin(0x23, value.bitPattern, size: 8) }

  mutating func uid(_ value: Int) {
    if value <= 0xFF { begin(0x80, UInt64(value), size: 1) } else { begin(0x81, UInt64(value), size: 2) }
  }

  mutating func string(_ text: String) {
    let utf8 = text.utf8.span
    if isASCII(utf8, from: 0, to: utf8.count) {
      begin(0x50, count: utf8.count)
      bytes.append(contentsOf: text.utf8)
    } else {
      begin(0x60, count: text.utf16.count)
      for unit in text.utf16 { append(UInt64(unit), size: 2) }
    }
  }

  /// To be followed by as many references.
  mutating func beginArray(count: Int) { begin(0xA0, count: count) }

  /// To be followed by as many references to keys, and then to values.
  mutating func beginDictionary(count: Int) { begin(0xD0, count: count) }

  mutating func reference(_ object: Int) { append(UInt64(object), size: referenceSize) }

  consuming func finish() -> [UInt8] {
    precondition(offsets.count == objectCount, "\(offsets.count) objects written, \(objectCount) announced")
    let table = bytes.count
    let offsetSize = table <= 0xFF ? 1 : table <= 0xFFFF ? 2 : 4
    for offset in offsets { append(UInt64(offset), size: offsetSize) }
    append(0, size: 6)
    bytes.append(UInt8(offsetSize))
    bytes.append(UInt8(referenceSize))
    append(UInt64(objectCount), size: 8)
    append(0, size: 8)
    append(UInt64(table), size: 8)
    return bytes
  }

  private mutating func begin(_ marker: UInt8) {
    offsets.append(bytes.count)
    bytes.append(marker)
  }

  private mutating func begin(_ marker: UInt8, _ value: UInt64, size: Int) {
    begin(marker)
    append(value, size: size)
  }

  private mutating func begin(_ marker: UInt8, count: Int) {
    if count < 15 {
      begin(marker | UInt8(count))
    } else if count <= 0xFF {
      begin(marker | 0x0F)
      bytes.append(0x10)
      append(UInt64(count), size: 1)
    } else {
      begin(marker | 0x0F)
      bytes.append(0x12)
      append(UInt64(count), size: 4)
    }
  }

  private mutating func append(_ value: UInt64, size: Int) {
    var shift = size * 8
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }
}

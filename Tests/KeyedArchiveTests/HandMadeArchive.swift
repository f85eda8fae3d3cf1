/// A property list put together object by object, so that a test can make exactly one of them wrong.
///
/// Laid out by hand after the format's description; `valid` archives `{on: true}` of class `Sample` under the key `root`.
struct HandMadeArchive {
  var objects: [[UInt8]]
  var top: UInt64 = 0
  var count: UInt64?
  var offsetSize: UInt8 = 2
  var referenceSize: UInt8 = 1
  var unused: [UInt8] = [0, 0, 0, 0, 0, 0]

  static let valid = HandMadeArchive(objects: [
    [0xD4, 1, 2, 3, 4, 5, 6, 7, 10],  // 0: the top dictionary
    text("$version"), text("$archiver"), text("$top"), text("$objects"),
    [0x12, 0x00, 0x01, 0x86, 0xA0], text("NSKeyedArchiver"),
    [0xD1, 8, 9], text("root"), [0x80, 1],  // 7: $top
    [0xA3, 11, 12, 17], text("$null"),  // 10: $objects
    [0xD2, 13, 14, 15, 16], text("$class"), text("on"), [0x80, 2], [0x09],  // 12: the object
    [0xD2, 18, 19, 20, 21], text("$classname"), text("$classes"), text("Sample"), [0xA2, 20, 22],
    text("NSObject"),
  ])

  static func text(_ text: String) -> [UInt8] {
    let utf8 = Array(text.utf8)
    return utf8.count < 15 ? [0x50 | UInt8(utf8.count)] + utf8 : [0x5F, 0x10, UInt8(utf8.count)] + utf8
  }

  func replacing(_ number: Int, _ object: [UInt8]) -> HandMadeArchive {
    var copy = self
    copy.objects[number] = object
    return copy
  }

  func appending(_ more: [UInt8]...) -> HandMadeArchive {
    var copy = self
    copy.objects += more
    return copy
  }

  var bytes: [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
    bytes += unused + [offsetSize, referenceSize]
    for number in [count ?? UInt64(objects.count), top, UInt64(table)] {
      bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
    }
    return bytes
  }
}

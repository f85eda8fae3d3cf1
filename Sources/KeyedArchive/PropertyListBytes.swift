/// Up to eight bytes as a number, most significant first.
@inline(__always)
func bigEndian(_ bytes: Span<UInt8>, at position: Int, size: Int) -> UInt64 {
  var value: UInt64 = 0
  for index in position..<(position + size) { value = value << 8 | UInt64(bytes[index]) }
  return value
}

@inline(__always)
func isPowerOfTwoUpToEight(_ size: Int) -> Bool {
  size == 1 || size == 2 || size == 4 || size == 8
}

func isASCII(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
  var seen: UInt8 = 0
  for index in start..<end { seen |= bytes[index] }
  return seen < 0x80
}

/// Whether UTF-16 text has its surrogates in pairs and could not have been written as ASCII.
///
/// Every writer prefers ASCII. A second spelling of the same key would let two readers see two different archives.
func isCanonicalUTF16(_ bytes: Span<UInt8>, from start: Int, count: Int) -> Bool {
  var needsUTF16 = false
  var awaitsLow = false
  for index in 0..<count {
    let unit = bigEndian(bytes, at: start + index * 2, size: 2)
    if unit >= 0x80 { needsUTF16 = true }
    switch unit {
    case 0xD800...0xDBFF:
      if awaitsLow { return false }
      awaitsLow = true
    case 0xDC00...0xDFFF:
      if !awaitsLow { return false }
      awaitsLow = false
    default:
      if awaitsLow { return false }
    }
  }
  return needsUTF16 && !awaitsLow
}

/// Whether a string object holds exactly these characters.
@inline(__always)
func matches(_ object: PropertyListObject, _ text: String, _ bytes: Span<UInt8>) -> Bool {
  switch object.kind {
  case .asciiString: return matches(bytes, from: Int(object.start), count: Int(object.count), text.utf8.span)
  case .utf16String: return KeyedArchive.text(object, bytes) == text
  case .boolean, .integer, .real, .date, .data, .uid, .array, .dictionary: return false
  }
}

@inline(__always)
func matches(_ bytes: Span<UInt8>, from start: Int, count: Int, _ text: Span<UInt8>) -> Bool {
  guard count == text.count else { return false }
  for index in 0..<count where bytes[start + index] != text[index] { return false }
  return true
}

/// The text of a string object.
func text(_ object: PropertyListObject, _ bytes: Span<UInt8>) -> String {
  let start = Int(object.start)
  let count = Int(object.count)
  if object.kind == .utf16String {
    let units = (0..<count).map { UInt16(bigEndian(bytes, at: start + $0 * 2, size: 2)) }
    return String(decoding: units, as: UTF16.self)
  }
  return String(decoding: (start..<(start + count)).map { bytes[$0] }, as: UTF8.self)
}

/// A text field of a message: characters in UTF-8, ended by a NUL when shorter than the field.
public struct FixedText<let length: Int>: Sendable, Equatable, BitwiseCopyable {
  /// The bytes as they are sent, whatever they are.
  public var bytes: FixedArray<length, UInt8>

  @inlinable
  public init(bytes: FixedArray<length, UInt8>) {
    self.bytes = bytes
  }

  /// As much of `text` as fits in whole characters of UTF-8, NUL after it.
  @inlinable
  public init(_ text: String) {
    let utf8 = text.utf8
    var end = min(utf8.count, length)
    if end < utf8.count {
      // Back to a byte that begins a character.
      while end > 0, utf8[utf8.index(utf8.startIndex, offsetBy: end)] & 0xC0 == 0x80 { end -= 1 }
    }
    bytes = FixedArray(utf8.prefix(end), padding: 0)
  }

  /// The text up to the first NUL, safe to print: bytes that are not UTF-8 and control characters
  /// are replaced by U+FFFD, because a line of log or terminal must not be steered by a vehicle.
  public var text: String { safeText(bytes.elements) }
}

extension FixedText: ExpressibleByStringLiteral {
  @inlinable public init(stringLiteral value: String) { self.init(value) }
}

extension FixedText: CustomStringConvertible {
  public var description: String { text }
}

/// The text up to the first NUL in `bytes`, with U+FFFD for invalid UTF-8 and control characters.
///
/// For texts that arrive in several STATUSTEXT chunks: join the bytes first, as a character may be
/// cut between two chunks.
public func safeText(_ bytes: some Collection<UInt8>) -> String {
  var text = String.UnicodeScalarView()
  for scalar in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).unicodeScalars {
    switch scalar.properties.generalCategory {
    // Format characters include those that reverse the writing direction of what follows.
    case .control, .format, .lineSeparator, .paragraphSeparator: text.append("\u{FFFD}")
    default: text.append(scalar)
    }
  }
  return String(text)
}

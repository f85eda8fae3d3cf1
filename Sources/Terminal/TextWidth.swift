extension Character {
  /// Columns that a terminal gives the character: 0, 1 or 2. An approximation of what terminals do, by Unicode's East Asian Width
  /// and emoji presentation; they do not agree among themselves.
  public var columnCount: Int {
    var width = 0
    for scalar in unicodeScalars {
      // A following VARIATION SELECTOR-16 asks for the picture, which is wide.
      if scalar.value == 0xFE0F, width == 1 { return 2 }
      width = max(width, scalar.columnCount)
    }
    return width
  }
}

extension StringProtocol {
  /// Columns that a terminal gives the text.
  public var columnCount: Int { reduce(0) { $0 + $1.columnCount } }

  /// The longest beginning that fits.
  public func prefix(columns: Int) -> SubSequence {
    var used = 0
    return prefix {
      used += $0.columnCount
      return used <= columns
    }
  }
}

extension Unicode.Scalar {
  fileprivate var columnCount: Int {
    if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) || value == 0xAD ? 0 : 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    // Hangul vowels and final consonants join the syllable before them.
    if (0x1160...0x11FF).contains(value) { return 0 }
    return isWide ? 2 : 1
  }

  /// The larger blocks of EastAsianWidth.txt (W and F), and pictures.
  private var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x16FE0...0x18DFF, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
      true
    default: properties.isEmojiPresentation
    }
  }
}

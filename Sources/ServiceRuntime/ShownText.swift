extension StringProtocol {
  /// The text as people may see it: whatever would drive a terminal, turn the order of letters round or hide is written out, and
  /// what is too long is cut with an ellipsis.
  ///
  /// Written out as `\u{…}` are control characters (C0, DEL, C1: every escape sequence begins with one), line and paragraph
  /// separators, format characters (Unicode's bidirectional overrides and isolates, zero-width and tag characters), private use
  /// and unassigned code points, and the ninth and later of combining marks heaped on one letter, which would be drawn over other
  /// lines. Joiners stay where writing needs them: behind a letter that is not ASCII, or an emoji. Applying it twice changes nothing.
  ///
  /// - Parameter maximumScalars: of the original that are shown.
  public func shown(maximumScalars: Int = 300) -> String {
    var result = ""
    var count = 0
    var marks = 0
    var previous: Unicode.Scalar?
    for scalar in unicodeScalars {
      if count == maximumScalars { return result + "…" }
      count += 1
      let isShown: Bool
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        isShown = false
      case .format:
        // ZERO WIDTH NON-JOINER and JOINER: Persian and Indic spelling, and families of emoji.
        let isJoiner = scalar.value == 0x200C || scalar.value == 0x200D
        isShown = isJoiner && previous.map { !$0.isASCII && $0.value != 0x200C && $0.value != 0x200D } == true
      case .nonspacingMark, .enclosingMark, .spacingMark:
        marks += 1
        isShown = marks <= 8
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber,
        .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation,
        .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol,
        .currencySymbol, .modifierSymbol, .otherSymbol, .spaceSeparator:
        marks = 0
        isShown = true
      @unknown default: isShown = false
      }
      if isShown {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
      previous = scalar
    }
    return result
  }
}

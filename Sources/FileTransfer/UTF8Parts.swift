import ServiceRuntime

/// Bytes taken apart into Unicode scalars and the bytes that are none, in order and without loss: names of files are bytes on Linux, and mostly text.
struct UTF8Parts: Sequence, IteratorProtocol {
  enum Part: Equatable {
    case scalar(Unicode.Scalar)
    /// One to three bytes that begin no scalar.
    case invalid([UInt8])
  }

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  mutating func next() -> Part? {
    guard position < bytes.count else { return nil }
    // Each time from a fresh slice of at most four bytes: the parser reads ahead and must not lose what it read.
    var input = bytes[position..<Swift.min(position + 4, bytes.count)].makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    switch parser.parseScalar(from: &input) {
    case .valid(let encoded):
      position += encoded.count
      return .scalar(Unicode.UTF8.decode(encoded))
    case .error(let length):
      let start = position
      position += Swift.max(1, Swift.min(length, bytes.count - position))
      return .invalid(Array(bytes[start..<position]))
    case .emptyInput: return nil
    }
  }
}

/// A name as text, which is what crosses the network: bytes that are not UTF-8 become `%ff`.
func textOfName(_ name: some Sequence<UInt8>) -> String {
  var text = ""
  for part in UTF8Parts(name) {
    switch part {
    case .scalar(let scalar): text.unicodeScalars.append(scalar)
    case .invalid(let bytes):
      for byte in bytes { text += "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))" }
    }
  }
  return text
}

/// Names below a folder as one path for people.
func shownPath(_ path: [[UInt8]]) -> String { path.map { textOfName($0) }.joined(separator: "/").shown() }

extension Unicode.Scalar {
  /// Whether a scalar in a name could drive a terminal, break a line, or make the name look other than it is: control characters, line and paragraph
  /// separators, and format characters, which reorder text or are invisible (Unicode Technical Report 36, section 2). Joiners stay: several
  /// scripts and many emoji need them.
  var isDeceptiveInNames: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
    case .format: value != 0x200C && value != 0x200D
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation,
      .dashPunctuation,
      .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation,
      .mathSymbol,
      .currencySymbol, .modifierSymbol, .otherSymbol, .spaceSeparator, .privateUse, .unassigned:
      false
    @unknown default: true
    }
  }
}

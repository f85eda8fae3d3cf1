/// What a person did at the keyboard.
public enum Key: Equatable, Sendable {
  case character(Character)
  case enter, tab, backTab, backspace, delete, insert, escape
  case up, down, left, right, home, end, pageUp, pageDown
  /// Control with a lower-case letter, such as `c`.
  case control(Character)
  /// Alt with a character.
  case alt(Character)
  /// Text that was pasted, as it was; it may have several lines and is no sequence of keys.
  case pasted(String)
  /// A sequence that is not known; it means nothing.
  case unknown
}

/// Turns the bytes of a terminal into keys: UTF-8, the escape sequences of xterm and its kin, bracketed paste.
///
/// The escape key sends the byte that also begins every sequence, so a lone escape is told only by `flush()`, which the owner
/// calls when nothing followed for `escapeTimeout`.
public struct KeyDecoder: Sendable {
  /// Sequences arrive in one piece locally, and within a round trip over SSH; people do not notice a tenth of a second.
  public static let escapeTimeout: Duration = .milliseconds(100)
  /// What is pasted beyond this is dropped.
  public static let maximumPasteBytes = 65_536
  /// No terminal sends longer sequences for keys.
  static let maximumSequenceBytes = 32

  private var pending: [UInt8] = []
  private var paste: [UInt8]?
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  public init() {}

  /// Whether an unfinished sequence waits for more bytes or `flush()`. A paste waits for its end only.
  public var isPending: Bool { !pending.isEmpty && paste == nil }

  public mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { take(byte, &keys) }
    return keys
  }

  /// Time is up: what is pending is not the beginning of anything.
  public mutating func flush() -> [Key] {
    guard isPending else { return [] }
    defer { pending = [] }
    return pending == [0x1B] ? [.escape] : [.unknown]
  }

  private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
    if paste != nil {
      takePasted(byte, &keys)
      return
    }
    pending.append(byte)
    switch interpretation() {
    case .incomplete: break
    case .key(let key):
      pending = []
      keys.append(key)
    case .pasteBegins:
      pending = []
      paste = []
    case .restart(let first):
      // The new byte does not continue the old ones: they mean what they mean by themselves, and it begins anew.
      pending = []
      keys.append(first)
      take(byte, &keys)
    }
  }

  private mutating func takePasted(_ byte: UInt8, _ keys: inout [Key]) {
    pending.append(byte)
    if pending == Self.pasteEnd {
      keys.append(.pasted(String(decoding: paste ?? [], as: UTF8.self)))
      pending = []
      paste = nil
    } else if !Self.pasteEnd.starts(with: pending) {
      // Only its first byte can begin the end mark, so what does not continue it is text, up to the next escape.
      let text = byte == 0x1B ? pending.dropLast() : pending[...]
      if (paste?.count ?? 0) + text.count <= Self.maximumPasteBytes { paste?.append(contentsOf: text) }
      pending = byte == 0x1B ? [byte] : []
    }
  }

  private enum Interpretation {
    case incomplete
    case key(Key)
    case pasteBegins
    case restart(Key)
  }

  private func interpretation() -> Interpretation {
    let first = pending[0]
    if first == 0x1B { return sequence() }
    if first < 0x80 { return .key(Self.plain(first)) }
    return utf8(pending[...]) { .key(.character($0)) }
  }

  /// One character of UTF-8 beyond ASCII. A letter and the marks that follow it come as several keys; the editor joins them.
  private func utf8(_ bytes: ArraySlice<UInt8>, _ key: (Character) -> Interpretation) -> Interpretation {
    let length: Int
    switch bytes[bytes.startIndex] {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return .key(.unknown)
    }
    if bytes.count > 1, let last = bytes.last, !(0x80...0xBF).contains(last) { return .restart(.unknown) }
    guard bytes.count == length else { return .incomplete }
    guard let character = String(validating: bytes, as: UTF8.self)?.first else { return .key(.unknown) }
    return key(character)
  }

  private static func plain(_ byte: UInt8) -> Key {
    switch byte {
    // Raw mode leaves the carriage return as it is; a pasted or piped line feed means the same.
    case 0x0D, 0x0A: .enter
    case 0x09: .tab
    case 0x08, 0x7F: .backspace
    case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
    case 0x20...0x7E: .character(Character(Unicode.Scalar(byte)))
    default: .unknown
    }
  }

  private func sequence() -> Interpretation {
    guard pending.count > 1 else { return .incomplete }
    switch pending[1] {
    case UInt8(ascii: "["): return controlSequence()
    case UInt8(ascii: "O"):
      guard pending.count > 2 else { return .incomplete }
      return .key(Self.cursorKey(pending[2]))
    case 0x1B:
      // Escape pressed twice: the second may begin a sequence.
      return .restart(.escape)
    case 0x20...0x7E: return .key(.alt(Character(Unicode.Scalar(pending[1]))))
    case 0x80...0xFF: return utf8(pending[1...]) { .key(.alt($0)) }
    default: return .key(.unknown)
    }
  }

  /// ECMA-48 control sequence: parameters 0x30-0x3F, intermediates 0x20-0x2F, one final byte 0x40-0x7E.
  private func controlSequence() -> Interpretation {
    guard pending.count > 2, let last = pending.last else { return .incomplete }
    switch last {
    // The Linux console sends ESC [ [ A for function keys.
    case UInt8(ascii: "[") where pending.count == 3: return .incomplete
    case 0x40...0x7E: break
    case 0x20...0x3F: return pending.count < Self.maximumSequenceBytes ? .incomplete : .key(.unknown)
    default: return .restart(.unknown)
    }
    if pending[2] == UInt8(ascii: "[") { return .key(.unknown) }
    let parameters = pending[2...].dropLast()
    if last != UInt8(ascii: "~") { return .key(Self.cursorKey(last)) }
    let number = parameters.prefix { (0x30...0x39).contains($0) }
    switch String(decoding: number, as: UTF8.self) {
    case "1", "7": return .key(.home)
    case "2": return .key(.insert)
    case "3": return .key(.delete)
    case "4", "8": return .key(.end)
    case "5": return .key(.pageUp)
    case "6": return .key(.pageDown)
    case "200": return .pasteBegins
    default: return .key(.unknown)
    }
  }

  private static func cursorKey(_ final: UInt8) -> Key {
    switch final {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "Z"): .backTab
    case UInt8(ascii: "M"): .enter
    default: .unknown
    }
  }
}

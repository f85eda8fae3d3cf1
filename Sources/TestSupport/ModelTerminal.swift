/// A terminal just good enough to obey our programs, so that tests see what a person would.
///
/// It has one row more than was ever written to, up to its height; what scrolls off goes into `history`.
public struct ModelTerminal {
  public private(set) var history: [String] = []
  public var columns: Int
  public var height: Int
  public private(set) var row = 0
  public private(set) var column = 0
  public private(set) var isCursorShown = true
  /// Sequences that it does not know, and letters beyond the right edge: programs should send none.
  public private(set) var faults: [String] = []
  private var rows: [[Character]] = [[]]
  private var pending: [UInt8] = []

  public init(columns: Int, rows: Int) {
    self.columns = columns
    height = rows
  }

  /// Without the empty rows at the bottom.
  public var lines: [String] {
    let texts = rows.map { text($0) }
    return Array(texts.prefix((texts.lastIndex { !$0.isEmpty } ?? -1) + 1))
  }

  public var all: [String] { history + lines }

  private func text(_ row: [Character]) -> String {
    var text = String(row)
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  public mutating func write(_ bytes: [UInt8]) {
    pending += bytes
    // Up to the last whole character and sequence; the rest may come with the next bytes.
    var rest = pending[...]
    while let length = Self.wholeLength(rest) {
      take(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    pending = Array(rest)
  }

  private static func wholeLength(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = bytes.first else { return nil }
    if first == 0x1B {
      guard bytes.count > 1 else { return nil }
      guard bytes[bytes.startIndex + 1] == UInt8(ascii: "[") else { return 2 }
      let end = bytes.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }
      return end.map { $0 - bytes.startIndex + 1 }
    }
    let length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    return bytes.count >= length ? length : nil
  }

  private mutating func take(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    switch bytes[0] {
    case 0x0D: column = 0
    case 0x0A: lineFeed()
    case 0x1B: obey(text)
    case 0x00...0x1F: faults.append(text.debugDescription)
    default:
      while rows[row].count <= column { rows[row].append(" ") }
      if column >= columns { faults.append("beyond the right edge: \(text)") }
      rows[row][column] = text.first ?? "?"
      column += 1
    }
  }

  private mutating func lineFeed() {
    row += 1
    if row == rows.count { rows.append([]) }
    if row == height {
      history.append(text(rows.removeFirst()))
      row -= 1
    }
  }

  private mutating func obey(_ sequence: String) {
    let parameters = String(sequence.dropFirst(2).dropLast())
    let number = Int(parameters) ?? 1
    switch sequence.last {
    case "A": row = max(0, row - number)
    case "C": column = min(columns - 1, column + number)
    case "J":
      rows[row] = Array(rows[row].prefix(column))
      rows.removeSubrange((row + 1)...)
    case "K": rows[row] = Array(rows[row].prefix(column))
    case "h" where parameters == "?25": isCursorShown = true
    case "l" where parameters == "?25": isCursorShown = false
    case "h" where ["?2026", "?2004"].contains(parameters),
      "l" where ["?2026", "?2004"].contains(parameters),
      "m":
      break
    default: faults.append(sequence.debugDescription)
    }
  }
}

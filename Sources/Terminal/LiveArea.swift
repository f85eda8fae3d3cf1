/// The last lines of a terminal, repainted in place, below lines that stay: what scrolls off remains in the terminal's own history,
/// and the terminal is the person's again when the program ends.
///
/// It gives the bytes to write, and writes nothing itself. Only lines that changed are sent.
public struct LiveArea: Sendable {
  public struct Size: Equatable, Sendable {
    public var columns: Int
    public var rows: Int

    /// Sizes that make no sense (a serial console says 0 by 0) are taken as the usual 80 by 24.
    public init(columns: Int, rows: Int) {
      self.columns = columns > 0 ? min(columns, 1000) : 80
      self.rows = rows > 0 ? min(rows, 500) : 24
    }
  }

  /// A place in the area, counted from its first line and column.
  public struct Cursor: Equatable, Sendable {
    public var row: Int
    public var column: Int

    public init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  public private(set) var size: Size
  private let hasColors: Bool
  /// As they are on the terminal, with their widths.
  private var painted: [(text: String, columns: Int)] = []
  private var cursorRow = 0
  private var cursor: Cursor?
  /// What was painted before is not where it was: the terminal was resized or something else wrote on it.
  private var isDisturbed = false

  /// Terminals that know it show what comes between at once (mode 2026); the others ignore it.
  private static let begin = "\u{1B}[?2026h\u{1B}[?25l"
  private static let end = "\u{1B}[?2026l"

  public init(size: Size, hasColors: Bool) {
    self.size = size
    self.hasColors = hasColors
  }

  /// The terminal has another size now; lines that had been wider than it are wrapped by the terminal itself.
  public mutating func resize(_ size: Size) {
    guard size != self.size else { return }
    let above = painted.prefix(cursorRow)
    cursorRow = above.reduce(0) { $0 + max(1, ($1.columns + size.columns - 1) / size.columns) }
    cursorRow = min(cursorRow, size.rows - 1)
    self.size = size
    isDisturbed = true
  }

  /// Something else wrote on the terminal, as after a stop and continue: the area begins anew where the cursor is.
  public mutating func restart() {
    painted = []
    cursorRow = 0
    cursor = nil
    isDisturbed = true
  }

  /// Repaints the area, and above it prints lines that stay.
  ///
  /// - Parameters:
  ///   - printing: lines above the area, wrapped to the width.
  ///   - lines: the area, each cut to the width; of more than fit, the last ones are shown.
  ///   - cursor: where it blinks; nil hides it.
  public mutating func paint(printing: [Line] = [], _ lines: [Line], cursor: Cursor?) -> [UInt8] {
    let dropped = max(0, lines.count - size.rows)
    // One column stays free: a letter in the last one makes some terminals begin the next line.
    let rows = lines.dropFirst(dropped).map { line in
      let line = line.fitted(columns: size.columns - 1)
      return (text: line.encoded(hasColors: hasColors), columns: line.columnCount)
    }
    let place = cursor.map {
      Cursor(row: max(0, $0.row - dropped), column: max(0, min($0.column, size.columns - 1)))
    }
    let isSame = rows.count == painted.count && zip(rows, painted).allSatisfy { $0.text == $1.text }
    if printing.isEmpty, isSame, place == self.cursor, !isDisturbed { return [] }
    var text = Self.begin
    var row = cursorRow
    func move(to target: Int) {
      if target < row { text += "\u{1B}[\(row - target)A" }
      // Line feeds, since they make room at the bottom where "cursor down" does not.
      if target > row { text += String(repeating: "\n", count: target - row) }
      row = target
      text += "\r"
    }
    if isDisturbed || !printing.isEmpty {
      move(to: 0)
      text += "\u{1B}[J"
      for line in printing.flatMap({ $0.wrapped(columns: size.columns - 1, indent: 2) }) {
        text += line.encoded(hasColors: hasColors) + "\r\n"
      }
      painted = []
    }
    for (index, line) in rows.enumerated() where index >= painted.count || painted[index].text != line.text {
      move(to: index)
      text += line.text + "\u{1B}[K"
    }
    if rows.count < painted.count {
      move(to: rows.count)
      text += "\u{1B}[J"
    }
    if let place, !rows.isEmpty {
      move(to: min(place.row, rows.count - 1))
      if place.column > 0 { text += "\u{1B}[\(place.column)C" }
      text += "\u{1B}[?25h"
    } else {
      move(to: max(0, rows.count - 1))
    }
    painted = rows
    cursorRow = row
    self.cursor = place
    isDisturbed = false
    return Array((text + Self.end).utf8)
  }

  /// Takes the area away and shows the cursor; what was printed stays.
  public mutating func finish() -> [UInt8] {
    let up = cursorRow > 0 ? "\u{1B}[\(cursorRow)A" : ""
    painted = []
    cursorRow = 0
    cursor = nil
    return Array("\(up)\r\u{1B}[J\u{1B}[?25h".utf8)
  }
}

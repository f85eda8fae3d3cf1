import Terminal
import TestSupport
import Testing

struct LiveAreaTests {
  private func area(_ columns: Int = 40, _ rows: Int = 10) -> (LiveArea, ModelTerminal) {
    (
      LiveArea(size: LiveArea.Size(columns: columns, rows: rows), hasColors: true),
      ModelTerminal(columns: columns, rows: rows)
    )
  }

  @Test func theAreaIsRepaintedInPlaceBelowLinesThatStay() {
    var (area, terminal) = area()
    terminal.write(area.paint(["one", "two", "three"], cursor: nil))
    #expect(terminal.lines == ["one", "two", "three"])
    #expect(!terminal.isCursorShown)
    terminal.write(area.paint(["one", Line("2", .good)], cursor: LiveArea.Cursor(row: 1, column: 1)))
    #expect(terminal.lines == ["one", "2"])
    #expect(terminal.isCursorShown && terminal.row == 1 && terminal.column == 1)
    terminal.write(
      area.paint(printing: ["log"], ["one", "2", "3"], cursor: LiveArea.Cursor(row: 0, column: 0)))
    #expect(terminal.lines == ["log", "one", "2", "3"])
    terminal.write(area.paint(printing: ["more"], ["x"], cursor: nil))
    #expect(terminal.lines == ["log", "more", "x"])
    terminal.write(area.finish())
    #expect(terminal.lines == ["log", "more"])
    #expect(terminal.isCursorShown)
  }

  @Test func nothingIsWrittenWhenNothingChanged() {
    var (area, _) = area()
    _ = area.paint(["one", "two"], cursor: LiveArea.Cursor(row: 1, column: 3))
    #expect(area.paint(["one", "two"], cursor: LiveArea.Cursor(row: 1, column: 3)).isEmpty)
    let change = area.paint(["one", "three"], cursor: LiveArea.Cursor(row: 1, column: 3))
    #expect(!String(decoding: change, as: UTF8.self).contains("one"))
  }

  @Test func anAreaHigherThanTheTerminalShowsItsEnd() {
    var (area, terminal) = area(40, 4)
    let lines = (1...9).map { Line("line \($0)") }
    terminal.write(area.paint(lines, cursor: LiveArea.Cursor(row: 8, column: 0)))
    #expect(terminal.lines == ["line 6", "line 7", "line 8", "line 9"])
    #expect(terminal.row == 3)
    #expect(terminal.history.isEmpty)
  }

  @Test func linesThatStayScrollIntoTheHistory() {
    var (area, terminal) = area(40, 4)
    for number in 1...6 {
      terminal.write(area.paint(printing: [Line("log \(number)")], ["bar", "input"], cursor: nil))
    }
    #expect(terminal.all == (1...6).map { "log \($0)" } + ["bar", "input"])
  }

  @Test func wideLinesAreCutAndLongOnesAboveWrapped() {
    var (area, terminal) = area(12, 10)
    terminal.write(area.paint(printing: ["the quick brown fox"], ["0123456789abcdef"], cursor: nil))
    #expect(terminal.lines == ["the quick", "  brown fox", "0123456789…"])
  }

  @Test func aNewSizeRepaintsAll() {
    var (area, terminal) = area()
    terminal.write(area.paint(["one", "two"], cursor: nil))
    area.resize(LiveArea.Size(columns: 60, rows: 20))
    terminal.columns = 60
    terminal.height = 20
    terminal.write(area.paint(["one", "two"], cursor: nil))
    #expect(terminal.lines == ["one", "two"])
  }

  @Test func aNarrowerTerminalHasWrappedWhatWasThere() {
    var area = LiveArea(size: LiveArea.Size(columns: 40, rows: 20), hasColors: false)
    _ = area.paint([Line(String(repeating: "x", count: 30)), "y"], cursor: nil)
    area.resize(LiveArea.Size(columns: 10, rows: 20))
    // The first line takes three rows now, so the beginning of the area is three above the second.
    let text = String(decoding: area.paint(["x", "y"], cursor: nil), as: UTF8.self)
    #expect(text.contains("\u{1B}[3A"))
  }

  @Test func impossibleSizesAreTakenAsUsual() {
    #expect(LiveArea.Size(columns: 0, rows: 0) == LiveArea.Size(columns: 80, rows: 24))
    #expect(LiveArea.Size(columns: 65_535, rows: 65_535) == LiveArea.Size(columns: 1000, rows: 500))
  }

  @Test func randomPaintingEndsAsIfPaintedOnce() {
    var random = SplitMix64(seed: 7)
    var (area, terminal) = area(30, 8)
    var printed: [String] = []
    for _ in 0..<500 {
      let lines = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        Line("r\(Int.random(in: 0...3, using: &random))")
      }
      let log = random.next() % 3 == 0 ? [Line("log \(printed.count)")] : []
      printed += log.map(\.text)
      let cursor = LiveArea.Cursor(row: Int.random(in: 0..<lines.count, using: &random), column: 2)
      terminal.write(area.paint(printing: log, lines, cursor: cursor))
      #expect(Array(terminal.all.suffix(lines.count)) == lines.map(\.text))
      #expect(terminal.all.prefix(printed.count) == printed[...])
      #expect(terminal.all.count == printed.count + lines.count)
    }
  }
}

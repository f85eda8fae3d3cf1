import Terminal
import Testing

struct LineTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("世界", 4), ("한국", 4), ("ｆｕｌｌ", 8), ("🚁", 2),
    ("👩\u{200D}👧", 2), ("☀\u{FE0F}", 2),
    ("☀", 1), ("—", 1), ("│", 1),
  ])
  func widthsAreThoseOfTerminals(_ text: String, _ columns: Int) { #expect(text.columnCount == columns) }

  @Test func textOfOthersCannotDriveTheTerminal() {
    let line = Line("\u{1B}[31mred\u{7}\n", .strong) + "x\u{202E}y"
    #expect(line.text == "\\u{1b}[31mred\\u{7}\\u{a}x\\u{202e}y")
  }

  @Test(arguments: [(5, "abcde"), (4, "abc…"), (1, "…"), (0, "")])
  func whatIsTooWideIsCut(_ columns: Int, _ text: String) {
    #expect(Line("abcde").fitted(columns: columns).text == text)
  }

  @Test func aWideLetterIsNotCutInHalf() {
    #expect(Line("a世界").fitted(columns: 4).text == "a世…")
    #expect(Line("a世界").fitted(columns: 3).text == "a…")
    #expect(Line("世").padded(columns: 4).text == "世  ")
  }

  @Test func longLinesAreWrappedAtSpaces() {
    let line = Line("12:00 ", .faint) + "the quick brown fox"
    #expect(line.wrapped(columns: 16, indent: 2).map(\.text) == ["12:00 the quick ", "  brown fox"])
    #expect(Line("short").wrapped(columns: 16).map(\.text) == ["short"])
    #expect(
      Line("abcdefghijklmnop").wrapped(columns: 10, indent: 2).map(\.text) == ["abcdefghij", "  klmnop"])
    #expect(Line("世界世界世界").wrapped(columns: 9, indent: 0).map(\.text) == ["世界世界", "世界"])
  }

  @Test func nothingIsLostByWrapping() {
    let text = "a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiiiiiiiiiiiiiiiiii jj"
    for columns in 3...80 {
      let lines = Line(text).wrapped(columns: columns, indent: 0)
      #expect(lines.map(\.text).joined() == text)
      for line in lines { #expect(line.columnCount <= max(8, columns) + 1) }
    }
  }
}

struct LineEditorTests {
  private func typed(_ text: String) -> LineEditor {
    var editor = LineEditor()
    for character in text { _ = editor.handle(.character(character)) }
    return editor
  }

  @Test func keysEditTheLine() {
    struct Step {
      let key: Key
      let text: String
    }
    var editor = typed("hello world")
    let steps = [
      Step(key: .control("w"), text: "hello "), Step(key: .backspace, text: "hello"),
      Step(key: .home, text: "hello"), Step(key: .delete, text: "ello"),
      Step(key: .character("J"), text: "Jello"),
      Step(key: .right, text: "Jello"), Step(key: .control("k"), text: "Je"),
      Step(key: .control("u"), text: ""),
      Step(key: .pasted("two\nlines"), text: "two\nlines"), Step(key: .left, text: "two\nlines"),
      Step(key: .character("X"), text: "two\nlineXs"), Step(key: .end, text: "two\nlineXs"),
    ]
    for step in steps {
      _ = editor.handle(step.key)
      #expect(editor.text == step.text)
    }
    #expect(editor.handle(.enter) == .entered("two\nlineXs"))
    #expect(editor.isEmpty)
    #expect(editor.handle(.backspace) == .ignored)
  }

  @Test func marksJoinTheirLetter() {
    var editor = typed("e")
    _ = editor.handle(.character("\u{301}"))
    _ = editor.handle(.backspace)
    #expect(editor.isEmpty)
  }

  @Test func earlierLinesComeBack() {
    var editor = LineEditor()
    for line in ["one", "two"] {
      for character in line { _ = editor.handle(.character(character)) }
      _ = editor.handle(.enter)
    }
    _ = editor.handle(.character("d"))
    _ = editor.handle(.up)
    #expect(editor.text == "two")
    _ = editor.handle(.up)
    #expect(editor.text == "one")
    #expect(editor.handle(.up) == .ignored)
    _ = editor.handle(.down)
    _ = editor.handle(.down)
    #expect(editor.text == "d")
    #expect(editor.handle(.down) == .ignored)
  }

  @Test func theLineIsBounded() {
    var editor = LineEditor()
    for _ in 0..<4 { _ = editor.handle(.pasted(String(repeating: "x", count: 5000))) }
    #expect(editor.text.utf8.count == 5000)
  }

  @Test func theCursorStaysInView() {
    var editor = typed(String(repeating: "abcdefghij", count: 5))
    for _ in 0..<50 {
      let view = editor.view(columns: 20)
      #expect(view.line.columnCount <= 20)
      #expect(view.cursorColumn < 20)
      _ = editor.handle(.left)
    }
    #expect(editor.view(columns: 20).cursorColumn == 0)
    #expect(typed("abc").view(columns: 20).cursorColumn == 3)
  }
}

struct LineSplitterTests {
  @Test func linesAreBytesOfAnyKind() {
    var splitter = LineSplitter()
    #expect(splitter.split("a\r\n\nb".utf8) == [.line([0x61]), .line([])])
    #expect(splitter.split([0xFF, 0x0A]) == [.line([0x62, 0xFF])])
    #expect(splitter.finish().isEmpty)
    #expect(splitter.split("rest".utf8).isEmpty)
    #expect(splitter.finish() == [.line(Array("rest".utf8))])
  }

  @Test func aLineWithoutEndIsBounded() {
    var splitter = LineSplitter()
    for _ in 0..<100 { #expect(splitter.split(repeatElement(0x61, count: 10_000)).isEmpty) }
    #expect(splitter.split([0x0A, 0x62, 0x0A]) == [.lineTooLong, .line([0x62])])
  }
}

import ServiceRuntime
import Testing

struct ShownTextTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let shown: String

    init(_ name: String, _ text: String, _ shown: String) {
      testDescription = name
      self.text = text
      self.shown = shown
    }
  }

  static let cases = [
    Case("plain text", "Grüße, 世界 🚁", "Grüße, 世界 🚁"),
    Case("an escape sequence", "\u{1B}[2Jgone", "\\u{1b}[2Jgone"),
    Case("a C1 control sequence", "\u{9B}2J", "\\u{9b}2J"),
    Case("a bell and a backspace", "a\u{7}b\u{8}", "a\\u{7}b\\u{8}"),
    Case("lines", "a\nb\r\nc\u{2028}d", "a\\u{a}b\\u{d}\\u{a}c\\u{2028}d"),
    Case("a right-to-left override", "photo\u{202E}gpj.exe", "photo\\u{202e}gpj.exe"),
    Case("an isolate", "a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}"),
    Case("a zero-width space", "An\u{200B}n", "An\\u{200b}n"),
    Case("a joiner in ASCII", "An\u{200D}n", "An\\u{200d}n"),
    Case("joiners in a row", "ह\u{200D}\u{200D}", "ह\u{200D}\\u{200d}"),
    Case("a family", "👩\u{200D}👧", "👩\u{200D}👧"),
    Case("a tag character", "a\u{E0041}", "a\\u{e0041}"),
    Case("private use", "\u{E000}", "\\u{e000}"),
    Case("an accent", "e\u{301}", "e\u{301}"),
    Case(
      "a heap of accents", "e" + String(repeating: "\u{301}", count: 10),
      "e" + String(repeating: "\u{301}", count: 8) + "\\u{301}\\u{301}"),
  ]

  @Test(arguments: cases) func whatDrivesATerminalIsShown(_ one: Case) {
    #expect(one.text.shown() == one.shown)
    #expect(one.shown.shown() == one.shown)
  }

  @Test func longTextIsCut() {
    #expect("abcdef".shown(maximumScalars: 3) == "abc…")
    #expect("abc".shown(maximumScalars: 3) == "abc")
  }
}

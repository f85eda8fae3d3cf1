/// Text in the language of manual pages: the macros of `man(7)`, which groff and mandoc both read.
struct Roff {
  private(set) var text = ""

  /// One paragraph's words; a line of the source for each sentence would be finer, and nobody reads the source.
  static func escaped(_ text: some StringProtocol) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      // A hyphen that can be copied to a command line, not a typographic one.
      case "-": result += "\\-"
      case "…": result += "..."
      // Typewriter quotes, which the language turns into curly ones.
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      default: result.append(character)
      }
    }
    return result
  }

  /// Words with `code` set in bold and *names* in italics; a control character at the begin of a line is made harmless.
  static func inline(_ source: some StringProtocol) -> String {
    var result = ""
    var rest = Substring(source)
    while let mark = rest.firstIndex(where: { $0 == "`" || $0 == "*" }) {
      let sign = rest[mark]
      let after = rest[rest.index(after: mark)...]
      guard let end = after.firstIndex(of: sign) else { break }
      result += escaped(rest[..<mark])
      result += (sign == "`" ? "\\fB" : "\\fI") + escaped(after[..<end]) + "\\fR"
      rest = after[after.index(after: end)...]
    }
    return begun(result + escaped(rest))
  }

  /// Words of a table, which have no marks.
  static func plain(_ words: some StringProtocol) -> String { begun(escaped(words)) }

  mutating func macro(_ line: String) { text += line + "\n" }
  mutating func section(_ title: String) { macro(".SH \(Roff.quoted(title))") }
  mutating func subsection(_ title: String) { macro(".SS \(Roff.quoted(title))") }

  mutating func paragraph(_ words: String) {
    macro(".PP")
    macro(Roff.inline(words))
  }

  /// A paragraph right after a heading, where `.PP` would add an empty line.
  mutating func line(_ words: String) { macro(Roff.inline(words)) }

  /// A term with the lines of its meaning beside it; all are roff already.
  mutating func item(_ term: String, _ meaning: [String]) {
    macro(".TP")
    macro(term)
    macro(meaning.joined(separator: "\n.br\n"))
  }

  mutating func example(_ lines: [String]) {
    macro(".PP")
    macro(".RS 4")
    macro(".nf")
    for line in lines { macro(Roff.begun(Roff.escaped(line))) }
    macro(".fi")
    macro(".RE")
  }

  static func bold(_ words: String) -> String { "\\fB\(escaped(words))\\fR" }
  static func italic(_ words: String) -> String { "\\fI\(escaped(words))\\fR" }

  private static func begun(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }
  private static func quoted(_ title: String) -> String {
    "\"\(escaped(title).replacing("\"", with: "\\(dq"))\""
  }
}

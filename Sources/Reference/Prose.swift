/// What people wrote for a manual page, in the small part of Markdown that `docs/man` uses: `## SECTION`, `### part`, paragraphs,
/// examples indented by four spaces, `- item` and terms, each followed by `:   ` and its meaning.
public struct Prose: Equatable, Sendable {
  public struct Section: Equatable, Sendable {
    public var title: String
    var blocks: [Block]
  }

  enum Block: Equatable, Sendable {
    case part(String)
    case paragraph(String)
    case example([String])
    case item(String)
    case term(String, meaning: String)
  }

  /// In the order of the file.
  public var sections: [Section]

  /// Whatever stands before the first section is for readers of the source.
  public init(_ source: String) {
    sections = []
    var paragraph: [String] = []
    var example: [String] = []

    func isBlank(_ line: Substring) -> Bool { line.allSatisfy { $0 == " " } }
    // The last, empty line ends whatever is open.
    for line in "\(source)\n".split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("    "), paragraph.isEmpty, !isBlank(line) {
        example.append(String(line.dropFirst(4)))
        continue
      }
      if isBlank(line) || line.hasPrefix("#") || line.hasPrefix("- ") {
        if !paragraph.isEmpty { add(Prose.block(paragraph)) }
        paragraph = []
      }
      if !example.isEmpty {
        add(.example(example))
        example = []
      }
      if line.hasPrefix("## ") {
        sections.append(Section(title: String(line.dropFirst(3)), blocks: []))
      } else if line.hasPrefix("### ") {
        add(.part(String(line.dropFirst(4))))
      } else if !isBlank(line), !line.hasPrefix("#") {
        paragraph.append(String(line))
      }
    }
  }

  private mutating func add(_ block: Block) {
    guard !sections.isEmpty else { return }
    sections[sections.count - 1].blocks.append(block)
  }

  private static func block(_ lines: [String]) -> Block {
    if lines[0].hasPrefix("- ") {
      return .item(
        ([String(lines[0].dropFirst(2))] + lines.dropFirst().map(unindented)).joined(separator: " "))
    }
    if lines.count > 1, lines[1].hasPrefix(":   ") {
      let meaning = [String(lines[1].dropFirst(4))] + lines.dropFirst(2).map(unindented)
      return .term(lines[0], meaning: meaning.joined(separator: " "))
    }
    return .paragraph(lines.map(unindented).joined(separator: " "))
  }

  private static func unindented(_ line: String) -> String { String(line.drop { $0 == " " }) }
}

extension Roff {
  mutating func append(_ section: Prose.Section) {
    self.section(section.title)
    var isFirst = true
    for block in section.blocks {
      switch block {
      case .part(let title): subsection(title)
      case .paragraph(let words): if isFirst { line(words) } else { paragraph(words) }
      case .example(let lines): example(lines)
      case .item(let words):
        macro(".IP \\(bu 2")
        line(words)
      case .term(let term, let meaning): item(Roff.inline(term), [Roff.inline(meaning)])
      }
      if case .part = block { isFirst = true } else { isFirst = false }
    }
  }
}

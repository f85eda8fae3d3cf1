import Foundation
import Testing

@Suite struct PageTests {
  static let troubleshooting = Document.all.first { $0.path == "docs/troubleshooting.md" }

  /// The messages that a page quotes: block quotes of code.
  private func messages(_ page: Document) -> [(line: Int, text: String)] {
    page.lines.enumerated().compactMap { index, line in
      guard line.hasPrefix("> `"), line.hasSuffix("`") else { return nil }
      return (index + 1, String(line.dropFirst(3).dropLast()))
    }
  }

  @Test func eachQuotedMessageIsOneThatAProgramPrints() throws {
    let page = try #require(Self.troubleshooting)
    let quoted = messages(page)
    #expect(quoted.count > 50)
    for (line, text) in quoted {
      let isPrinted = SourceTexts.all.explains(text)
      #expect(isPrinted, "\(page):\(line): nothing prints this: \(text)")
    }
  }

  /// What the page of safety says that people see, in the last column of what fails.
  @Test func whatIsSeenInAFailureIsPrinted() throws {
    let page = try #require(Document.all.first { $0.path == "docs/safety.md" })
    let rows = page.lines.drop { $0 != "## What happens when something fails" }.filter { $0.hasPrefix("|") }
    #expect(rows.count > 15)
    for row in rows {
      let cell = row.split(separator: "|").last ?? ""
      let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
      for (place, text) in parts.enumerated() where place % 2 == 1 && text.contains(" ") {
        let isPrinted = SourceTexts.all.explains(String(text))
        #expect(isPrinted, "\(page): nothing prints this: \(text)")
      }
    }
  }

  /// The tests above must be able to fail.
  @Test(arguments: [
    "no vehicle is conected", "the vehicle is on the ground; take it off first",
    "cannot browse for clients: Avahi is not running: start avahi", "no data at … baud … for 5 s",
  ])
  func aMessageThatNothingPrintsIsFound(_ text: String) {
    let isPrinted = SourceTexts.all.explains(text)
    #expect(!isPrinted)
  }

  @Test(arguments: Document.all) func linksLeadSomewhere(_ page: Document) throws {
    let folder = Document.root.appendingPathComponent(page.path).deletingLastPathComponent()
    for (path, anchor) in page.links {
      let target =
        path.isEmpty ? Document.root.appendingPathComponent(page.path) : folder.appendingPathComponent(path)
      #expect(FileManager.default.fileExists(atPath: target.path), "\(page): \(path)")
      guard let anchor, target.path.hasSuffix(".md") else { continue }
      let text = try String(contentsOf: target, encoding: .utf8)
      #expect(
        Document(path: path, text: text).anchors.contains(anchor),
        "\(page): \(path) has no heading #\(anchor)")
    }
  }

  @Test func theReadmeIsShort() {
    #expect((Document.all.first?.lines.count ?? 0) < 150)
  }

  @Test func theScriptsThatPagesNameExist() {
    for page in Document.all {
      for (line, code) in page.inlineCode
      where code.hasPrefix("scripts/") || code.hasPrefix("docs/") || code.hasPrefix("Tests/") {
        let path = code.split(separator: " ").first.map(String.init) ?? code
        guard !path.contains("*") else { continue }
        let file = Document.root.appendingPathComponent(path).path
        #expect(FileManager.default.fileExists(atPath: file), "\(page):\(line): \(path)")
      }
    }
  }
}

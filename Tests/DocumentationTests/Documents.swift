import Foundation

/// One page of the documentation.
struct Document: CustomStringConvertible, Sendable {
  /// Below the root of the package.
  let path: String
  let text: String

  var description: String { path }

  static let root: URL = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { url.deleteLastPathComponent() }
    return url
  }()

  /// All pages for people: the README, the handbook, and what is in `docs`.
  static let all: [Document] = {
    let files = FileManager.default.enumerator(atPath: root.appendingPathComponent("docs").path)
    let pages = (files?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".md") }.sorted()
    return (["README.md", "HANDBOOK.md", "PROTOCOL.md"] + pages.map { "docs/\($0)" }).map { path in
      let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
      return Document(path: path, text: text ?? "")
    }
  }()

  /// The lines of fenced blocks marked `sh`, with their numbers from 1.
  var shellLines: [(number: Int, text: String)] {
    var result: [(number: Int, text: String)] = []
    var isShell = false
    var isFenced = false
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("```") {
        isFenced.toggle()
        isShell = isFenced && line == "```sh"
      } else if isShell {
        result.append((index + 1, line))
      }
    }
    return result
  }

  /// What stands in backticks in the running text.
  var inlineCode: [(number: Int, text: String)] {
    var result: [(number: Int, text: String)] = []
    var isFenced = false
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("```") { isFenced.toggle() }
      guard !isFenced, !line.hasPrefix(">") else { continue }
      let parts = line.split(separator: "`", omittingEmptySubsequences: false)
      for (place, part) in parts.enumerated() where place % 2 == 1 {
        result.append((index + 1, String(part)))
      }
    }
    return result
  }

  var lines: [String] { text.components(separatedBy: "\n") }

  /// The anchors that its headings have on a page, by the rule of GitHub.
  var anchors: Set<String> {
    Set(
      lines.filter { $0.hasPrefix("#") }.map { line in
        String(
          line.drop { $0 == "#" || $0 == " " }.lowercased()
            .map { $0 == " " ? "-" : $0 }.filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
      })
  }

  /// Targets of its links that lead to files of the package.
  var links: [(path: String, anchor: String?)] {
    text.components(separatedBy: "](").dropFirst().compactMap { rest in
      guard let end = rest.firstIndex(of: ")") else { return nil }
      let target = rest[..<end]
      guard !target.contains("://") else { return nil }
      let parts = target.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
      return (parts[0], parts.count > 1 ? parts[1] : nil)
    }
  }
}

/// One command as it is typed: its words, without `sudo`, variables before it, redirections and comments.
struct ShellCommand: Hashable, CustomStringConvertible {
  let words: [String]

  var description: String { words.joined(separator: " ") }

  /// The commands of a line of a documented block.
  static func commands(in line: String) -> [ShellCommand] {
    var commands: [[String]] = [[]]
    var word = ""
    var quote: Character?
    var isInWord = false
    func endWord() {
      if isInWord { commands[commands.count - 1].append(word) }
      word = ""
      isInWord = false
    }
    for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word.append(character) }
      } else if character == "\"" || character == "'" {
        quote = character
        isInWord = true
      } else if character == "#", !isInWord {
        break
      } else if character == " " || character == "\t" {
        endWord()
      } else if "|&;".contains(character) {
        endWord()
        commands.append([])
      } else {
        word.append(character)
        isInWord = true
      }
    }
    endWord()
    return commands.compactMap { words in
      var rest = words[...]
      while let first = rest.first, first == "sudo" || first.contains("=") { rest = rest.dropFirst() }
      if let redirection = rest.firstIndex(where: { $0.hasPrefix(">") || $0.hasPrefix("<") }) {
        rest = rest[..<redirection]
      }
      return rest.isEmpty ? nil : ShellCommand(words: Array(rest))
    }
  }
}

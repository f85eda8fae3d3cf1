extension Program {
  /// Answer to `--version`.
  public var versionText: String { "\(name) \(version)\n" }

  /// Answer to `--help` before a subcommand.
  public var helpText: String {
    switch shape {
    case .single(let only): return helpText(of: only)
    case .subcommands(let subcommands):
      var text = "usage: \(name) SUBCOMMAND [OPTIONS]\n\n" + wrapped(summary, indent: 0) + "\nSubcommands:\n"
      text += table(
        subcommands.map { subcommand in
          (
            ([subcommand.name] + subcommand.positionals.map(\.usage)).joined(separator: " "),
            subcommand.summary
          )
        })
      text += "\n" + wrapped("'\(name) SUBCOMMAND --help' lists the options of a subcommand.", indent: 0)
      return text + exitStatusText
    }
  }

  /// Answer to `--help` after a subcommand.
  public func helpText(of subcommand: Subcommand) -> String {
    var words = [name]
    var ending = ""
    switch shape {
    case .subcommands: words.append(subcommand.name)
    case .single: ending = exitStatusText
    }
    words += subcommand.positionals.map(\.usage) + ["[OPTIONS]"]
    var text = "usage: " + words.joined(separator: " ") + "\n\n" + wrapped(subcommand.summary, indent: 0)
    for paragraph in subcommand.discussion { text += "\n" + wrapped(paragraph, indent: 0) }
    if !subcommand.positionals.isEmpty {
      text += "\nArguments:\n" + table(subcommand.positionals.map { ($0.name, $0.help) })
    }
    let standard = [
      Option("help", help: "Show this help."), Option("version", help: "Show the version."),
    ]
    text += "\nOptions:\n"
    text += table(
      (subcommand.options + standard).map { option in
        let left = "--\(option.name)" + (option.valueName.map { " " + $0 } ?? "")
        var right = option.help
        if option.mayRepeat { right += " May be repeated." }
        if let defaultText = option.defaultText { right += " Default: \(defaultText)." }
        return (left, right)
      })
    return text + ending
  }

  private var exitStatusText: String {
    exitStatuses.isEmpty ? "" : "\nExit status:\n" + table(exitStatuses.map { (String($0.code), $0.meaning) })
  }
}

/// Help fits the 80 columns that every terminal has.
private let lineWidth = 79

/// Two columns; a left text that is too wide gets a line of its own.
private func table(_ rows: [(left: String, right: String)]) -> String {
  let width = min(26, rows.map(\.left.count).max() ?? 0)
  var text = ""
  for (left, right) in rows {
    let lines = lines(of: right, width: lineWidth - width - 4)
    text += "  " + left
    let margin = String(repeating: " ", count: width + 4)
    for (index, line) in lines.enumerated() {
      if index == 0, left.count <= width {
        text += String(repeating: " ", count: width - left.count + 2) + line
      } else {
        text += "\n" + margin + line
      }
    }
    text += "\n"
  }
  return text
}

/// A paragraph, each line ended by a newline and begun by `prefix`.
func wrapped(_ text: String, indent: Int, prefix: String = "") -> String {
  let margin = prefix + String(repeating: " ", count: indent)
  return lines(of: text, width: lineWidth - margin.count).map { margin + $0 + "\n" }.joined()
}

private func lines(of text: String, width: Int) -> [String] {
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    if !line.isEmpty, line.count + 1 + word.count > width {
      lines.append(line)
      line = ""
    }
    line += line.isEmpty ? String(word) : " " + word
  }
  return line.isEmpty ? lines : lines + [line]
}

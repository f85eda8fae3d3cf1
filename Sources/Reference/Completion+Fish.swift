import Configuration

extension Completion {
  func fish(_ program: Program) -> String {
    // No files unless something takes one.
    var text = "complete -c \(program.name) -f\n"
    switch program.shape {
    case .single(let only):
      for option in allOptions(only) { text += line(program, condition: nil, option) }
    case .subcommands(let subcommands):
      for subcommand in subcommands + [Subcommand("help", summary: "Show help.", options: [])] {
        text +=
          "complete -c \(program.name) -n __fish_use_subcommand -a \(subcommand.name) -d \(quotedForFish(subcommand.summary))\n"
      }
      for option in ["help", "version"] {
        text += "complete -c \(program.name) -n __fish_use_subcommand -l \(option)\n"
      }
      for subcommand in subcommands {
        let condition = "__fish_seen_subcommand_from \(subcommand.name)"
        for option in allOptions(subcommand) { text += line(program, condition: condition, option) }
        if subcommand.positionals.last.map({ CompletedValue($0.name) }) == .files {
          text += "complete -c \(program.name) -n \(quotedForFish(condition)) -F\n"
        }
      }
      text +=
        "complete -c \(program.name) -n '__fish_seen_subcommand_from help' -a \(quotedForFish(subcommands.map(\.name).joined(separator: " ")))\n"
    }
    return text
  }

  private func line(_ program: Program, condition: String?, _ option: Option) -> String {
    var words = ["complete", "-c", program.name]
    if let condition { words += ["-n", quotedForFish(condition)] }
    words += ["-l", option.name]
    if let valueName = option.valueName {
      switch CompletedValue(valueName) {
      case .words(let values): words += ["-x", "-a", quotedForFish(values.joined(separator: " "))]
      case .files: words += ["-r", "-F"]
      case .directories: words += ["-x", "-a", quotedForFish("(__fish_complete_directories)")]
      case .serialDevices:
        words += ["-r", "-F", "-a", quotedForFish("(command ls -d \(devicePattern) 2>/dev/null)")]
      case .unknown: words.append("-x")
      }
    }
    words += ["-d", quotedForFish(option.help)]
    return words.joined(separator: " ") + "\n"
  }

  /// In its single quotes a backslash escapes itself and the quote.
  private func quotedForFish(_ word: String) -> String {
    "'" + word.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}

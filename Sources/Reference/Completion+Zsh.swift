import Configuration

extension Completion {
  func zsh(_ program: Program) -> String {
    var text = ""
    let name = identifier(program)
    switch program.shape {
    case .single(let only):
      text += "\(name)() {\n  _arguments -s \\\n\(arguments(of: only, indent: "    "))}\n"
    case .subcommands(let subcommands):
      text += "\(name)() {\n  local -a commands\n  commands=(\n"
      for subcommand in subcommands {
        text += "    \(quoted("\(subcommand.name):\(subcommand.summary)"))\n"
      }
      text += "    'help:Show help.'\n  )\n"
      text += """
          if (( CURRENT == 2 )); then
            _describe -t commands command commands
            _arguments '--help[Show help.]' '--version[Show the version.]'
            return
          fi
          local command=$words[2]
          shift words
          (( CURRENT-- ))
          case $command in

        """
      for subcommand in subcommands {
        text +=
          "    \(subcommand.name))\n      _arguments \\\n\(arguments(of: subcommand, indent: "        "))      ;;\n"
      }
      text += "    help) _describe -t commands command commands ;;\n  esac\n}\n"
    }
    // Loaded by name the file is the function; sourced it registers it.
    text +=
      "if [ \"$funcstack[1]\" = _\(program.name) ]; then \(name) \"$@\"; else compdef \(name) \(program.name); fi\n"
    return text
  }

  private func arguments(of subcommand: Subcommand, indent: String) -> String {
    var specifications = allOptions(subcommand).map { option in
      let star = option.mayRepeat ? "*" : ""
      var text = "\(star)--\(option.name)"
      if let valueName = option.valueName {
        text += "=[\(escaped(option.help))]:\(escaped(valueName)):\(action(CompletedValue(valueName)))"
      } else {
        text += "[\(escaped(option.help))]"
      }
      return quoted(text)
    }
    for positional in subcommand.positionals {
      let action = action(CompletedValue(positional.name))
      let place = positional.takesRest ? "*" : ""
      specifications.append(quoted("\(place):\(escaped(positional.name)):\(action)"))
    }
    return specifications.map { indent + $0 }.joined(separator: " \\\n") + "\n"
  }

  private func action(_ value: CompletedValue) -> String {
    switch value {
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .files: "_files"
    case .directories: "_files -/"
    case .serialDevices: "_files -g \"\(devicePattern)\""
    case .unknown: " "
    }
  }

  /// A specification's own marks: brackets around help, colons between parts.
  private func escaped(_ words: String) -> String {
    var result = ""
    for character in words {
      if "[]:\\".contains(character) { result += "\\" }
      result.append(character)
    }
    return result
  }
}

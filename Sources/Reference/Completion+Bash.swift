import Configuration

extension Completion {
  /// Uses nothing of the package bash-completion beyond that it loads the file: not everybody has it.
  func bash(_ program: Program) -> String {
    var text = "\(identifier(program))() {\n"
    text += """
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= options= rest=
        # "--name=VALUE" comes in three words.
        if [[ $cur == "=" ]]; then cur=; elif [[ $prev == "=" ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
        COMPREPLY=()

      """
    switch program.shape {
    case .single(let only):
      text += "  options=\(quoted(optionWords(only)))\n"
      text += cases(of: only, indent: "  ")
    case .subcommands(let subcommands):
      let names = subcommands.map(\.name)
      text += "  if (( COMP_CWORD == 1 )); then\n"
      text +=
        "    COMPREPLY=($(compgen -W \(quoted((names + ["help", "--help", "--version"]).joined(separator: " "))) -- \"$cur\"))\n"
      text += "    return\n  fi\n"
      text += "  command=${COMP_WORDS[1]}\n  case $command in\n"
      for subcommand in subcommands {
        text += "    \(subcommand.name))\n      options=\(quoted(optionWords(subcommand)))\n"
        text += cases(of: subcommand, indent: "      ")
        text += "      ;;\n"
      }
      text += "    help)\n"
      text +=
        "      COMPREPLY=($(compgen -W \(quoted(names.joined(separator: " "))) -- \"$cur\"))\n      return ;;\n"
      text += "    *) return ;;\n  esac\n"
    }
    text += """
        if [[ $cur == -* || -z $rest ]]; then
          COMPREPLY=($(compgen -W "$options" -- "$cur"))
        else
          compopt -o filenames
          COMPREPLY=($(compgen -f -- "$cur"))
        fi
      }
      complete -F \(identifier(program)) \(program.name)

      """
    return text
  }

  private func optionWords(_ subcommand: Subcommand) -> String {
    allOptions(subcommand).map { "--\($0.name)" }.joined(separator: " ")
  }

  /// What follows an option that takes a value, and whether arguments are files.
  private func cases(of subcommand: Subcommand, indent: String) -> String {
    var byValue: [(value: CompletedValue, options: [String])] = []
    for option in subcommand.options {
      guard let name = option.valueName else { continue }
      let value = CompletedValue(name)
      if let index = byValue.firstIndex(where: { $0.value == value }) {
        byValue[index].options.append("--\(option.name)")
      } else {
        byValue.append((value, ["--\(option.name)"]))
      }
    }
    var text = ""
    if !byValue.isEmpty {
      text += "\(indent)case $prev in\n"
      for (value, options) in byValue {
        text += "\(indent)  \(options.joined(separator: "|"))) \(reply(value))return ;;\n"
      }
      text += "\(indent)esac\n"
    }
    if subcommand.positionals.last.map({ CompletedValue($0.name) }) == .files {
      text += "\(indent)rest=files\n"
    }
    return text
  }

  private func reply(_ value: CompletedValue) -> String {
    switch value {
    case .words(let words):
      "COMPREPLY=($(compgen -W \(quoted(words.joined(separator: " "))) -- \"$cur\")); "
    case .files: "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\")); "
    case .directories: "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\")); "
    case .serialDevices:
      "if [[ -n $cur ]]; then compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\")); else COMPREPLY=($(compgen -G \(quoted(devicePattern)))); fi; "
    case .unknown: ""
    }
  }
}

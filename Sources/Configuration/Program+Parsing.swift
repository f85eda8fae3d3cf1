extension Program {
  /// Sorts the arguments (without the program's own name) by the table.
  ///
  /// `--help`, `-h`, `help [SUBCOMMAND]` and `--version` win where they stand: what follows them is not looked at.
  /// A word that begins with a hyphen and a digit is no option, so that `goto -33.9,151.2` needs no `--`.
  public func parse(_ arguments: [String]) throws(UsageError) -> Invocation<ParsedArguments> {
    guard arguments.count <= 1000, arguments.allSatisfy({ $0.utf8.count <= 65536 }) else {
      throw UsageError(command: name, message: "too many or too long arguments")
    }
    switch shape {
    case .single(let only): return try parse(arguments[...], of: only, command: name)
    case .subcommands(let subcommands):
      guard let first = arguments.first else {
        throw UsageError(
          command: name, message: "a subcommand is missing: \(alternatives(subcommands.map(\.name)))")
      }
      switch first {
      case "--help", "-h": return .help(helpText)
      case "--version": return .version(versionText)
      case "help":
        guard arguments.count > 1 else { return .help(helpText) }
        return .help(helpText(of: try subcommand(arguments[1])))
      default:
        let subcommand = try subcommand(first)
        return try parse(arguments.dropFirst(), of: subcommand, command: "\(name) \(subcommand.name)")
      }
    }
  }

  private func subcommand(_ word: String) throws(UsageError) -> Subcommand {
    if let known = subcommands.first(where: { $0.name == word }) { return known }
    if word.hasPrefix("-") {
      throw UsageError(
        command: name,
        message: "'\(printable(word))' before the subcommand; options follow it: \(name) SUBCOMMAND --option")
    }
    let hint =
      nearest(to: word, among: subcommands.map(\.name)).map { "; did you mean '\($0)'?" }
      ?? "; known are \(alternatives(subcommands.map(\.name)))"
    throw UsageError(command: name, message: "unknown subcommand '\(printable(word))'\(hint)")
  }

  private func parse(_ arguments: ArraySlice<String>, of subcommand: Subcommand, command: String)
    throws(UsageError) -> Invocation<ParsedArguments>
  {
    var result = ParsedArguments(subcommand: subcommand.name, positionals: [], command: command, values: [:])
    var rest = arguments
    var onlyPositionals = false
    while let argument = rest.popFirst() {
      if onlyPositionals || !isOption(argument) {
        let hasPlace =
          result.positionals.count < subcommand.positionals.count
          || subcommand.positionals.last?.takesRest == true
        guard hasPlace else {
          throw UsageError(command: command, message: "unexpected argument '\(printable(argument))'")
        }
        result.positionals.append(argument)
        continue
      }
      switch argument {
      case "--": onlyPositionals = true
      case "--help", "-h": return .help(helpText(of: subcommand))
      case "--version": return .version(versionText)
      default:
        let (option, attached) = try option(argument, of: subcommand, command: command)
        let value = try value(of: option, attached: attached, rest: &rest, command: command)
        guard option.mayRepeat || result.values[option.name] == nil else {
          throw UsageError(command: command, message: "--\(option.name) is given twice")
        }
        result.values[option.name, default: []].append(value)
      }
    }
    if result.positionals.count < subcommand.positionals.count,
      case let missing = subcommand.positionals[result.positionals.count], !missing.takesRest
    {
      throw UsageError(command: command, message: "\(missing.name) is missing: \(missing.help)")
    }
    return .command(result)
  }

  private func isOption(_ argument: String) -> Bool {
    guard argument.hasPrefix("-"), let second = argument.dropFirst().first else { return false }
    return !(second.isASCII && (second.isNumber || second == "."))
  }

  private func option(_ argument: String, of subcommand: Subcommand, command: String) throws(UsageError)
    -> (Option, attached: String?)
  {
    guard argument.hasPrefix("--") else {
      throw UsageError(
        command: command, message: "unknown option '\(printable(argument))'; options begin with two hyphens")
    }
    let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let word = String(parts.first ?? "")
    if let option = subcommand.options.first(where: { $0.name == word }) {
      return (option, parts.count == 2 ? String(parts[1]) : nil)
    }
    let names = subcommand.options.map(\.name) + ["help", "version"]
    let hint = nearest(to: word, among: names).map { "; did you mean --\($0)?" } ?? ""
    throw UsageError(command: command, message: "unknown option '--\(printable(word))'\(hint)")
  }

  private func value(
    of option: Option, attached: String?, rest: inout ArraySlice<String>, command: String
  ) throws(UsageError) -> String {
    guard let valueName = option.valueName else {
      guard attached == nil else {
        throw UsageError(command: command, message: "--\(option.name) takes no value")
      }
      return ""
    }
    if let attached { return attached }
    // The next option is not taken for a forgotten value; `--name=--odd` still can be said.
    guard let next = rest.first, !next.hasPrefix("--") else {
      throw UsageError(
        command: command, message: "--\(option.name) needs a value: --\(option.name) \(valueName)")
    }
    rest.removeFirst()
    return next
  }
}

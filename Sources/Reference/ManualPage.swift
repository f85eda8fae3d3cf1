public import Configuration

/// Manual pages: what programs and keys take comes from the tables that also parse and print help, the rest from prose.
public struct ManualPage: Sendable {
  /// Such as `1` for programs of everybody and `8` for those of administrators.
  public var section: Int
  /// `YYYY-MM-DD`, as page footers show it.
  public var date: String
  public var prose: Prose

  public init(section: Int, date: String, prose: Prose) {
    self.section = section
    self.date = date
    self.prose = prose
  }

  /// The page of a program.
  public func text(of program: Program) -> String {
    var page = begun(
      program.name, manual: section == 8 ? "System administration" : "User commands", summary: program.summary
    )
    page.section("SYNOPSIS")
    let shared = SharedOptions(program)
    switch program.shape {
    case .single: page.macro("\(Roff.bold(program.name)) [\(Roff.italic("OPTIONS"))]")
    case .subcommands(let subcommands):
      for (index, subcommand) in subcommands.enumerated() {
        if index > 0 { page.macro(".br") }
        page.macro(synopsis(program, subcommand))
      }
      page.macro(".br")
      page.macro("\(Roff.bold(program.name)) \(Roff.bold("help")) [\(Roff.italic("SUBCOMMAND"))]")
    }
    for section in prose.sections where section.title == "DESCRIPTION" { page.append(section) }
    switch program.shape {
    case .single(let only):
      page.section("OPTIONS")
      for option in only.options + standard { append(option, to: &page) }
    case .subcommands(let subcommands):
      page.section("COMMANDS")
      for subcommand in subcommands { append(subcommand, of: program, sharing: shared, to: &page) }
      page.section("OPTIONS")
      page.line("Each command takes those of these that are listed with it, and the last two.")
      for option in shared.options + standard { append(option, to: &page) }
    }
    if !program.exitStatuses.isEmpty {
      page.section("EXIT STATUS")
      for status in program.exitStatuses {
        page.item(Roff.bold(String(status.code)), [Roff.plain(sentence(status.meaning))])
      }
    }
    for section in prose.sections where section.title != "DESCRIPTION" { page.append(section) }
    return page.text
  }

  /// The page of a configuration file.
  public func text(ofFile name: String, summary: String, keys: [KeyDescription]) -> String {
    var page = begun(name, manual: "File formats", summary: summary)
    for section in prose.sections where section.title == "DESCRIPTION" { page.append(section) }
    page.section("KEYS")
    for key in keys {
      let unit = key.unit.map { " A number without unit is in \($0)." } ?? ""
      let list = key.isList ? " Several values are separated by commas." : ""
      let restart = key.needsRestart.map { " Needs a restart: \($0)." } ?? ""
      page.item(
        "\(Roff.bold(key.name)) = \(Roff.italic(key.defaultText))",
        [Roff.plain(key.meaning), Roff.plain("Valid: \(key.validValues).\(unit)\(list)\(restart)")])
    }
    for section in prose.sections where section.title != "DESCRIPTION" { page.append(section) }
    return page.text
  }

  private func begun(_ name: String, manual: String, summary: String) -> Roff {
    var page = Roff()
    page.macro(".\\\" Generated from the tables of the programs and docs/man; changes belong there.")
    page.macro(
      ".TH \"\(Roff.escaped(name.uppercased()))\" \(section) \"\(date)\" \"drone\\-control \(Release.version)\" \"\(manual)\""
    )
    page.section("NAME")
    let words = summary.hasSuffix(".") ? String(summary.dropLast()) : summary
    page.macro("\(Roff.escaped(name)) \\- \(Roff.escaped(words.prefix(1).lowercased() + words.dropFirst()))")
    return page
  }

  private func synopsis(_ program: Program, _ subcommand: Subcommand) -> String {
    var words = [Roff.bold(program.name), Roff.bold(subcommand.name)]
    for positional in subcommand.positionals {
      let name = Roff.italic(positional.name)
      words.append(positional.takesRest ? "[\(name)]..." : name)
    }
    words.append("[\(Roff.italic("OPTIONS"))]")
    return words.joined(separator: " ")
  }

  private func append(
    _ subcommand: Subcommand, of program: Program, sharing shared: SharedOptions, to page: inout Roff
  ) {
    page.subsection(([subcommand.name] + subcommand.positionals.map(\.name)).joined(separator: " "))
    page.macro(Roff.plain(subcommand.summary))
    for words in subcommand.discussion {
      page.macro(".PP")
      page.macro(Roff.plain(words))
    }
    for positional in subcommand.positionals {
      page.item(Roff.italic(positional.name), [Roff.plain(sentence(positional.help))])
    }
    for option in subcommand.options where !shared.options.contains(option) { append(option, to: &page) }
    let others = subcommand.options.filter(shared.options.contains)
    guard !others.isEmpty else { return }
    page.macro(".PP")
    page.macro("Also: " + others.map { Roff.bold("--\($0.name)") }.joined(separator: ", ") + ".")
  }

  private func append(_ option: Option, to page: inout Roff) {
    var words = option.help
    if option.mayRepeat { words += " May be repeated." }
    if let defaultText = option.defaultText { words += " Default: \(defaultText)." }
    let value = option.valueName.map { " \(Roff.italic($0))" } ?? ""
    page.item(Roff.bold("--\(option.name)") + value, [Roff.plain(words)])
  }

  private func sentence(_ words: String) -> String {
    words.prefix(1).uppercased() + words.dropFirst() + (words.hasSuffix(".") ? "" : ".")
  }

  private var standard: [Option] {
    [Option("help", help: "Show help."), Option("version", help: "Show the version.")]
  }
}

/// Options that several subcommands take in the same meaning: described once.
private struct SharedOptions {
  var options: [Option] = []

  init(_ program: Program) {
    var counts: [(option: Option, count: Int)] = []
    for option in program.subcommands.flatMap(\.options) {
      if let index = counts.firstIndex(where: { $0.option == option }) {
        counts[index].count += 1
      } else {
        counts.append((option, 1))
      }
    }
    options = counts.filter { $0.count > 1 }.map(\.option)
  }
}

public import Configuration

/// One file that is installed beside the programs.
public struct ReferenceDocument: Sendable {
  /// Below `/usr/share`.
  public var path: String
  /// In `docs/man`; nil for what comes from tables alone.
  public var proseFile: String?
  /// The whole file, from the content of the prose file.
  public var text: @Sendable (String) -> String
}

extension ReferenceDocument {
  /// The programs that people call, each with the section of its manual page.
  public static let programs: [(program: Program, section: Int)] = [
    (ClientProgram.program, 1), (NavigatorProgram.program, 8), (NearbyProgram.program, 1),
    (SimulatorProgram.program, 1),
  ]

  /// Everything, with the date that manual pages show (`YYYY-MM-DD`).
  public static func all(date: String) -> [ReferenceDocument] {
    var documents: [ReferenceDocument] = []
    for (program, section) in programs {
      documents.append(
        ReferenceDocument(
          path: "man/man\(section)/\(program.name).\(section)", proseFile: "\(program.name).\(section).md",
          text: { ManualPage(section: section, date: date, prose: Prose($0)).text(of: program) }))
      for completion in Completion.allCases {
        documents.append(
          ReferenceDocument(
            path: "\(directory(of: completion))/\(completion.fileName(for: program))",
            text: { _ in completion.script(for: program) }))
      }
    }
    documents.append(
      ReferenceDocument(
        path: "man/man5/drone-navigator.conf.5", proseFile: "drone-navigator.conf.5.md",
        text: {
          ManualPage(section: 5, date: date, prose: Prose($0)).text(
            ofFile: "drone-navigator.conf", summary: "Configuration of drone-navigator.",
            keys: NavigatorConfiguration.keyDescriptions)
        }))
    return documents
  }

  /// Where Debian's shells look, below `/usr/share`.
  private static func directory(of completion: Completion) -> String {
    switch completion {
    case .bash: "bash-completion/completions"
    case .zsh: "zsh/vendor-completions"
    case .fish: "fish/vendor_completions.d"
    }
  }
}

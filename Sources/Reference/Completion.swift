public import Configuration

/// What a shell offers for the value of an option or an argument, by what help calls it.
enum CompletedValue: Equatable {
  case words([String])
  case files
  case directories
  /// Serial devices by the names that stay the same.
  case serialDevices
  /// Nothing that could be known: a name, a number.
  case unknown

  init(_ valueName: String) {
    let parts = valueName.split(separator: "|").map(String.init)
    // Words of a choice are in small letters, placeholders in capitals: METERS|off offers the one word.
    let words = parts.filter { $0.first?.isLowercase == true }
    self =
      if parts.contains("PATH[:BAUD]") {
        .serialDevices
      } else if parts.contains(where: { $0 == "FILE" || $0 == "PATH" }) {
        .files
      } else if parts.contains("DIR") {
        .directories
      } else if !words.isEmpty { .words(words) } else { .unknown }
  }
}

/// Completion scripts of a program for the shells that Debian has, from the table of its options.
public enum Completion: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish

  public func script(for program: Program) -> String {
    let head =
      "# Completion of \(program.name), generated from the table of its options; changes belong there.\n"
    return switch self {
    case .bash: head + bash(program)
    case .zsh: "#compdef \(program.name)\n" + head + zsh(program)
    case .fish: head + fish(program)
    }
  }

  /// The name by which the shell finds the script.
  public func fileName(for program: Program) -> String {
    switch self {
    case .bash: program.name
    case .zsh: "_\(program.name)"
    case .fish: "\(program.name).fish"
    }
  }
}

let devicePattern = "/dev/serial/by-id/*"

/// Options and `--help`, which all take.
func allOptions(_ subcommand: Subcommand) -> [Option] {
  subcommand.options + [Option("help", help: "Show help."), Option("version", help: "Show the version.")]
}

/// A shell's word in single quotes.
func quoted(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }

/// Part of the name of a shell function.
func identifier(_ program: Program) -> String { "_" + program.name.replacing("-", with: "_") }

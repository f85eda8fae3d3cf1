import Configuration
import Glibc
import Reference
import ServiceRuntime
import TestSupport
import Testing

/// The documents as they are installed, in a directory of their own.
private struct Installed {
  let directory: TemporaryDirectory
  let documents: [(document: ReferenceDocument, text: String)]

  /// - Parameter part: files whose path contains it are written; nil: none.
  init(writing part: String? = nil) throws {
    directory = try TemporaryDirectory()
    var documents: [(document: ReferenceDocument, text: String)] = []
    // Tests/ReferenceTests/ReferenceTests.swift
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    for document in ReferenceDocument.all(date: "2026-11-30") {
      let prose = try document.proseFile.map {
        String(decoding: try Files.read("\(root)/docs/man/\($0)", maximumBytes: 1 << 20), as: UTF8.self)
      }
      let text = document.text(prose ?? "")
      documents.append((document, text))
      guard let part, document.path.contains(part) else { continue }
      try Files.makeDirectory(Files.parent(of: "\(directory.path)/\(document.path)"), mode: 0o755)
      try Files.replace("\(directory.path)/\(document.path)", with: Array(text.utf8), mode: 0o644)
    }
    self.documents = documents
  }

  func text(_ path: String) -> String { documents.first { $0.document.path == path }?.text ?? "" }

  /// What a program says about files whose path contains `part`; nil when it is not installed.
  func complaints(of command: [String], about part: String) throws -> [String]? {
    guard let program = command.first, isInstalled(program) else {
      print("skipped: \(command.first ?? "") is not installed")
      return nil
    }
    var lines: [String] = []
    for (document, _) in documents where document.path.contains(part) {
      let words = (command + ["\(directory.path)/\(document.path)"]).joined(separator: " ")
      let process = try ChildProcess(["sh", "-c", "\(words) 2>&1"])
      while let line = process.readLine(within: .seconds(20)) { lines.append(line) }
      if process.exitCode(within: .seconds(20)) != 0 { lines.append("\(words) failed") }
    }
    return lines
  }

  private func isInstalled(_ program: String) -> Bool {
    ["/usr/bin", "/bin", "/usr/local/bin"].contains { access("\($0)/\(program)", X_OK) == 0 }
  }
}

@Suite(.timeLimit(.minutes(1))) struct ReferenceTests {
  @Test(arguments: ReferenceDocument.programs.map(\.program))
  func everyOptionOfHelpIsInPageAndCompletions(_ program: Program) throws {
    let installed = try Installed()
    let section = try #require(ReferenceDocument.programs.first { $0.program.name == program.name }?.section)
    let page = installed.text("man/man\(section)/\(program.name).\(section)")
    let bash = installed.text("bash-completion/completions/\(program.name)")
    let zsh = installed.text("zsh/vendor-completions/_\(program.name)")
    let fish = installed.text("fish/vendor_completions.d/\(program.name).fish")
    let isSingle = if case .single = program.shape { true } else { false }
    for subcommand in program.subcommands {
      if !isSingle {
        let name = subcommand.name
        #expect(page.contains("\\fB\(name.replacing("-", with: "\\-"))\\fR"), "\(name)")
        #expect(bash.contains("    \(name))\n") && zsh.contains("    \(name))\n"), "\(name)")
        #expect(fish.contains("-a \(name) -d"), "\(name)")
      }
      for option in subcommand.options {
        let condition = isSingle ? "" : " -n '__fish_seen_subcommand_from \(subcommand.name)'"
        #expect(page.contains("\\fB\\-\\-\(option.name.replacing("-", with: "\\-"))\\fR"), "\(option.name)")
        #expect(bash.contains("--\(option.name)"), "\(option.name)")
        #expect(zsh.contains("--\(option.name)\(option.valueName == nil ? "[" : "=[")"), "\(option.name)")
        #expect(fish.contains("-c \(program.name)\(condition) -l \(option.name) "), "\(option.name)")
      }
    }
    for status in program.exitStatuses { #expect(page.contains(".TP\n\\fB\(status.code)\\fR\n")) }
  }

  @Test func everyKeyIsInThePageOfTheFile() throws {
    let page = try Installed().text("man/man5/drone-navigator.conf.5")
    #expect(NavigatorConfiguration.keyDescriptions.count > 20)
    for key in NavigatorConfiguration.keyDescriptions {
      #expect(page.contains(".TP\n\\fB\(key.name.replacing("-", with: "\\-"))\\fR = "), "\(key.name)")
    }
  }

  @Test(arguments: [
    (["mandoc", "-Tlint", "-W", "warning"], "man/"), (["bash", "-n"], "bash-completion/"),
    (["zsh", "-n"], "zsh/"), (["fish", "-n"], "fish/"),
  ]) func thoseWhoReadThemHaveNoComplaints(_ command: [String], _ part: String) throws {
    if let complaints = try Installed(writing: part).complaints(of: command, about: part) {
      #expect(complaints == [])
    }
  }

  struct Line: Sendable, CustomTestStringConvertible {
    var typed: [String]
    /// Some of what is offered for the last word.
    var offered: [String]
    var notOffered: [String] = []
    var testDescription: String { typed.joined(separator: " ") }
  }

  @Test(arguments: [
    Line(typed: ["drone-client", ""], offered: ["takeoff", "goto", "pair", "--help"]),
    Line(typed: ["drone-client", "ta"], offered: ["takeoff"], notOffered: ["stop"]),
    Line(
      typed: ["drone-client", "takeoff", "--al"], offered: ["--altitude", "--all"], notOffered: ["--json"]),
    Line(
      typed: ["drone-client", "takeoff", "--altitude", ""], offered: [], notOffered: ["--all", "takeoff"]),
    Line(typed: ["drone-client", "run", "--log-level", "no"], offered: ["notice"], notOffered: ["error"]),
    Line(
      typed: ["drone-navigator", "run", "--telemetry-log", "=", "a"], offered: ["armed", "always"],
      notOffered: ["off"]),
    Line(typed: ["drone-navigator", "run", "--return-after", ""], offered: ["off"]),
    Line(typed: ["drone-navigator", "help", "st"], offered: ["status"]),
    Line(typed: ["drone-simulator", "--auto"], offered: ["--autopilot"]),
    Line(typed: ["drone-simulator", "--autopilot", ""], offered: ["ardupilot", "px4"]),
    Line(typed: ["nearby", "send", "/et"], offered: ["/etc"]),
    Line(typed: ["nearby", "receive", "--folder", "/et"], offered: ["/etc"]),
  ]) func bashOffersWhatFits(_ line: Line) throws {
    let path = "bash-completion/completions/\(line.typed[0])"
    let installed = try Installed(writing: path)
    let script = "\(installed.directory.path)/\(path)"
    // "compopt" works only while the shell itself completes.
    let process = try ChildProcess(
      [
        "bash", "-c",
        "compopt() { :; }; . \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
          + "_${1//-/_}; printf '%s\\n' \"${COMPREPLY[@]}\"",
        "bash", script,
      ] + line.typed)
    var offered: Set<String> = []
    while let word = process.readLine(within: .seconds(20)) { offered.insert(word) }
    #expect(offered.isSuperset(of: line.offered), "\(offered)")
    #expect(offered.isDisjoint(with: line.notOffered), "\(offered)")
  }
}

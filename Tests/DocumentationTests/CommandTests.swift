import Configuration
import Foundation
import TestSupport
import Testing

/// Whoever copies a command from a page gets what the page says.
@Suite(.timeLimit(.minutes(1))) struct CommandTests {
  /// What else blocks of `sh` may call; a word that is not here is taken for a misspelled program.
  static let others: Set = [
    "adduser", "apt-get", "avahi-browse", "apt", "cd", "dpkg", "export", "gpsd", "gpspipe", "install",
    "journalctl",
    "ls", "man", "nearby", "swift", "systemctl", "systemd-analyze", "systemd-sysusers", "systemd-tmpfiles",
    "udevadm",
  ]

  static let documented: [(document: String, line: Int, command: ShellCommand)] = Document.all.flatMap {
    page in
    page.shellLines.flatMap { line in
      ShellCommand.commands(in: line.text).map { (page.path, line.number, $0) }
    }
  }

  /// Understands a command line by the table of its program.
  private func check(_ command: ShellCommand) throws {
    let arguments = Array(command.words.dropFirst())
    switch command.words[0] {
    case "drone-client": _ = try ClientProgram.parse(arguments)
    case "drone-simulator": _ = try SimulatorProgram.parse(arguments)
    case "nearby": _ = try NearbyProgram.parse(arguments)
    case "drone-navigator":
      guard case .command(let invocation) = try NavigatorProgram.parse(arguments) else { return }
      let file = Array("serial = /dev/ttyACM0\n".utf8)
      _ = try invocation.configuration(file: ("file", file))
    case let other:
      if other.contains("/") {
        let isThere = FileManager.default.isExecutableFile(
          atPath: Document.root.appendingPathComponent(other).path)
        #expect(isThere, "\(other) is no script of this package")
      } else {
        #expect(Self.others.contains(other), "\(other) is not known: misspelled?")
      }
    }
  }

  @Test func theProgramsUnderstandEachCommandOfABlock() {
    #expect(Self.documented.count > 40)
    for (document, line, command) in Self.documented {
      #expect(throws: Never.self, "\(document):\(line): \(command)") { try check(command) }
    }
  }

  /// In running text a command may be shown with a word for what the reader puts there; those are not looked at.
  @Test func theProgramsUnderstandEachCommandInTheText() {
    var count = 0
    for page in Document.all {
      for (line, code) in page.inlineCode {
        guard let command = ShellCommand.commands(in: code).first, command.words.count > 1,
          ["drone-client", "drone-navigator", "drone-simulator", "nearby"].contains(command.words[0]),
          !code.contains("…"), !code.contains("|"), !code.contains("["),
          !command.words.contains(where: { $0.contains { $0.isUppercase } && $0 == $0.uppercased() })
        else { continue }
        count += 1
        #expect(throws: Never.self, "\(page):\(line): \(command)") { try check(command) }
      }
    }
    #expect(count > 10)
  }

  /// What can be run anywhere without an effect on others is run; the rest asks the real program for the help of that very command line.
  @Test func theProgramsRunEachCommand() throws {
    let directory = try TemporaryDirectory()
    let configuration = "\(directory.path)/navigator.conf"
    try "serial = \(directory.path)/none\nstate = \(directory.path)/state\n".write(
      toFile: configuration, atomically: true, encoding: .utf8)
    var place = Place()
    place.environment["HOME"] = directory.path
    place.environment["XDG_STATE_HOME"] = "\(directory.path)/xdg"
    for command in Set(Self.documented.map(\.command)).sorted(by: { "\($0)" < "\($1)" }) {
      guard let program = BuiltProgram(rawValue: command.words[0]), command.words.count > 1 else { continue }
      var arguments = Array(command.words.dropFirst())
      let expected = Self.exitCode(program, arguments)
      if expected == nil {
        arguments.append("--help")
      } else {
        for (option, value) in [("--state", "\(directory.path)/state"), ("--config", configuration)] {
          if let index = arguments.firstIndex(of: option) { arguments[index + 1] = value }
        }
        if program == .navigator, !arguments.contains("--state") {
          arguments += ["--state", "\(directory.path)/state"]
        }
      }
      let finished = try Finished(program, arguments, in: place)
      #expect(finished.code == expected ?? 0, "\(command): \(finished)")
    }
  }

  /// How a command ends where nothing is installed and nothing runs; nil for what is not to be run.
  private static func exitCode(_ program: BuiltProgram, _ arguments: [String]) -> Int32? {
    switch arguments[0] {
    case "identity", "peers": 0
    case "untrust": 2
    case "status": 3
    case "log" where !arguments.contains("--follow"): 0
    case "check" where arguments.contains("--print-config"): 0
    default: nil
    }
  }

  @Test(arguments: Document.all) func aBlockIsProperShell(_ page: Document) throws {
    let script = page.shellLines.map(\.text).joined(separator: "\n")
    guard !script.isEmpty else { return }
    let bash = try ChildProcess(["bash", "-n"], quiet: false)
    bash.send(script)
    bash.closeInput()
    #expect(bash.exitCode(within: .seconds(20)) == 0)
  }
}

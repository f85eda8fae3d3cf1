import Glibc
import ServiceRuntime
import TestSupport
import Testing

private let analyze = "/usr/bin/systemd-analyze"

private var hasAnalyze: Bool {
  let found = access(analyze, X_OK) == 0
  if !found { print("skipped: \(analyze) is not installed (Debian package systemd)") }
  return found
}

@Suite(.enabled(if: hasAnalyze, "needs systemd-analyze"), .timeLimit(.minutes(1))) struct UnitFileTests {
  struct Unit: CustomTestStringConvertible, Sendable {
    var file: String
    /// As a user's manager reads it.
    var isOfUser: Bool
    /// Tenths of the exposure of `systemd-analyze security`, 0 to 100.
    var highestExposure: Int
    var testDescription: String { file }
  }

  static let units = [
    // Whoever relaxes it says why beside the line, and why the goal of 1.5 is still met.
    Unit(file: "drone-navigator.service", isOfUser: false, highestExposure: 15),
    // A user's manager without privileges cannot hide files or devices.
    Unit(file: "drone-client.service", isOfUser: true, highestExposure: 65),
  ]

  @Test(arguments: units) func systemdFindsNoFaultAndLittleExposure(_ unit: Unit) throws {
    // Tests/SystemdTests/UnitFileTests.swift
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let text = String(
      decoding: try Files.read("\(root)/systemd/\(unit.file)", maximumBytes: 65_536), as: UTF8.self)
    let program = "ExecStart=/usr/bin/\(unit.file.split(separator: ".")[0]) run"
    // The program need not be installed here, nor its manual page.
    var checked = text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("Documentation=") }.joined(separator: "\n")
    let range = try #require(checked.firstRange(of: program))
    checked.replaceSubrange(range, with: "ExecStart=/bin/true run")

    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/\(unit.file)"
    try Files.replace(path, with: Array(checked.utf8), mode: 0o644)
    let user = unit.isOfUser ? "--user" : "--system"
    let verify = try ChildProcess([
      "sh", "-c",
      "exec env XDG_RUNTIME_DIR=\(directory.path) \(analyze) \(user) --man=no verify \(path) 2>&1",
    ])
    var complaints: [String] = []
    // Other units of the machine are loaded with it; their faults are not this unit's.
    while let line = verify.readLine(within: .seconds(30)) {
      if line.contains(unit.file) { complaints.append(line) }
    }
    #expect(complaints == [])
    #expect(verify.exitCode(within: .seconds(10)) == 0)

    let security = try ChildProcess([
      "sh", "-c",
      "exec \(analyze) --no-pager security --offline=true --threshold=\(unit.highestExposure) \(path) 2>&1",
    ])
    var exposure = "no answer"
    while let line = security.readLine(within: .seconds(30)) { exposure = line }
    #expect(security.exitCode(within: .seconds(10)) == 0, "\(exposure)")
  }
}

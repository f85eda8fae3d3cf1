import Glibc
import ServiceRuntime
import TestSupport
import Testing

private let analyze = "/usr/bin/systemd-analyze"

private var hasAnalyze: Bool {
  let found = access(analyze, X_OK) == 0
  if !found { print("unit file test skipped: \(analyze) is not installed") }
  return found
}

@Suite struct UnitFileTests {
  @Test(.enabled(if: hasAnalyze, "needs systemd-analyze"), .timeLimit(.minutes(1)))
  func systemdFindsNoFaultWithTheUnit() throws {
    // Tests/SystemdTests/UnitFileTests.swift
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let unit = try Files.read("\(root)/systemd/drone-navigator.service", maximumBytes: 65_536)
    let program = "ExecStart=/usr/bin/drone-navigator "
    let text = String(decoding: unit, as: UTF8.self)
    #expect(text.contains(program))
    // The program need not be installed here, nor its manual page.
    var checked = text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("Documentation=") }.joined(separator: "\n")
    if let range = checked.firstRange(of: program) {
      checked.replaceSubrange(range, with: "ExecStart=/bin/true ")
    }

    var template = Array("/tmp/unit-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let path = "\(directory)/drone-navigator.service"
    defer {
      unlink(path)
      rmdir(directory)
    }
    try Files.replace(path, with: Array(checked.utf8), mode: 0o644)
    let process = try ChildProcess(["sh", "-c", "exec \(analyze) --man=no verify \(path) 2>&1"])
    var complaints: [String] = []
    // Other units of the machine are loaded with it; their faults are not this unit's.
    while let line = process.readLine(within: .seconds(30)) {
      if line.contains("drone-navigator") { complaints.append(line) }
    }
    #expect(complaints == [])
    #expect(process.exitCode(within: .seconds(10)) == 0)
  }
}

import Configuration
import Glibc
import Testing

/// Texts that people see are stored, so that a change of one shows in review. Set `UPDATE_FIXTURES=1` to store anew.
struct StoredTexts {
  static let root: String = {
    let parts = #filePath.split(separator: "/").dropLast(3)
    return "/" + parts.joined(separator: "/")
  }()

  static let programs = [
    ClientProgram.program, NavigatorProgram.program, SimulatorProgram.program, NearbyProgram.program,
  ]

  func compare(_ text: String, _ path: String) throws {
    let file = Self.root + "/" + path
    if getenv("UPDATE_FIXTURES") != nil {
      let stream = try #require(fopen(file, "w"))
      defer { fclose(stream) }
      #expect(fputs(text, stream) >= 0)
      return
    }
    let stream = try #require(fopen(file, "r"), "\(path) is missing")
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, stream)
    #expect(String(decoding: bytes[..<count], as: UTF8.self) == text, "\(path) differs")
  }

  @Test(arguments: programs) func helpIsAsStoredAndFits80Columns(_ program: Program) throws {
    var text = program.helpText
    if case .subcommands(let subcommands) = program.shape {
      for subcommand in subcommands { text += "\n----\n" + program.helpText(of: subcommand) }
    }
    try compare(text, "Fixtures/help/\(program.name).help.txt")
    for line in text.split(separator: "\n") { #expect(line.count < 80, "\(line)") }
  }

  @Test func sampleConfigurationIsAsStored() throws {
    try compare(NavigatorConfiguration.sampleText, "etc/drone-navigator.conf.sample")
  }
}

import Configuration
import JSONText
import PeerAdministration
import SecureTransport
import ServiceRuntime
import TestSupport
import Testing

@Suite struct PeerAdministrationTests {
  /// What a command printed and how it ended.
  private struct Run {
    var output: [String] = []
    var errors: [String] = []
    var code = ExitCode.internalError

    init(_ command: TrustCommand, in directory: String) {
      var output: [String] = []
      var errors: [String] = []
      code = PeerAdministration.run(
        command, stateDirectory: directory, commonName: "laptop", output: { output.append($0) },
        errorOutput: { errors.append($0) })
      self.output = output
      self.errors = errors
    }
  }

  private let directory = try! TemporaryDirectory()
  private let id = String(repeating: "ab", count: 32)

  @Test func identityStaysTheSame() throws {
    let first = Run(.identity(json: false), in: directory.path)
    #expect(first.code == .accepted)
    #expect(first.output.count == 1 && first.output[0].count == 64)
    let json = try JSON.parse(Run(.identity(json: true), in: directory.path).output.joined())
    #expect(json["id"]?.string == first.output[0])
    #expect(json["name"] == "laptop")
  }

  @Test func trustedPeersAreListedUntilTheyAreNot() throws {
    #expect(Run(.trust(id: id, name: "Drone"), in: directory.path).code == .accepted)
    #expect(Run(.peers(json: false), in: directory.path).output == ["\(id) Drone"])
    #expect(Run(.peers(json: true), in: directory.path).output == [#"{"id":"\#(id)","name":"Drone"}"#])
    #expect(Run(.untrust(id: id), in: directory.path).code == .accepted)
    #expect(Run(.peers(json: true), in: directory.path).output == [])
  }

  @Test func whoIsNotTrustedCannotBeRemoved() {
    let run = Run(.untrust(id: id), in: directory.path)
    #expect(run.code == .refused)
    #expect(run.errors.count == 1 && run.output.isEmpty)
  }

  @Test func renamingKeepsTheTrust() {
    _ = Run(.trust(id: id, name: "Drone"), in: directory.path)
    #expect(Run(.trust(id: id, name: nil), in: directory.path).output == ["\(id) (Drone) is still trusted"])
    _ = Run(.trust(id: id, name: "Other\u{1B}[2J"), in: directory.path)
    #expect(Run(.peers(json: false), in: directory.path).output == ["\(id) Other[2J"])
  }
}

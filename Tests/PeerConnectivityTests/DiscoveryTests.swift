import Glibc
import TestSupport
import Testing

@testable import PeerConnectivity

/// Advertiser and browser with an avahi-daemon of their own, and the examples as two programs on one host.
@Suite(
  .enabled(if: canHaveAvahi, "needs root, namespaces, dbus-daemon and avahi-daemon"), .serialized,
  .timeLimit(.minutes(2)))
struct DiscoveryTests {
  @Test func theExampleChatFindsConnectsAndTalks() throws {
    let host = try startedHost()
    let alice = try host.run(["stdbuf", "-oL", example("chat"), "alice"], quiet: false)
    #expect(alice.line(where: { $0.contains("You are alice") }) != nil)
    let bob = try host.run(["stdbuf", "-oL", example("chat"), "bob"], quiet: false)
    #expect(alice.line(where: { $0.contains("* bob") && $0.contains(": connected(") }) != nil)
    #expect(bob.line(where: { $0.contains("* alice") && $0.contains(": connected(") }) != nil)
    alice.send("hello \u{1B}[31m")
    bob.send("good morning")
    #expect(bob.line(where: { $0.hasPrefix("alice: \"hello") })?.contains("\u{1B}") == false)
    #expect(alice.line(where: { $0 == "bob: \"good morning\"" }) != nil)
    alice.closeInput()
    #expect(bob.line(where: { $0.contains("* alice") && $0.contains("notConnected") }) != nil)
    #expect(alice.exitCode(within: .seconds(10)) == 0)
    bob.closeInput()
    #expect(bob.exitCode(within: .seconds(10)) == 0)
  }

  @Test func theExampleBeaconSendsItsPositionAndAlarms() throws {
    let host = try startedHost()
    let one = try host.run(["stdbuf", "-oL", example("beacon"), "one"], quiet: false)
    let other = try host.run(["stdbuf", "-oL", example("beacon"), "other"], quiet: false)
    #expect(one.line(where: { $0.hasPrefix("other: \"48.2") }) != nil)
    #expect(other.line(where: { $0.hasPrefix("one: \"48.2") }) != nil)
    one.send("")
    #expect(other.line(where: { $0.hasPrefix("ALARM of one") }) != nil)
  }

  private func startedHost() throws -> PrivateAvahi {
    let host = try PrivateAvahi(hostName: "example")
    try host.startBus()
    try host.startDaemon()
    return host
  }
}

/// Whether it can be tried here; when not, what is missing is printed.
let canHaveAvahi: Bool = {
  guard let missing = PrivateAvahi.missing else { return true }
  print("tests with Avahi are skipped: \(missing)")
  return false
}()

/// An example's program, built beside the test bundle.
func example(_ name: String) -> String {
  let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
  return (bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast() + ["example-\(name)"])
    .joined(separator: "/")
}

extension ChildProcess {
  /// The next line that is wanted, others passed over.
  func line(within limit: Duration = .seconds(20), where isWanted: (String) -> Bool) -> String? {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while let line = readLine(within: ContinuousClock.now.duration(to: deadline)) {
      if isWanted(line) { return line }
    }
    return nil
  }
}

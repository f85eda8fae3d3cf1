import Glibc
import ServiceRuntime
import TestSupport
import Testing

/// Commands without a running client, on a network with Avahi, against the built navigator and simulator.
@Suite(.timeLimit(.minutes(1)), .serialized) struct OwnClientTests {
  private final class Host {
    let avahi: PrivateAvahi
    let state: TemporaryDirectory
    private let folder = ClientProcessBench.program.split(
      separator: "/", omittingEmptySubsequences: false
    ).dropLast().joined(separator: "/")

    init() throws {
      avahi = try PrivateAvahi(hostName: "own-client")
      state = try TemporaryDirectory()
      try avahi.startBus()
      try avahi.startDaemon()
    }

    func start(_ program: String, _ arguments: String...) throws -> ChildProcess {
      try avahi.run(
        ["sh", "-c", #"exec "$0" "$@" 2>&1"#, "\(folder)/\(program)"] + arguments)
    }

    /// Runs a command to its end.
    func lines(_ program: String, _ arguments: String...) throws -> (lines: [String], code: Int32?) {
      let state = "\(state.path)/\(program)"
      let child = try avahi.run(
        ["sh", "-c", #"exec "$0" "$@" 2>&1"#, "\(folder)/\(program)"] + arguments + ["--state", state])
      var lines: [String] = []
      while let line = child.readLine(within: .seconds(30)) { lines.append(line) }
      return (lines, child.exitCode(within: .seconds(5)))
    }

    /// Each side trusts the other.
    func pair() throws {
      let client = try lines("drone-client", "identity").lines.first ?? ""
      let navigator = try lines("drone-navigator", "identity").lines.first ?? ""
      #expect(try lines("drone-client", "trust", navigator, "--name", "Drone").code == 0)
      #expect(try lines("drone-navigator", "trust", client, "--name", "Ann").code == 0)
    }
  }

  @Test func aCommandFindsTheVehicleByItself() throws {
    if let missing = PrivateAvahi.missing {
      print("skipped: \(missing)")
      return
    }
    let host = try Host()
    try host.pair()
    let tty = "\(host.state.path)/tty"
    let simulator = try host.start("drone-simulator", "--link", tty, "--fast-start", "--speedup", "5")
    for _ in 0..<500 where access(tty, F_OK) != 0 { usleep(10_000) }
    let navigator = try host.start(
      "drone-navigator", "run", "--serial", tty, "--state", "\(host.state.path)/drone-navigator")
    let reset = try host.lines("drone-client", "reset")
    #expect(reset.code == 0, "\(reset.lines)")
    let takeoff = try host.lines("drone-client", "takeoff")
    #expect(takeoff.code == 0, "\(takeoff.lines)")
    #expect(takeoff.lines.first?.hasPrefix("takeoff: accepted by the flight controller in ") == true)
    #expect(takeoff.lines.last?.contains("the vehicle holds 3 s from now") == true)
    let stop = try host.lines("drone-client", "stop")
    #expect(stop.code == 0, "\(stop.lines)")
    navigator.signal(SIGTERM)
    simulator.signal(SIGTERM)
    #expect(navigator.exitCode(within: .seconds(10)) == 0)
  }

  @Test func withoutVehicleACommandEndsAtItsTimeLimit() throws {
    if let missing = PrivateAvahi.missing {
      print("skipped: \(missing)")
      return
    }
    let host = try Host()
    try host.pair()
    let land = try host.lines("drone-client", "land", "--timeout", "1")
    #expect(land.code == 3, "\(land.lines)")
    #expect(land.lines.last?.contains("no vehicle connected in time") == true)
  }
}

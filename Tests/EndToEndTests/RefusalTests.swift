import Glibc
import JSONText
import TestSupport
import Testing

extension EndToEndTests {
  /// Who is refused, and what is said about it.
  struct RefusalTests {
    private let world: World

    init() throws { world = try World(isTrusting: false) }

    private func trustEachOther() throws {
      #expect(try world.runClient("trust", world.navigatorID).code == 0)
      #expect(try world.runNavigator("trust", world.clientID).code == 0)
    }

    @Test func aTakeoffThatTheAutopilotRefusesCarriesItsOwnWords() throws {
      try trustEachOther()
      try world.startSlowSimulator()
      // Without a position, so that the autopilot is the only one with a reason against it.
      try world.startClient(position: "gpsd://127.0.0.1:1")
      try world.startNavigator()
      try world.requireReady()
      let takeoff = try world.runClient("takeoff")
      #expect(takeoff.code == 2, "\(takeoff)")
      #expect(takeoff.text.contains("takeoff: refused: "), "\(takeoff)")
      // ArduPilot's own text.
      world.simulator?.catchUp()
      let reasons = world.simulator?.lines.compactMap { line in
        line.split(separator: "text: Arm: ", omittingEmptySubsequences: false).dropFirst().last
      }
      #expect(reasons?.contains { takeoff.text.contains($0) } == true, "\(takeoff)\n\(world.story)")
      #expect(try world.vehicle()?["armed"]?.bool == false)
    }

    @Test func trustIsNeededOnBothSidesAndWorksAtOnce() throws {
      try world.startSimulator()
      try world.startClient()
      try world.startNavigator()
      // The client is the first to be asked, and says how to trust.
      #expect(try world.runClient("trust", world.navigatorID).code == 0)
      #expect(world.navigator?.says("drone-navigator trust \(world.clientID)") == true, "\(world.story)")
      let stop = try world.runClient("stop", "--timeout", "1")
      #expect(stop.code == 3, "\(stop)")

      #expect(try world.runNavigator("trust", world.clientID, "--name", "Ann").code == 0)
      #expect(world.navigator?.says("connected to Ann") == true, "\(world.story)")
      try world.requireReady()
      try world.takeOff()

      // The end of trust is the end of the session, and silence in flight is answered.
      #expect(try world.runNavigator("untrust", world.clientID).code == 0)
      #expect(world.client?.says("disconnected: Drone", within: .seconds(5)) == true, "\(world.story)")
      #expect(try world.runClient("land").code == 3)
      #expect(world.simulator?.says("mode BRAKE (command)") == true, "\(world.story)")
      #expect(try !world.sentCommands().contains("land"))
    }

    @Test func twoNavigatorsCannotShareADeviceOrAStateDirectory() throws {
      try trustEachOther()
      try world.startSimulator()
      try world.startNavigator()
      #expect(world.navigator?.says("serial line open") == true)
      let other = try World()
      let second = try Running(
        .navigator, ["run", "--state", other.navigatorState, "--serial", world.link], in: other.place)
      defer { second.stop() }
      #expect(second.says("serial line down", within: .seconds(10)))
      #expect(second.lines.last?.contains(world.link) == true)
      let first = "in use by drone-navigator (process \(world.navigator?.processID ?? 0))"
      #expect(second.lines.last?.contains(first) == true, "\(second.lines)")

      let third = try Finished(.navigator, world.navigatorArguments(), in: world.place)
      #expect(third.code == 69, "\(third)")
      #expect(third.text.contains("status.socket"), "\(third)")

      // The first one goes, and the device is free.
      world.navigator?.signal(SIGTERM)
      #expect(world.navigator?.exitCode() == 0)
      #expect(second.says("serial line open"), "\(second.lines)")
    }
  }

  /// Exit codes that scripts rely on.
  struct ExitCodeTests {
    private let world: World

    init() throws { world = try World() }

    private static let verbs = ["takeoff", "stop", "land", "return", "reset"]

    @Test func withoutAVehicleThereIsNothingToCommand() throws {
      try world.startClient()
      for verb in ExitCodeTests.verbs + ["follow"] {
        let finished = try world.runClient(verb)
        #expect(finished.code == 3, "\(verb) \(finished)")
        #expect(finished.text.contains("no vehicle"), "\(verb) \(finished)")
      }
      #expect(try world.runClient("goto", World.home).code == 3)
      #expect(try world.runClient("takeoff", "--vehicle", "Drone").code == 3)
      #expect(try world.runClient("status").code == 0)
    }

    @Test func withoutTrustACommandDoesNotWait() throws {
      let strange = try World(isTrusting: false)
      for verb in ExitCodeTests.verbs {
        let finished = try strange.runClient(verb)
        #expect(finished.code == 3, "\(verb) \(finished)")
        #expect(finished.text.contains("no vehicle is trusted yet"), "\(verb) \(finished)")
      }
    }

    @Test func withoutARunningClientOrDiscoveryAServiceIsMissing() throws {
      // Long before its time limit, since nothing will change by waiting.
      let takeoff = try world.runClient("takeoff", "--timeout", "35")
      #expect(takeoff.code == 69, "\(takeoff)")
      #expect(takeoff.text.contains("start dbus and avahi-daemon"), "\(takeoff)")
      // Positions must go on being sent after these, which a single command cannot.
      for arguments in [["follow"], ["goto", World.home]] {
        let finished = try Finished(.client, arguments + ["--state", world.clientState], in: world.place)
        #expect(finished.code == 69, "\(finished)")
        #expect(finished.text.contains("drone-client run"), "\(finished)")
      }
    }

    @Test func nobodyRunsNobodyAnswers() throws {
      #expect(try world.runClient("status").code == 3)
      #expect(try world.runClient("status", "--json").code == 3)
      let status = try world.runNavigator("status")
      #expect(status.code == 3)
      #expect(status.text.contains("no navigator is running"))
    }

    @Test(arguments: [
      ["--nonsense"], ["nonsense"], ["takeoff", "--nonsense"], ["goto"], ["goto", "0,0"], ["goto", "91,8"],
      ["takeoff", "--timeout", "soon"], ["takeoff", "--altitude", "-3"], ["run", "--position", "0,0"],
      ["trust", "abc"], [],
    ])
    func whatTheClientCannotUnderstandIsUsage(_ arguments: [String]) throws {
      let finished = try Finished(.client, arguments, in: world.place)
      #expect(finished.code == 64, "\(finished)")
      #expect(!finished.lines.isEmpty)
    }

    @Test(arguments: [
      ["--nonsense"], ["run", "--nonsense"], ["log", "--json", "--csv"], ["untrust", "abc"], [],
    ])
    func whatTheNavigatorCannotUnderstandIsUsage(_ arguments: [String]) throws {
      let finished = try Finished(.navigator, arguments, in: world.place)
      #expect(finished.code == 64, "\(finished)")
    }

    @Test func aBadConfigurationNamesItsLine() throws {
      let file = "\(world.navigatorState)/bad.conf"
      let text = "serial = /dev/null\nhold-after = never\nnonsense = 1\n"
      let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
      _ = text.withCString { write(descriptor, $0, strlen($0)) }
      close(descriptor)
      for subcommand in ["run", "check"] {
        let finished = try world.runNavigator(subcommand, "--config", file)
        #expect(finished.code == 78, "\(finished)")
        #expect(finished.text.contains("bad.conf:2"), "\(finished)")
        #expect(finished.text.contains("nonsense"), "\(finished)")
      }
      #expect(try world.runNavigator("run").code == 78)
      #expect(try world.runNavigator("run", "--config", "/nonexistent").code == 78)
    }
  }
}

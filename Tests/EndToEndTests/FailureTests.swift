import Glibc
import JSONText
import TestSupport
import Testing

extension EndToEndTests {
  /// Programs that die in flight, and what the vehicle does meanwhile and afterwards.
  struct FailureTests {
    private let world: World

    init() throws { world = try World() }

    @Test func aClientThatDiesLeadsToAHoldAndNothingResumesByItself() throws {
      try world.start()
      try world.takeOff()
      world.simulator?.catchUp()
      world.client?.killNow()
      #expect(world.simulator?.says("mode BRAKE (command)") == true, "\(world.story)")
      try world.startClient()
      #expect(world.navigator?.says("connected to Ann") == true, "\(world.story)")
      let sent = try world.sentCommands().count
      // Its coordinates are refused, each of them.
      let isHeard = try world.hearsCoordinates(3)
      #expect(isHeard, "\(world.story)")
      #expect(try world.sentCommands().count == sent)
      #expect(try world.vehicle()?["mode"]?.string == "BRAKE")

      let follow = try world.runClient("follow")
      #expect(follow.code == 0, "\(follow)")
      #expect(world.simulator?.says("mode GUIDED (command)") == true, "\(world.story)")
    }

    @Test func aNavigatorThatDiesResumesNothingWhenItIsBack() throws {
      try world.start()
      try world.takeOff()
      world.navigator?.killNow()
      #expect(world.client?.says("disconnected: Drone") == true)
      try world.startNavigator()
      #expect(world.client?.says("connected: Drone") == true, "\(world.story)")
      try world.requireReady()
      let sent = try world.sentCommands().count
      let isHeard = try world.hearsCoordinates(3)
      #expect(isHeard, "\(world.story)")
      #expect(try world.sentCommands().count == sent)
      let goto = try world.runClient("goto", World.home)
      #expect(goto.code == 0, "\(goto)\n\(world.story)")
      #expect(try world.runClient("land").code == 0)
    }

    @Test func aDeviceThatVanishesIsReopenedAndItsStateIsVoid() throws {
      try world.start()
      try world.takeOff()
      world.simulator?.killNow()
      #expect(world.navigator?.says("serial line down") == true, "\(world.story)")
      let isVoid = try world.waits { try world.navigatorStatus()?["armed"] == .null }
      #expect(isVoid)
      let refused = try world.runClient("stop")
      #expect(refused.code == 2, "\(refused)")
      try world.startSimulator()
      #expect(world.navigator?.says("serial line open") == true, "\(world.story)")
      #expect(world.navigator?.says("the autopilot is heard") == true, "\(world.story)")
      let isOnGround = try world.waits { try world.vehicle()?["armed"]?.bool == false }
      #expect(isOnGround, "\(world.story)")
      #expect(try world.vehicle()?["connected"]?.bool == true)
      let sent = try world.sentCommands().count
      let commands = try world.log().count { $0["event"]?.string == "command" }
      let goesOn = try world.waits {
        try world.log().count { $0["event"]?.string == "command" } >= commands + 2
      }
      #expect(goesOn)
      #expect(try world.sentCommands().count == sent)
      try world.takeOff()
    }

    @Test func aSimulatorOnTheNetworkIsFlownLikeADevice() throws {
      let address = try world.startNetworkSimulator()
      try world.startClient()
      try world.startNavigator(serial: address)
      try world.requireReady()
      try world.takeOff()
      let stop = try world.runClient("stop", "--json")
      #expect(try JSON.parse(stop.text)["outcome"]?.string == "accepted", "\(stop)")
      let back = try world.runClient("return")
      #expect(back.code == 0, "\(back)")
      #expect(world.simulator?.says("mode RTL (command)") == true, "\(world.story)")
    }

    @Test func aNavigatorThatIsStoppedInFlightHoldsFirst() throws {
      try world.start()
      try world.takeOff()
      world.simulator?.catchUp()
      world.navigator?.signal(SIGTERM)
      #expect(world.navigator?.exitCode() == 0, "\(world.story)")
      #expect(world.simulator?.says("mode BRAKE (command)", within: .seconds(2)) == true, "\(world.story)")
      #expect(world.client?.says("disconnected: Drone", within: .seconds(2)) == true)
      #expect(world.client?.lines.last?.contains("shuttingDown") == true, "\(world.story)")
      #expect(try world.log().last?["text"]?.string == "navigator Drone ended")
    }

    private static let hasGPSD = GPSDaemon.reasonToSkip == nil

    @Test(.enabled(if: hasGPSD, "gpsd is needed"))
    func noPositionIsEverSentWithoutAFix() throws {
      let gps = try GPSDaemon(.none, secondsAtMost: 60)
      defer { gps.stop() }
      try world.start(position: "gpsd://127.0.0.1:\(gps.port)")
      try world.takeOff()
      let follow = try world.runClient("follow")
      #expect(follow.code == 2, "\(follow)")
      #expect(follow.text.contains("no usable position"), "\(follow)")
      let areKept = try world.waits {
        try world.log().count { $0["command"]?.string == "keep-alive" } >= 5
      }
      #expect(areKept, "\(world.story)")
      let records = try world.log()
      #expect(!records.contains { $0["latitude"] != nil || $0["longitude"] != nil })
      let asked = Set(
        records.filter { $0["event"]?.string == "command" }.compactMap { $0["command"]?.string })
      #expect(asked == ["keep-alive", "takeoff"])
      #expect(try Set(world.sentCommands()) == ["takeoff"])
      #expect(try world.vehicle()?["distanceToTargetMeters"] == nil)
      #expect(try world.vehicle()?["groundSpeedMetersPerSecond"]?.double ?? 9 < 0.5)
    }
  }
}

import Glibc
import JSONText
import TestSupport
import Testing

extension EndToEndTests {
  /// The control connection breaks while datagrams flow.
  struct PlaneTests {
    private let world: World
    private let proxy: TCPProxy

    init() throws {
      world = try World()
      proxy = try TCPProxy(to: world.port)
    }

    private func start() throws {
      try world.startSimulator()
      try world.startClient()
      try world.startNavigator(proxy: proxy.port)
      try world.requireReady()
      let isUp = try world.waits { try world.vehicle()?["datagrams"]?.string == "up" }
      try #require(isUp, "\(world.story)")
    }

    @Test func aClientThatWasFrozenGoesOnInTheSameSessionAndNothingResumesByItself() throws {
      try start()
      try world.takeOff()
      world.simulator?.catchUp()
      world.client?.signal(SIGSTOP)
      defer { world.client?.signal(SIGCONT) }
      #expect(world.simulator?.says("mode BRAKE (command)") == true, "\(world.story)")
      #expect(world.navigator?.says("disconnected from Ann") == true, "\(world.story)")
      world.client?.signal(SIGCONT)
      #expect(world.navigator?.says("connected again to Ann") == true, "\(world.story)")
      let isHeard = try world.hearsCoordinates(3)
      #expect(isHeard, "\(world.story)")
      #expect(try world.navigatorStatus()?["latch"]?.string == "link loss")
      #expect(try world.vehicle()?["mode"]?.string == "BRAKE")
      let follow = try world.runClient("follow")
      #expect(follow.code == 0, "\(follow)\n\(world.story)")
      #expect(world.simulator?.says("mode GUIDED (command)") == true, "\(world.story)")
    }

    @Test func aStopAskedForInTheSilenceActsWhenTheVehicleIsHeardAgain() throws {
      try start()
      try world.takeOff()
      world.simulator?.catchUp()
      world.navigator?.signal(SIGSTOP)
      defer { world.navigator?.signal(SIGCONT) }
      #expect(world.client?.says("disconnected: Drone") == true, "\(world.story)")
      // Another command is refused at once: it would surprise when it acts later.
      let goto = try world.runClient("goto", World.home)
      #expect(goto.code != 0 && goto.text.contains("no vehicle is connected"), "\(goto)")
      let stop = try Running(.client, ["stop", "--state", world.clientState], in: world.place)
      #expect(!stop.says("stop: ", within: .seconds(1)))
      world.navigator?.signal(SIGCONT)
      #expect(stop.says("stop: accepted", within: .seconds(15)), "\(stop.lines)\n\(world.story)")
      #expect(stop.exitCode() == 0)
      let isLatched = try world.waits { try world.vehicle()?["stopLatched"]?.bool == true }
      #expect(isLatched, "\(world.story)")
      world.client?.catchUp()
      let isSame = world.client?.lines.contains { $0.contains("connected again: Drone") }
      #expect(isSame == true, "\(world.story)")
    }

    @Test func commandsActWithoutControlAndItIsReopened() throws {
      try start()
      let clients = try #require(try world.navigatorStatus()?["clients"]?.array)
      #expect(clients.first?["datagrams"]?.string == "up" && clients.first?["control"]?.bool == true)
      let text = try world.runClient("status").text
      #expect(text.contains("connected, datagrams up, status "), "\(text)")
      try world.takeOff()
      world.simulator?.catchUp()
      let passed = proxy.passed

      proxy.cut()
      let isCut = try world.waits { try world.vehicle()?["control"]?.bool == false }
      #expect(isCut, "\(world.story)")
      let goto = try world.runClient("goto", World.home)
      #expect(goto.code == 0, "\(goto)\n\(world.story)")
      let stop = try world.runClient("stop")
      #expect(stop.code == 0, "\(stop)\n\(world.story)")
      #expect(world.simulator?.says("mode BRAKE (command)") == true, "\(world.story)")
      let follow = try world.runClient("follow")
      #expect(follow.code == 0, "\(follow)\n\(world.story)")
      // Well over the three seconds after which a silent client would lead to a hold.
      let start = ContinuousClock.now
      while start.duration(to: .now) < .seconds(5) {
        let status = try world.navigatorStatus()
        #expect(status?["link"]?.string == "live" && status?["latch"] == .null, "\(world.story)")
        #expect(try world.vehicle()?["control"]?.bool == false)
        #expect(try world.vehicle()?["ageSeconds"]?.double ?? 9 < 2, "status comes by datagrams")
      }

      proxy.heal()
      let isBack = try world.waits(.seconds(15)) { try world.vehicle()?["control"]?.bool == true }
      #expect(isBack, "\(world.story)")
      #expect(proxy.passed > passed)
      #expect(try world.runClient("land").code == 0)
      #expect(world.simulator?.says("mode LAND (command)") == true, "\(world.story)")
      // For the two programs nothing of this was an end.
      world.client?.catchUp()
      world.navigator?.catchUp()
      let said = (world.client?.lines ?? []) + (world.navigator?.lines ?? [])
      #expect(!said.contains { $0.contains("disconnected") }, "\(world.story)")
      #expect(try world.log().filter { $0["state"]?.string == "connected" }.count == 1)
    }
  }
}

import JSONText
import TestSupport
import Testing

private let canRun: Bool = {
  if let reason = PrivateAvahi.missing ?? GPSDaemon.reasonToSkip {
    print("the whole job is not tried: \(reason)")
    return false
  }
  return true
}()

extension EndToEndTests {
  /// With a receiver, discovery over a cable, and everything else as it is in the field.
  @Suite(.enabled(if: canRun, "needs root, namespaces, avahi-daemon, dbus-daemon and gpsd"))
  struct WholeJobTests {
    private let host: PrivateAvahi
    private let world: World
    private let gpsPort: UInt16

    init() throws {
      host = try PrivateAvahi(hostName: "field")
      try host.startBus()
      try host.startDaemon()
      world = try World(in: Place(host))
      gpsPort = try GPSDaemon.freePort()
    }

    private func startGPS() throws -> GPSDaemon {
      try GPSDaemon(
        .track("walk", cycleSeconds: 0.333), port: gpsPort, secondsAtMost: 110,
        commandPrefix: host.commandPrefix)
    }

    private func startAll() throws {
      try world.startSimulator()
      try world.startClient(position: "gpsd://127.0.0.1:\(gpsPort)", listen: "0.0.0.0:0")
      try #require(world.client?.says("advertised as 'Ann'") == true, "\(world.story)")
      try world.startNavigator(connects: false)
      try world.requireReady()
      let hasFix = try world.waits { try world.clientStatus()?["position"]?["state"]?.string == "fix" }
      try #require(hasFix, "\(world.story)")
    }

    @Test func aVehicleComesToItsOperatorAndObeys() throws {
      let gps = try startGPS()
      defer { gps.stop() }
      try startAll()

      try world.requireReadyToFly()
      let takeoff = try world.runClient("takeoff")
      #expect(takeoff.code == 0, "\(takeoff)")
      #expect(takeoff.text.contains("takeoff: accepted by the flight controller in "))
      #expect(world.simulator?.says("took off") == true)

      // It starts 15 m away, and 40 m round the vehicle is where the operator walks.
      let isNear = try world.waits(.seconds(30)) {
        try (world.vehicle()?["distanceMeters"]?.double).map { $0 < 6 } ?? false
      }
      #expect(isNear, "\(world.story)")

      #expect(try world.runClient("stop").code == 0)
      #expect(world.simulator?.says("mode BRAKE (command)") == true)
      let sent = try world.sentCommands().count
      let areIgnored = try world.waits {
        try world.log().contains {
          $0["event"]?.string == "outcome" && $0["command"]?.string == "coordinate"
            && $0["reason"]?.string?.contains("holds after stop") == true
        }
      }
      #expect(areIgnored)
      let isTold = try world.waits { try world.vehicle()?["stopLatched"]?.bool == true }
      #expect(isTold)
      #expect(try world.sentCommands().count == sent)

      #expect(try world.runClient("reset").code == 0)
      let isFollowing = try world.waits { try world.sentCommands().count > sent }
      #expect(isFollowing, "\(world.story)")

      let goto = try world.runClient("goto", World.home)
      #expect(goto.code == 0, "\(goto)")
      let land = try world.runClient("land", "--json")
      #expect(land.code == 0, "\(land)")
      #expect(try JSON.parse(land.text)["outcome"]?.string == "accepted")
      #expect(world.simulator?.says("landed") == true)

      let records = try world.log()
      let accepted = records.filter {
        $0["event"]?.string == "outcome" && $0["outcome"]?.string == "accepted"
      }
      #expect(
        accepted.compactMap { $0["command"]?.string } == ["takeoff", "stop", "reset", "goto", "land"])
      #expect(accepted.allSatisfy { $0["client.id"]?.string == world.clientID && $0["elapsed-ms"] != nil })
      let commands = records.filter { $0["event"]?.string == "command" }
      for verb in ["takeoff", "coordinate", "stop", "reset", "goto", "land"] {
        #expect(commands.contains { $0["command"]?.string?.contains(verb) == true }, "\(verb)")
      }
    }

    @Test func daemonsComeAndGoAndSessionsStay() throws {
      var gps = try startGPS()
      defer { gps.stop() }
      try startAll()
      try world.takeOff()

      // Neither side may lose the other for want of discovery.
      try host.killDaemon()
      let goto = try world.runClient("goto", World.home)
      #expect(goto.code == 0, "\(goto)")
      #expect(try world.runClient("follow").code == 0)

      // Frames go on without a position, and with one when the receiver is back.
      gps.stop()
      let isLost = try world.waits {
        try world.log().last { $0["event"]?.string == "command" }?["command"]?.string == "keep-alive"
      }
      #expect(isLost, "\(world.story)")
      #expect(try world.clientStatus()?["position"]?["state"]?.string == "unreachable")
      gps = try startGPS()
      let isBack = try world.waits {
        try world.log().last { $0["event"]?.string == "command" }?["command"]?.string == "coordinate"
      }
      #expect(isBack, "\(world.story)")

      // A navigator that starts now finds the client as soon as Avahi is back.
      try host.startDaemon()
      world.navigator?.killNow()
      try world.startNavigator(connects: false)
      #expect(world.navigator?.says("connected to Ann") == true, "\(world.story)")
      try world.requireReady()
      let land = try world.runClient("land")
      #expect(land.code == 0, "\(land)")
      world.client?.catchUp()
      let sessions = world.client?.lines.count { $0.contains("disconnected: Drone") }
      #expect(sessions == 1)
    }

    @Test func aCommandWithoutARunningClientFindsTheVehicleItself() throws {
      let nobody = try world.runClient("takeoff", "--timeout", "1")
      #expect(nobody.code == 3, "\(nobody)")
      #expect(nobody.text.contains("no vehicle connected in time"), "\(nobody)")

      try world.startSimulator()
      try world.startNavigator(connects: false)
      #expect(world.navigator?.says("the autopilot is heard") == true, "\(world.story)")
      let takeoff = try world.runClient("takeoff")
      #expect(takeoff.code == 0, "\(takeoff)\n\(world.story)")
      #expect(world.simulator?.says("took off") == true)
      // Its client is gone again, so the vehicle holds.
      #expect(world.simulator?.says("mode BRAKE (command)") == true, "\(world.story)")
      let land = try world.runClient("land")
      #expect(land.code == 0, "\(land)\n\(world.story)")
      #expect(world.simulator?.says("mode LAND (command)") == true, "\(world.story)")
    }
  }
}

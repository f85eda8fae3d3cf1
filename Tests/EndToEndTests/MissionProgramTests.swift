import Glibc
import JSONText
import TestSupport
import Testing

extension EndToEndTests {
  /// The rows of the table of failures that are about programs, on PX4; `FailureTests` has them on ArduPilot.
  struct MissionProgramTests {
    private let world: World

    init() throws { world = try World() }

    private struct Place: Equatable {
      let north: Double
      let east: Double
      let height: Double
    }

    /// Where the vehicle says that it is, in metres from where it stood.
    private func place() throws -> Place? {
      guard let told = try world.navigatorStatus(), let latitude = told["latitude"]?.double,
        let longitude = told["longitude"]?.double, let height = told["altitudeAboveHome"]?.double
      else { return nil }
      return Place(
        north: (latitude - 47.397742) * 111_200, east: (longitude - 8.545594) * 75_270, height: height)
    }

    /// Comes to rest and stays, farther than `north` from where it began to move.
    private func holds() throws -> Bool {
      var last = try place()
      let rests = try world.waits {
        usleep(300_000)
        defer { last = try? place() }
        guard let last, let now = try place() else { return false }
        return abs(now.north - last.north) < 0.2 && abs(now.east - last.east) < 0.2
          && abs(now.height - last.height) < 0.2
      }
      return try rests && world.navigatorStatus()?["mode"]?.string == "AUTO.LOITER"
    }

    @Test func whoeverEndsAVehicleHoldsAndAFullDiskIsNoReasonNotToFly() throws {
      // Every write of the log of commands fails from the start.
      let log = "\(world.navigatorState)/drone-navigator.log"
      #expect(symlink("/dev/full", log) == 0)
      try world.startSimulator("--autopilot", "px4", "--speedup", "3")
      try world.startClient()
      try world.startNavigator()
      try world.requireReady()
      try world.takeOff()
      let isNoted = world.navigator?.lines.contains { $0.contains("Cannot write the log") } == true
      #expect(isNoted, "\(world.story)")

      // 5 m north, higher up.
      let arrived = try world.runClient("goto", "47.397787,8.545594", "--height", "6", "--wait", "--json")
      #expect(arrived.code == 0, "\(arrived)\n\(world.story)")
      let words = try arrived.lines.map { try JSON.parse($0)["outcome"]?.string }
      #expect(words == ["accepted", "arrived"])
      let there = try #require(try place())
      #expect(abs(there.north - 5) < 2 && abs(there.east) < 2 && abs(there.height - 6) < 2, "\(there)")

      // Something else that comes between ends the waiting.
      let far = "47.400442,8.545594"
      let slow = try Running(
        .client, ["goto", far, "--speed", "2", "--wait", "--state", world.clientState], in: world.place)
      #expect(slow.says("accepted by the flight controller"), "\(world.story)")
      #expect(try world.runClient("stop").code == 0)
      #expect(slow.exitCode() == 2)

      // The client dies on the way.
      #expect(try world.runClient("goto", far).code == 0)
      world.client?.killNow()
      #expect(try world.waits { try world.navigatorStatus()?["activity"]?.string == "holding" })
      #expect(try holds(), "\(world.story)")
      let held = try #require(try place())
      #expect(held.north > 10 && held.north < 250)
    }
  }
}

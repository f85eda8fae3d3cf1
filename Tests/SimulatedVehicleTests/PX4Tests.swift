import Geodesy
import MAVLink
import SimulatedVehicle
import Testing

struct PX4Tests {
  static func bench(ready: Bool = true) -> Bench { Bench(ready: ready) { $0.autopilot = .px4 } }

  /// Armed, up and holding there.
  static func flying(_ height: Float = 20) -> Bench {
    var bench = bench()
    _ = bench.arm()
    _ = bench.command(.navTakeoff, p7: Float(Bench.homeAltitude) + height)
    _ = bench.run(atMost: 60) {
      $0.state.mode == "AUTO.LOITER" && $0.state.altitudeAboveHomeMeters > Double(height) - 0.2
        && abs($0.state.verticalSpeedMetersPerSecond) < 0.05
    }
    bench.forget()
    return bench
  }

  @Test func `streams come unasked, and it is ready within 5 s`() {
    var bench = Self.bench(ready: false)
    bench.run(5)
    #expect(bench.texts.contains("Ready for takeoff!"))
    #expect(bench.count(Attitude.messageID) > 40)
    #expect(bench.count(GlobalPositionInt.messageID) > 4)
    #expect(bench.count(ExtendedSystemState.messageID) >= 4)
    #expect(bench.all(Heartbeat.self).last?.autopilot == .px4)
    #expect(bench.all(Heartbeat.self).last?.customMode == 0x0304_0000)
    _ = bench.command(.setMessageInterval, Float(GlobalPositionInt.messageID), 1_000_000)
    bench.forget()
    bench.run(10)
    #expect((9...11).contains(bench.count(GlobalPositionInt.messageID)))
  }

  @Test func `arming is accepted at once and changes no mode`() {
    var bench = Self.bench()
    #expect(bench.arm() == .accepted)
    #expect(bench.state.isArmed && bench.state.mode == "AUTO.LOITER")
    // And ends by itself.
    bench.run(11)
    #expect(!bench.state.isArmed)
  }

  @Test func `a take-off counts from the sea, and ends in Hold after about 19 s`() throws {
    var bench = Self.bench()
    _ = bench.arm()
    #expect(bench.command(.navTakeoff, p7: Float(Bench.homeAltitude) + 20) == .accepted)
    #expect(bench.state.mode == "AUTO.TAKEOFF")
    let measuredSeconds = bench.run(atMost: 60) { $0.state.mode == "AUTO.LOITER" }
    let seconds = try #require(measuredSeconds)
    #expect((17...21).contains(seconds))
    bench.run(5)
    #expect(abs(bench.state.altitudeAboveHomeMeters - 20) < 0.2)
    // What another autopilot takes for a height is under the ground here.
    var low = Self.bench()
    _ = low.arm()
    #expect(low.command(.navTakeoff, p7: 20) == .accepted)
    low.run(20)
    #expect((2...3).contains(low.state.altitudeAboveHomeMeters))
  }

  @Test func `a take-off in flight is accepted`() {
    var bench = Self.flying()
    #expect(bench.command(.navTakeoff, p7: Float(Bench.homeAltitude) + 30) == .accepted)
    bench.run(20)
    #expect(abs(bench.state.altitudeAboveHomeMeters - 30) < 0.3)
  }

  @Test(arguments: [CoordinateFrame.global, .globalInt, .globalRelativeAlt, .globalRelativeAltInt])
  func `a reposition is flown at 5 m a second, above the sea whatever the frame`(frame: CoordinateFrame) {
    var bench = Self.flying()
    let altitude = Float(Bench.homeAltitude) + 30
    #expect(bench.commandInt(.doReposition, frame: frame, 1, at: Bench.north(80), altitude) == .accepted)
    bench.run(10)
    #expect((4.5...5.1).contains(bench.state.groundSpeedMetersPerSecond))
    bench.run(25)
    #expect(bench.distance(to: Bench.north(80)) < 0.5)
    #expect(abs(bench.state.altitudeAboveHomeMeters - 30) < 0.3)
    #expect(bench.state.mode == "AUTO.LOITER")
  }

  @Test func `without the flag for the mode a reposition is not supported`() {
    var bench = Self.flying()
    #expect(bench.commandInt(.doReposition, frame: .global, 0, at: Bench.north(80), 600) == .unsupported)
  }

  @Test func `Hold and a pause do not stop a reposition; one to nowhere does in about 4 s and 8 m`() throws {
    var bench = Self.flying()
    let altitude = Float(Bench.homeAltitude) + 20
    _ = bench.commandInt(.doReposition, frame: .global, 1, at: Bench.north(300), altitude)
    bench.run(10)
    #expect(bench.command(.doSetMode, 1, 4, 3) != .denied)
    #expect(bench.command(.doPauseContinue, 0) == .unsupported)
    bench.run(10)
    #expect(bench.state.groundSpeedMetersPerSecond > 4.5)
    let start = bench.state.coordinate
    #expect(bench.command(.doReposition, -1, 1, p5: .nan, p6: .nan, p7: .nan) == .accepted)
    let measuredSeconds = bench.run(atMost: 20) { $0.state.groundSpeedMetersPerSecond < 0.1 }
    let seconds = try #require(measuredSeconds)
    #expect((3...5).contains(seconds))
    #expect((6...10).contains(bench.distance(to: start)))
    bench.run(10)
    #expect(bench.state.groundSpeedMetersPerSecond < 0.1)
    #expect(abs(bench.state.altitudeAboveHomeMeters - 20) < 0.3)
  }

  @Test func `a mode can be acknowledged twice and differently`() {
    var bench = Self.flying()
    _ = bench.command(.doSetMode, 1, 4, 6)
    let results = bench.all(CommandAck.self).filter { $0.command == .doSetMode }.map { $0.result }
    #expect(results == [.accepted, .temporarilyRejected])
    #expect(bench.state.mode == "AUTO.LAND")
    _ = bench.run(atMost: 60) { !$0.state.isArmed }
    #expect(!bench.state.isArmed && bench.state.isLanded && !bench.hasCrashed)
    // In the mode that is left, arming is refused with a text.
    #expect(bench.arm() == .temporarilyRejected)
    bench.run(1)
    #expect(bench.texts.contains { $0.contains("Arming denied") })
  }

  @Test func `disarming in flight is rejected, and a restart is denied anywhere`() {
    var bench = Self.flying()
    #expect(bench.command(.componentArmDisarm, 0) == .temporarilyRejected)
    #expect(bench.command(.preflightRebootShutdown, 1) == .denied)
    var standing = Self.bench()
    #expect(standing.command(.preflightRebootShutdown, 1) == .denied)
  }

  @Test func `it returns and lands`() {
    var bench = Self.flying()
    _ = bench.commandInt(
      .doReposition, frame: .global, 1, at: Bench.north(60), Float(Bench.homeAltitude) + 20)
    bench.run(25)
    _ = bench.command(.doSetMode, 1, 4, 5)
    #expect(bench.run(atMost: 200) { !$0.state.isArmed } != nil)
    #expect(bench.distance(to: Bench.home) < 2)
    #expect(!bench.hasCrashed)
  }

  @Test func `OFFBOARD needs targets already coming and returns when they end`() {
    var bench = Self.flying()
    #expect(bench.command(.doSetMode, 1, 6) == .temporarilyRejected)
    // One target outside of it does nothing and says nothing.
    bench.target(Bench.north(50))
    bench.run(3)
    #expect(bench.state.groundSpeedMetersPerSecond < 0.1 && bench.texts.isEmpty)
    for _ in 0..<10 {
      bench.target(Bench.north(50))
      bench.run(0.2)
    }
    _ = bench.command(.doSetMode, 1, 6)
    #expect(bench.state.mode == "OFFBOARD")
    for _ in 0..<100 {
      bench.target(Bench.north(50))
      bench.run(0.2)
    }
    #expect(bench.distance(to: Bench.north(50)) < 1)
    bench.run(0.7)
    #expect(bench.state.mode == "OFFBOARD")
    bench.run(0.5)
    #expect(bench.state.mode == "AUTO.RTL")
  }

  @Test func `a lost ground station is told within 14 s, and nothing else happens`() {
    var bench = Self.flying()
    bench.send(
      Heartbeat(
        type: .groundControlStation, autopilot: .invalid, baseMode: [], customMode: 0, systemStatus: .active))
    bench.forget()
    bench.run(14)
    #expect(bench.texts.contains("Connection to ground station lost"))
    #expect(bench.state.mode == "AUTO.LOITER")
  }
}

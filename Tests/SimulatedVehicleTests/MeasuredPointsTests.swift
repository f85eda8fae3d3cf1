import Geodesy
import MAVLink
import SimulatedVehicle
import Testing

/// Single observations of the real autopilots that no other test here has in the very form in which they were made.
struct MeasuredPointsTests {
  // MARK: ArduCopter

  @Test func `the mode is confirmed by the next heartbeat`() {
    var bench = Bench()
    bench.forget()
    #expect(bench.select(.guided) == .accepted)
    bench.run(1.1)
    #expect(bench.mode == .guided)
  }

  @Test func `a refusal to arm is FAILED, with its text after the acknowledgement`() throws {
    var bench = Bench(ready: false)
    bench.run(5)
    _ = bench.select(.guided)
    #expect(bench.arm() == .failed)
    bench.run(0.5)
    let ids = bench.received.map(\.frame.messageID)
    let ack = try #require(ids.firstIndex(of: CommandAck.messageID))
    let text = try #require(ids.firstIndex(of: StatusText.messageID))
    #expect(ack < text)
    #expect(bench.texts.first == "Arm: Need Position Estimate")
  }

  @Test func `targets that stop coming are finished and held`() {
    var bench = Bench()
    bench.fly()
    for meters in stride(from: 10.0, through: 50, by: 10) {
      bench.target(Bench.north(meters))
      bench.run(0.5)
    }
    bench.run(60)
    #expect(bench.distance(to: Bench.north(50)) < 0.1)
    #expect(bench.state.mode == "GUIDED")
  }

  @Test func `the parameter of the watched station has its new name only`() {
    var bench = Bench()
    func read(_ name: String) -> Int {
      bench.forget()
      bench.send(
        ParamRequestRead(targetSystem: 1, targetComponent: 1, paramId: FixedText(name), paramIndex: -1))
      bench.run(0.1)
      return bench.count(ParamValue.messageID)
    }
    #expect(read("MAV_GCS_SYSID") == 1)
    #expect(read("SYSID_MYGCS") == 0)
    #expect(read("FS_GCS_ENABLE") == 1)
    #expect(bench.all(ParamValue.self).last?.paramValue == 0)
  }

  // MARK: PX4

  @Test func `a take-off without a place or a heading climbs where it stands`() {
    var bench = PX4Tests.bench()
    _ = bench.arm()
    bench.send(
      CommandLong(
        targetSystem: 1, targetComponent: 1, command: .navTakeoff, param4: .nan, param5: .nan, param6: .nan,
        param7: Float(Bench.homeAltitude) + 20))
    bench.run(30)
    #expect(bench.state.mode == "AUTO.LOITER")
    #expect(bench.distance(to: Bench.home) < 0.5)
    #expect(abs(bench.state.altitudeAboveHomeMeters - 20) < 0.3)
  }

  @Test func `a reposition to 40 with a relative frame is 30 m above a home at 10 m`() {
    var bench = Bench {
      $0.autopilot = .px4
      $0.homeAltitudeMSLMeters = 10
    }
    _ = bench.arm()
    _ = bench.command(.navTakeoff, p7: 25)
    _ = bench.run(atMost: 60) { $0.state.mode == "AUTO.LOITER" }
    #expect(
      bench.commandInt(.doReposition, frame: .globalRelativeAltInt, 1, at: Bench.north(20), 40) == .accepted)
    bench.run(30)
    #expect(abs(bench.state.altitudeAboveHomeMeters - 30) < 0.3)
  }

  @Test func `a reposition to nowhere with all of its fields unset stops it`() {
    var bench = PX4Tests.flying()
    let altitude = Float(Bench.homeAltitude) + 20
    _ = bench.commandInt(.doReposition, frame: .global, 1, at: Bench.north(300), altitude)
    bench.run(10)
    bench.forget()
    bench.send(
      CommandLong(
        targetSystem: 1, targetComponent: 1, command: .doReposition, param1: -1, param2: 1, param4: .nan,
        param5: .nan, param6: .nan, param7: .nan))
    bench.run(6)
    #expect(bench.all(CommandAck.self).map { $0.result } == [.accepted])
    #expect(bench.state.groundSpeedMetersPerSecond < 0.1)
    #expect(bench.state.mode == "AUTO.LOITER")
  }

  @Test func `OFFBOARD is left about a second after the last target, for a return`() throws {
    var bench = PX4Tests.flying()
    for _ in 0..<10 {
      bench.target(Bench.north(30))
      bench.run(0.2)
    }
    #expect(bench.command(.doSetMode, 1, 6) != .denied)
    #expect(bench.state.mode == "OFFBOARD")
    let measuredSeconds = bench.run(atMost: 5) { $0.state.mode == "AUTO.RTL" }
    #expect((0.6...1.3).contains(try #require(measuredSeconds)))
  }

  @Test func `without an estimate it tells no position, where ArduPilot tells zeros`() {
    var px4 = PX4Tests.bench(ready: false)
    px4.run(3)
    #expect(px4.count(GlobalPositionInt.messageID) == 0)
    px4.run(3)
    #expect(px4.count(GlobalPositionInt.messageID) > 5)
    var ardupilot = Bench(ready: false)
    ardupilot.run(3)
    #expect(ardupilot.ask(GlobalPositionInt.self)?.lat == 0)
  }
}

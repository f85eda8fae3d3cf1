import Geodesy
import MAVLink
import SimulatedVehicle
import Testing

struct FlightTests {
  @Test func `20 m are climbed in 14 seconds`() throws {
    var bench = Bench()
    #expect(bench.select(.guided) == .accepted)
    #expect(bench.arm() == .accepted)
    #expect(bench.command(.navTakeoff, p7: 20) == .accepted)
    let measuredSeconds = bench.run(atMost: 30) { $0.state.altitudeAboveHomeMeters > 19.5 }
    let seconds = try #require(measuredSeconds)
    #expect((12...16).contains(seconds))
    bench.run(20)
    #expect(abs(bench.state.altitudeAboveHomeMeters - 20) < 0.1)
    #expect(bench.ask(ExtendedSystemState.self)?.landedState == .inAir)
  }

  @Test func `take-off is refused when disarmed, when flying and to nowhere`() {
    var bench = Bench()
    _ = bench.select(.guided)
    #expect(bench.command(.navTakeoff, p7: 20) == .failed)
    _ = bench.arm()
    #expect(bench.command(.navTakeoff, p7: 0) == .failed)
    #expect(bench.command(.navTakeoff, p7: .nan) == .failed)
    bench.fly()
    #expect(bench.command(.navTakeoff, p7: 30) == .failed)
  }

  @Test(arguments: [
    (CoordinateFrame.globalRelativeAlt, CommandResult.accepted), (.global, .denied), (.globalInt, .denied),
  ])
  func `take-off in a COMMAND_INT has to be relative`(frame: CoordinateFrame, result: CommandResult) {
    var bench = Bench()
    _ = bench.select(.guided)
    _ = bench.arm()
    #expect(bench.commandInt(.navTakeoff, frame: frame, at: Bench.home, 10) == result)
  }

  @Test func `one target is flown at up to 10 m a second and held within 10 cm`() {
    var bench = Bench()
    bench.fly()
    let place = Bench.north(120)
    bench.target(place, 30)
    var fastest = 0.0
    for _ in 0..<600 {
      bench.run(0.06)
      fastest = max(fastest, bench.state.groundSpeedMetersPerSecond)
    }
    #expect((9.5...10.1).contains(fastest))
    for _ in 0..<50 {
      bench.run(1)
      #expect(bench.distance(to: place) < 0.1)
      #expect(abs(bench.state.altitudeAboveHomeMeters - 30) < 0.1)
    }
    #expect(bench.state.mode == "GUIDED")
  }

  @Test func `the other mask without yaw flies as well`() {
    var bench = Bench()
    bench.fly()
    bench.target(Bench.north(30), mask: 0x0FF8)
    bench.run(20)
    #expect(bench.distance(to: Bench.north(30)) < 0.1)
  }

  @Test func `a velocity lasts 3 seconds`() {
    var bench = Bench()
    bench.fly()
    bench.velocity(north: 5)
    bench.run(2.9)
    #expect(bench.state.groundSpeedMetersPerSecond > 4.5)
    bench.run(4)
    #expect(bench.state.groundSpeedMetersPerSecond < 0.1)
  }

  @Test func `BRAKE stops from full speed in about 5 seconds and 20 m, and the old target is forgotten`()
    throws
  {
    var bench = Bench()
    bench.fly()
    bench.target(Bench.north(300))
    bench.run(15)
    #expect(bench.state.groundSpeedMetersPerSecond > 9.8)
    let start = bench.state.coordinate
    #expect(bench.select(.brake) == .accepted)
    let measuredSeconds = bench.run(atMost: 10) { $0.state.groundSpeedMetersPerSecond < 0.05 }
    let seconds = try #require(measuredSeconds)
    #expect((4...6).contains(seconds))
    #expect((18...22).contains(bench.distance(to: start)))
    // Targets are ignored meanwhile, without an answer.
    bench.run(2)
    let stop = bench.state.coordinate
    bench.forget()
    bench.target(Bench.home)
    bench.run(5)
    #expect(bench.distance(to: stop) < 0.1)
    #expect(bench.count(CommandAck.messageID) == 0 && bench.texts.isEmpty)
    #expect(bench.select(.guided) == .accepted)
    bench.run(10)
    #expect(bench.distance(to: stop) < 0.1)
    #expect(abs(bench.state.altitudeAboveHomeMeters - 20) < 0.2)
  }

  @Test func `a pause stops in about 5 seconds and 25 m and stays in GUIDED`() throws {
    var bench = Bench()
    bench.fly()
    bench.target(Bench.north(300))
    bench.run(15)
    let start = bench.state.coordinate
    #expect(bench.command(.doPauseContinue, 0) == .accepted)
    let measuredSeconds = bench.run(atMost: 10) { $0.state.groundSpeedMetersPerSecond < 0.05 }
    let seconds = try #require(measuredSeconds)
    #expect((4...7).contains(seconds))
    #expect((22...28).contains(bench.distance(to: start)))
    bench.run(10)
    #expect(bench.state.mode == "GUIDED")
    #expect(bench.state.groundSpeedMetersPerSecond < 0.05)
  }

  @Test func `a pause outside GUIDED fails with a text`() {
    var bench = Bench()
    #expect(bench.command(.doPauseContinue, 0) == .failed)
    bench.run(0.5)
    #expect(bench.texts.contains { $0.hasPrefix("Failed to pause") })
  }

  @Test func `LAND comes down, slowly near the ground, and disarms by itself`() throws {
    var bench = Bench()
    bench.fly()
    #expect(bench.select(.land) == .accepted)
    var steepest = 0.0
    let measuredSeconds = bench.run(atMost: 60) {
      if $0.state.altitudeAboveHomeMeters < 5 {
        steepest = min(steepest, $0.state.verticalSpeedMetersPerSecond)
      }
      return !$0.state.isArmed
    }
    let seconds = try #require(measuredSeconds)
    #expect((20...40).contains(seconds))
    #expect((-0.6 ... -0.4).contains(steepest))
    #expect(bench.state.isLanded)
    #expect(bench.events.contains { $0.kind == .landed })
  }

  @Test func `return to launch climbs to 15 m, flies home, lands and disarms`() {
    var bench = Bench()
    bench.fly(to: 5)
    bench.target(Bench.north(100), 5)
    bench.run(25)
    #expect(bench.select(.rtl) == .accepted)
    let climb = bench.run(atMost: 20) { $0.state.altitudeAboveHomeMeters > 14.5 }
    #expect(climb != nil)
    #expect(bench.distance(to: Bench.north(100)) < 2)
    let down = bench.run(atMost: 120) { !$0.state.isArmed }
    #expect(down != nil)
    #expect(bench.distance(to: Bench.home) < 0.6)
    #expect(bench.state.isLanded)
  }

  @Test func `LOITER without a radio descends at 2.5 m a second to the ground`() {
    var bench = Bench()
    bench.fly(to: 30)
    #expect(bench.select(.loiter) == .accepted)
    bench.run(5)
    #expect(abs(bench.state.verticalSpeedMetersPerSecond + 2.5) < 0.1)
    let down = bench.run(atMost: 20) { $0.state.isLanded }
    #expect(down != nil)
  }

  @Test func `targets are ignored outside GUIDED and on the ground`() {
    var bench = Bench()
    _ = bench.select(.guided)
    bench.target(Bench.north(50))
    bench.run(2)
    #expect(bench.state.altitudeAboveHomeMeters == 0)
    _ = bench.arm()
    bench.run(0.5)
    bench.forget()
    bench.target(Bench.north(50))
    bench.run(5)
    #expect(bench.distance(to: Bench.home) < 0.01 && bench.state.altitudeAboveHomeMeters == 0)
    #expect(bench.texts.isEmpty && bench.count(CommandAck.messageID) == 0)
  }

  @Test func `it disarms by itself 10 seconds after arming without take-off`() throws {
    var bench = Bench()
    _ = bench.select(.guided)
    _ = bench.arm()
    let measuredSeconds = bench.run(atMost: 20) { !$0.state.isArmed }
    let seconds = try #require(measuredSeconds)
    #expect(abs(seconds - 10) < 0.3)
  }

  @Test func `a target that makes no sense stops the vehicle`() {
    var bench = Bench()
    bench.fly()
    bench.target(Bench.north(300))
    bench.run(10)
    #expect(bench.state.groundSpeedMetersPerSecond > 9)
    bench.target(Bench.north(300), mask: 0x0FFF)
    bench.run(8)
    #expect(bench.state.groundSpeedMetersPerSecond < 0.1)
  }

  @Test func `disarming in flight is refused; forced it is accepted and the vehicle falls`() {
    var bench = Bench()
    bench.fly()
    #expect(bench.command(.componentArmDisarm, 0) == .failed)
    bench.run(1)
    #expect(bench.state.isArmed)
    #expect(bench.command(.componentArmDisarm, 0, 21196) == .accepted)
    bench.run(1)
    #expect(bench.state.verticalSpeedMetersPerSecond < -8)
    bench.run(5)
    #expect(bench.state.altitudeAboveHomeMeters == 0)
    #expect(bench.hasCrashed)
  }

  @Test func `unknown modes and commands are refused each in their way`() {
    var bench = Bench()
    #expect(bench.select(CopterMode(rawValue: 99)) == .failed)
    bench.run(0.5)
    #expect(bench.texts.contains("No such mode 99"))
    #expect(bench.command(CommandID(rawValue: 31_999)) == .unsupported)
    #expect(bench.command(.doSetMode, 0, 4) == .denied)
  }

  @Test func `arming in BRAKE is refused`() {
    var bench = Bench()
    #expect(bench.select(.brake) == .accepted)
    #expect(bench.arm() == .failed)
    bench.run(0.5)
    #expect(bench.texts.contains { $0.hasPrefix("Arm: ") })
  }

  @Test func `a command to a component that does not exist is carried out, one to another system is not`() {
    var bench = Bench()
    #expect(bench.command(.doSetMode, 1, 4, component: 77) == .accepted)
    #expect(bench.state.mode == "GUIDED")
    bench.forget()
    bench.send(
      CommandLong(targetSystem: 2, targetComponent: 1, command: .doSetMode, param1: 1, param2: 17))
    bench.run(1)
    #expect(bench.state.mode == "GUIDED")
    #expect(bench.count(CommandAck.messageID) == 0)
  }

  @Test func `DO_REPOSITION by COMMAND_INT flies, and its target is reported above sea level`() throws {
    var bench = Bench()
    bench.fly()
    let place = Bench.north(60)
    #expect(
      bench.commandInt(.doReposition, frame: .globalRelativeAltInt, at: place, 25) == .accepted)
    let measuredTarget = bench.ask(PositionTargetGlobalInt.self)
    let target = try #require(measuredTarget)
    #expect(target.coordinateFrame == .global)
    #expect(abs(target.alt - Float(Bench.homeAltitude) - 25) < 0.01)
    bench.run(30)
    #expect(bench.distance(to: place) < 0.1)
    #expect(abs(bench.state.altitudeAboveHomeMeters - 25) < 0.1)
  }

  @Test func `DO_REPOSITION outside GUIDED needs permission to change the mode`() {
    var bench = Bench()
    bench.fly()
    _ = bench.select(.brake)
    let place = Bench.north(60)
    #expect(bench.commandInt(.doReposition, frame: .globalRelativeAltInt, at: place, 25) == .denied)
    #expect(
      bench.commandInt(.doReposition, frame: .globalRelativeAltInt, 1, at: place, 25) == .accepted)
    #expect(bench.state.mode == "GUIDED")
    let nowhere = Coordinate(latitude: 0, longitude: 0)!
    #expect(
      bench.commandInt(.doReposition, frame: .globalRelativeAltInt, 1, at: nowhere, 25) == .denied)
  }

  @Test func `the battery drains in flight`() throws {
    var bench = Bench()
    bench.fly()
    let before = bench.state.batteryRemaining
    bench.run(60)
    #expect((0.03...0.12).contains(before - bench.state.batteryRemaining))
    let measuredStatus = bench.ask(SystemStatus.self)
    let status = try #require(measuredStatus)
    #expect((80..<100).contains(status.batteryRemaining))
  }

  @Test func `a mission from power-on to disarmed`() throws {
    var bench = Bench(ready: false)
    bench.run(41)
    _ = bench.command(.setMessageInterval, Float(GlobalPositionInt.messageID), 200_000)
    #expect(bench.select(.guided) == .accepted)
    bench.run(1.1)
    #expect(bench.mode == .guided)
    #expect(bench.arm() == .accepted)
    #expect(bench.command(.navTakeoff, p7: 15) == .accepted)
    bench.run(20)
    let position = try #require(bench.all(GlobalPositionInt.self).last)
    #expect(abs(position.relativeAlt - 15_000) < 100)
    bench.target(Bench.north(200), 15)
    bench.run(10)
    #expect(bench.select(.brake) == .accepted)
    bench.run(8)
    let stop = bench.state.coordinate
    #expect(bench.select(.guided) == .accepted)
    bench.run(5)
    #expect(bench.distance(to: stop) < 0.1)
    bench.target(Bench.north(20), 15)
    bench.run(30)
    #expect(bench.distance(to: Bench.north(20)) < 0.1)
    #expect(bench.select(.land) == .accepted)
    let down = bench.run(atMost: 60) { !$0.state.isArmed }
    #expect(down != nil)
    bench.run(1.1)
    #expect(bench.all(Heartbeat.self).last?.baseMode.contains(.safetyArmed) == false)
    #expect(
      bench.events.map(\.kind).filter { [.armed, .tookOff, .landed, .disarmed].contains($0) }
        == [.armed, .tookOff, .landed, .disarmed])
  }
}

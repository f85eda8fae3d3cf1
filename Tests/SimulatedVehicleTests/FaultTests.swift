import MAVLink
import SimulatedVehicle
import Testing

struct FaultTests {
  @Test func `without a receiver it cannot be armed`() {
    var bench = Bench()
    bench.vehicle.inject(.noGPS)
    bench.run(1)
    _ = bench.select(.guided)
    #expect(bench.arm() == .failed)
    #expect(bench.ask(GPSRawInt.self)?.fixType == .noFix)
  }

  @Test func `arming can be refused with a given reason`() {
    var bench = Bench()
    bench.vehicle.inject(.refuseArm("Compass not calibrated"))
    _ = bench.select(.guided)
    #expect(bench.arm() == .failed)
    bench.run(0.5)
    #expect(bench.texts.contains("Arm: Compass not calibrated"))
    bench.vehicle.clear(.refuseArm("Compass not calibrated"))
    #expect(bench.arm() == .accepted)
  }

  @Test func `without acknowledgements commands are carried out all the same`() {
    var bench = Bench()
    bench.vehicle.inject(.dropAcknowledgements)
    #expect(bench.select(.guided) == nil)
    #expect(bench.state.mode == "GUIDED")
  }

  @Test func `a low battery is told, and lands when the parameter says so`() throws {
    var bench = Bench()
    bench.set("BATT_FS_LOW_ACT", 1)
    bench.fly()
    bench.vehicle.inject(.batteryLow)
    bench.run(0.5)
    #expect(bench.texts.contains { $0.hasPrefix("Battery 1 is low") })
    #expect(bench.state.mode == "LAND")
    let measuredStatus = bench.ask(SystemStatus.self)
    let status = try #require(measuredStatus)
    #expect(status.batteryRemaining <= 15)
  }

  @Test func `a receiver that fails in flight makes ArduPilot land where it is`() throws {
    var bench = Bench()
    bench.fly()
    bench.target(Bench.north(100))
    bench.run(5)
    bench.forget()
    bench.vehicle.inject(.noGPS)
    let measuredSeconds = bench.run(atMost: 5) { $0.state.mode == "LAND" }
    #expect(abs(try #require(measuredSeconds) - 1) < 0.2)
    bench.run(0.1)
    #expect(bench.texts.contains("EKF Failsafe: changed to LAND Mode"))
    // Modes that need the position are refused meanwhile.
    #expect(bench.select(.rtl) == .failed)
    let down = bench.run(atMost: 60) { !$0.state.isArmed }
    #expect(down != nil && !bench.hasCrashed)
    #expect(bench.distance(to: Bench.home) > 5)
    #expect(bench.arm() == .failed)
    bench.vehicle.clear(.noGPS)
    _ = bench.select(.guided)
    #expect(bench.arm() == .accepted)
  }

  @Test func `a receiver that fails in flight makes PX4 land where it is`() throws {
    var bench = PX4Tests.flying()
    bench.vehicle.inject(.noGPS)
    let measuredSeconds = bench.run(atMost: 5) { $0.state.mode == "AUTO.LAND" }
    #expect(abs(try #require(measuredSeconds) - 1) < 0.2)
    bench.run(0.1)
    #expect(bench.texts.contains { $0.hasPrefix("Failsafe activated") })
    let down = bench.run(atMost: 60) { !$0.state.isArmed }
    #expect(down != nil && !bench.hasCrashed)
    #expect(bench.arm() == .temporarilyRejected)
  }

  @Test func `PX4 refuses to arm with the given reason`() {
    var bench = PX4Tests.bench()
    bench.vehicle.inject(.refuseArm("Compass not calibrated"))
    #expect(bench.arm() == .temporarilyRejected)
    bench.run(0.5)
    #expect(bench.texts.contains("Preflight Fail: Compass not calibrated"))
  }

  @Test func `PX4 carries out what it does not acknowledge`() {
    var bench = PX4Tests.bench()
    bench.vehicle.inject(.dropAcknowledgements)
    #expect(bench.arm() == nil)
    #expect(bench.state.isArmed)
  }

  @Test func `PX4 warns of a low battery and flies on`() {
    var bench = PX4Tests.flying()
    bench.vehicle.inject(.batteryLow)
    bench.run(0.5)
    #expect(bench.texts.contains { $0.hasPrefix("Low battery") })
    bench.run(10)
    #expect(bench.state.mode == "AUTO.LOITER")
  }

  @Test func `a restart of PX4 in flight is a fall, and its streams come unasked again`() {
    var bench = PX4Tests.bench()
    bench.vehicle.inject(.restartInFlight)
    _ = bench.arm()
    _ = bench.command(.navTakeoff, p7: Float(Bench.homeAltitude) + 20)
    let restart = bench.run(atMost: 30) { bench in bench.events.contains { $0.kind == .rebooting } }
    #expect(restart != nil)
    bench.forget()
    bench.run(10)
    #expect(bench.state.isLanded && !bench.state.isArmed)
    #expect(bench.count(ExtendedSystemState.messageID) > 3)
  }

  @Test func `a restart in flight is a silence of 2 seconds and a fall`() throws {
    var bench = Bench()
    bench.vehicle.inject(.restartInFlight)
    _ = bench.select(.guided)
    _ = bench.arm()
    _ = bench.command(.navTakeoff, p7: 20)
    let restart = bench.run(atMost: 30) { bench in bench.events.contains { $0.kind == .rebooting } }
    #expect(restart != nil)
    bench.run(10)
    #expect(bench.state.isLanded && !bench.state.isArmed)
    #expect(bench.mode == .stabilize)
    let measuredTime = bench.ask(SystemTime.self)
    let time = try #require(measuredTime)
    #expect(time.timeBootMs < 12_000)
  }

  @Test func `noise costs no frame`() {
    var bench = Bench()
    bench.vehicle.inject(.noise)
    bench.forget()
    bench.run(60)
    #expect((59...61).contains(bench.count(Heartbeat.messageID)))
    #expect(bench.counters.skippedBytes > 10_000)
  }

  @Test func `a pilot who takes over holds with the radio`() {
    var bench = Bench()
    bench.fly()
    bench.vehicle.inject(.pilotTakesOver)
    bench.run(10)
    #expect(bench.state.mode == "LOITER")
    #expect(abs(bench.state.altitudeAboveHomeMeters - 20) < 0.2)
    #expect(bench.events.contains { $0.kind == .modeChanged("LOITER", reason: .pilot) })
  }

  @Test func `a silent line neither sends nor hears`() {
    var bench = Bench()
    bench.vehicle.inject(.silent)
    bench.forget()
    #expect(bench.select(.guided) == nil)
    bench.run(10)
    #expect(bench.received.isEmpty)
    #expect(bench.state.mode == "STABILIZE")
    bench.vehicle.clear(.silent)
    bench.run(1.1)
    #expect(bench.count(Heartbeat.messageID) > 0)
  }

  @Test(.timeLimit(.minutes(1))) func `random bytes and random commands do no harm`() {
    var bench = Bench()
    bench.fly()
    var state: UInt64 = 7
    func random() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 32
    }
    func float() -> Float { Float(bitPattern: UInt32(truncatingIfNeeded: random())) }
    func integer() -> Int32 { Int32(truncatingIfNeeded: random()) }
    let commands: [UInt16] = [16, 20, 21, 22, 176, 178, 192, 193, 400, 510, 511, 512]
    for _ in 0..<2000 {
      bench.vehicle.receive((0..<20).map { _ in UInt8(truncatingIfNeeded: random()) })
      let command = CommandID(rawValue: commands[Int(random() % 12)])
      bench.send(
        CommandInt(
          targetSystem: 1, targetComponent: 1, frame: CoordinateFrame(rawValue: UInt8(random() % 12)),
          command: command, param1: float(), param2: float(), param3: float(), param4: float(),
          x: integer(), y: integer(), z: float()))
      bench.send(
        CommandLong(
          targetSystem: 1, targetComponent: 1, command: command, param1: Float(random() % 2),
          param2: float(), param5: float(), param6: float(), param7: float()))
      bench.send(
        SetPositionTargetGlobalInt(
          targetSystem: 1, targetComponent: 1,
          coordinateFrame: CoordinateFrame(rawValue: UInt8(random() % 12)),
          typeMask: PositionTargetTypeMask(rawValue: UInt16(random() % 4096)), latInt: integer(),
          lonInt: integer(), alt: float(), vx: float(), vy: float(), vz: float()))
      bench.run(0.1)
      bench.forget()
    }
    #expect(bench.state.altitudeAboveHomeMeters.isFinite)
    bench.run(1.1)
    #expect(bench.count(Heartbeat.messageID) > 0)
  }
}

import MAVLink
import SimulatedVehicle
import Testing

struct StartTests {
  @Test func `after a start only heartbeats and texts arrive`() {
    var bench = Bench(ready: false)
    bench.run(60)
    let ids = Set(bench.received.map(\.frame.messageID))
    #expect(ids == [Heartbeat.messageID, StatusText.messageID])
    #expect((59...61).contains(bench.count(Heartbeat.messageID)))
  }

  @Test func `a heartbeat tells an ArduPilot quadrotor`() throws {
    var bench = Bench()
    bench.run(1)
    let heartbeat = try #require(bench.all(Heartbeat.self).last)
    #expect(heartbeat.autopilot == .arduPilotMega)
    #expect(heartbeat.type == .quadrotor)
    #expect(heartbeat.baseMode.contains(.customModeEnabled))
    #expect(!heartbeat.baseMode.contains(.safetyArmed))
    #expect(heartbeat.systemStatus == .standby)
  }

  @Test func `the first fix comes after 8 to 10 seconds`() throws {
    var bench = Bench(ready: false)
    _ = bench.command(.setMessageInterval, Float(GPSRawInt.messageID), 200_000)
    let measuredSeconds = bench.run(atMost: 20) { $0.all(GPSRawInt.self).last?.fixType == .rtkFixed }
    let seconds = try #require(measuredSeconds)
    #expect((8...10).contains(seconds))
    #expect(bench.all(GPSRawInt.self).first?.fixType == .noFix)
    #expect(bench.all(GPSRawInt.self).first?.lat == 0)
  }

  @Test func `the estimator reports 167 and after 40 seconds 831`() {
    var bench = Bench(ready: false)
    bench.run(35)
    #expect(bench.ask(EKFStatusReport.self)?.flags.rawValue == 167)
    #expect(bench.ask(GlobalPositionInt.self)?.lat == 0)
    #expect(bench.command(.getHomePosition) == .failed)
    bench.run(6)
    #expect(bench.ask(EKFStatusReport.self)?.flags.rawValue == 831)
    #expect(bench.ask(GlobalPositionInt.self)?.lat == -353_632_620)
    #expect(bench.command(.getHomePosition) == .accepted)
    #expect(bench.all(HomePosition.self).last?.altitude == 584_000)
  }

  @Test func `arming before the estimate is refused, and the text comes after the acknowledgement`() throws {
    var bench = Bench(ready: false)
    bench.run(20)
    _ = bench.select(.guided)
    #expect(bench.arm() == .failed)
    #expect(bench.texts.isEmpty)
    bench.run(0.4)
    #expect(bench.texts == ["Arm: Need Position Estimate"])
    let text = try #require(bench.received.first { $0.frame.messageID == StatusText.messageID })
    #expect((0.1...0.3).contains(text.seconds - 20))
    bench.run(20)
    #expect(bench.arm() == .accepted)
  }

  @Test func `what prevents arming is repeated every 30 seconds until it is gone`() {
    var bench = Bench(ready: false) { $0.armableAfter = .seconds(100) }
    bench.run(150)
    let times = bench.received.filter {
      $0.frame.decode(StatusText.self)?.text.text == "PreArm: Need Position Estimate"
    }.map(\.seconds)
    #expect(times.count == 3)
    #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 30) < 0.1 })
  }

  @Test func `a faster simulation shortens everything alike`() {
    var bench = Bench(ready: false) { $0.speedup = 10 }
    bench.run(4.2)
    #expect(abs(bench.state.seconds - 42) < 0.001)
    #expect((41...43).contains(bench.count(Heartbeat.messageID)))
    _ = bench.select(.guided)
    #expect(bench.arm() == .accepted)
  }

  @Test func `an interval asked for is kept, and ended on request`() {
    var bench = Bench()
    let id = Float(GlobalPositionInt.messageID)
    #expect(bench.command(.setMessageInterval, id, 100_000) == .accepted)
    #expect(bench.command(.getMessageInterval, id) == .accepted)
    #expect(bench.all(MessageInterval.self).last?.intervalUs == 100_000)
    bench.forget()
    bench.run(10)
    #expect((99...101).contains(bench.count(GlobalPositionInt.messageID)))
    #expect(bench.command(.setMessageInterval, id, -1) == .accepted)
    bench.forget()
    bench.run(5)
    #expect(bench.count(GlobalPositionInt.messageID) == 0)
  }

  @Test(arguments: [
    SystemStatus.messageID, SystemTime.messageID, GPSRawInt.messageID, Attitude.messageID,
    LocalPositionNED.messageID, GlobalPositionInt.messageID, NavControllerOutput.messageID,
    VFRHUD.messageID, BatteryStatus.messageID, AutopilotVersion.messageID, EKFStatusReport.messageID,
    HomePosition.messageID, ExtendedSystemState.messageID,
  ])
  func `a message is sent once on request`(id: UInt32) {
    var bench = Bench()
    #expect(bench.command(.requestMessage, Float(id)) == .accepted)
    bench.run(3)
    #expect(bench.count(id) == 1)
  }

  @Test func `messages that it does not have are refused`() {
    var bench = Bench()
    #expect(bench.command(.requestMessage, 12_345) == .failed)
    #expect(bench.command(.setMessageInterval, 12_345, 100_000) == .denied)
    #expect(bench.command(.setMessageInterval, .nan, .nan) == .denied)
  }

  @Test func `older stream requests work`() {
    var bench = Bench()
    bench.forget()
    bench.send(
      RequestDataStream(
        targetSystem: 1, targetComponent: 1, reqStreamId: .all, reqMessageRate: 4, startStop: 1))
    bench.run(10)
    #expect((39...41).contains(bench.count(GlobalPositionInt.messageID)))
    #expect((39...41).contains(bench.count(VFRHUD.messageID)))
  }

  @Test func `time synchronisation and ping are answered`() throws {
    var bench = Bench()
    bench.send(TimeSync(tc1: 0, ts1: 42))
    bench.send(Ping(timeUsec: 7, seq: 3, targetSystem: 0, targetComponent: 0))
    bench.run(0.1)
    let answer = try #require(bench.all(TimeSync.self).last)
    #expect(answer.ts1 == 42)
    #expect(answer.tc1 > 1_000_000_000)
    #expect(
      bench.all(Ping.self).last
        == Ping(timeUsec: 7, seq: 3, targetSystem: 255, targetComponent: 190))
  }

  @Test func `a slow line carries no more than it can, and acknowledgements come first`() {
    var bench = Bench { $0.baud = 9600 }
    for id in [GlobalPositionInt.messageID, VFRHUD.messageID, Attitude.messageID, GPSRawInt.messageID] {
      _ = bench.command(.setMessageInterval, Float(id), 20_000)
    }
    bench.run(1)
    bench.forget()
    bench.run(10)
    let bytes = bench.received.reduce(0) { $0 + $1.frame.length }
    #expect((8600...9900).contains(bytes), "\(bytes) bytes")
    #expect(bench.count(Attitude.messageID) > 20)
    #expect(bench.count(GPSRawInt.messageID) > 20)
    #expect(bench.select(.guided) == .accepted)
  }

  @Test func `restarting on the ground is accepted, and all begins anew`() throws {
    var bench = Bench()
    bench.run(30)
    _ = bench.select(.guided)
    _ = bench.command(.setMessageInterval, Float(SystemTime.messageID), 100_000)
    #expect(bench.command(.preflightRebootShutdown, 1) == .accepted)
    bench.forget()
    let measuredSilence = bench.run(atMost: 5) { $0.count(Heartbeat.messageID) > 0 }
    let silence = try #require(measuredSilence)
    #expect((1.8...2.3).contains(silence))
    #expect(bench.mode == .stabilize)
    bench.run(3)
    #expect(bench.count(SystemTime.messageID) == 0)
    let measuredTime = bench.ask(SystemTime.self)
    let time = try #require(measuredTime)
    #expect(time.timeBootMs < 5000)
  }

  @Test func `restarting while armed is refused`() {
    var bench = Bench()
    _ = bench.select(.guided)
    _ = bench.arm()
    #expect(bench.command(.preflightRebootShutdown, 1) == .failed)
    bench.run(1)
    #expect(bench.state.isArmed)
  }
}

import MAVLink
import SimulatedVehicle
import Testing

struct FailsafeTests {
  private static let heartbeat = Heartbeat(type: .groundControlStation, autopilot: .invalid)

  /// On the way to a distant place, with heartbeats of a station once a second until now.
  private func flying(failsafe: Float, from systemID: UInt8 = 255) -> Bench {
    var bench = Bench()
    bench.set("FS_GCS_ENABLE", failsafe)
    bench.fly()
    bench.target(Bench.north(400))
    for _ in 0..<5 {
      bench.send(Self.heartbeat, systemID: systemID)
      bench.run(1)
    }
    bench.send(Self.heartbeat, systemID: systemID)
    return bench
  }

  @Test func `switched off it finishes its target`() {
    var bench = flying(failsafe: 0)
    bench.run(60)
    #expect(bench.state.mode == "GUIDED")
    #expect(bench.distance(to: Bench.north(400)) < 0.1)
  }

  @Test func `5.1 seconds after the last heartbeat it returns, and stays in RTL when they are back`() throws {
    var bench = flying(failsafe: 1)
    let measuredSeconds = bench.run(atMost: 10) { $0.state.mode == "RTL" }
    let seconds = try #require(measuredSeconds)
    #expect(abs(seconds - 5.1) < 0.1)
    bench.run(1)
    #expect(bench.all(Heartbeat.self).last?.systemStatus == .critical)
    bench.forget()
    bench.send(Self.heartbeat)
    bench.run(0.5)
    #expect(bench.texts.contains { $0.contains("Cleared") })
    #expect(bench.state.mode == "RTL")
  }

  @Test func `heartbeats of others do not count, and who was never heard is not missed`() {
    var bench = flying(failsafe: 1, from: 1)
    bench.run(20)
    #expect(bench.state.mode == "GUIDED")
  }

  @Test func `the watched number is a parameter`() {
    var bench = Bench()
    bench.set("MAV_GCS_SYSID", 254)
    bench.set("FS_GCS_ENABLE", 1)
    bench.fly()
    bench.send(Self.heartbeat, systemID: 254)
    let seconds = bench.run(atMost: 10) { $0.state.mode == "RTL" }
    #expect(seconds != nil)
  }

  @Test func `armed on the ground it disarms`() {
    var bench = Bench()
    bench.set("FS_GCS_ENABLE", 1)
    _ = bench.select(.guided)
    bench.send(Self.heartbeat)
    bench.run(4)
    _ = bench.arm()
    bench.run(1.5)
    #expect(!bench.state.isArmed)
  }

  @Test func `parameters are listed, read, written and survive a restart`() {
    var bench = Bench()
    bench.send(ParamRequestList(targetSystem: 1, targetComponent: 1))
    bench.run(2)
    let values = bench.all(ParamValue.self)
    #expect(values.count == values.first.map { Int($0.paramCount) })
    #expect(Set(values.map(\.paramIndex)).count == values.count)
    #expect(values.contains { $0.paramId.text == "FS_GCS_ENABLE" && $0.paramValue == 0 })
    bench.set("FS_GCS_ENABLE", 1)
    #expect(bench.all(ParamValue.self).last?.paramValue == 1)
    _ = bench.command(.preflightRebootShutdown, 1)
    bench.run(3)
    bench.forget()
    bench.send(
      ParamRequestRead(
        targetSystem: 1, targetComponent: 1, paramId: "FS_GCS_ENABLE", paramIndex: -1))
    bench.run(0.1)
    #expect(bench.all(ParamValue.self).last?.paramValue == 1)
  }

  @Test(arguments: [Float.nan, .infinity, 1e30, -1e30])
  func `values that no parameter can hold do no harm`(value: Float) {
    var bench = Bench()
    bench.set("FS_GCS_ENABLE", value)
    bench.set("NO_SUCH_NAME", value)
    #expect(bench.all(ParamValue.self).count == 1)
    #expect(bench.all(ParamValue.self).allSatisfy { $0.paramValue.magnitude <= 128 })
  }
}

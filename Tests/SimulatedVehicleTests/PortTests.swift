import MAVLink
import SimulatedVehicle
import Testing

/// Somebody at a further port of the vehicle on a bench.
private struct Onlooker {
  let port: Int
  private var parser = StreamParser()
  private var encoder: FrameEncoder

  init(at bench: inout Bench, systemID: UInt8 = 254, componentID: UInt8 = 190) {
    port = bench.vehicle.addPort()
    encoder = FrameEncoder(systemID: systemID, componentID: componentID)
  }

  mutating func send(_ message: some Message, to bench: inout Bench) {
    bench.vehicle.receive(encoder.encode(message), at: port)
  }

  mutating func frames(_ bench: inout Bench) -> [Frame] {
    parser.frames(in: bench.vehicle.takeBytes(of: port))
  }
}

struct PortTests {
  private static func interval(of id: UInt32, microseconds: Float) -> CommandLong {
    CommandLong(
      targetSystem: 1, targetComponent: 1, command: .setMessageInterval, param1: Float(id),
      param2: microseconds)
  }

  @Test func `each port has the rates that were asked for there`() {
    var bench = Bench()
    var onlooker = Onlooker(at: &bench)
    _ = bench.command(.setMessageInterval, Float(GlobalPositionInt.messageID), 100_000)
    onlooker.send(Self.interval(of: VFRHUD.messageID, microseconds: 500_000), to: &bench)
    bench.forget()
    _ = onlooker.frames(&bench)
    bench.run(10)
    let seen = onlooker.frames(&bench)
    #expect((99...101).contains(bench.count(GlobalPositionInt.messageID)))
    #expect(bench.count(VFRHUD.messageID) == 0)
    #expect((19...21).contains(seen.count { $0.messageID == VFRHUD.messageID }))
    #expect(!seen.contains { $0.messageID == GlobalPositionInt.messageID })
    #expect((9...11).contains(seen.count { $0.messageID == Heartbeat.messageID }))
    #expect((9...11).contains(bench.count(Heartbeat.messageID)))
  }

  @Test func `an acknowledgement comes where the command came from, a text everywhere`() {
    var bench = Bench()
    var onlooker = Onlooker(at: &bench)
    bench.forget()
    onlooker.send(
      CommandLong(targetSystem: 1, targetComponent: 1, command: .componentArmDisarm, param1: 1), to: &bench)
    bench.run(0.5)
    let seen = onlooker.frames(&bench)
    #expect(seen.compactMap { $0.decode(CommandAck.self) }.map { $0.result } == [.accepted])
    #expect(bench.count(CommandAck.messageID) == 0)
    #expect(bench.texts.contains("Arming motors"))
    #expect(seen.contains { $0.decode(StatusText.self)?.text.text == "Arming motors" })
  }

  @Test func `what is for everybody is passed on, as it was`() {
    var bench = Bench()
    var onlooker = Onlooker(at: &bench)
    let heartbeat = Heartbeat(type: .groundControlStation, autopilot: .invalid)
    // Nothing goes where nobody was heard.
    bench.send(heartbeat)
    #expect(!onlooker.frames(&bench).contains { $0.systemID == 255 })
    onlooker.send(heartbeat, to: &bench)
    bench.run(0.1)
    #expect(
      bench.received.contains { $0.frame.systemID == 254 && $0.frame.decode(Heartbeat.self) == heartbeat })
    bench.send(heartbeat)
    #expect(onlooker.frames(&bench).contains { $0.systemID == 255 && $0.decode(Heartbeat.self) == heartbeat })
  }

  @Test func `what is for somebody at another port goes there and is not carried out`() {
    var bench = Bench()
    var companion = Onlooker(at: &bench, systemID: 1, componentID: 191)
    var stranger = Onlooker(at: &bench, systemID: 7, componentID: 1)
    let heartbeat = Heartbeat(type: .onboardController, autopilot: .invalid)
    for _ in 0..<2 {
      companion.send(heartbeat, to: &bench)
      stranger.send(heartbeat, to: &bench)
    }
    _ = companion.frames(&bench)
    _ = stranger.frames(&bench)
    // To the companion, which belongs to the vehicle.
    #expect(bench.command(.doSetMode, 1, 4, component: 191) == nil)
    #expect(bench.state.mode == "STABILIZE")
    #expect(companion.frames(&bench).count { $0.messageID == CommandLong.messageID } == 1)
    #expect(!stranger.frames(&bench).contains { $0.messageID == CommandLong.messageID })
    // To a component that nobody has: the autopilot takes it as its own.
    #expect(bench.command(.doSetMode, 1, 4, component: 77) == .accepted)
    #expect(bench.state.mode == "GUIDED")
    // To another system, whatever the component.
    bench.send(CommandLong(targetSystem: 7, targetComponent: 9, command: .doSetMode, param1: 1, param2: 17))
    bench.run(0.1)
    #expect(stranger.frames(&bench).count { $0.messageID == CommandLong.messageID } == 1)
    #expect(bench.state.mode == "GUIDED")
    // To everybody: it is passed on and carried out.
    bench.send(CommandLong(targetSystem: 0, targetComponent: 0, command: .doSetMode, param1: 1, param2: 17))
    bench.run(0.1)
    #expect(bench.state.mode == "BRAKE")
    #expect(companion.frames(&bench).count { $0.messageID == CommandLong.messageID } == 1)
  }

  @Test func `a slow first port does not slow the others`() {
    var bench = Bench { $0.baud = 9600 }
    var onlooker = Onlooker(at: &bench)
    let ids = [GlobalPositionInt.messageID, VFRHUD.messageID, Attitude.messageID, GPSRawInt.messageID]
    for id in ids {
      _ = bench.command(.setMessageInterval, Float(id), 20_000)
      onlooker.send(Self.interval(of: id, microseconds: 20_000), to: &bench)
    }
    bench.run(1)
    bench.forget()
    _ = onlooker.frames(&bench)
    bench.run(10)
    let seen = onlooker.frames(&bench)
    for id in ids {
      #expect((490...510).contains(seen.count { $0.messageID == id }))
      #expect(bench.count(id) < 300)
    }
  }

  @Test func `a dead line is dead for one, and others see the vehicle fly on`() {
    var bench = Bench()
    var onlooker = Onlooker(at: &bench)
    bench.fly()
    bench.vehicle.inject(.silent)
    bench.forget()
    _ = onlooker.frames(&bench)
    bench.run(5)
    #expect(bench.received.isEmpty)
    #expect((4...6).contains(onlooker.frames(&bench).count { $0.messageID == Heartbeat.messageID }))
  }

  @Test func `a restart forgets at every port what was asked for`() {
    var bench = Bench()
    var onlooker = Onlooker(at: &bench)
    onlooker.send(Self.interval(of: VFRHUD.messageID, microseconds: 100_000), to: &bench)
    _ = bench.command(.preflightRebootShutdown, 1)
    bench.run(3)
    _ = onlooker.frames(&bench)
    bench.run(5)
    let seen = onlooker.frames(&bench)
    #expect(seen.contains { $0.messageID == Heartbeat.messageID })
    #expect(!seen.contains { $0.messageID == VFRHUD.messageID })
  }
}

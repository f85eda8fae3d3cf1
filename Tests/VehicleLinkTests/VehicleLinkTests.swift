import MAVLink
import MAVLinkServices
import ServiceRuntime
import TestSupport
import Testing
import Vehicle

@testable import VehicleLink

@Suite struct VehicleLinkTests {
  @Test func stopIsWrittenWithinTheCallThatAsksForIt() throws {
    let bench = try Bench()
    var autopilot = ScriptedAutopilot()
    bench.link.start()
    bench.channel.onBytes?(autopilot.heartbeat(.guided, armed: true) + autopilot.landed(.inAir))
    _ = bench.frames()

    bench.link.perform(.hold, ticket: 7)

    let commands = bench.frames().compactMap { $0.decode(CommandLong.self) }
    #expect(commands.map(\.command) == [.doSetMode])
    #expect(commands.first?.param2 == Float(CopterMode.brake.rawValue))
    #expect(bench.progress.map(\.progress) == [.forwarded])
    #expect(bench.frames().isEmpty)
  }

  @Test func acceptedNeedsAcknowledgementAndHeartbeat() throws {
    let bench = try Bench()
    var autopilot = ScriptedAutopilot()
    bench.link.start()
    bench.channel.onBytes?(autopilot.heartbeat(.guided, armed: true) + autopilot.landed(.inAir))
    bench.link.perform(.hold, ticket: 7)
    bench.pass(.milliseconds(20))
    bench.channel.onBytes?(autopilot.ack(.doSetMode, .accepted))
    #expect(bench.outcome(7) == nil)
    bench.channel.onBytes?(autopilot.heartbeat(.brake, armed: true))
    #expect(bench.outcome(7) == .accepted)
  }

  @Test func refusalCarriesTheTextThatComesAfterTheAcknowledgement() throws {
    let bench = try Bench()
    var autopilot = ScriptedAutopilot()
    bench.link.start()
    bench.channel.onBytes?(autopilot.heartbeat(.guided) + autopilot.landed(.onGround))
    bench.link.perform(.takeoff(altitudeAboveHomeMeters: 10), ticket: 1)
    bench.pass(.milliseconds(100))
    bench.channel.onBytes?(autopilot.ack(.componentArmDisarm, .failed))
    bench.pass(.milliseconds(100))
    bench.channel.onBytes?(autopilot.text("Arm: Need Position Estimate"))
    for _ in 0..<4 { bench.pass(.milliseconds(100)) }
    #expect(bench.outcome(1) == .refused(reason: "Arm: Need Position Estimate (arming: failed)"))
    #expect(bench.texts == ["Arm: Need Position Estimate"])
  }

  @Test func nothingIsQueuedWhileTheDeviceIsGone() throws {
    let bench = try Bench()
    var autopilot = ScriptedAutopilot()
    bench.link.start()
    bench.channel.onBytes?(autopilot.heartbeat(.guided, armed: true) + autopilot.landed(.inAir))
    bench.link.perform(.hold, ticket: 1)
    bench.channel.onEnd?(.endOfFile)
    #expect(bench.outcome(1) == .unknown(reason: "memory vanished: the other end closed"))
    #expect(bench.link.state == VehicleState())

    bench.link.perform(.land, ticket: 2)
    #expect(
      bench.outcome(2) == .refused(reason: "no flight controller: memory vanished: the other end closed"))

    let second = MemoryChannel()
    bench.opener.results = [.failure(ChannelOpenFailure("memory is not there")), .success(second)]
    #expect(bench.loop.runUntil { bench.link.status == .up })
    bench.pass(.seconds(1))
    #expect(second.written.isEmpty)
  }

  @Test func aSilentVehicleIsStillToldToStopButNotToTakeOff() throws {
    let bench = try Bench()
    var autopilot = ScriptedAutopilot()
    bench.link.start()
    bench.channel.onBytes?(autopilot.heartbeat(.guided))
    bench.pass(.seconds(5))
    #expect(bench.link.state == VehicleState())
    _ = bench.frames()
    bench.link.perform(.takeoff(altitudeAboveHomeMeters: 10), ticket: 1)
    #expect(bench.frames().isEmpty)
    #expect(bench.outcome(1) == .refused(reason: "no heartbeat of the flight controller for 5 s"))
    bench.link.perform(.hold, ticket: 2)
    #expect(bench.frames().compactMap { $0.decode(CommandLong.self) }.map(\.command) == [.doSetMode])
  }

  @Test func groundStationHeartbeatsOnlyWhileAClientIsAlive() throws {
    let bench = try Bench()
    var autopilot = ScriptedAutopilot()
    var isAlive = true
    bench.link.isGroundStationAlive = { isAlive }
    bench.link.start()
    bench.pass(.seconds(1))
    #expect(bench.frames().isEmpty)

    bench.channel.onBytes?(autopilot.heartbeat(.guided))
    bench.pass(.seconds(1))
    let heartbeats = bench.frames().filter { $0.messageID == Heartbeat.messageID }
    #expect(heartbeats.map(\.systemID) == [1, 255])
    #expect(heartbeats.map(\.componentID) == [191, 190])

    isAlive = false
    bench.pass(.seconds(1))
    #expect(bench.frames().filter { $0.messageID == Heartbeat.messageID }.map(\.systemID) == [1])
  }

  @Test func targetsWaitForABusyLineAndTheNewestWins() throws {
    let bench = try Bench()
    var autopilot = ScriptedAutopilot()
    bench.link.start()
    bench.channel.onBytes?(autopilot.heartbeat(.guided, armed: true) + autopilot.landed(.inAir))
    _ = bench.frames()
    bench.channel.pendingByteCount = 100
    bench.link.perform(.goTo(try place(47.1), altitudeAboveHomeMeters: 20), ticket: 1)
    bench.link.perform(.goTo(try place(47.2), altitudeAboveHomeMeters: 20), ticket: 2)
    #expect(bench.frames().isEmpty)
    #expect(bench.progress.map(\.progress) == [.superseded])
    bench.channel.pendingByteCount = 0
    bench.pass(.milliseconds(100))
    let targets = bench.frames().compactMap { $0.decode(SetPositionTargetGlobalInt.self) }
    #expect(targets.map(\.latInt) == [472_000_000])
    #expect(targets.first?.coordinateFrame == .globalRelativeAltInt)
    #expect(targets.first?.typeMask.rawValue == 0x0DF8)
  }

  @Test(arguments: [
    (bytes: [UInt8](), text: "no data at 57600 baud on memory for 5 s"),
    (
      bytes: [UInt8](repeating: 0x55, count: 300),
      text: "no MAVLink at 57600 baud on memory: 300 bytes, 0 checksum"
    ),
  ]) func aLineWithoutMAVLinkIsExplainedOnce(_ line: (bytes: [UInt8], text: String)) throws {
    let log = LogCapture()
    let bench = try Bench(logger: log.logger)
    bench.link.start()
    bench.channel.onBytes?(line.bytes)
    for _ in 0..<110 {
      bench.pass(.milliseconds(100))
    }
    let lines = log.messages.filter { $0.hasPrefix("no ") }
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix(line.text) == true)
    bench.link.perform(.hold, ticket: 1)
    guard case .refused(let reason)? = bench.outcome(1) else {
      Issue.record("not refused")
      return
    }
    #expect(reason.hasPrefix("no "))
  }
}

import Glibc
import MAVLink
import MAVLinkServices
import ServiceRuntime
import SimulatedVehicle
import TestSupport
import Testing
import Vehicle

@testable import VehicleLink

@Suite(.timeLimit(.minutes(1))) struct LineTests {
  @Test(arguments: [SimulatedVehicle.Autopilot.arduPilot, .px4])
  func at57600BaudEverythingThatWasAskedForComesAndMostOfTheLineIsFree(autopilot: SimulatedVehicle.Autopilot)
    throws
  {
    let flight = try Flight(autopilot, baud: 57_600)
    let link = flight.bench.link
    #expect(flight.outcome(.takeoff(altitudeAboveHomeMeters: 10), 1, .seconds(60)) != nil)
    _ = flight.fly(.seconds(20)) { false }
    let line = link.line
    #expect(line.streams.count == 9)
    for stream in line.streams where stream.name != "POSITION_TARGET_GLOBAL_INT" {
      #expect(try #require(stream.measured) >= stream.asked * 0.8, "\(stream)")
    }
    #expect(try #require(line.loadIn) < 0.4)
    #expect(try #require(line.bytesPerSecondOut) < 200)
  }

  @Test(arguments: [SimulatedVehicle.Autopilot.arduPilot, .px4])
  func aSlowLineFliesTooAndIsNotFilledByWhatWasAskedFor(autopilot: SimulatedVehicle.Autopilot) throws {
    let flight = try Flight(autopilot, baud: 9600)
    let link = flight.bench.link
    #expect(flight.fly(.seconds(60)) { link.state.isReadyToArm == true && link.state.home != nil })
    #expect(flight.outcome(.takeoff(altitudeAboveHomeMeters: 10), 1, .seconds(60)) == .accepted)
    #expect(flight.climbs(to: 10))
    #expect(flight.outcome(.hold, 2) == .accepted)
    _ = flight.fly(.seconds(20)) { false }
    #expect(link.streams.rateFactor < 1)
    let asked = link.line.streams.reduce(0) { $0 + $1.asked }
    #expect(asked < 16 * link.streams.rateFactor + 0.1)
  }

  /// A device that takes bytes as slowly as its line carries them. What is in front of a stop is counted, not timed.
  @Test func aStopFindsLittleInFrontOfItOnASlowLine() throws {
    let bytesPerSecond = 480
    let loop = try EventLoop()
    let terminal = try PseudoTerminal()
    let opener = TerminalOpener()
    opener.path = terminal.path
    opener.baud = bytesPerSecond * 10
    let link = VehicleLink(loop: loop, logger: .silent, opener: opener)
    defer { link.stop() }
    link.isGroundStationAlive = { true }
    link.start()
    var autopilot = ScriptedAutopilot()
    let home = try place(47)
    func tell() {
      let bytes =
        autopilot.heartbeat(.guided, armed: true) + autopilot.landed(.inAir)
        + autopilot.position(home, height: 20)
      _ = write(terminal.controller, bytes, bytes.count)
    }
    var arrived: [UInt8] = []
    let start = loop.now
    var buffer = [UInt8](repeating: 0, count: 4096)
    let reader = loop.repeating(every: .milliseconds(10)) {
      let allowed = Int(start.duration(to: loop.now) / .milliseconds(1)) * bytesPerSecond / 1000
      let count = read(terminal.controller, &buffer, max(0, min(buffer.count, allowed - arrived.count)))
      if count > 0 { arrived += buffer[..<count] }
    }
    defer { reader.cancel() }
    tell()
    #expect(loop.runUntil { link.state.landed == .inAir && link.state.coordinate != nil })

    // Far more targets than the line carries: 50 a second of 60 bytes.
    var written = 0
    link.onSent = { _, _ in written += 1 }
    var ticket: UInt32 = 0
    let flood = loop.repeating(every: .milliseconds(20)) {
      ticket += 1
      guard let target = try? place(47 + Double(ticket) * 1e-5) else { return }
      link.perform(.goTo(target, altitudeAboveHomeMeters: 20), ticket: ticket)
    }
    #expect(!loop.runUntil(.milliseconds(1200)) { false })
    flood.cancel()
    #expect(written > 3)
    #expect(written * 60 < arrived.count + 200)

    let before = arrived.count
    link.perform(.hold, ticket: 10_000)
    var parser = StreamParser()
    var inFront = 0
    let isHere = loop.runUntil(.seconds(20)) {
      parser = StreamParser()
      inFront = 0
      for frame in parser.frames(in: arrived) {
        if frame.decode(CommandLong.self)?.param2 == Float(CopterMode.brake.rawValue) { return true }
        inFront += frame.length
      }
      return false
    }
    #expect(isHere)
    // The kernel would have taken four thousand bytes.
    #expect(inFront - before < 250, "\(inFront - before) bytes in front of the stop")
  }
}

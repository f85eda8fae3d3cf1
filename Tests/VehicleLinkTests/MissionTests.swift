import Geodesy
import MAVLink
import ServiceRuntime
import SimulatedVehicle
import Testing
import Vehicle

@testable import VehicleLink

/// A link and a simulated flight controller, on a clock that the test moves.
final class Flight {
  static let home = Coordinate(latitude: 47.4, longitude: 8.55)!
  static let step: Duration = .milliseconds(20)

  let bench: Bench
  var vehicle: SimulatedVehicle

  init(
    _ autopilot: SimulatedVehicle.Autopilot = .arduPilot, armableAfter: Duration = .seconds(1),
    faults: [Fault] = [], baud: Int? = nil
  ) throws {
    bench = try Bench(baud: baud ?? 57600)
    var configuration = SimulatedVehicle.Configuration(home: Flight.home, homeAltitudeMSLMeters: 400)
    configuration.autopilot = autopilot
    configuration.startFast()
    configuration.armableAfter = armableAfter
    configuration.baud = baud
    vehicle = SimulatedVehicle(configuration: configuration, at: bench.now)
    for fault in faults { vehicle.inject(fault) }
    bench.link.isGroundStationAlive = { true }
    bench.link.start()
  }

  /// Lets the time pass until `condition` holds; whether it did.
  func fly(_ limit: Duration, until condition: () -> Bool) -> Bool {
    let end = bench.now.advanced(by: limit)
    while !condition() {
      if bench.now >= end { return false }
      bench.pass(Flight.step)
      vehicle.receive(bench.channel.takeWritten())
      let bytes = vehicle.advance(to: bench.now)
      if !bytes.isEmpty { bench.channel.onBytes?(bytes) }
    }
    return true
  }

  /// Whether the height of a takeoff is reached and its mode, where it has one, is over.
  func climbs(to height: Double) -> Bool {
    fly(.seconds(60)) {
      bench.link.state.altitudeAboveHomeMeters ?? 0 >= height * 0.95 && bench.link.state.mode != .takeoff
    }
  }

  func outcome(_ action: VehicleAction, _ ticket: UInt32, _ limit: Duration = .seconds(30)) -> ActionProgress?
  {
    bench.link.perform(action, ticket: ticket)
    _ = fly(limit) { bench.outcome(ticket) != nil }
    return bench.outcome(ticket)
  }
}

@Suite(.timeLimit(.minutes(1))) struct MissionTests {
  @Test func takesOffGoesStopsGoesOnAndLands() throws {
    let flight = try Flight()
    let bench = flight.bench
    #expect(
      flight.fly(.seconds(60)) { bench.link.state.isReadyToArm == true && bench.link.state.home != nil })

    #expect(flight.outcome(.takeoff(altitudeAboveHomeMeters: 20), 1) == .accepted)
    #expect(flight.climbs(to: 20))
    #expect((bench.link.state.altitudeAboveHomeMeters ?? 0) >= 19)

    let first = Flight.home.moved(distanceMeters: 200, bearingDegrees: 0)
    #expect(flight.outcome(.goTo(first, altitudeAboveHomeMeters: 20), 2) == .accepted)
    #expect(flight.fly(.seconds(20)) { (bench.link.state.groundSpeedMetersPerSecond ?? 0) > 5 })

    #expect(flight.outcome(.hold, 3) == .accepted)
    #expect(bench.link.state.modeName == "BRAKE")
    #expect(flight.fly(.seconds(20)) { (bench.link.state.groundSpeedMetersPerSecond ?? 9) < 0.2 })
    let stoppedAt = flight.vehicle.state.coordinate
    #expect(!flight.fly(.seconds(20)) { flight.vehicle.state.coordinate.distanceMeters(to: stoppedAt) > 1 })

    let second = Flight.home.moved(distanceMeters: 30, bearingDegrees: 90)
    #expect(flight.outcome(.goTo(second, altitudeAboveHomeMeters: 25), 4) == .accepted)
    #expect(bench.link.state.modeName == "GUIDED")
    #expect(flight.fly(.seconds(120)) { flight.vehicle.state.coordinate.distanceMeters(to: second) < 1 })
    #expect(flight.fly(.seconds(30)) { abs(flight.vehicle.state.altitudeAboveHomeMeters - 25) < 0.5 })

    #expect(flight.outcome(.land, 5) == .accepted)
    #expect(flight.fly(.seconds(120)) { bench.link.state.isArmed == false })
    #expect(bench.link.state.landed == .onGround)
  }

  @Test func returnsToLaunch() throws {
    let flight = try Flight()
    let bench = flight.bench
    #expect(flight.fly(.seconds(60)) { bench.link.state.isReadyToArm == true })
    #expect(flight.outcome(.takeoff(altitudeAboveHomeMeters: 10), 1) == .accepted)
    #expect(flight.climbs(to: 10))
    #expect(flight.outcome(.returnToLaunch, 2) == .accepted)
    #expect(flight.fly(.seconds(180)) { bench.link.state.isArmed == false })
  }

  @Test func aVehicleThatIsNotReadySaysWhy() throws {
    let flight = try Flight(armableAfter: .seconds(300))
    let bench = flight.bench
    #expect(flight.fly(.seconds(30)) { bench.link.state.landed == .onGround })
    guard case .refused(let reason)? = flight.outcome(.takeoff(altitudeAboveHomeMeters: 10), 1) else {
      Issue.record("not refused: \(String(describing: bench.outcome(1)))")
      return
    }
    #expect(reason.contains("Arm:"))
  }

  @Test func aStopDuringTheClimbEndsIt() throws {
    let flight = try Flight()
    let bench = flight.bench
    #expect(flight.fly(.seconds(60)) { bench.link.state.isReadyToArm == true })
    #expect(flight.outcome(.takeoff(altitudeAboveHomeMeters: 50), 1) == .accepted)
    #expect(flight.outcome(.hold, 2) == .accepted)
    _ = flight.fly(.seconds(10)) { false }
    #expect(flight.vehicle.state.altitudeAboveHomeMeters < 25)
  }

  @Test func afterARestartTheStateIsVoidAndTheStreamsAreAskedForAgain() throws {
    let flight = try Flight()
    let bench = flight.bench
    #expect(flight.fly(.seconds(60)) { bench.link.state.isReadyToArm == true })
    #expect(flight.outcome(.rebootAutopilot, 1) == .accepted)
    #expect(flight.fly(.seconds(60)) { bench.link.state.isReadyToArm == true })
    #expect((bench.link.state.uptimeMilliseconds ?? .max) < 60_000)
  }
}

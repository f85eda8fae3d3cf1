import Geodesy
import MAVLink
import MAVLinkServices
import SimulatedVehicle
import Testing
import Vehicle

@testable import VehicleLink

@Suite(.timeLimit(.minutes(1))) struct PX4MissionTests {
  private func ready() throws -> Flight {
    let flight = try Flight(.px4)
    let link = flight.bench.link
    #expect(flight.fly(.seconds(60)) { link.state.isReadyToArm == true && link.state.home != nil })
    return flight
  }

  @Test func takesOffGoesStopsGoesOnReturnsAndLands() throws {
    let flight = try ready()
    let bench = flight.bench
    #expect(bench.link.state.autopilot == .px4)
    #expect(flight.outcome(.takeoff(altitudeAboveHomeMeters: 20), 1) == .accepted)
    #expect(bench.link.state.modeName == "AUTO.TAKEOFF")
    #expect(flight.climbs(to: 20))
    #expect(abs(flight.vehicle.state.altitudeAboveHomeMeters - 20) < 1)

    let first = Flight.home.moved(distanceMeters: 200, bearingDegrees: 0)
    #expect(flight.outcome(.goTo(first, altitudeAboveHomeMeters: 30), 2) == .accepted)
    #expect(flight.fly(.seconds(20)) { (bench.link.state.groundSpeedMetersPerSecond ?? 0) > 4.5 })

    #expect(flight.outcome(.hold, 3) == .accepted)
    #expect(bench.link.state.modeName == "AUTO.LOITER")
    #expect(flight.fly(.seconds(10)) { flight.vehicle.state.groundSpeedMetersPerSecond < 0.1 })
    let stoppedAt = flight.vehicle.state.coordinate
    #expect(stoppedAt.distanceMeters(to: first) > 100)
    #expect(!flight.fly(.seconds(20)) { flight.vehicle.state.coordinate.distanceMeters(to: stoppedAt) > 1 })

    let second = Flight.home.moved(distanceMeters: 30, bearingDegrees: 90)
    #expect(flight.outcome(.goTo(second, altitudeAboveHomeMeters: 25), 4) == .accepted)
    #expect(flight.fly(.seconds(120)) { flight.vehicle.state.coordinate.distanceMeters(to: second) < 1 })
    #expect(flight.fly(.seconds(30)) { abs(flight.vehicle.state.altitudeAboveHomeMeters - 25) < 0.5 })
    #expect(
      flight.outcome(.takeoff(altitudeAboveHomeMeters: 40), 5) == .refused(reason: "already in the air"))

    #expect(flight.outcome(.returnToLaunch, 6) == .accepted)
    #expect(bench.link.state.modeName == "AUTO.RTL")
    #expect(flight.outcome(.hold, 7) == .accepted)
    #expect(flight.outcome(.land, 8) == .accepted)
    #expect(bench.link.state.modeName == "AUTO.LAND")
    #expect(flight.fly(.seconds(120)) { bench.link.state.isArmed == false })
    #expect(bench.link.state.landed == .onGround)

    // From the mode that the landing left behind.
    #expect(flight.outcome(.takeoff(altitudeAboveHomeMeters: 10), 9) == .accepted)
    #expect(flight.climbs(to: 10))
  }

  @Test func aStopDuringTheClimbEndsIt() throws {
    let flight = try ready()
    #expect(flight.outcome(.takeoff(altitudeAboveHomeMeters: 50), 1) == .accepted)
    #expect(flight.fly(.seconds(20)) { flight.vehicle.state.altitudeAboveHomeMeters > 5 })
    #expect(flight.outcome(.hold, 2) == .accepted)
    _ = flight.fly(.seconds(10)) { false }
    #expect(flight.vehicle.state.altitudeAboveHomeMeters < 15)
  }

  @Test func aRestartIsRefused() throws {
    let flight = try ready()
    #expect(
      flight.outcome(.rebootAutopilot, 1)
        == .refused(reason: "the flight controller refused the restart: denied"))
  }

  @Test func aVehicleThatIsNotReadySaysWhy() throws {
    let flight = try Flight(.px4, faults: [.refuseArm("Compass not calibrated")])
    let link = flight.bench.link
    #expect(flight.fly(.seconds(30)) { link.state.homeAltitudeMSLMeters != nil && link.state.landed != nil })
    guard case .refused(let reason)? = flight.outcome(.takeoff(altitudeAboveHomeMeters: 10), 1) else {
      Issue.record("not refused: \(String(describing: flight.bench.outcome(1)))")
      return
    }
    #expect(reason.contains("Compass not calibrated"))
  }

  @Test func streamsAreAskedForThoughTheyComeUnasked() throws {
    let flight = try ready()
    _ = flight.fly(.seconds(10)) { false }
    #expect(flight.bench.link.streams.asksForWhatComesUnasked)
  }
}

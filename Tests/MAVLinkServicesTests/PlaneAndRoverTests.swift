import Geodesy
import MAVLink
import Testing
import Vehicle

@testable import MAVLinkServices

/// ArduPlane and ArduRover, by their documentation: they hold, return and go to, and say what they cannot do.
@Suite struct PlaneAndRoverTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let type: SystemType
    let kind: VehicleKind
    let firmware: Firmware
    let driver: any AutopilotDriver
    /// Mode numbers.
    let hold: UInt32
    let returning: UInt32

    var testDescription: String { kind.rawValue }
  }

  static let kinds = [
    Kind(
      type: .fixedWing, kind: .plane, firmware: .arduPlane, driver: ArduPlaneDriver(), hold: 12, returning: 11
    ),
    Kind(
      type: .vtolTiltrotor, kind: .plane, firmware: .arduPlane, driver: ArduPlaneDriver(), hold: 12,
      returning: 11),
    Kind(
      type: .groundRover, kind: .rover, firmware: .arduRover, driver: ArduRoverDriver(), hold: 4,
      returning: 11),
    Kind(
      type: .surfaceBoat, kind: .boat, firmware: .arduBoat, driver: ArduBoatDriver(), hold: 5, returning: 11),
  ]

  private func heartbeat(_ kind: Kind, mode: UInt32, armed: Bool = true) -> Frame {
    Frame(
      Heartbeat(
        type: kind.type, autopilot: .arduPilotMega,
        baseMode: armed ? [.customModeEnabled, .safetyArmed] : .customModeEnabled, customMode: mode,
        systemStatus: .active), systemID: 1, componentID: 1, sequence: 0)
  }

  private func bench(_ kind: Kind, _ mode: FlightMode = .other) -> DriverBench {
    var bench = DriverBench.inAir(mode)
    bench.driver = kind.driver
    bench.situation.state.kind = kind.kind
    if kind.kind.isOnSurface {
      bench.situation.state.landed = nil
      bench.situation.state.altitudeAboveHomeMeters = 0
    }
    return bench
  }

  @Test(arguments: kinds) func itsHeartbeatTellsWhatItIsAndDoes(_ kind: Kind) {
    var observer = VehicleObserver()
    _ = observer.observe(heartbeat(kind, mode: 15), at: .now)
    #expect(observer.firmware == kind.firmware && observer.state.kind == kind.kind)
    #expect(observer.state.mode == .guided && observer.state.modeName == "GUIDED")
    _ = observer.observe(heartbeat(kind, mode: kind.hold), at: .now)
    #expect(observer.state.mode == .hold)
    _ = observer.observe(heartbeat(kind, mode: kind.returning), at: .now)
    #expect(observer.state.mode == .returnToLaunch && observer.state.modeName == "RTL")
    // What a pilot flies is never taken for ours.
    _ = observer.observe(heartbeat(kind, mode: 0), at: .now)
    #expect(observer.state.mode == .other && observer.state.modeName == "MANUAL")
  }

  @Test(arguments: kinds) func itStopsAndReturnsByItsOwnModes(_ kind: Kind) {
    for (action, number, mode) in [
      (VehicleAction.hold, kind.hold, FlightMode.hold), (.returnToLaunch, kind.returning, .returnToLaunch),
    ] {
      var bench = bench(kind, .guided)
      bench.start(action)
      #expect(bench.commands.map(\.param2) == [Float(number)])
      bench.ack(.doSetMode)
      bench.beat(mode)
      #expect(bench.outcome() == .accepted)
    }
  }

  @Test(arguments: kinds) func itSaysWhatItCannotDo(_ kind: Kind) {
    for action in [VehicleAction.takeoff(altitudeAboveHomeMeters: 10), .land] {
      var bench = bench(kind, .guided)
      bench.start(action)
      guard case .refused(let reason)? = bench.outcome() else {
        Issue.record("\(action) was not refused")
        continue
      }
      #expect(reason.contains(kind.kind == .plane ? "by its pilot or a mission" : "does not fly"))
      #expect(bench.sent.isEmpty)
    }
  }

  @Test func aPlaneGoesToARepositionThatBringsItsModeAlong() throws {
    var bench = bench(Self.kinds[0], .hold)
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 60))
    guard case .reposition(let command)? = bench.sent.first else {
      Issue.record("no reposition")
      return
    }
    #expect(command.command == .doReposition && command.param2 == 1 && command.z == 60)
    #expect(command.frame == .globalRelativeAlt)
    #expect(command.x == 474_000_000 && command.y == 85_500_000)
    bench.ack(.doReposition)
    #expect(bench.outcome() == .accepted)
    // In its mode already, it is not to be taken from a pilot who changed that a moment ago.
    bench.beat(.guided)
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 60), ticket: 2)
    #expect(bench.repositions.last?.param2 == 0)
  }

  @Test(arguments: kinds[2...]) func whatDrivesGoesToATargetAndItsHeightIsNothing(_ kind: Kind) {
    var bench = bench(kind, .hold)
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 10))
    #expect(bench.commands.map(\.param2) == [15])
    bench.ack(.doSetMode)
    bench.beat(.guided)
    guard case .target(let target)? = bench.sent.last else {
      Issue.record("no target")
      return
    }
    #expect(target.latInt == 474_000_000 && target.alt == 0)
    // The report speaks of another height than was asked for.
    bench.now = bench.now.advanced(by: .milliseconds(100))
    bench.situation.reportedTarget = ReportedTarget(
      latitudeE7: 474_000_000, longitudeE7: 85_500_000, altitudeMSLMeters: 17, at: bench.now)
    bench.see { _ in }
    #expect(bench.outcome() == .accepted)
  }

  @Test(arguments: kinds[2...]) func whatDrivesIsUnderWayAsSoonAsItIsArmed(_ kind: Kind) {
    var armed = bench(kind)
    #expect(armed.situation.state.isAirborne)
    armed.situation.state.isArmed = false
    #expect(!armed.situation.state.isAirborne)
    armed.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 0))
    #expect(armed.outcome() == .refused(reason: "the vehicle is not armed; its pilot arms it"))
    armed.start(.hold, ticket: 2)
    #expect(armed.progress[2] == [.accepted])
    #expect(armed.sent.isEmpty)
  }

  @Test func whatIsNoVehicleOfTheseIsNotControlled() {
    var observer = VehicleObserver()
    for type in [SystemType.submarine, .antennaTracker, .airship] {
      let kind = Kind(
        type: type, kind: .rover, firmware: .other, driver: ArduPilotDriver(), hold: 0, returning: 0)
      _ = observer.observe(heartbeat(kind, mode: 15), at: .now)
      #expect(observer.firmware == .other && observer.state.kind == nil && observer.state.mode == .other)
    }
  }
}

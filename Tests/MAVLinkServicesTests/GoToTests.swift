import Geodesy
import MAVLink
import Testing
import Vehicle

@testable import MAVLinkServices

@Suite struct GoToTests {
  @Test func sendsThePositionAboveHomeInGuidedMode() {
    let bench = Stage.goToTargeting.bench
    #expect(bench.commands.isEmpty)
    let target = bench.targets.first
    #expect(target?.coordinateFrame == .globalRelativeAltInt)
    #expect(target?.typeMask.rawValue == 0x0DF8)
    #expect(target?.latInt == 474_000_000)
    #expect(target?.lonInt == 85_500_000)
    #expect(target?.alt == 15)
    #expect(target?.targetSystem == 1)
  }

  @Test func isProvenByTheReportedTarget() {
    var bench = Stage.goToTargeting.bench
    bench.report(DriverBench.target.moved(distanceMeters: 30, bearingDegrees: 0), altitudeMSL: 415)
    #expect(bench.outcome() == nil)
    bench.report(DriverBench.target, altitudeMSL: 435)
    #expect(bench.outcome() == nil)
    bench.report(DriverBench.target, altitudeMSL: 415)
    #expect(bench.outcome() == .accepted)
  }

  @Test func isProvenByComingCloser() {
    var bench = Stage.goToTargeting.bench
    bench.pass(.milliseconds(500))
    bench.situation.state.positionAt = bench.now
    bench.see { $0.coordinate = DriverBench.target.moved(distanceMeters: 97, bearingDegrees: 90) }
    #expect(bench.outcome() == .accepted)
  }

  @Test func aReportFromBeforeProvesNothing() {
    var bench = DriverBench.inAir()
    bench.report(DriverBench.target, altitudeMSL: 415)
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    bench.beat()
    #expect(bench.outcome() == nil)
  }

  @Test func isRepeatedAFewTimesThenUnknown() {
    var bench = Stage.goToTargeting.bench
    bench.pass(.seconds(10))
    #expect(bench.targets.count == 3)
    #expect(bench.outcome() == .unknown(reason: "no sign that the vehicle took the target"))
  }

  @Test func afterAStopGuidedModeComesFirst() {
    var bench = Stage.goToChangingMode.bench
    #expect(bench.targets.isEmpty)
    #expect(bench.commands.map(\.param2) == [4])
    bench.ack(.doSetMode)
    #expect(bench.targets.isEmpty)
    bench.beat(.guided)
    #expect(bench.targets.count == 1)
  }

  @Test func onTheGroundItIsRefused() {
    var bench = DriverBench.onGround(.guided)
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    #expect(bench.sent.isEmpty)
    #expect(bench.outcome() == .refused(reason: "the vehicle is not in the air"))
  }

  @Test func theNextTargetSupersedesTheLast() {
    var bench = Stage.goToTargeting.bench
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 16), ticket: 2)
    #expect(bench.outcome(1) == .superseded)
    #expect(bench.targets.map(\.alt) == [15, 16])
  }

  @Test func aNewerTargetDoesNotBeginTheModeChangeAnew() {
    var bench = Stage.goToChangingMode.bench
    let newer = DriverBench.target.moved(distanceMeters: 1, bearingDegrees: 0)
    bench.start(.goTo(newer, altitudeAboveHomeMeters: 16), ticket: 2)
    #expect(bench.outcome(1) == .superseded)
    #expect(bench.count(.doSetMode) == 1)
    bench.ack(.doSetMode)
    bench.beat(.guided)
    #expect(bench.targets.map(\.alt) == [16])
  }

  @Test func isProvenByBeingThereAlready() {
    var bench = DriverBench.inAir()
    bench.situation.state.coordinate = DriverBench.target.moved(distanceMeters: 1, bearingDegrees: 90)
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    bench.pass(.milliseconds(500))
    bench.see { [now = bench.now] in $0.positionAt = now }
    #expect(bench.outcome() == nil)
    bench.pass(.seconds(1))
    bench.see { [now = bench.now] in $0.positionAt = now }
    #expect(bench.outcome() == .accepted)
  }

  @Test func aPilotsModeEndsIt() {
    var bench = Stage.goToTargeting.bench
    bench.situation.state.modeName = "LOITER"
    bench.beat(.other)
    #expect(bench.outcome() == .refused(reason: "the flight mode changed to LOITER"))
    bench.pass(.seconds(5))
    #expect(bench.targets.count == 1)
  }
}

import MAVLink
import Testing
import Vehicle

@testable import MAVLinkServices

@Suite struct TakeoffTests {
  @Test func goesStepByStepAndReportsTheClimbAndTheHeight() {
    var bench = DriverBench.onGround()
    bench.start(.takeoff(altitudeAboveHomeMeters: 10))
    #expect(bench.commands.map(\.command) == [.doSetMode])
    #expect(bench.commands.last?.param1 == 1 && bench.commands.last?.param2 == 4)
    bench.ack(.doSetMode)
    #expect(bench.count(.componentArmDisarm) == 0)
    bench.beat(.guided)
    #expect(bench.commands.last?.command == .componentArmDisarm)
    #expect(bench.commands.last?.param1 == 1 && bench.commands.last?.param2 == 0)
    bench.ack(.componentArmDisarm)
    #expect(bench.count(.navTakeoff) == 0)
    bench.beat(armed: true)
    #expect(bench.commands.last?.command == .navTakeoff)
    #expect(bench.commands.last?.param7 == 10)
    bench.ack(.navTakeoff)
    bench.beat()
    #expect(bench.outcome() == nil)
    bench.see { $0.altitudeAboveHomeMeters = 0.6 }
    #expect(bench.outcome() == .accepted)
    #expect(!bench.driver.isActionUnderWay)
  }

  @Test func stepsThatAreDoneAlreadyAreSkipped() {
    var bench = DriverBench.onGround(.guided)
    bench.situation.state.isArmed = true
    bench.start(.takeoff(altitudeAboveHomeMeters: 10))
    #expect(bench.commands.map(\.command) == [.navTakeoff])
  }

  @Test func inTheAirItIsRefusedWithoutASend() {
    var bench = DriverBench.inAir()
    bench.start(.takeoff(altitudeAboveHomeMeters: 10))
    #expect(bench.sent.isEmpty)
    #expect(bench.outcome() == .refused(reason: "already in the air"))
  }

  @Test func armingAndTakeoffAreNeverSentTwice() {
    for stage in [Stage.takeoffArming, .takeoffLifting] {
      var bench = stage.bench
      bench.pass(.seconds(60))
      #expect(bench.count(.componentArmDisarm) == 1)
      #expect(bench.count(.navTakeoff) <= 1)
      #expect(!bench.driver.isActionUnderWay)
    }
  }

  struct Silence: Sendable {
    let stage: Stage
    let reason: String
    let seconds: Int
  }
  @Test(arguments: [
    Silence(
      stage: .takeoffChangingMode, reason: "no acknowledgement of the mode change in 5 s", seconds: 5),
    Silence(stage: .takeoffArming, reason: "no acknowledgement of arming in 10 s", seconds: 10),
    Silence(stage: .takeoffLifting, reason: "no acknowledgement of the takeoff in 3 s", seconds: 3),
  ]) func silenceEndsAsUnknownInTime(_ silence: Silence) {
    var bench = silence.stage.bench
    bench.pass(.seconds(silence.seconds) - .milliseconds(200))
    #expect(bench.outcome() == nil)
    bench.pass(.milliseconds(300))
    #expect(bench.outcome() == .unknown(reason: silence.reason))
  }

  @Test func acknowledgedWithoutAClimbIsUnknown() {
    var bench = Stage.takeoffLifting.bench
    bench.ack(.navTakeoff)
    bench.pass(.milliseconds(15_100))
    #expect(bench.outcome() == .unknown(reason: "acknowledged, but no climb was seen"))
  }

  @Test func lostAcknowledgementsDoNotMatterWhenTheStateShows() {
    var bench = DriverBench.onGround()
    bench.start(.takeoff(altitudeAboveHomeMeters: 10))
    bench.pass(.seconds(1))
    bench.beat(.guided)
    #expect(bench.count(.componentArmDisarm) == 1)
    bench.pass(.seconds(1))
    bench.beat(armed: true)
    #expect(bench.count(.navTakeoff) == 1)
    bench.pass(.seconds(1))
    bench.beat()
    bench.see { $0.altitudeAboveHomeMeters = 1 }
    #expect(bench.outcome() == .accepted)
    #expect(bench.count(.navTakeoff) == 1)
  }

  @Test func aStateFromBeforeTheCommandProvesNothing() {
    var bench = DriverBench.inAir(.hold)
    bench.start(.hold)
    bench.ack(.doSetMode)
    #expect(bench.outcome() == nil)
    bench.beat()
    #expect(bench.outcome() == .accepted)
  }

  @Test func inProgressKeepsWaiting() {
    var bench = Stage.takeoffArming.bench
    bench.ack(.componentArmDisarm, .inProgress)
    #expect(bench.outcome() == nil)
    bench.ack(.componentArmDisarm)
    bench.beat(armed: true)
    #expect(bench.count(.navTakeoff) == 1)
  }

  @Test(arguments: [Stage.takeoffArming, .takeoffLifting])
  func aPilotWhoChangesTheModeTakesTheVehicleBack(_ stage: Stage) {
    var bench = stage.bench
    bench.situation.state.modeName = "LOITER"
    bench.beat(.other)
    #expect(bench.outcome() == .refused(reason: "the flight mode changed to LOITER"))
    bench.pass(.seconds(20))
    #expect(bench.count(.navTakeoff) == (stage == .takeoffLifting ? 1 : 0))
  }
}

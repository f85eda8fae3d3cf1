import MAVLink
import Testing
import Vehicle

@testable import MAVLinkServices

@Suite struct ModeActionTests {
  struct Mode: Sendable {
    let action: VehicleAction
    let number: Float
    let mode: FlightMode
  }
  static let modes = [
    Mode(action: .hold, number: 17, mode: .hold), Mode(action: .land, number: 9, mode: .land),
    Mode(action: .returnToLaunch, number: 6, mode: .returnToLaunch),
  ]

  @Test(arguments: modes) func isConfirmedByAcknowledgementAndHeartbeat(_ mode: Mode) {
    var bench = DriverBench.inAir()
    bench.start(mode.action)
    #expect(bench.commands.map(\.param2) == [mode.number])
    bench.beat(mode.mode)
    #expect(bench.outcome() == nil)
    bench.ack(.doSetMode)
    #expect(bench.outcome() == .accepted)
  }

  @Test(arguments: modes) func isRepeatedUntilTheStateShows(_ mode: Mode) {
    var bench = DriverBench.inAir()
    bench.start(mode.action)
    bench.pass(.milliseconds(4600))
    #expect(bench.count(.doSetMode) == 10)
    #expect(bench.commands.map(\.confirmation) == Array(0..<10))
    bench.pass(.seconds(5))
    #expect(bench.count(.doSetMode) == 15)
    bench.beat(mode.mode)
    #expect(bench.outcome() == .accepted)
    bench.pass(.seconds(5))
    #expect(bench.count(.doSetMode) == 15)
  }

  @Test func theHeartbeatThatProvesItIsAskedForOnce() {
    var bench = DriverBench.inAir()
    bench.start(.hold)
    bench.ack(.doSetMode)
    #expect(bench.commands.map(\.command) == [.doSetMode, .requestMessage])
    #expect(bench.commands.last?.param1 == Float(Heartbeat.messageID))
    bench.ack(.requestMessage, .failed)
    bench.beat(.hold)
    #expect(bench.outcome() == .accepted)
    #expect(bench.count(.requestMessage) == 1)
  }

  @Test func repeatsEndSomeTime() {
    var bench = DriverBench.inAir()
    bench.start(.hold)
    bench.pass(.seconds(60))
    #expect(bench.count(.doSetMode) <= 36)
    #expect(bench.outcome() == .unknown(reason: "no acknowledgement of the mode change in 30 s"))
  }

  @Test func acknowledgedWithoutTheModeIsUnknown() {
    var bench = DriverBench.inAir()
    bench.situation.state.modeName = "GUIDED"
    bench.start(.hold)
    bench.ack(.doSetMode)
    bench.pass(.seconds(6))
    #expect(bench.outcome() == .unknown(reason: "acknowledged, but the mode is still GUIDED"))
    #expect(bench.count(.doSetMode) == 1)
  }

  @Test func atRestThereIsNothingToStop() {
    for action in [VehicleAction.hold, .land] {
      var bench = DriverBench.onGround()
      bench.start(action)
      #expect(bench.sent.isEmpty)
      #expect(bench.outcome() == .accepted)
    }
    var bench = DriverBench.onGround()
    bench.start(.returnToLaunch)
    #expect(bench.outcome() == .refused(reason: "the vehicle is on the ground"))
  }

  @Test func withNothingKnownAStopIsSentAllTheSame() {
    var bench = DriverBench()
    bench.start(.hold)
    #expect(bench.commands.map(\.param2) == [17])
  }

  @Test(arguments: Stage.allCases) func stopTakesThePlaceOfAnythingAtOnce(_ stage: Stage) {
    var bench = stage.bench
    let before = bench.sent.count
    let wasOpen = bench.outcome() == nil
    bench.start(.hold, ticket: 2)
    #expect(bench.sent.count == before + 1)
    #expect(bench.commands.last?.command == .doSetMode)
    #expect(bench.commands.last?.param2 == 17)
    #expect(bench.outcome(1) == (wasOpen ? .superseded : .accepted))

    // Late answers to what was superseded change nothing.
    bench.ack(.componentArmDisarm, .failed)
    bench.ack(.navTakeoff)
    bench.pass(.milliseconds(600))
    bench.ack(.doSetMode)
    bench.beat(.hold)
    #expect(bench.outcome(2) == .accepted)
    bench.pass(.seconds(30))
    #expect(bench.count(.navTakeoff) <= 1)
    #expect(bench.progress[1]?.count == 1)
  }

  @Test func aLateRefusalOfASupersededModeIsNotTakenForTheStops() {
    var bench = Stage.goToChangingMode.bench
    bench.start(.hold, ticket: 2)
    bench.ack(.doSetMode, .failed)
    bench.ack(.doSetMode)
    bench.beat(.hold)
    #expect(bench.outcome(2) == .accepted)
  }

  @Test func aStopWhileArmingIsSentThoughTheVehicleIsStillDisarmed() {
    var bench = Stage.takeoffArming.bench
    bench.start(.hold, ticket: 2)
    bench.start(.hold, ticket: 3)
    #expect(bench.commands.suffix(2).map(\.param2) == [17, 17])
  }

  @Test func restartIsForTheGroundOnly() {
    var flying = DriverBench.inAir()
    flying.start(.rebootAutopilot)
    #expect(flying.outcome() == .refused(reason: "only on the ground and disarmed"))
    #expect(flying.sent.isEmpty)

    var bench = DriverBench.onGround()
    bench.start(.rebootAutopilot)
    #expect(bench.commands.map(\.command) == [.preflightRebootShutdown])
    bench.ack(.preflightRebootShutdown)
    bench.pass(.seconds(2))
    #expect(bench.outcome() == nil)
    bench.take(bench.driver.restarted(at: bench.now))
    #expect(bench.outcome() == .accepted)
  }

  @Test func aRestartEndsEverythingElseAsUnknown() {
    var bench = Stage.takeoffArming.bench
    bench.take(bench.driver.restarted(at: bench.now))
    #expect(bench.outcome() == .unknown(reason: "the flight controller restarted"))
    bench.beat(armed: true)
    bench.pass(.seconds(20))
    #expect(bench.count(.navTakeoff) == 0)
  }
}

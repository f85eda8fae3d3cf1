import MAVLink
import Testing
import Vehicle

@testable import MAVLinkServices

@Suite struct RefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let stage: Stage
    let command: CommandID
    let result: CommandResult
    let before: [String]
    let after: [String]
    let reason: String
    var testDescription: String { "\(stage): \(reason)" }
  }

  @Test(arguments: [
    Case(
      stage: .takeoffArming, command: .componentArmDisarm, result: .failed, before: [],
      after: ["Arm: Need Position Estimate"], reason: "Arm: Need Position Estimate (arming: failed)"),
    Case(
      stage: .takeoffArming, command: .componentArmDisarm, result: .failed,
      before: ["PreArm: Compass not calibrated"], after: [],
      reason: "PreArm: Compass not calibrated (arming: failed)"),
    Case(
      stage: .takeoffArming, command: .componentArmDisarm, result: .failed,
      before: ["PreArm: A"], after: ["PreArm: B", "PreArm: A"],
      reason: "PreArm: A; PreArm: B (arming: failed)"),
    Case(
      stage: .takeoffChangingMode, command: .doSetMode, result: .failed, before: [],
      after: ["Mode change to GUIDED failed: requires position"],
      reason: "Mode change to GUIDED failed: requires position (the flight mode: failed)"),
    Case(
      stage: .takeoffLifting, command: .navTakeoff, result: .failed, before: [], after: [],
      reason: "the flight controller refused the takeoff: failed"),
    Case(
      stage: .landing, command: .doSetMode, result: .unsupported, before: [], after: [],
      reason: "the flight controller refused the flight mode: not supported"),
    Case(
      stage: .holding, command: .doSetMode, result: .failed, before: [],
      after: ["Mode change to BRAKE failed: requires position"],
      reason: "Mode change to BRAKE failed: requires position (the flight mode: failed)"),
    Case(
      stage: .goToChangingMode, command: .doSetMode, result: .temporarilyRejected, before: [], after: [],
      reason: "the flight controller refused the flight mode: temporarily rejected"),
    Case(
      stage: .returning, command: .doSetMode, result: .denied, before: [], after: [],
      reason: "the flight controller refused the flight mode: denied"),
  ]) func refusalCarriesTheAutopilotsWords(_ test: Case) {
    var bench = test.stage.bench
    for text in test.before { bench.say(text) }
    bench.ack(test.command, test.result)
    #expect(bench.outcome() == nil)
    for text in test.after {
      bench.pass(.milliseconds(100))
      bench.say(text)
    }
    let sends = bench.sent.count
    bench.pass(.milliseconds(1600))
    #expect(bench.outcome() == .refused(reason: test.reason))
    #expect(bench.sent.count == sends)
    #expect(!bench.driver.isActionUnderWay)
  }

  @Test func chatterDoesNotExplainARefusal() {
    var bench = Stage.takeoffArming.bench
    bench.say("EKF3 IMU0 is using GPS", severity: 6)
    bench.ack(.componentArmDisarm, .failed)
    bench.pass(.seconds(2))
    #expect(bench.outcome() == .refused(reason: "the flight controller refused arming: failed"))
  }

  @Test func aCheckThatFailedALittleEarlierExplainsArming() {
    var bench = DriverBench.onGround()
    bench.say("PreArm: Battery low", severity: 6)
    bench.pass(.seconds(20))
    bench.start(.takeoff(altitudeAboveHomeMeters: 10))
    bench.ack(.doSetMode)
    bench.beat(.guided)
    bench.ack(.componentArmDisarm, .failed)
    bench.pass(.seconds(2))
    #expect(bench.outcome() == .refused(reason: "PreArm: Battery low (arming: failed)"))
  }

  @Test func aModeThatComesAfterAllIsNoRefusal() {
    var bench = Stage.holding.bench
    bench.ack(.doSetMode, .temporarilyRejected)
    bench.beat(.hold)
    #expect(bench.outcome() == .accepted)
  }

  @Test func textsAreBounded() {
    var bench = Stage.takeoffArming.bench
    for number in 0..<1000 { bench.say("Arm: reason \(number)") }
    bench.ack(.componentArmDisarm, .failed)
    bench.pass(.seconds(2))
    guard case .refused(let reason)? = bench.outcome() else {
      Issue.record("not refused")
      return
    }
    #expect(reason.utf8.count < 200)
  }
}

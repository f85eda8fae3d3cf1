import ClientApp
import Configuration
import PeerProtocol
import RemoteControl
import ServiceRuntime
import Testing

@Suite struct OutcomeTrackerTests {
  private let start = ContinuousClock.now
  private let drone = VehicleLabel(id: peer(1), name: "Drone")
  private let other = VehicleLabel(id: peer(2), name: "Other")

  private func at(_ milliseconds: Int) -> ContinuousClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  private func outcome(
    _ verb: String, _ result: CommandOutcome.Result, _ milliseconds: Int, of vehicle: VehicleLabel? = nil
  ) -> CommandOutcome {
    let vehicle = vehicle ?? drone
    return CommandOutcome(
      vehicle: vehicle.name, id: vehicle.id, verb: verb, result: result, elapsed: .milliseconds(milliseconds))
  }

  /// A takeoff sent as frame 7 to one vehicle.
  private func takeoff() -> (OutcomeTracker, Int) {
    var tracker = OutcomeTracker()
    let request = tracker.begin(.takeoff(altitudeAboveHomeMeters: nil), deadline: at(30_000))
    tracker.sent(7, to: drone, request: request, at: start)
    #expect(tracker.seal(request) == [])
    return (tracker, request)
  }

  // MARK: Arrival

  private func status(_ sequence: UInt32?, hasArrived: Bool = false) -> VehicleStatus {
    var status = VehicleStatus(isInControl: true)
    status.engagedSequence = sequence
    status.hasArrived = hasArrived
    return status
  }

  /// A goto sent as frame 7, accepted after 200 ms, that waits for the arrival.
  private func goto() -> (OutcomeTracker, Int) {
    var tracker = OutcomeTracker()
    let place = LatitudeLongitude(latitudeDegrees: 52, longitudeDegrees: 13)
    let request = tracker.begin(.goto(place), deadline: at(60_000), untilArrival: true)
    tracker.sent(7, to: drone, request: request, at: start)
    #expect(tracker.seal(request) == [])
    // Before the acceptance no status counts.
    for _ in 1...5 { #expect(tracker.received(status(3), from: drone.id, at: at(100)) == []) }
    let accepted = CommandReceipt(sequence: 7, stage: .accepted, verb: "goto")
    #expect(
      tracker.received(accepted, from: drone.id, at: at(200)) == [
        .outcome(request: request, sequence: 7, outcome("goto", .accepted, 200))
      ])
    #expect(tracker.received(accepted, from: drone.id, at: at(210)) == [])
    return (tracker, request)
  }

  @Test func theArrivalEndsAGotoThatWaitsForIt() {
    var (tracker, request) = goto()
    // On its way when the target was accepted.
    #expect(tracker.received(status(nil), from: drone.id, at: at(250)) == [])
    #expect(tracker.received(status(7), from: drone.id, at: at(5000)) == [])
    #expect(tracker.received(status(7, hasArrived: true), from: other.id, at: at(6000)) == [])
    #expect(
      tracker.received(status(7, hasArrived: true), from: drone.id, at: at(20_000)) == [
        .outcome(request: request, sequence: 7, outcome("goto", .arrived, 20_000)),
        .finished(request: request, .accepted),
      ])
  }

  @Test func whatComesBetweenEndsTheWaitingAsARefusal() {
    var (tracker, request) = goto()
    var stopped = status(nil)
    stopped.relayState = "stopped"
    #expect(tracker.received(stopped, from: drone.id, at: at(1000)) == [])
    #expect(tracker.received(stopped, from: drone.id, at: at(1250)) == [])
    #expect(
      tracker.received(stopped, from: drone.id, at: at(1500)) == [
        .outcome(
          request: request, sequence: 7,
          outcome("goto", .refused(reason: "did not arrive: stopped"), 1500)),
        .finished(request: request, .refused),
      ])
  }

  @Test func aVehicleThatDoesNotArriveInTimeIsNoAnswer() {
    var (tracker, request) = goto()
    #expect(
      tracker.expire(at: at(60_000)) == [
        .outcome(request: request, sequence: 7, outcome("goto", .noAnswer, 60_000)),
        .finished(request: request, .noAnswer),
      ])
  }

  struct Final: Sendable {
    let stage: CommandReceipt.Stage
    let reason: String
    let result: CommandOutcome.Result
    let code: ExitCode
  }

  static let finals = [
    Final(stage: .accepted, reason: "", result: .accepted, code: .accepted),
    Final(stage: .refused, reason: "Arm: no", result: .refused(reason: "Arm: no"), code: .refused),
    Final(stage: .unknown, reason: "no proof", result: .unknown(reason: "no proof"), code: .noAnswer),
    Final(
      stage: .superseded, reason: "", result: .refused(reason: "a newer command took its place"),
      code: .refused),
  ]

  @Test(arguments: finals) func aFinalReceiptEndsTheCommand(final: Final) {
    var (tracker, request) = takeoff()
    let receipt = CommandReceipt(sequence: 7, stage: final.stage, verb: "takeoff", reason: final.reason)
    #expect(
      tracker.received(receipt, from: drone.id, at: at(210)) == [
        .outcome(request: request, sequence: 7, outcome("takeoff", final.result, 210)),
        .finished(request: request, final.code),
      ])
    #expect(tracker.received(receipt, from: drone.id, at: at(220)) == [])
  }

  @Test(arguments: [CommandReceipt.Stage.received, .forwarded]) func progressEndsNothing(
    stage: CommandReceipt.Stage
  ) {
    var (tracker, _) = takeoff()
    let receipt = CommandReceipt(sequence: 7, stage: stage, verb: "takeoff")
    #expect(tracker.received(receipt, from: drone.id, at: at(10)) == [])
  }

  @Test func askingForControlTellsThatItWaits() {
    var tracker = OutcomeTracker()
    let request = tracker.begin(.takeControl, deadline: at(30_000))
    tracker.sent(7, to: drone, request: request, at: start)
    #expect(tracker.seal(request) == [])
    let received = CommandReceipt(sequence: 7, stage: .received, verb: "take-control")
    #expect(tracker.received(received, from: drone.id, at: at(10)) == [.asking(request: request, drone)])
    let accepted = CommandReceipt(sequence: 7, stage: .accepted, verb: "take-control")
    #expect(
      tracker.received(accepted, from: drone.id, at: at(10_050)) == [
        .outcome(request: request, sequence: 7, outcome("take-control", .accepted, 10_050)),
        .finished(request: request, .accepted),
      ])
  }

  @Test func receiptsOfOtherVehiclesFramesAndVerbsAreNotIts() {
    var (tracker, _) = takeoff()
    let right = CommandReceipt(sequence: 7, stage: .accepted, verb: "takeoff")
    var otherFrame = right
    otherFrame.sequence = 8
    var otherVerb = right
    otherVerb.verb = "goto"
    #expect(tracker.received(right, from: other.id, at: at(10)) == [])
    #expect(tracker.received(otherFrame, from: drone.id, at: at(10)) == [])
    #expect(tracker.received(otherVerb, from: drone.id, at: at(10)) == [])
    #expect(tracker.received(right, from: drone.id, at: at(10)).count == 2)
  }

  @Test func silenceEndsAtTheDeadline() {
    var (tracker, request) = takeoff()
    #expect(tracker.expire(at: at(29_999)) == [])
    #expect(
      tracker.expire(at: at(30_000)) == [
        .outcome(request: request, sequence: 7, outcome("takeoff", .noAnswer, 30_000)),
        .finished(request: request, .noAnswer),
      ])
  }

  @Test func aLostSessionLeavesTheOutcomeUnknown() {
    var (tracker, request) = takeoff()
    #expect(tracker.lost(other.id, reason: "gone", at: at(5)) == [])
    let events = tracker.lost(drone.id, reason: "gone", at: at(5))
    #expect(events.last == .finished(request: request, .noAnswer))
    guard case .outcome(_, _, let outcome)? = events.first, case .unknown(let reason) = outcome.result else {
      Issue.record("no unknown outcome in \(events)")
      return
    }
    #expect(reason.contains("gone"))
  }

  @Test func aSilentSessionLeavesTheCommandOpenUntilItIsBack() {
    var (tracker, request) = takeoff()
    #expect(tracker.lost(drone.id, reason: "silent", mayReturn: true, at: at(8000)) == [])
    #expect(tracker.interrupted(drone.id) == [], "it is not sent again")
    #expect(
      tracker.received(
        CommandReceipt(sequence: 7, stage: .accepted, verb: "takeoff"), from: drone.id, at: at(9000))
        == [
          .outcome(request: request, sequence: 7, outcome("takeoff", .accepted, 9000)),
          .finished(request: request, .accepted),
        ])
  }

  @Test func anotherSessionAfterTheSilenceLeavesTheOutcomeUnknown() {
    var (tracker, request) = takeoff()
    _ = tracker.lost(drone.id, reason: "silent", mayReturn: true, at: at(8000))
    let events = tracker.lost(drone.id, reason: "a new session began", at: at(9000))
    #expect(events.last == .finished(request: request, .noAnswer))
  }

  @Test func aStopIsSentAgainAfterASilenceToo() {
    var tracker = OutcomeTracker()
    let request = tracker.begin(.stop, deadline: at(30_000))
    tracker.sent(7, to: drone, request: request, at: start)
    _ = tracker.seal(request)
    #expect(tracker.lost(drone.id, reason: "silent", mayReturn: true, at: at(8000)) == [])
    #expect(tracker.interrupted(drone.id) == [request])
  }

  /// A stop sent as frame 7 whose session ended.
  private func interruptedStop() -> (OutcomeTracker, Int) {
    var tracker = OutcomeTracker()
    let request = tracker.begin(.stop, deadline: at(1000))
    tracker.sent(7, to: drone, request: request, at: start)
    #expect(tracker.seal(request) == [])
    #expect(tracker.lost(drone.id, reason: "gone", at: at(5)) == [])
    return (tracker, request)
  }

  @Test func aStopIsSentAgainWhenItsSessionIsBack() {
    var (tracker, request) = interruptedStop()
    #expect(tracker.interrupted(other.id) == [])
    #expect(tracker.interrupted(drone.id) == [request])
    tracker.sent(8, to: drone, request: request, at: at(400))
    #expect(tracker.interrupted(drone.id) == [])
    #expect(
      tracker.received(
        CommandReceipt(sequence: 8, stage: .accepted, verb: "stop"), from: drone.id, at: at(450))
        == [
          .outcome(request: request, sequence: 8, outcome("stop", .accepted, 450)),
          .finished(request: request, .accepted),
        ])
  }

  @Test func aStopWhoseSessionStaysAwayEndsUnknown() {
    var (tracker, request) = interruptedStop()
    let events = tracker.expire(at: at(1000))
    #expect(events.count == 2 && events.last == .finished(request: request, .noAnswer))
  }

  @Test func followIsAnsweredAsGoto() {
    var tracker = OutcomeTracker()
    let request = tracker.begin(.follow, deadline: at(1000))
    tracker.sent(1, to: drone, request: request, at: start)
    _ = tracker.seal(request)
    let events = tracker.received(
      CommandReceipt(sequence: 1, stage: .accepted, verb: "goto"), from: drone.id, at: at(20))
    #expect(events.first == .outcome(request: request, sequence: 1, outcome("follow", .accepted, 20)))
  }

  @Test func severalVehiclesEndTogetherAndARefusalCounts() {
    var tracker = OutcomeTracker()
    let request = tracker.begin(.stop, deadline: at(1000))
    tracker.sent(1, to: drone, request: request, at: start)
    tracker.sent(2, to: other, request: request, at: start)
    _ = tracker.seal(request)
    let first = CommandReceipt(sequence: 2, stage: .refused, verb: "stop", reason: "no")
    #expect(
      tracker.received(first, from: other.id, at: at(1)) == [
        .outcome(request: request, sequence: 2, outcome("stop", .refused(reason: "no"), 1, of: other))
      ])
    #expect(
      tracker.received(CommandReceipt(sequence: 1, stage: .accepted, verb: "stop"), from: drone.id, at: at(2))
        .last == .finished(request: request, .refused))
  }

  @Test func aRequestWithoutVehicleEndsAtTheDeadline() {
    var tracker = OutcomeTracker()
    let request = tracker.begin(.land, deadline: at(1000))
    #expect(tracker.expire(at: at(999)) == [])
    #expect(tracker.expire(at: at(1000)) == [.finished(request: request, .noVehicle)])
  }

  @Test func aRequestIsOpenUntilItIsSealed() {
    var tracker = OutcomeTracker()
    let request = tracker.begin(.stop, deadline: at(1000))
    tracker.sent(1, to: drone, request: request, at: start)
    let receipt = CommandReceipt(sequence: 1, stage: .accepted, verb: "stop")
    #expect(tracker.received(receipt, from: drone.id, at: at(3)).count == 1)
    #expect(tracker.seal(request) == [.finished(request: request, .accepted)])
  }

  @Test func aForgottenRequestIsSilent() {
    var (tracker, request) = takeoff()
    tracker.forget(request)
    #expect(tracker.expire(at: at(60_000)) == [])
  }
}

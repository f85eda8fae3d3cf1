import PeerProtocol
import Testing

@testable import PeerLink

@Suite struct DialPlanTests {
  private let start = ContinuousClock.now

  private func at(_ milliseconds: Int64) -> ContinuousClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  private func turn(_ plan: inout DialPlan, at now: ContinuousClock.Instant) -> Bool {
    plan.takeTurn(at: now)
  }

  /// Milliseconds until the next attempt after each of several ends in a row, every attempt being begun when it is due.
  private func delays(_ count: Int, jitter: Double = 0, _ reason: SessionEnd) -> [Int64] {
    var plan = DialPlan(at: start)
    var now = start
    return (0..<count).map { _ in
      #expect(turn(&plan, at: now))
      plan.ended(reason, at: now, jitter: jitter)
      guard case .waiting(let until) = plan.state else { return -1 }
      defer { now = until }
      return now.duration(to: until).wholeMilliseconds
    }
  }

  static let losses: [SessionEnd] = [
    .connectionLost("x"), .timedOut(.introduction), .timedOut(.invitation), .timedOut(.silence),
    .left(.shuttingDown, text: ""), .left(.disconnected, text: ""), .disconnected(.disconnected),
    .disconnected(.replaced),
  ]

  static let refusals: [SessionEnd] = [
    .declined(.declined, text: ""), .declined(.busy, text: ""), .versionMismatch(theirs: 2),
    .brokeProtocol("x"), .disconnected(.untrusted), .disconnected(.declined), .left(.replaced, text: ""),
    .left(.protocolError, text: ""), .left(.busy, text: ""),
  ]

  static let withoutTrust: [SessionEnd] = [.declined(.untrusted, text: ""), .left(.untrusted, text: "")]

  @Test func theFirstAttemptIsAtOnceAndOnlyOne() {
    var plan = DialPlan(at: start)
    #expect(turn(&plan, at: start))
    for time in [0, 100, 100_000] as [Int64] { #expect(!turn(&plan, at: at(time))) }
  }

  @Test(arguments: losses) func aLossIsTriedAgainSoonThenMoreSlowly(reason: SessionEnd) {
    #expect(delays(7, reason) == [300, 600, 1200, 2400, 4800, 5000, 5000])
  }

  @Test(arguments: refusals) func aRefusalIsTriedAgainSlowly(reason: SessionEnd) {
    #expect(delays(6, reason) == [2000, 4000, 8000, 16_000, 30_000, 30_000])
  }

  @Test(arguments: withoutTrust) func missingTrustIsTriedAgainSteadily(reason: SessionEnd) {
    #expect(delays(3, jitter: 1, reason) == [3000, 3000, 3000])
  }

  @Test func jitterTakesOffUpToHalf() {
    #expect(delays(3, jitter: 1, .connectionLost("x")) == [150, 300, 600])
    #expect(delays(2, jitter: 0.5, .declined(.busy, text: "")) == [1500, 3000])
  }

  @Test func aConnectedTargetIsNotDialled() {
    var plan = DialPlan(at: start)
    _ = plan.takeTurn(at: start)
    plan.connected(at: start)
    plan.hurry(at: start)
    #expect(plan.isConnected)
    #expect(!turn(&plan, at: at(1_000_000)))
  }

  @Test func theLossOfAStableSessionIsTriedAgainSoon() {
    var plan = DialPlan(at: start)
    for _ in 0..<5 { plan.ended(.connectionLost("x"), at: start, jitter: 0) }
    plan.connected(at: start)
    plan.ended(.connectionLost("x"), at: at(10_000), jitter: 0)
    #expect(plan.state == .waiting(until: at(10_300)))
  }

  /// Two computers with one copied identity throw each other out; a host that accepts and fails at once is no better.
  @Test(arguments: [SessionEnd.left(.replaced, text: ""), .connectionLost("x")])
  func sessionsThatEndAtOnceAreNotDialledEverFaster(reason: SessionEnd) {
    var plan = DialPlan(at: start)
    var now = start
    var dials = 0
    while now < at(60_000) {
      if plan.takeTurn(at: now) {
        dials += 1
        plan.connected(at: now)
        plan.ended(reason, at: now.advanced(by: .milliseconds(50)), jitter: 1)
      }
      now = now.advanced(by: .milliseconds(10))
    }
    #expect(dials < 30, "\(dials) times in a minute")
  }

  @Test func newsShortensTheWait() {
    var plan = DialPlan(at: start)
    _ = plan.takeTurn(at: start)
    plan.ended(.declined(.busy, text: ""), at: start, jitter: 0)
    plan.hurry(at: at(1500))
    #expect(turn(&plan, at: at(1500)))
  }

  @Test func newsNeverLengthensTheWait() {
    var plan = DialPlan(at: start)
    _ = plan.takeTurn(at: start)
    plan.ended(.connectionLost("x"), at: start, jitter: 0)
    plan.hurry(at: at(10))
    #expect(plan.state == .waiting(until: at(300)))
  }

  /// Anybody on the network can announce.
  @Test func endlessNewsIsDialledOnceASecond() {
    var plan = DialPlan(at: start)
    var dials = 0
    for time in stride(from: Int64(0), to: 60_000, by: 10) {
      plan.hurry(at: at(time))
      if plan.takeTurn(at: at(time)) {
        dials += 1
        plan.ended(.declined(.busy, text: ""), at: at(time), jitter: 0)
      }
    }
    #expect((59...61).contains(dials), "\(dials) times in a minute")
  }

  @Test func newsDuringAnAttemptChangesNothing() {
    var plan = DialPlan(at: start)
    _ = plan.takeTurn(at: start)
    plan.hurry(at: at(1))
    #expect(plan.state == .dialling)
  }
}

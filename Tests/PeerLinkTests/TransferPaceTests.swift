import TestSupport
import Testing

@testable import PeerLink

/// A connection over a link with one queue, in steps of a millisecond. The sender behaves as BBR does: what is on its way is at most twice what
/// the empty path holds.
private struct ModelPath {
  /// Bytes a second.
  var linkRate: Double
  /// Seconds of the empty path, there and back.
  var roundTrip: Double
  var queueLimit = 65_536.0
  /// Seconds by which a round trip is longer at random.
  var jitter = 0.0
  /// Share of segments that has to be sent again.
  var loss = 0.0
  /// Share of round trips that seem much longer, because an acknowledgement was lost.
  var lostAcknowledgements = 0.0
  /// Bytes a second that others send the same way.
  var others = 0.0
  /// Bytes a second that the application has.
  var supply = Double.infinity

  private(set) var pace = TransferPace()
  private(set) var limit: Double?
  private(set) var waiting = 0.0
  private(set) var limits: [Double?] = []
  private(set) var delivered = 0.0
  private var smoothed: Double
  private var deviation = 0.0
  private var shortest: Double
  private var onItsWay: [(at: Int, bytes: Double, roundTrip: Double)] = []
  private var firstOnItsWay = 0
  private var bytesOnTheirWay = 0.0
  private var milliseconds = 0
  private var random = SplitMix64(seed: 7)
  private let start = ContinuousClock.now
  private let firstCount = UInt32.max - 1000

  static let segmentBytes = 1448.0

  init(megabits: Double, roundTripMilliseconds: Double) {
    linkRate = megabits * 125_000
    roundTrip = roundTripMilliseconds / 1000
    smoothed = roundTrip
    shortest = roundTrip
  }

  /// Seconds that whoever comes now has to wait.
  var queueSeconds: Double { waiting / linkRate }

  mutating func run(seconds: Double, each: (borrowing ModelPath) -> Void = { _ in }) {
    for _ in 0..<Int(seconds * 1000) {
      step()
      each(self)
    }
  }

  private mutating func step() {
    milliseconds += 1
    let share = linkRate / (linkRate + others)
    let window = max(10 * ModelPath.segmentBytes, 2 * linkRate * share * roundTrip)
    let sent = max(0, min(min(limit ?? .infinity, supply) / 1000, window - waiting - bytesOnTheirWay))
    waiting = min(waiting + sent + others / 1000, queueLimit)
    let served = min(waiting, linkRate / 1000)
    waiting -= served
    // What others send is in the queue as well; a fluid is a good enough picture of that.
    let ours = others == 0 ? served : served * sent / max(1, sent + others / 1000)
    var extra = jitter * Double(random.next() % 1000) / 1000
    if Double(random.next() % 1000) < lostAcknowledgements * 1000 {
      extra += 0.05 * Double(random.next() % 1000) / 1000
    }
    onItsWay.append(
      (milliseconds + Int(roundTrip * 1000), ours * (1 - loss), roundTrip + waiting / linkRate + extra))
    bytesOnTheirWay += ours * (1 - loss)
    while firstOnItsWay < onItsWay.count, onItsWay[firstOnItsWay].at <= milliseconds {
      let first = onItsWay[firstOnItsWay]
      firstOnItsWay += 1
      guard first.bytes > 0 else { continue }
      bytesOnTheirWay -= first.bytes
      delivered += first.bytes
      let weight = min(1, first.bytes / (2 * ModelPath.segmentBytes) / 8)
      deviation += min(1, 2 * weight) * (abs(first.roundTrip - smoothed) - deviation)
      smoothed += weight * (first.roundTrip - smoothed)
      shortest = min(shortest, first.roundTrip)
    }
    guard milliseconds.isMultiple(of: 25) else { return }
    let answer = pace.sample(
      TransferPace.Sample(
        roundTrip: .microseconds(Int64(smoothed * 1e6)),
        roundTripDeviation: .microseconds(Int64(deviation * 1e6)),
        shortestRoundTrip: .microseconds(Int64(shortest * 1e6)),
        deliveredSegments: firstCount &+ UInt32(delivered / ModelPath.segmentBytes),
        segmentBytes: Int(ModelPath.segmentBytes)),
      at: start.advanced(by: .milliseconds(milliseconds)))
    switch answer {
    case .keep: return
    case .limit(let bytesPerSecond): limit = Double(bytesPerSecond)
    case .unlimited: limit = nil
    }
    limits.append(limit)
  }

  /// Runs and says how much of the link was used, and which share of the time more than so long a queue stood.
  mutating func observe(seconds: Double, queueAbove bound: Double) -> (use: Double, late: Double) {
    let before = delivered
    var late = 0
    run(seconds: seconds) { if $0.queueSeconds > bound { late += 1 } }
    return ((delivered - before) / seconds / linkRate, Double(late) / seconds / 1000)
  }
}

@Suite struct TransferPaceTests {
  /// A fifth of 20 ms, and what a pair of segments takes.
  private func bound(_ path: ModelPath) -> Double { 0.004 + 2 * ModelPath.segmentBytes / path.linkRate }

  @Test(arguments: [
    (1.0, 40.0, 0.05), (4, 40, 0.02), (8, 40, 0.01), (8, 4, 0.01), (8, 200, 0.03), (50, 10, 0.01),
    (200, 20, 0.01),
  ])
  func aQueueStaysShortAndTheLinkFull(megabits: Double, roundTripMilliseconds: Double, lateAtMost: Double) {
    var path = ModelPath(megabits: megabits, roundTripMilliseconds: roundTripMilliseconds)
    path.run(seconds: 5)
    let (use, late) = path.observe(seconds: 60, queueAbove: bound(path))
    #expect(use > 0.85)
    #expect(late < lateAtMost)
  }

  @Test func withoutAPaceTheQueueStands() {
    // The model would be worth nothing otherwise.
    var path = ModelPath(megabits: 8, roundTripMilliseconds: 40)
    path.run(seconds: 0.2)
    #expect(path.limit == nil)
    #expect(path.queueSeconds > 0.035)
  }

  @Test(arguments: [0.1, 5, 40]) func whatFindsNoQueueIsNeverLimited(roundTripMilliseconds: Double) {
    var path = ModelPath(megabits: 8000, roundTripMilliseconds: roundTripMilliseconds)
    path.supply = 700e6
    path.queueLimit = 1e7
    path.run(seconds: 30)
    #expect(path.limits.isEmpty)
  }

  @Test(arguments: [0.5, 0.2]) func aSlowerLinkIsNoticed(share: Double) {
    var path = ModelPath(megabits: 8, roundTripMilliseconds: 40)
    path.run(seconds: 10)
    path.linkRate *= share
    path.run(seconds: 5)
    let (use, late) = path.observe(seconds: 60, queueAbove: bound(path))
    #expect(use > 0.8)
    #expect(late < 0.03)
  }

  @Test func aFasterLinkIsFoundOut() {
    var path = ModelPath(megabits: 8, roundTripMilliseconds: 40)
    path.run(seconds: 60)
    path.linkRate *= 6
    path.run(seconds: 80)
    #expect(path.observe(seconds: 30, queueAbove: 1).use > 0.8)
  }

  @Test func aLinkThatWasSlowForAMomentIsFullAgainSoon() {
    var path = ModelPath(megabits: 8, roundTripMilliseconds: 40)
    path.run(seconds: 200)
    path.linkRate /= 2
    path.run(seconds: 3)
    path.linkRate *= 2
    path.run(seconds: 12)
    #expect(path.observe(seconds: 10, queueAbove: 1).use > 0.85)
  }

  @Test func onALinkThatStaysAsItIsProbesBecomeRare() {
    var path = ModelPath(megabits: 8, roundTripMilliseconds: 40)
    path.run(seconds: 120)
    // A fifth of the way there and back, by which a command may be later.
    #expect(path.observe(seconds: 300, queueAbove: 0.0045).late < 0.007)
  }

  @Test func theLimitGoesWhenItIsFarAway() {
    var path = ModelPath(megabits: 8, roundTripMilliseconds: 40)
    path.run(seconds: 10)
    #expect(path.limit != nil)
    path.linkRate = 1e9
    path.queueLimit = 1e7
    path.supply = 2e6
    path.run(seconds: 90)
    #expect(path.limit == nil)
  }

  @Test(arguments: [0.002, 0.005, 0.02]) func anUnsteadyRadioIsNotTakenForAFullOne(jitter: Double) {
    var path = ModelPath(megabits: 8, roundTripMilliseconds: 40)
    path.jitter = jitter
    path.run(seconds: 10)
    #expect(path.observe(seconds: 60, queueAbove: 1).use > 0.7)
  }

  @Test(arguments: [0.1, 0.3]) func aRadioThatLosesMuchIsNotTakenForAFullOne(loss: Double) {
    var path = ModelPath(megabits: 8, roundTripMilliseconds: 40)
    path.run(seconds: 10)
    path.loss = loss
    path.lostAcknowledgements = loss
    // As much as comes through at all.
    path.supply = 0.25 * path.linkRate
    path.run(seconds: 10)
    #expect(path.observe(seconds: 120, queueAbove: 1).use > 0.2 * (1 - loss))
  }

  @Test func aLongerWayIsNotTakenForAQueue() {
    var path = ModelPath(megabits: 8, roundTripMilliseconds: 40)
    path.run(seconds: 10)
    path.roundTrip = 0.1
    path.run(seconds: 5)
    #expect(path.observe(seconds: 60, queueAbove: 1).use > 0.8)
  }

  @Test func lossAloneLimitsNothing() {
    var path = ModelPath(megabits: 80, roundTripMilliseconds: 40)
    path.loss = 0.3
    path.supply = 1e6
    path.run(seconds: 30)
    #expect(path.limits.isEmpty)
  }

  @Test func whatOthersSendIsLeftToThem() {
    var path = ModelPath(megabits: 8, roundTripMilliseconds: 40)
    path.run(seconds: 10)
    path.others = 0.6 * path.linkRate
    path.run(seconds: 5)
    let (use, late) = path.observe(seconds: 60, queueAbove: bound(path))
    #expect(use > 0.3)
    #expect(late < 0.05)
  }

  @Test func nonsenseIsPassedOver() {
    var pace = TransferPace()
    var random = SplitMix64(seed: 3)
    let start = ContinuousClock.now
    var time: Duration = .zero
    for _ in 0..<20_000 {
      // Also twice at one time, and after a long pause.
      time += [.zero, .milliseconds(25), .seconds(3600)].randomElement(using: &random)!
      let wild: [Int64] = [0, 1, 40_000, Int64(UInt32.max)]
      _ = pace.sample(
        TransferPace.Sample(
          roundTrip: .microseconds(wild.randomElement(using: &random)!),
          roundTripDeviation: .microseconds(wild.randomElement(using: &random)!),
          shortestRoundTrip: .microseconds(wild.randomElement(using: &random)!),
          deliveredSegments: UInt32(truncatingIfNeeded: random.next()),
          segmentBytes: [0, 536, 1448, Int(UInt32.max)].randomElement(using: &random)!),
        at: start.advanced(by: time))
    }
  }
}

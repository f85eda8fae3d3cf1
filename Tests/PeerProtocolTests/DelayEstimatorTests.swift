import PeerProtocol
import Testing

@Suite struct DelayEstimatorTests {
  private let start = ContinuousClock.now

  private func delay(
    _ estimator: inout DelayEstimator, _ sender: UInt32, arrivesAt milliseconds: Int64
  ) -> Duration {
    estimator.delay(
      senderClockMilliseconds: sender, receivedAt: start.advanced(by: .milliseconds(milliseconds)))
  }

  @Test func theFirstMessageHasNoDelay() {
    var estimator = DelayEstimator()
    #expect(delay(&estimator, 123_456, arrivesAt: 0) == .zero)
  }

  @Test func whatExceedsTheFastestMessageIsDelay() {
    var estimator = DelayEstimator()
    #expect(delay(&estimator, 1000, arrivesAt: 0) == .zero)
    #expect(delay(&estimator, 2000, arrivesAt: 1250) == .milliseconds(250))
    #expect(delay(&estimator, 3000, arrivesAt: 2000) == .zero)
    #expect(delay(&estimator, 4000, arrivesAt: 6000) == .seconds(3))
  }

  @Test func aFasterMessageLowersTheBase() {
    var estimator = DelayEstimator()
    #expect(delay(&estimator, 0, arrivesAt: 0) == .zero)
    #expect(delay(&estimator, 1000, arrivesAt: 400) == .zero)
    #expect(delay(&estimator, 2000, arrivesAt: 2000) == .milliseconds(600))
  }

  @Test(arguments: [UInt32.max, UInt32.max - 499, 0x7FFF_FFFF, 0x8000_0000, 0])
  func clocksThatWrapChangeNothing(first: UInt32) {
    var estimator = DelayEstimator()
    #expect(delay(&estimator, first, arrivesAt: 0) == .zero)
    #expect(delay(&estimator, first &+ 500, arrivesAt: 700) == .milliseconds(200))
    #expect(delay(&estimator, first &+ 1000, arrivesAt: 1000) == .zero)
  }

  @Test func theReceiversClockMayWrapToo() {
    var estimator = DelayEstimator()
    let wrap = Int64(UInt32.max) + 1
    #expect(delay(&estimator, 77, arrivesAt: 0) == .zero)
    #expect(
      delay(&estimator, 77 &+ UInt32(truncatingIfNeeded: wrap - 500), arrivesAt: wrap - 500) == .zero)
    #expect(
      delay(&estimator, 77 &+ UInt32(truncatingIfNeeded: wrap + 500), arrivesAt: wrap + 800)
        == .milliseconds(300))
  }

  /// Two quartz clocks drift apart by 50 parts in a million without anything being late: 4.3 s a day.
  @Test(arguments: [-500, -50, 50, 500]) func clocksThatDriftApartAreNoDelay(partsPerMillion: Int) {
    var estimator = DelayEstimator()
    var largest = Duration.zero
    for second in 0..<172_800 {
      let arrival = Int64(second) * 1000
      let sender = arrival - arrival * Int64(partsPerMillion) / 1_000_000
      largest = max(largest, delay(&estimator, UInt32(truncatingIfNeeded: sender), arrivesAt: arrival))
    }
    // Far below the 2 s at which a takeoff is refused.
    #expect(largest < .milliseconds(400))
  }

  @Test func aDelayThatLastsForMinutesStaysADelay() {
    var estimator = DelayEstimator()
    #expect(delay(&estimator, 0, arrivesAt: 0) == .zero)
    for second in 1..<240 {
      #expect(
        delay(&estimator, UInt32(second) * 1000, arrivesAt: Int64(second) * 1000 + 2500)
          == .milliseconds(2500))
    }
  }

  @Test func oneMessageAfterALongPauseIsStillComparedWithThePast() {
    var estimator = DelayEstimator()
    #expect(delay(&estimator, 0, arrivesAt: 0) == .zero)
    #expect(delay(&estimator, 3_600_000, arrivesAt: 3_603_000) == .seconds(3))
  }
}

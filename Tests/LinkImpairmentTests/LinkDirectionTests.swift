import LinkImpairment
import Testing

private let millisecond: Int64 = 1_000_000

struct LinkDirectionTests {
  private func direction(seed: UInt64 = 7, _ changes: ImpairmentChange...) -> LinkDirection {
    var direction = LinkDirection(seed: seed)
    for change in changes { direction.impairment.apply(change) }
    return direction
  }

  @Test func aPacketArrivesAfterTheDelay() {
    var link = direction(.delay(.milliseconds(20)))
    #expect(
      link.enter(byteCount: 100, kind: .udp, at: 5) == .arrives(at: 20 * millisecond + 5, again: nil))
  }

  @Test func aShorterDelayAtRunTimeKeepsTheOrder() {
    var link = direction(.delay(.milliseconds(20)))
    _ = link.enter(byteCount: 100, kind: .udp, at: 0)
    link.impairment.apply(.delay(.milliseconds(1)))
    #expect(
      link.enter(byteCount: 100, kind: .udp, at: millisecond) == .arrives(at: 20 * millisecond, again: nil))
  }

  @Test func jitterStaysInItsBoundsAndChangesTheOrder() {
    var link = direction(.delay(.milliseconds(10)), .jitter(.milliseconds(5)))
    var arrivals: [Int64] = []
    for time in 0..<1000 {
      let now = Int64(time) * millisecond
      guard case .arrives(let arrival, nil) = link.enter(byteCount: 100, kind: .udp, at: now) else {
        Issue.record("a packet is gone")
        return
      }
      #expect((10 * millisecond..<15 * millisecond).contains(arrival - now))
      arrivals.append(arrival)
    }
    #expect(zip(arrivals, arrivals.dropFirst()).contains { $0 > $1 })
  }

  @Test(arguments: [0.1, 0.3, 0.5]) func theShareThatIsLostIsTheOneAskedFor(_ loss: Double) {
    var link = direction(.loss(loss))
    let count = 20_000
    var lost = 0
    // Pairs as well: losses must not come in bursts.
    var lostPairs = 0
    var wasLost = false
    for time in 0..<count {
      let isLost = link.enter(byteCount: 100, kind: .tcp, at: Int64(time)) == .lost
      if isLost { lost += 1 }
      if isLost && wasLost { lostPairs += 1 }
      wasLost = isLost
    }
    // Five standard deviations of the binomial distribution.
    let bound = 5 * (loss * (1 - loss) / Double(count)).squareRoot()
    #expect(abs(Double(lost) / Double(count) - loss) < bound)
    #expect(abs(Double(lostPairs) / Double(count) - loss * loss) < 2 * bound)
    #expect(link.counters.lost == lost)
  }

  @Test func theSameSeedDecidesTheSame() {
    func fates(seed: UInt64) -> [LinkDirection.Fate] {
      var link = direction(seed: seed, .loss(0.5), .jitter(.milliseconds(1)), .duplicates(0.2))
      return (0..<100).map { link.enter(byteCount: 60, kind: .udp, at: Int64($0)) }
    }
    #expect(fates(seed: 1) == fates(seed: 1))
    #expect(fates(seed: 1) != fates(seed: 2))
  }

  @Test func aSettingDoesNotChangeWhatAnotherOneDraws() {
    func lost(_ changes: ImpairmentChange...) -> [Int] {
      var link = direction(.loss(0.3))
      for change in changes { link.impairment.apply(change) }
      return (0..<200).filter { link.enter(byteCount: 60, kind: .udp, at: Int64($0)) == .lost }
    }
    #expect(lost() == lost(.jitter(.milliseconds(3)), .duplicates(0.5)))
  }

  @Test func aRateSpreadsPacketsAndDropsWhatFindsNoRoom() {
    // 1000 bytes take 8 ms; two of them may wait.
    var link = direction(.rate(bitsPerSecond: 1e6), .queue(byteCount: 2000), .delay(.milliseconds(1)))
    let fates = (0..<3).map { _ in link.enter(byteCount: 1000, kind: .tcp, at: 0) }
    #expect(
      fates == [
        .arrives(at: 9 * millisecond, again: nil), .arrives(at: 17 * millisecond, again: nil), .overflowed,
      ])
    // The first one has left: there is room again.
    #expect(
      link.enter(byteCount: 1000, kind: .tcp, at: 8 * millisecond)
        == .arrives(at: 25 * millisecond, again: nil))
    #expect(link.counters.overflowed == 1)
  }

  @Test func lowerEffortMakesWay() {
    // 1000 bytes take 8 ms.
    var link = direction(.rate(bitsPerSecond: 1e6), .bands(true))
    func enter(_ isLowerEffort: Bool) -> LinkDirection.Fate {
      link.enter(byteCount: 1000, kind: .tcp, isLowerEffort: isLowerEffort, at: 0)
    }
    #expect(enter(true) == .arrives(at: 8 * millisecond, again: nil))
    #expect(enter(true) == .arrives(at: 16 * millisecond, again: nil))
    // After the one that is on the air, and in order among themselves.
    #expect(enter(false) == .arrives(at: 16 * millisecond, again: nil))
    #expect(enter(false) == .arrives(at: 24 * millisecond, again: nil))
    // The rate is the same for all together.
    #expect(enter(true) == .arrives(at: 40 * millisecond, again: nil))
    link.impairment.apply(.bands(false))
    #expect(enter(false) == .arrives(at: 48 * millisecond, again: nil))
  }

  @Test func whatIsLostTookItsTimeOnTheAir() {
    var link = direction(.rate(bitsPerSecond: 1e6), .loss(1))
    #expect(link.enter(byteCount: 1000, kind: .udp, at: 0) == .lost)
    link.impairment.apply(.loss(0))
    #expect(
      link.enter(byteCount: 1000, kind: .udp, at: 0) == .arrives(at: 16 * millisecond, again: nil))
  }

  @Test func aCutLinkPassesNothingUntilItIsRestored() {
    var link = direction(.cut)
    #expect(PacketKind.allCases.allSatisfy { link.enter(byteCount: 60, kind: $0, at: 0) == .cut })
    link.impairment.apply(.restore)
    #expect(link.enter(byteCount: 60, kind: .udp, at: 1) == .arrives(at: 1, again: nil))
  }

  @Test func aFirewallBlocksItsKindOnly() {
    var link = direction(.block([.udp]))
    #expect(link.enter(byteCount: 60, kind: .udp, at: 0) == .blocked)
    #expect(link.enter(byteCount: 60, kind: .tcp, at: 0) == .arrives(at: 0, again: nil))
    link.impairment.apply(.block([]))
    #expect(link.enter(byteCount: 60, kind: .udp, at: 0) == .arrives(at: 0, again: nil))
  }

  @Test func duplicatesArriveTwice() {
    var link = direction(.duplicates(1), .delay(.milliseconds(2)))
    #expect(
      link.enter(byteCount: 60, kind: .udp, at: 0)
        == .arrives(at: 2 * millisecond, again: 2 * millisecond))
    #expect(link.counters.duplicated == 1)
  }

  @Test func neighboursAreFoundWhateverTheLoss() {
    var link = direction(.loss(1), .delay(.milliseconds(20)))
    #expect(link.enter(byteCount: 60, kind: .neighbour, at: 3) == .arrives(at: 3, again: nil))
  }
}

struct PacketKindTests {
  /// An Ethernet frame with the bytes that matter at their places.
  private func frame(_ bytes: [Int: UInt8], count: Int = 80) -> [UInt8] {
    var frame = [UInt8](repeating: 0, count: count)
    for (place, byte) in bytes { frame[place] = byte }
    return frame
  }

  private func kind(_ frame: [UInt8]) -> PacketKind { frame.withUnsafeBytes { PacketKind(frame: $0) } }

  @Test func kindsAreToldApart() {
    #expect(kind(frame([12: 8, 13: 6])) == .neighbour)
    #expect(kind(frame([12: 8, 13: 0, 23: 17])) == .udp)
    #expect(kind(frame([12: 8, 13: 0, 23: 6])) == .tcp)
    #expect(kind(frame([12: 8, 13: 0, 23: 1])) == .other)
    // DNS-SD over IPv4 and IPv6.
    #expect(kind(frame([0: 1, 12: 8, 13: 0, 23: 17])) == .other)
    #expect(kind(frame([0: 0x33, 12: 0x86, 13: 0xDD, 20: 17])) == .other)
    #expect(kind(frame([12: 0x86, 13: 0xDD, 20: 17])) == .udp)
    #expect(kind(frame([0: 0x33, 12: 0x86, 13: 0xDD, 20: 58, 54: 135])) == .neighbour)
    // An echo request.
    #expect(kind(frame([12: 0x86, 13: 0xDD, 20: 58, 54: 128])) == .other)
  }

  @Test func lowerEffortIsMarked() {
    func isLowerEffort(_ bytes: [Int: UInt8]) -> Bool {
      frame(bytes).withUnsafeBytes { PacketKind.isLowerEffort(frame: $0) }
    }
    #expect(isLowerEffort([12: 8, 13: 0, 15: 0x04]))
    #expect(isLowerEffort([12: 8, 13: 0, 15: 0x21]))
    #expect(!isLowerEffort([12: 8, 13: 0, 15: 0]))
    #expect(!isLowerEffort([12: 8, 13: 6, 15: 0x04]))
    #expect(isLowerEffort([12: 0x86, 13: 0xDD, 14: 0x60, 15: 0x40]))
    #expect(!isLowerEffort([12: 0x86, 13: 0xDD, 14: 0x60]))
  }

  @Test func whatIsTooShortIsJustPassed() {
    for count in 0..<34 { #expect(kind([UInt8](repeating: 8, count: count)) == .other) }
    #expect(kind(frame([12: 0x86, 13: 0xDD, 20: 58], count: 54)) == .other)
  }
}

/// How well a way to a peer works, from the questions that it answered.
public struct LinkQuality: Equatable, Sendable {
  /// Share of the last questions whose answer came: there and back, so that a loss in either direction counts.
  public let answeredPercent: Int
  /// Of the newest answer.
  public let roundTrip: Duration?

  public init(answeredPercent: Int, roundTrip: Duration?) {
    self.answeredPercent = answeredPercent
    self.roundTrip = roundTrip
  }
}

/// Remembers the pings of the last seconds and which of them were answered.
struct LinkProbe: Sendable {
  private struct Ping {
    let number: UInt32
    let at: ContinuousClock.Instant
    var isAnswered = false
  }

  /// Five seconds at four pings a second: one lost answer is 5 %.
  private static let window = 20
  /// Fewer say nothing about a share.
  private static let fewest = 4
  /// An answer that takes longer counts as lost until it is there; no radio for which this is made is slower.
  private static let patience: Duration = .seconds(1)

  private var pings: [Ping] = []
  private var roundTrip: Duration?

  mutating func sent(_ number: UInt32, at now: ContinuousClock.Instant) {
    pings.append(Ping(number: number, at: now))
    if pings.count > LinkProbe.window { pings.removeFirst() }
  }

  /// A second answer to the same question, or one to none of the last, changes nothing.
  mutating func answered(_ number: UInt32, at now: ContinuousClock.Instant) {
    guard let index = pings.firstIndex(where: { $0.number == number && !$0.isAnswered }) else { return }
    pings[index].isAnswered = true
    roundTrip = pings[index].at.duration(to: now)
  }

  /// Nil while too little is known.
  func quality(at now: ContinuousClock.Instant) -> LinkQuality? {
    let judged = pings.filter { $0.isAnswered || $0.at.duration(to: now) >= LinkProbe.patience }
    guard judged.count >= LinkProbe.fewest else { return nil }
    let answered = judged.count(where: \.isAnswered)
    return LinkQuality(
      answeredPercent: answered * 100 / judged.count, roundTrip: answered == 0 ? nil : roundTrip)
  }
}

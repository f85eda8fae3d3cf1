/// Decides how fast a transfer may send, so that what waits before a slow link is short for everything else that goes there.
///
/// Goes by delay, as LEDBAT does (RFC 6817), because a plain queue shows nothing else: while the round trip is longer than that of an empty path, a
/// queue stands. It is drained at once, and then a little less is sent than the link carries. Now and then the rate is
/// raised until a trace of a queue shows, since a radio also gets better. Without a queue nothing is limited.
///
/// What was rejected: congestion control alone. BBR keeps up to one round trip waiting, CUBIC fills whatever there is.
struct TransferPace: Sendable {
  /// What the kernel knows of a connection.
  struct Sample: Sendable {
    var roundTrip: Duration
    /// How much round trips differ from that, on average.
    var roundTripDeviation: Duration
    /// The shortest round trip of the last minutes.
    var shortestRoundTrip: Duration
    /// Segments that arrived, ever; wraps.
    var deliveredSegments: UInt32
    var segmentBytes: Int
  }

  enum OnSample: Equatable, Sendable {
    case keep
    case limit(bytesPerSecond: UInt64)
    case unlimited
  }

  private enum Phase: Sendable {
    /// No limit: no queue has been seen, or the limit was far away.
    case open
    case draining(Drain)
    case cruising(until: ContinuousClock.Instant)
    case probing(lastStep: ContinuousClock.Instant)
  }

  private struct Drain: Sendable {
    /// When the queue should be empty.
    var until: ContinuousClock.Instant
    /// Seconds of queue when it began.
    var excess: Double
    /// Bytes a second that the link was thought to carry before.
    var capacityBefore: Double?
    var attempt: Int
  }

  private struct Entry: Sendable {
    let time: ContinuousClock.Instant
    let roundTrip: Double
    let deviation: Double
    let deliveredBytes: Double
  }

  /// How often a sample is wanted.
  static let interval: Duration = .milliseconds(25)
  /// Less would not be worth a connection.
  static let floorBytesPerSecond = 16_384.0
  /// What round trips vary by on a good path; a fifth of 20 ms, with the packet that is on its way, stays above it.
  private static let tolerance = 0.002
  private static let window: Duration = .milliseconds(500)
  /// How far back the best rate counts: BBR sends next to nothing for 200 ms each ten seconds.
  private static let memory: Duration = .seconds(1)
  private static let shortestMeasure: Duration = .milliseconds(200)
  /// In a probe a ramp is expected, and each moment of waiting makes the queue longer.
  private static let probeWindow: Duration = .milliseconds(60)
  private static let stepInterval: Duration = .milliseconds(100)
  /// Of what the link carries, the share that is sent: room for what bursts and repeats add.
  private static let cruiseShare = 0.92
  private static let restAtFirst: Duration = .seconds(5)
  /// Each probe makes others wait for some tenths of a second. Once a minute, 99 in 100 commands meet none.
  private static let longestRest: Duration = .seconds(60)
  private static let mostDrains = 5

  private var phase = Phase.open
  private var entries: [Entry] = []
  private var lastDelivered: UInt32?
  private var deliveredBytes = 0.0
  private var segmentBytes = 1448.0
  private var shortest = 0.0
  /// Seconds by which the round trip is longer for reasons that sending less does not take away: other traffic, a radio that repeats.
  private var foreign = 0.0
  /// Bytes a second that the link carries, since it was seen full.
  private var capacity: Double?
  private var limit: Double?
  private var rest = TransferPace.restAtFirst

  mutating func sample(_ sample: Sample, at now: ContinuousClock.Instant) -> OnSample {
    guard record(sample, at: now) else { return .keep }
    let before = limit
    switch phase {
    case .open: lookForQueue(at: now)
    case .draining(let drain): lookAfterDrain(drain, at: now)
    case .cruising(let until):
      lookForQueue(at: now)
      if case .cruising = phase, now >= until, isLimiting { phase = .probing(lastStep: now) }
    case .probing(let lastStep): probe(since: lastStep, at: now)
    }
    guard limit != before else { return .keep }
    return limit.map { .limit(bytesPerSecond: UInt64($0)) } ?? .unlimited
  }

  /// - Returns: whether there is enough to judge by.
  private mutating func record(_ sample: Sample, at now: ContinuousClock.Instant) -> Bool {
    guard sample.roundTrip > .zero, sample.shortestRoundTrip > .zero, sample.segmentBytes > 0 else {
      return false
    }
    segmentBytes = Double(sample.segmentBytes)
    // The difference, because the kernel's number wraps; at first only that.
    let news = lastDelivered.map { sample.deliveredSegments &- $0 } ?? 0
    lastDelivered = sample.deliveredSegments
    deliveredBytes += Double(news) * segmentBytes
    shortest = sample.shortestRoundTrip.seconds
    entries.append(
      Entry(
        time: now, roundTrip: sample.roundTrip.seconds, deviation: sample.roundTripDeviation.seconds,
        deliveredBytes: deliveredBytes))
    let oldest = now.advanced(by: .zero - TransferPace.memory)
    if let first = entries.firstIndex(where: { $0.time >= oldest }) { entries.removeFirst(first) }
    // A round trip of an idle connection says nothing new.
    return entries.count > 2 && rate(over: TransferPace.window) > 0
  }

  // MARK: What the samples say

  private func recent(_ span: Duration) -> ArraySlice<Entry> {
    guard let last = entries.last else { return [] }
    let oldest = last.time.advanced(by: .zero - span)
    return entries[(entries.firstIndex { $0.time >= oldest } ?? entries.startIndex)...]
  }

  /// Bytes a second that arrived.
  private func rate(over span: Duration) -> Double {
    let recent = recent(span)
    guard let first = recent.first, let last = recent.last, last.time > first.time else { return 0 }
    return (last.deliveredBytes - first.deliveredBytes) / first.time.duration(to: last.time).seconds
  }

  /// Bytes a second that arrived in the best part of the last moments.
  private var bestRate: Double {
    var best = rate(over: TransferPace.window)
    var start = entries.startIndex
    for end in entries {
      while entries[start].time.duration(to: end.time) > TransferPace.shortestMeasure {
        let span = entries[start].time.duration(to: end.time).seconds
        best = max(best, (end.deliveredBytes - entries[start].deliveredBytes) / span)
        start += 1
      }
    }
    return best
  }

  /// Seconds by which even the shortest round trip of late was longer than it has to be.
  private func excess(over span: Duration) -> Double {
    (recent(span).map(\.roundTrip).min() ?? 0) - shortest - foreign
  }

  /// Seconds of excess that are no queue yet. The kernel sends segments in pairs: these wait for each other. A queue that stands makes every round
  /// trip longer by the same; what differs from one to the next is the radio, or an acknowledgement that was lost.
  private var threshold: Double {
    let recent = recent(TransferPace.window)
    let deviation = recent.reduce(0) { $0 + $1.deviation } / Double(max(1, recent.count))
    return TransferPace.tolerance + 1.5 * deviation
      + 2 * segmentBytes / max(rate(over: TransferPace.window), capacity ?? 0)
  }

  /// Whether more would be sent without the limit.
  private var isLimiting: Bool {
    limit.map { rate(over: TransferPace.window) >= 0.5 * $0 } ?? false
  }

  // MARK: What to do

  private mutating func lookForQueue(at now: ContinuousClock.Instant) {
    let excess = excess(over: TransferPace.window)
    foreign = max(0, min(foreign, foreign + excess / 16))
    // The whole window has to agree: a radio that repeats one packet is not a full one.
    guard let first = entries.first, first.time.duration(to: now) * 2 > TransferPace.window,
      excess > threshold
    else { return }
    drain(excess, capacity: bestRate, attempt: 1, since: capacity, at: now)
  }

  /// Sends less until the queue should be gone: the longer it is the less, so that it takes about a fifth of a second.
  private mutating func drain(
    _ excess: Double, capacity: Double, attempt: Int, since capacityBefore: Double?,
    at now: ContinuousClock.Instant
  ) {
    let share = min(0.85, max(0.5, 1 - excess / 0.2))
    self.capacity = capacity
    limit = max(TransferPace.floorBytesPerSecond, share * capacity)
    // A round trip later the first acknowledgement tells of it, and the average of them some more later.
    let seconds = min(5, excess / (1 - share) + shortest + 0.1)
    phase = .draining(
      Drain(
        until: now.advanced(by: .seconds(seconds)), excess: excess, capacityBefore: capacityBefore,
        attempt: attempt))
  }

  private mutating func lookAfterDrain(_ drain: Drain, at now: ContinuousClock.Instant) {
    guard now >= drain.until.advanced(by: TransferPace.probeWindow) else { return }
    let excess = excess(over: TransferPace.probeWindow)
    guard excess > threshold else {
      // What fell may rise again, and soon: a radio that was behind a tree.
      if let before = drain.capacityBefore, let capacity, capacity < 0.9 * before {
        rest = TransferPace.restAtFirst
      }
      return cruise(at: now)
    }
    // Less was sent than arrived before: had the queue been ours, it would be shorter.
    let hasFallen = excess < drain.excess * 2 / 3
    if hasFallen || drain.attempt == 1, drain.attempt < TransferPace.mostDrains {
      // What arrives while a queue stands is what the link carries.
      let capacity = min(capacity ?? .infinity, rate(over: TransferPace.window))
      return self.drain(
        excess, capacity: capacity, attempt: drain.attempt + 1, since: drain.capacityBefore ?? self.capacity,
        at: now)
    }
    foreign += excess
    capacity = drain.capacityBefore ?? capacity
    cruise(at: now)
  }

  private mutating func cruise(at now: ContinuousClock.Instant) {
    limit = max(TransferPace.floorBytesPerSecond, TransferPace.cruiseShare * (capacity ?? 0))
    phase = .cruising(until: now.advanced(by: rest))
  }

  private mutating func probe(since lastStep: ContinuousClock.Instant, at now: ContinuousClock.Instant) {
    guard let limit, let capacity else {
      phase = .open
      return
    }
    let arrived = rate(over: TransferPace.window)
    let excess = excess(over: TransferPace.probeWindow)
    if excess > threshold {
      let isAsBefore = limit <= 1.1 * capacity
      rest = isAsBefore ? min(rest * 2, TransferPace.longestRest) : TransferPace.restAtFirst
      // A probe looks at little: it must not make the link seem slower than it is, time after time.
      let seen = isAsBefore ? max(0.97 * capacity, rate(over: TransferPace.window / 2)) : bestRate
      return drain(excess, capacity: seen, attempt: 1, since: seen, at: now)
    }
    guard lastStep.duration(to: now) >= TransferPace.stepInterval else { return }
    // So far away that it limits nothing.
    if limit > 3 * arrived {
      self.limit = nil
      self.capacity = nil
      rest = TransferPace.restAtFirst
      phase = .open
      return
    }
    // Gently where the link was full last time, since what is sent too much waits; and faster where it has become better.
    self.limit = limit * (limit < 1.1 * capacity ? 1.007 : 1.04)
    phase = .probing(lastStep: now)
  }
}

extension Duration {
  fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

/// Decides the fate of each packet of one direction; same seed and same packets, same fates.
///
/// Times are nanoseconds of the monotonic clock.
public struct LinkDirection: Sendable {
  /// What happens to a packet.
  public enum Fate: Equatable, Sendable {
    /// Arrives at these times; the second is for a duplicate.
    case arrives(at: Int64, again: Int64?)
    case lost
    case blocked
    case cut
    /// Found no room in the queue before the limited rate.
    case overflowed
  }

  /// How many packets met which fate.
  public struct Counters: Equatable, Sendable {
    public var received = 0
    public var delivered = 0
    public var deliveredByteCount = 0
    public var lost = 0
    public var duplicated = 0
    public var blocked = 0
    public var cut = 0
    public var overflowed = 0
    /// Dropped by the relay itself, or refused by the kernel at the far end. Not zero: the measurement is disturbed.
    public var failed = 0
    /// How much later than decided a packet was delivered at worst, in nanoseconds: the relay's own error.
    public var worstLatenessNanoseconds: Int64 = 0
  }

  public var impairment: Impairment
  public internal(set) var counters = Counters()

  private var generator: PacketGenerator
  /// When the last bit of what is queued has left.
  private var busyUntil: Int64 = 0
  /// The same without what makes way for others, and how long one packet of that takes.
  private var firstBandBusyUntil: Int64 = 0
  private var lowerEffortPacketTime: Int64 = 0
  private var lastArrival: Int64 = 0

  public init(_ impairment: Impairment = Impairment(), seed: UInt64) {
    self.impairment = impairment
    generator = PacketGenerator(seed: seed)
  }

  /// Decides about a packet that enters the link at `now`.
  public mutating func enter(
    byteCount: Int, kind: PacketKind, isLowerEffort: Bool = false, at now: Int64
  ) -> Fate {
    counters.received += 1
    if impairment.isCut {
      counters.cut += 1
      return .cut
    }
    // Every radio has its own way to find neighbours. Here they would only add the kernel's own repetition after a second
    // to what is measured.
    if kind == .neighbour { return .arrives(at: now, again: nil) }
    if impairment.blocked.contains(kind) {
      counters.blocked += 1
      return .blocked
    }
    // As many draws for each packet, so that one setting does not change the fates that another one decides.
    let draws = (generator.fraction(), generator.fraction(), generator.fraction(), generator.fraction())
    guard let departure = queue(byteCount, isLowerEffort, at: now) else {
      counters.overflowed += 1
      return .overflowed
    }
    // After the queue: what is lost in the air took its time on the air.
    if draws.0 < impairment.loss {
      counters.lost += 1
      return .lost
    }
    let arrival = departure + impairment.delay.nanoseconds
    let jitter = Double(impairment.jitter.nanoseconds)
    guard jitter > 0 || impairment.hasBands else {
      // A shorter delay at run time must not change the order.
      lastArrival = max(lastArrival, arrival)
      return .arrives(at: lastArrival, again: duplicate(draws.1) ? lastArrival : nil)
    }
    lastArrival = 0
    let again = duplicate(draws.1) ? arrival + Int64(jitter * draws.3) : nil
    return .arrives(at: arrival + Int64(jitter * draws.2), again: again)
  }

  private mutating func duplicate(_ draw: Double) -> Bool {
    guard draw < impairment.duplicates else { return false }
    counters.duplicated += 1
    return true
  }

  /// When the packet's last bit leaves, or nil when there is no room for it.
  private mutating func queue(_ byteCount: Int, _ isLowerEffort: Bool, at now: Int64) -> Int64? {
    guard let bitsPerSecond = impairment.bitsPerSecond else { return now }
    let nanosecondsPerByte = 8e9 / bitsPerSecond
    let time = Int64(Double(byteCount) * nanosecondsPerByte)
    if impairment.hasBands, !isLowerEffort {
      // What is on the air already is not taken back. Packets of the other band that were promised an earlier time keep it, those that
      // come later make up for it.
      let current = min(max(0, busyUntil - max(firstBandBusyUntil, now)), lowerEffortPacketTime)
      let begin = max(firstBandBusyUntil, now + current)
      if Double(begin - now) / nanosecondsPerByte > Double(impairment.queueByteCount) { return nil }
      firstBandBusyUntil = begin + time
      busyUntil = max(busyUntil, now) + time
      return firstBandBusyUntil
    }
    let waitingByteCount = Double(max(0, busyUntil - now)) / nanosecondsPerByte
    if waitingByteCount + Double(byteCount) > Double(impairment.queueByteCount) { return nil }
    busyUntil = max(busyUntil, now) + time
    lowerEffortPacketTime = time
    return busyUntil
  }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
private struct PacketGenerator: Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Evenly distributed in 0..<1.
  mutating func fraction() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ (z >> 31)) >> 11) * 0x1p-53
  }
}

extension Duration {
  var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

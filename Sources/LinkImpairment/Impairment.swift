/// What one direction of a link does to packets.
public struct Impairment: Equatable, Sendable {
  /// One-way delay of a packet that meets an empty queue, without the time that its bits take at `bitsPerSecond`.
  public var delay: Duration = .zero
  /// Up to so much more delay, drawn evenly for each packet. More than the distance of two packets changes their order.
  public var jitter: Duration = .zero
  /// The share of packets that never arrive, drawn independently for each.
  public var loss = 0.0
  /// The share of packets that arrive twice.
  public var duplicates = 0.0
  /// How fast bits leave; nil for at once.
  public var bitsPerSecond: Double?
  /// How many bytes wait at most for bits to leave; a packet that finds no room is dropped.
  public var queueByteCount = 65_536
  /// Packets marked as lower effort wait until no other one does, as in a Wi-Fi driver or a host's own queue. Otherwise there is one
  /// queue for all.
  public var hasBands = false
  /// Nothing enters the link. What is under way arrives.
  public var isCut = false
  /// Kinds of packets that a firewall drops.
  public var blocked: Set<PacketKind> = []

  public init() {}
}

/// One change of an impairment, as a line of text says it.
public enum ImpairmentChange: Equatable, Sendable {
  case delay(Duration)
  case jitter(Duration)
  case loss(Double)
  case duplicates(Double)
  case rate(bitsPerSecond: Double?)
  case queue(byteCount: Int)
  case bands(Bool)
  case cut
  case restore
  case block(Set<PacketKind>)
}

extension Impairment {
  public mutating func apply(_ change: ImpairmentChange) {
    switch change {
    case .delay(let delay): self.delay = delay
    case .jitter(let jitter): self.jitter = jitter
    case .loss(let loss): self.loss = loss
    case .duplicates(let duplicates): self.duplicates = duplicates
    case .rate(let bitsPerSecond): self.bitsPerSecond = bitsPerSecond
    case .queue(let byteCount): queueByteCount = byteCount
    case .bands(let hasBands): self.hasBands = hasBands
    case .cut: isCut = true
    case .restore: isCut = false
    case .block(let kinds): blocked = kinds
    }
  }
}

/// One way through the link.
public enum Direction: String, CaseIterable, Sendable {
  case aToB = "a-to-b"
  case bToA = "b-to-a"
}

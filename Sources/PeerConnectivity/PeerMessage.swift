/// How a message travels.
public enum DeliveryMode: Hashable, Sendable {
  /// Delivered, once, in the order of sending, also over a connection that broke and came back within ten minutes.
  case reliable
  /// Sent at once, may be lost; an older one of the same channel that arrives after a newer one is left out. At most 1100 bytes.
  case unreliable
  /// For what must arrive fast: repeated on datagrams until it is received, and sent reliably as well; delivered once, on the first copy, without
  /// regard to the order of other messages. A newer one with the same `replacing` key takes the place of an older one that is still on its way.
  case urgent(replacing: UInt64? = nil)
}

/// What a peer sent.
public struct PeerMessage: Hashable, Sendable {
  /// How the message travelled, as far as it matters to the receiver.
  public enum Mode: Hashable, Sendable {
    /// Nothing is missing before it.
    case reliable
    /// Others may be missing.
    case unreliable
    /// Outside of the order of the others.
    case urgent
  }

  /// The most bytes of a reliable or urgent message.
  public static let maximumBytes = 65_536
  /// The most bytes of an unreliable message.
  public static let maximumUnreliableBytes = 1100

  /// The sender.
  public let peer: Peer
  /// What the sender sent, unchanged: data to be checked.
  public let bytes: [UInt8]
  /// The sender's choice, 0 to 239.
  public let channel: UInt8
  /// How it travelled.
  public let mode: Mode
  /// How much later it arrived than the fastest one so far: time in queues and repeats, without any common clock.
  public let delay: Duration
  /// When it arrived.
  public let receivedAt: ContinuousClock.Instant
  /// How many unreliable (or, of more than 256 that wait, urgent) messages of this peer were dropped just before this one because this
  /// program did not read.
  public internal(set) var droppedBefore = 0

  /// The bytes as text; what is not UTF-8 is replaced.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

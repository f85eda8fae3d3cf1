/// The reliable messages of one direction of a session at their sender: numbered by count, kept until the peer has acknowledged
/// them, sent again from where the peer was when the control connection is reopened.
public struct ReliableLog: Sendable {
  /// Bytes of payload kept; more are refused until the peer acknowledges. Small messages count as if they had 64 bytes.
  public static let maximumBytes = 1 << 20
  static let smallestCharge = 64

  /// Messages before the first kept one.
  public private(set) var acknowledgedCount: UInt64 = 0
  /// Bytes of the kept messages.
  public private(set) var byteCount = 0
  /// Messages that were written to the connection that there is now, or are known to have arrived.
  private var writtenCount: UInt64 = 0
  /// Kept messages behind `start`; what is in front of it is gone.
  private var messages: [MessageFrame] = []
  private var start = 0

  public init() {}

  /// Messages taken since the session began.
  public var count: UInt64 { acknowledgedCount + UInt64(messages.count - start) }
  /// Nothing is kept.
  public var isEmpty: Bool { messages.count == start }

  /// Whether a message of this size can be taken.
  public func hasRoom(for payloadBytes: Int) -> Bool {
    isEmpty || byteCount + ReliableLog.charge(payloadBytes) <= ReliableLog.maximumBytes
  }

  public mutating func append(_ message: MessageFrame) {
    messages.append(message)
    byteCount += ReliableLog.charge(message.payload.count)
  }

  /// The next message to write to the connection, nil when all are.
  public var next: MessageFrame? {
    writtenCount < count ? messages[start + Int(writtenCount - acknowledgedCount)] : nil
  }

  /// `next` was written.
  public mutating func wroteNext() { if writtenCount < count { writtenCount += 1 } }

  /// The peer has this many messages.
  ///
  /// - Returns: false when that cannot be, which breaks the protocol.
  public mutating func acknowledge(_ count: UInt64) -> Bool {
    guard count >= acknowledgedCount, count <= writtenCount else { return false }
    forget(upTo: count)
    return true
  }

  /// A new connection: goes on behind the messages that the peer says it has.
  ///
  /// - Returns: false when that cannot be: the session cannot be taken up again then.
  public mutating func resume(from count: UInt64) -> Bool {
    guard count >= acknowledgedCount, count <= self.count else { return false }
    writtenCount = count
    forget(upTo: count)
    return true
  }

  private mutating func forget(upTo count: UInt64) {
    while acknowledgedCount < count {
      byteCount -= ReliableLog.charge(messages[start].payload.count)
      start += 1
      acknowledgedCount += 1
    }
    // Now and then, so that each message is moved only a few times.
    if start > 64, start * 2 > messages.count {
      messages.removeFirst(start)
      start = 0
    }
  }

  private static func charge(_ payloadBytes: Int) -> Int { max(payloadBytes, smallestCharge) }
}

/// The receiver's count of reliable messages, and when the sender is to be told.
public struct ReliableCount: Sendable {
  /// Messages, or bytes of them, after which the sender is told at once; else with the next tick.
  static let messagesPerAcknowledge: UInt64 = 32
  static let bytesPerAcknowledge = 65_536

  /// Messages received since the session began.
  public private(set) var count: UInt64 = 0
  /// The application is behind: nothing is acknowledged, so that the sender stops when its log is full. Everything else on the connection is
  /// read on, above all the acknowledgements of this side's own messages, which an unread connection would keep back.
  public var isHeld = false
  private var acknowledged: UInt64 = 0
  private var bytesSince = 0

  public init() {}

  /// - Returns: whether to acknowledge at once.
  public mutating func received(payloadBytes: Int) -> Bool {
    count += 1
    bytesSince += payloadBytes
    return !isHeld
      && (count - acknowledged >= ReliableCount.messagesPerAcknowledge
        || bytesSince >= ReliableCount.bytesPerAcknowledge)
  }

  /// The sender does not know of all yet.
  public var owesAcknowledge: Bool { !isHeld && acknowledged < count }

  /// Held, and the sender goes on beyond what its log can keep.
  public var isOverrun: Bool {
    isHeld
      && max(bytesSince, Int(clamping: count - acknowledged) * ReliableLog.smallestCharge)
        > 2 * ReliableLog.maximumBytes
  }

  /// The sender is told now, by ACKNOWLEDGE, RESUME or RESUMED.
  public mutating func told() {
    acknowledged = count
    bytesSince = 0
  }
}

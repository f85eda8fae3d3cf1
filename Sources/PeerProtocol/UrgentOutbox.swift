/// Urgent messages on their way: each is sent again and again until the peer says that it has it.
///
/// Copies go out 0, 10 and 20 ms after the message was handed over and then each 50 ms. On a radio that loses 30 % of datagrams
/// one in a hundred messages needs a fourth copy, on one that loses half a seventh.
public struct UrgentOutbox: Sendable {
  /// Messages under way at a time.
  public static let maximumCount = 64
  /// Copies handed out in one turn, so that many messages do not become one burst.
  static let maximumCopiesPerTurn = 16

  public enum AddResult: Equatable, Sendable {
    case added
    /// Too many are under way, or one of the class is so old that the receiver could not tell its number any more.
    case full
  }

  /// One message under way.
  public struct Copy: Equatable, Sendable {
    public let message: MessageFrame
    public let key: UInt64?

    public var frame: DatagramFrame { .message(message, .urgent(key: key)) }
  }

  private struct Entry {
    let copy: Copy
    let firstSent: ContinuousClock.Instant
    /// Copies planned so far, whether sent or left out.
    var planned = 0
    /// It still has to go over the control connection that there is now.
    var owesControl = true

    var fitsDatagram: Bool { copy.message.payload.count <= DatagramFrame.maximumMessageBytes }

    var nextCopy: ContinuousClock.Instant? {
      guard fitsDatagram else { return nil }
      return firstSent.advanced(by: UrgentOutbox.offset(ofCopy: planned))
    }
  }

  /// In the order of their numbers within a class.
  private var entries: [Entry] = []

  public init() {}

  public var count: Int { entries.count }
  public var isEmpty: Bool { entries.isEmpty }

  /// When copy number `index`, from 0, is due after the first one.
  static func offset(ofCopy index: Int) -> Duration {
    index < 3 ? .milliseconds(10 * index) : .milliseconds(20 + 50 * (index - 2))
  }

  /// Whether a message with this number can be taken.
  public func hasRoom(messageClass: UInt8, sequence: UInt32, replacing key: UInt64?) -> Bool {
    let others = entries.filter {
      key == nil || $0.copy.key != key || $0.copy.message.messageClass != messageClass
    }
    guard others.count < UrgentOutbox.maximumCount else { return false }
    guard let oldest = others.first(where: { $0.copy.message.messageClass == messageClass }) else {
      return true
    }
    return sequence &- oldest.copy.message.sequence < UInt32(ReceiveWindow.width)
  }

  /// Takes a message; its first copy is due at once.
  public mutating func add(
    _ message: MessageFrame, replacing key: UInt64?, at now: ContinuousClock.Instant
  ) -> AddResult {
    guard hasRoom(messageClass: message.messageClass, sequence: message.sequence, replacing: key) else {
      return .full
    }
    if let key {
      entries.removeAll { $0.copy.key == key && $0.copy.message.messageClass == message.messageClass }
    }
    entries.append(Entry(copy: Copy(message: message, key: key), firstSent: now))
    return .added
  }

  /// The peer has the message.
  public mutating func received(_ receipt: DatagramFrame.Receipt) {
    entries.removeAll {
      $0.copy.message.messageClass == receipt.messageClass && $0.copy.message.sequence == receipt.sequence
    }
  }

  /// Copies to send as datagrams now. A turn that comes late leaves out what it missed.
  public mutating func takeDue(at now: ContinuousClock.Instant) -> [Copy] {
    var copies: [Copy] = []
    for index in entries.indices where copies.count < UrgentOutbox.maximumCopiesPerTurn {
      guard let next = entries[index].nextCopy, next <= now else { continue }
      copies.append(entries[index].copy)
      repeat { entries[index].planned += 1 } while entries[index].nextCopy.map { $0 <= now } ?? false
    }
    return copies
  }

  /// When `takeDue` has something again.
  public var nextDue: ContinuousClock.Instant? { entries.compactMap(\.nextCopy).min() }

  /// The oldest message that has not gone over the control connection yet.
  public var firstOwedToControl: Copy? { entries.first(where: \.owesControl)?.copy }

  /// `firstOwedToControl` was sent there.
  public mutating func sentOverControl() {
    if let index = entries.firstIndex(where: \.owesControl) { entries[index].owesControl = false }
  }

  /// The control connection broke: whatever has no receipt is owed to the next one.
  public mutating func controlLost() { for index in entries.indices { entries[index].owesControl = true } }

  /// Gives all up: the application was told that the peer is gone.
  public mutating func removeAll() { entries = [] }
}

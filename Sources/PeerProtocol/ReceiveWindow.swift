/// Which numbered messages have been seen, so that each acts once, however often and in whatever order copies of it arrive.
///
/// Numbers are 32 bits wide and wrap; which of two is the newer one is decided by the shorter way around the circle.
public struct ReceiveWindow: Sendable {
  public enum Verdict: Equatable, Sendable {
    case first
    case repeated
    /// So old that it cannot be told apart from a repetition; a sender does not let this happen to a message that has not arrived.
    case tooOld
  }

  /// How far behind the newest number a message may be.
  public static let width = 1024
  private static let wordCount = width / UInt64.bitWidth

  private var newest: UInt32?
  /// A ring of bits by number; only the last `width` numbers have meaning.
  private var seen = [UInt64](repeating: 0, count: ReceiveWindow.wordCount)

  public init() {}

  /// Takes a number in; says whether the message may act.
  public mutating func receive(_ sequence: UInt32) -> Verdict {
    guard let newest else {
      self.newest = sequence
      set(sequence)
      return .first
    }
    let ahead = Int32(bitPattern: sequence &- newest)
    if ahead > 0 {
      // What the ring forgets becomes what the new numbers need.
      if ahead >= Int32(ReceiveWindow.width) {
        seen = [UInt64](repeating: 0, count: ReceiveWindow.wordCount)
      } else {
        for step in 1...UInt32(ahead) { clear(newest &+ step) }
      }
      self.newest = sequence
      set(sequence)
      return .first
    }
    guard ahead > -Int32(ReceiveWindow.width) else { return .tooOld }
    if isSet(sequence) { return .repeated }
    set(sequence)
    return .first
  }

  /// Whether `sequence` comes after `other` on the circle of numbers.
  public static func isNewer(_ sequence: UInt32, than other: UInt32) -> Bool {
    Int32(bitPattern: sequence &- other) > 0
  }

  private func place(_ sequence: UInt32) -> (word: Int, bit: UInt64) {
    let index = Int(sequence % UInt32(ReceiveWindow.width))
    return (index / UInt64.bitWidth, 1 << UInt64(index % UInt64.bitWidth))
  }

  private func isSet(_ sequence: UInt32) -> Bool {
    let (word, bit) = place(sequence)
    return seen[word] & bit != 0
  }

  private mutating func set(_ sequence: UInt32) {
    let (word, bit) = place(sequence)
    seen[word] |= bit
  }

  private mutating func clear(_ sequence: UInt32) {
    let (word, bit) = place(sequence)
    seen[word] &= ~bit
  }
}

/// What a receiver makes of the messages of one session that may be lost, repeated and overtaken: datagrams, and their copies on the
/// control connection.
public struct DatagramInbox: Sendable {
  public enum Verdict: Equatable, Sendable {
    case deliver
    /// Seen before, or overtaken by something newer.
    case drop
  }

  /// Keys of replaced messages remembered; the oldest is forgotten first.
  static let maximumKeys = 64

  private struct Key: Hashable {
    let messageClass: UInt8
    let key: UInt64
  }

  private var urgent: [UInt8: ReceiveWindow] = [:]
  private var newest: [UInt8: UInt32] = [:]
  private var newestOfKey: [Key: UInt32] = [:]
  /// In the order of their last use.
  private var keys: [Key] = []

  public init() {}

  /// Decides about a message. An urgent one is to be answered by RECEIVED whatever the verdict.
  public mutating func receive(_ message: MessageFrame, _ urgency: DatagramFrame.Urgency) -> Verdict {
    switch urgency {
    case .unreliable:
      if let last = newest[message.messageClass], !ReceiveWindow.isNewer(message.sequence, than: last) {
        return .drop
      }
      newest[message.messageClass] = message.sequence
      return .deliver
    case .urgent(let key):
      guard urgent[message.messageClass, default: ReceiveWindow()].receive(message.sequence) == .first else {
        return .drop
      }
      guard let key else { return .deliver }
      return isNewest(message.sequence, of: Key(messageClass: message.messageClass, key: key))
        ? .deliver : .drop
    }
  }

  private mutating func isNewest(_ sequence: UInt32, of key: Key) -> Bool {
    if let last = newestOfKey[key], !ReceiveWindow.isNewer(sequence, than: last) { return false }
    newestOfKey[key] = sequence
    keys.removeAll { $0 == key }
    keys.append(key)
    if keys.count > DatagramInbox.maximumKeys { newestOfKey[keys.removeFirst()] = nil }
    return true
  }
}

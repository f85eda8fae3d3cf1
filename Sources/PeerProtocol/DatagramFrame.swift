/// The plaintext of one datagram of a session; PROTOCOL.md, section 15, has every byte.
///
/// The same bytes travel on the control connection, in RELAYED, where datagrams do not get through.
public enum DatagramFrame: Equatable, Sendable {
  /// An urgent message that has arrived.
  public struct Receipt: Hashable, Sendable {
    public let messageClass: UInt8
    public let sequence: UInt32

    public init(messageClass: UInt8, sequence: UInt32) {
      self.messageClass = messageClass
      self.sequence = sequence
    }
  }

  /// What a message asks of its receiver.
  public enum Urgency: Equatable, Sendable {
    /// The newest of its class counts.
    case unreliable
    /// RECEIVED is wanted, each acts once; of those with one key the newest counts.
    case urgent(key: UInt64?)
  }

  /// - Parameter received: datagrams that the sender of the frame has received in this association.
  case ping(number: UInt32, received: UInt32)
  case pong(number: UInt32, received: UInt32)
  case message(MessageFrame, Urgency)
  case received([Receipt])
  /// The session is over.
  case close(PeerReason)

  /// Longest payload of a message that travels as a datagram.
  public static let maximumMessageBytes = 1100
  /// Receipts in one datagram.
  public static let maximumReceipts = 32
  /// Bytes in front of a message's payload, at most.
  static let messageHeaderBytes = 19

  private enum Kind: UInt8 {
    case ping = 1
    case pong = 2
    case message = 3
    case received = 4
    case close = 5
  }

  private enum Flag {
    static let urgent: UInt8 = 1
    static let key: UInt8 = 2
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .ping(let number, let received):
      bytes.append(Kind.ping.rawValue)
      bytes.appendBigEndian(number)
      bytes.appendBigEndian(received)
    case .pong(let number, let received):
      bytes.append(Kind.pong.rawValue)
      bytes.appendBigEndian(number)
      bytes.appendBigEndian(received)
    case .message(let message, let urgency):
      bytes.reserveCapacity(DatagramFrame.messageHeaderBytes + message.payload.count)
      bytes.append(Kind.message.rawValue)
      switch urgency {
      case .unreliable: bytes.append(0)
      case .urgent(nil): bytes.append(Flag.urgent)
      case .urgent: bytes.append(Flag.urgent | Flag.key)
      }
      bytes.append(message.messageClass)
      bytes.appendBigEndian(message.sequence)
      bytes.appendBigEndian(message.senderClockMilliseconds)
      if case .urgent(let key?) = urgency { bytes.appendBigEndian(key) }
      bytes += message.payload
    case .received(let receipts):
      bytes.append(Kind.received.rawValue)
      for receipt in receipts.prefix(DatagramFrame.maximumReceipts) {
        bytes.append(receipt.messageClass)
        bytes.appendBigEndian(receipt.sequence)
      }
    case .close(let reason):
      bytes = [Kind.close.rawValue, reason.rawValue]
    }
    return bytes
  }

  /// Nil for what is not understood: it counts as lost. What stands behind the known fields is skipped, but in a message and in receipts.
  public init?(_ bytes: ArraySlice<UInt8>) {
    var reader = ByteReader(bytes)
    guard let kind = reader.integer(UInt8.self).flatMap(Kind.init) else { return nil }
    switch kind {
    case .ping, .pong:
      guard let number = reader.integer(UInt32.self), let received = reader.integer(UInt32.self) else {
        return nil
      }
      self =
        kind == .ping ? .ping(number: number, received: received) : .pong(number: number, received: received)
    case .message:
      guard let flags = reader.integer(UInt8.self), let messageClass = reader.integer(UInt8.self),
        let sequence = reader.integer(UInt32.self), let clock = reader.integer(UInt32.self)
      else { return nil }
      var urgency = Urgency.unreliable
      if flags & Flag.urgent != 0 {
        var key: UInt64?
        if flags & Flag.key != 0 {
          guard let value = reader.integer(UInt64.self) else { return nil }
          key = value
        }
        urgency = .urgent(key: key)
      }
      self = .message(
        MessageFrame(
          messageClass: messageClass, sequence: sequence, senderClockMilliseconds: clock,
          payload: reader.rest()), urgency)
    case .received:
      guard reader.remainingCount > 0, reader.remainingCount % 5 == 0,
        reader.remainingCount / 5 <= DatagramFrame.maximumReceipts
      else { return nil }
      var receipts: [Receipt] = []
      while let messageClass = reader.integer(UInt8.self), let sequence = reader.integer(UInt32.self) {
        receipts.append(Receipt(messageClass: messageClass, sequence: sequence))
      }
      self = .received(receipts)
    case .close:
      guard let code = reader.integer(UInt8.self) else { return nil }
      self = .close(PeerReason(rawValue: code) ?? .other)
    }
  }
}

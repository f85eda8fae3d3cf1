/// A byte stream on its bulk connection: which direction is still open, and whether every byte arrived.
///
/// Each direction: open -> ended, or closed from the start when its side does not write.
public struct TransferStreamState: Sendable {
  public enum OnRecord: Equatable, Sendable {
    case nothing
    /// The other side writes no more.
    case incomingEnded
  }

  private enum Direction: Sendable {
    case open(byteCount: UInt64)
    case ended
  }

  private var awaitsReady: Bool
  private var incoming: Direction
  private var outgoing: Direction

  /// - Parameters:
  ///   - isOfferer: this side offered the stream.
  ///   - awaitsReady: true at the session's host, which the inviter dials.
  public init(writers: TransferOffer.StreamWriters, isOfferer: Bool, awaitsReady: Bool) {
    self.awaitsReady = awaitsReady
    incoming = writers.includes(isOfferer: !isOfferer) ? .open(byteCount: 0) : .ended
    outgoing = writers.includes(isOfferer: isOfferer) ? .open(byteCount: 0) : .ended
  }

  public var isIncomingOpen: Bool {
    if case .open = incoming { true } else { false }
  }

  public var isOutgoingOpen: Bool {
    if case .open = outgoing { true } else { false }
  }

  /// This side may send records.
  public var isReady: Bool { !awaitsReady }

  public mutating func received(_ record: TransferRecord) throws(TransferProtocolError) -> OnRecord {
    switch record {
    case .ready:
      guard awaitsReady else { throw .unexpected("READY") }
      awaitsReady = false
      return .nothing
    case .alive:
      if awaitsReady { throw .unexpected("ALIVE") }
      return .nothing
    case .end(let entryCount, let byteCount):
      guard case .open(let received) = incoming, !awaitsReady, entryCount == 0 else {
        throw .unexpected("END")
      }
      guard byteCount == received else {
        throw .wrongByteCount("\(received) bytes of the stream arrived of \(byteCount)")
      }
      incoming = .ended
      return .incomingEnded
    case .position, .entry, .entryEnd: throw .unexpected("record of a file in a stream")
    }
  }

  /// A part of DATA arrived.
  public mutating func receivedData(byteCount: Int) throws(TransferProtocolError) {
    guard case .open(let received) = incoming, !awaitsReady else { throw .unexpected("DATA") }
    incoming = .open(byteCount: received &+ UInt64(byteCount))
  }

  /// DATA is on its way; only while `isOutgoingOpen`.
  public mutating func sent(byteCount: Int) {
    guard case .open(let sent) = outgoing else { preconditionFailure("stream written after its end") }
    outgoing = .open(byteCount: sent &+ UInt64(byteCount))
  }

  /// This side writes no more; only while `isOutgoingOpen`.
  public mutating func endOutgoing() -> TransferRecord {
    guard case .open(let sent) = outgoing else { preconditionFailure("stream ended twice") }
    outgoing = .ended
    return .end(entryCount: 0, byteCount: sent)
  }
}

extension TransferOffer.StreamWriters {
  /// Whether the side that offered, or the other one, writes.
  public func includes(isOfferer: Bool) -> Bool {
    switch self {
    case .both: true
    case .offerer: isOfferer
    case .acceptor: !isOfferer
    }
  }
}

/// The sending side of a file or folder on one bulk connection: the order of its records, and whether the source still is what
/// was offered.
///
///     awaitingReady (at the host only) -> awaitingPosition -> betweenEntries <-> inFile
///                                                             betweenEntries -> ended
public struct TransferSender: Sendable {
  public enum OnRecord: Equatable, Sendable {
    case nothing
    /// Skip the whole entries, and compare the hash of the first bytes of the next one.
    case goOn(at: TransferPosition, prefixHash: [UInt8])
  }

  public enum OnEntry: Equatable, Sendable {
    /// Send this; `contentBytes` of content follow, then ENTRY_END if it is a file.
    case send(TransferRecord, contentBytes: UInt64)
    /// Send this; it was the last one.
    case end(TransferRecord)
    /// The source is no longer what was offered.
    case changed(String)
  }

  private enum State: Sendable {
    case awaitingReady
    case awaitingPosition
    case betweenEntries(nextIndex: UInt32, precedingBytes: UInt64)
    case inFile(index: UInt32, endBytes: UInt64, remaining: UInt64)
    case ended
  }

  private let offer: TransferOffer
  private var state: State
  /// Content that the receiver has or is being sent.
  public private(set) var sentBytes: UInt64 = 0

  /// - Parameter awaitsReady: true at the session's host, which the sender or receiver dials.
  public init(offer: TransferOffer, awaitsReady: Bool) {
    self.offer = offer
    state = awaitsReady ? .awaitingReady : .awaitingPosition
  }

  /// Content of the open file that is not sent yet.
  public var remainingBytes: UInt64 {
    if case .inFile(_, _, let remaining) = state { remaining } else { 0 }
  }

  public mutating func received(_ record: TransferRecord) throws(TransferProtocolError) -> OnRecord {
    switch record {
    case .ready:
      guard case .awaitingReady = state else { throw .unexpected("READY") }
      state = .awaitingPosition
      return .nothing
    case .alive:
      if case .awaitingReady = state { throw .unexpected("ALIVE") }
      return .nothing
    case .position(let position, let prefixHash):
      guard case .awaitingPosition = state else { throw .unexpected("POSITION") }
      guard
        position.entryIndex < offer.entryCount
          || position.entryIndex == offer.entryCount && position.offsetBytes == 0
      else { throw .unexpected("POSITION behind the end") }
      state = .betweenEntries(nextIndex: 0, precedingBytes: 0)
      return .goOn(at: position, prefixHash: prefixHash)
    case .entry, .entryEnd, .end: throw .unexpected("record of a sender")
    }
  }

  /// The receiver has this entry already.
  ///
  /// - Returns: false when the source is no longer what was offered.
  public mutating func skip(_ entry: TransferEntry) -> Bool {
    guard case .betweenEntries(let index, let preceding) = state else {
      preconditionFailure("skip in \(state)")
    }
    let (end, overflows) = preceding.addingReportingOverflow(entry.sizeBytes)
    guard !overflows, end <= offer.sizeBytes, index < offer.entryCount else { return false }
    state = .betweenEntries(nextIndex: index + 1, precedingBytes: end)
    sentBytes = end
    return true
  }

  /// The source's next entry, nil when there is none.
  ///
  /// - Parameter offset: what the receiver has of it, at most its size.
  public mutating func next(_ entry: TransferEntry?, from offset: UInt64) -> OnEntry {
    guard case .betweenEntries(let index, let preceding) = state else {
      preconditionFailure("next in \(state)")
    }
    guard let entry else {
      guard index == offer.entryCount, preceding == offer.sizeBytes else {
        return .changed("\(index) entries with \(preceding) bytes are there, not as offered")
      }
      state = .ended
      return .end(.end(entryCount: index, byteCount: preceding))
    }
    let size = entry.sizeBytes
    let (end, overflows) = preceding.addingReportingOverflow(size)
    guard !overflows, end <= offer.sizeBytes, index < offer.entryCount else {
      return .changed("there is more than was offered")
    }
    if case .file = offer.kind, size != offer.sizeBytes || !entry.path.isEmpty {
      return .changed("it has \(size) bytes, not \(offer.sizeBytes) as offered")
    }
    sentBytes = preceding + offset
    switch entry.kind {
    case .folder: state = .betweenEntries(nextIndex: index + 1, precedingBytes: end)
    case .file: state = .inFile(index: index, endBytes: end, remaining: size - offset)
    }
    let header = TransferRecord.EntryHeader(
      index: index, precedingBytes: preceding, offset: offset, entry: entry)
    return .send(.entry(header), contentBytes: size - offset)
  }

  /// Content of the open file is on its way, at most what remains of it.
  public mutating func sent(byteCount: Int) {
    guard case .inFile(let index, let endBytes, let remaining) = state, UInt64(byteCount) <= remaining else {
      preconditionFailure("sent \(byteCount) bytes in \(state)")
    }
    state = .inFile(index: index, endBytes: endBytes, remaining: remaining - UInt64(byteCount))
    sentBytes += UInt64(byteCount)
  }

  /// All content of the open file is on its way.
  public mutating func fileEnded(hash: [UInt8]) -> TransferRecord {
    guard case .inFile(let index, let endBytes, 0) = state else {
      preconditionFailure("file ended in \(state)")
    }
    state = .betweenEntries(nextIndex: index + 1, precedingBytes: endBytes)
    return .entryEnd(hash: hash)
  }
}

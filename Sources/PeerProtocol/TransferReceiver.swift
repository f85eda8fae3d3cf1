/// The receiving side of a file or folder on one bulk connection: checks order and counts, and so bounds what a sender can store.
///
///     awaitingReady (at the host only) -> positioning -> awaitingEntry <-> inFile
///                                                        awaitingEntry -> ended
public struct TransferReceiver: Sendable {
  public enum OnRecord: Equatable, Sendable {
    case nothing
    /// The sender is there: find the position, hash what is there, then `positioned` and send POSITION.
    case findPosition
    /// A folder, whole by itself.
    case folder(TransferRecord.EntryHeader)
    /// A file whose content follows from the header's offset on.
    case file(TransferRecord.EntryHeader)
    /// All bytes of the file are there; they must have this hash.
    case fileEnded(hash: [UInt8])
    /// Everything is there.
    case ended
  }

  private enum State: Sendable {
    case awaitingReady
    case positioning
    /// - precedingBytes: known once an entry was seen on this connection.
    case awaitingEntry(TransferPosition, precedingBytes: UInt64?)
    case inFile(index: UInt32, endBytes: UInt64, remaining: UInt64)
    case ended
  }

  private let offer: TransferOffer
  private var state: State
  /// Content that is there, in all entries; 0 until the first entry of this connection.
  public private(set) var receivedBytes: UInt64 = 0

  /// - Parameter awaitsReady: true at the session's host, which the sender or receiver dials.
  public init(offer: TransferOffer, awaitsReady: Bool) {
    self.offer = offer
    state = awaitsReady ? .awaitingReady : .positioning
  }

  /// The sink is at `position` and POSITION is sent.
  public mutating func positioned(at position: TransferPosition) {
    guard case .positioning = state else { preconditionFailure("positioned in \(state)") }
    state = .awaitingEntry(position, precedingBytes: position == .start ? 0 : nil)
  }

  public mutating func received(_ record: TransferRecord) throws(TransferProtocolError) -> OnRecord {
    switch record {
    case .ready:
      guard case .awaitingReady = state else { throw .unexpected("READY") }
      state = .positioning
      return .findPosition
    case .alive:
      if case .awaitingReady = state { throw .unexpected("ALIVE") }
      return .nothing
    case .position: throw .unexpected("POSITION")
    case .entry(let header): return try begin(header)
    case .entryEnd(let hash):
      guard case .inFile(let index, let endBytes, let remaining) = state else {
        throw .unexpected("ENTRY_END")
      }
      guard remaining == 0 else {
        throw .wrongByteCount("entry \(index) ended \(remaining) bytes early")
      }
      state = .awaitingEntry(
        TransferPosition(entryIndex: index + 1, offsetBytes: 0), precedingBytes: endBytes)
      return .fileEnded(hash: hash)
    case .end(let entryCount, let byteCount):
      guard case .awaitingEntry(let position, let precedingBytes) = state else { throw .unexpected("END") }
      guard entryCount == offer.entryCount, position.entryIndex == entryCount, position.offsetBytes == 0,
        byteCount == offer.sizeBytes, precedingBytes ?? byteCount == byteCount
      else {
        throw .wrongByteCount(
          "\(entryCount) entries with \(byteCount) bytes arrived of \(offer.entryCount) with \(offer.sizeBytes)"
        )
      }
      state = .ended
      receivedBytes = byteCount
      return .ended
    }
  }

  /// A part of DATA arrived.
  public mutating func receivedData(byteCount: Int) throws(TransferProtocolError) {
    guard case .inFile(let index, let endBytes, let remaining) = state else { throw .unexpected("DATA") }
    let count = UInt64(byteCount)
    guard count <= remaining else { throw .wrongByteCount("entry \(index) has more bytes than announced") }
    state = .inFile(index: index, endBytes: endBytes, remaining: remaining - count)
    receivedBytes += count
  }

  private mutating func begin(_ header: TransferRecord.EntryHeader) throws(TransferProtocolError) -> OnRecord
  {
    guard case .awaitingEntry(let position, let precedingBytes) = state else { throw .unexpected("ENTRY") }
    let size = header.entry.sizeBytes
    guard header.index == position.entryIndex,
      header.offset == 0 || header.offset == position.offsetBytes, header.offset <= size
    else { throw .unexpected("ENTRY \(header.index) at \(header.offset)") }
    let (endBytes, overflows) = header.precedingBytes.addingReportingOverflow(size)
    guard header.index < offer.entryCount, !overflows, endBytes <= offer.sizeBytes,
      precedingBytes ?? header.precedingBytes == header.precedingBytes
    else { throw .wrongByteCount("entry \(header.index) is more than was offered") }
    switch offer.kind {
    case .stream: throw .unexpected("ENTRY in a stream")
    case .file:
      guard header.entry.path.isEmpty, case .file = header.entry.kind, size == offer.sizeBytes else {
        throw .unexpected("ENTRY that is not the file")
      }
    case .folder: if header.entry.path.isEmpty { throw .unexpected("ENTRY without a path") }
    }
    receivedBytes = header.precedingBytes + header.offset
    switch header.entry.kind {
    case .folder:
      state = .awaitingEntry(
        TransferPosition(entryIndex: header.index + 1, offsetBytes: 0), precedingBytes: endBytes)
      return .folder(header)
    case .file:
      state = .inFile(index: header.index, endBytes: endBytes, remaining: size - header.offset)
      return .file(header)
    }
  }
}

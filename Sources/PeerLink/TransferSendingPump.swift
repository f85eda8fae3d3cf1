import FileTransfer
import PeerProtocol
import SecureTransport
import Synchronization

/// Sends a file or folder over one bulk connection, on its worker thread.
final class TransferSendingPump {
  private let source: any TransferSource
  private let link: TransferRecordLink
  private let dials: Bool
  private var sender: TransferSender
  private var nextIndex: UInt32 = 0
  /// Of the open file.
  private var hash = Hash()
  private var phase = Phase.waiting

  private enum Phase {
    /// For POSITION.
    case waiting
    case betweenEntries
    case inFile
    /// Everything is handed over; the receiver closes.
    case ended
  }

  init(
    _ tls: BulkTLS, meter: TransferMeter, pacer: TransferPacer?, offer: TransferOffer,
    source: any TransferSource,
    dials: Bool
  ) {
    self.source = source
    self.dials = dials
    link = TransferRecordLink(tls, meter: meter, pacer: pacer)
    sender = TransferSender(offer: offer, awaitsReady: !dials)
  }

  func run() -> TransferPumpEnd {
    do throws(TransferPumpEnd) {
      if dials { link.append(.ready) }
      while true {
        try link.breathe()
        if link.isFlushed { try fill() }
        var moved = try link.flush()
        if try link.receive(
          data: { _ throws(TransferPumpEnd) in throw .failed(.protocolError, "DATA to the sender") },
          record: take)
        {
          moved = true
        }
        if !moved { link.wait() }
      }
    } catch {
      // The receiver closes when it has everything; how does not matter.
      if case .broken = error, isDone { return .sentAll }
      return error
    }
  }

  private var isDone: Bool {
    switch phase {
    case .ended: link.isFlushed
    case .waiting, .betweenEntries, .inFile: false
    }
  }

  private func take(_ record: TransferRecord) throws(TransferPumpEnd) {
    let on: TransferSender.OnRecord
    do throws(TransferProtocolError) { on = try sender.received(record) } catch {
      throw .failed(error.reason, error.description)
    }
    switch on {
    case .nothing: break
    case .goOn(let position, let prefixHash): try goOn(at: position, prefixHash)
    }
  }

  /// Passes over what the receiver has, if that is what we have.
  private func goOn(
    at position: TransferPosition, _ prefixHash: [UInt8]
  ) throws(TransferPumpEnd) {
    for index in 0..<position.entryIndex {
      try link.breathe()
      guard let entry = try open(index), sender.skip(entry) else {
        throw .failed(.changed, "there is less than was offered")
      }
    }
    nextIndex = position.entryIndex
    let entry = try open(nextIndex)
    guard position.offsetBytes > 0 else { return try begin(entry, at: 0) }
    guard let entry, position.offsetBytes <= entry.sizeBytes else { return try begin(entry, at: 0) }
    try hashPrefix(position.offsetBytes)
    if hash.byteCount == position.offsetBytes, hash.digest() == prefixHash {
      return try begin(entry, at: position.offsetBytes)
    }
    try begin(try open(nextIndex), at: 0)
  }

  private func hashPrefix(_ count: UInt64) throws(TransferPumpEnd) {
    hash = Hash()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 4096)
    defer { buffer.deallocate() }
    while hash.byteCount < count {
      try link.breathe()
      let part = UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<Int(min(UInt64(buffer.count), count - hash.byteCount))])
      let read = try stored { () throws(StorageError) in try source.read(into: part) }
      guard read > 0 else { return }
      hash.update(UnsafeRawBufferPointer(rebasing: part[..<read]))
    }
  }

  /// Fills the buffer: a part of a large file, or many small ones.
  private func fill() throws(TransferPumpEnd) {
    while true {
      let room = link.dataRoom
      guard room > 0 else { return }
      switch phase {
      case .waiting, .ended: return
      case .betweenEntries: try begin(try open(nextIndex), at: 0)
      case .inFile:
        let remaining = sender.remainingBytes
        guard remaining > 0 else {
          link.append(sender.fileEnded(hash: hash.digest()))
          nextIndex += 1
          phase = .betweenEntries
          continue
        }
        let count = try stored { () throws(StorageError) in
          try link.appendData(
            atMost: Int(min(UInt64(room), remaining)),
            fill: { buffer throws(StorageError) in try source.read(into: buffer) },
            look: { hash.update($0) })
        }
        guard count > 0 else { throw .failed(.changed, "the file became shorter while it was sent") }
        sender.sent(byteCount: count)
        link.meter.contentBytes.store(sender.sentBytes, ordering: .relaxed)
      }
    }
  }

  private func begin(_ entry: TransferEntry?, at offset: UInt64) throws(TransferPumpEnd) {
    switch sender.next(entry, from: offset) {
    case .send(let record, _):
      link.append(record)
      switch entry?.kind {
      case .file:
        if offset == 0 { hash = Hash() }
        phase = .inFile
      case .folder, nil:
        nextIndex += 1
        phase = .betweenEntries
      }
    case .end(let record):
      link.append(record)
      phase = .ended
    case .changed(let text): throw .failed(.changed, text)
    }
    link.meter.contentBytes.store(sender.sentBytes, ordering: .relaxed)
  }

  private func open(_ index: UInt32) throws(TransferPumpEnd) -> TransferEntry? {
    try stored { () throws(StorageError) in try source.open(entry: index) }
  }
}

/// Turns a failure of the disk into the end of a transfer.
func stored<Value>(_ body: () throws(StorageError) -> Value) throws(TransferPumpEnd) -> Value {
  do throws(StorageError) { return try body() } catch {
    throw .failed(TransferReason(error.reason), error.text)
  }
}

extension TransferReason {
  init(_ reason: StorageError.Reason) {
    self =
      switch reason {
      case .noSpace: .noSpace
      case .notReadable: .notReadable
      case .notWritable: .notWritable
      case .changed: .changed
      case .unsafeName: .unsafeName
      }
  }
}

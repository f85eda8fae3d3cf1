import FileTransfer
import PeerProtocol
import SecureTransport
import Synchronization

/// Receives a file or folder over one bulk connection, on its worker thread.
final class TransferReceivingPump {
  private let sink: any TransferSink
  private let link: TransferRecordLink
  private let dials: Bool
  private var receiver: TransferReceiver
  /// Of the file that arrives; of the part that is there until then.
  private var hash = Hash()
  private var isFinished = false

  init(_ tls: BulkTLS, meter: TransferMeter, offer: TransferOffer, sink: any TransferSink, dials: Bool) {
    self.sink = sink
    self.dials = dials
    link = TransferRecordLink(tls, meter: meter)
    receiver = TransferReceiver(offer: offer, awaitsReady: !dials)
  }

  func run() -> TransferPumpEnd {
    do throws(TransferPumpEnd) {
      if dials {
        link.append(.ready)
        try sendPosition()
      }
      while !isFinished {
        try link.breathe()
        var moved = try link.flush()
        if try link.receive(data: take, record: take) { moved = true }
        if !moved { link.wait() }
      }
      link.sayFarewell()
      return .finished
    } catch {
      return error
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) throws(TransferPumpEnd) {
    try checked { () throws(TransferProtocolError) in
      try receiver.receivedData(byteCount: bytes.count)
    }
    hash.update(bytes)
    try stored { () throws(StorageError) in try sink.write(bytes) }
    link.meter.contentBytes.store(receiver.receivedBytes, ordering: .relaxed)
  }

  private func take(_ record: TransferRecord) throws(TransferPumpEnd) {
    let on = try checked { () throws(TransferProtocolError) in try receiver.received(record) }
    switch on {
    case .nothing: break
    case .findPosition: try sendPosition()
    case .folder(let header):
      try stored { () throws(StorageError) in
        try sink.begin(header.entry, index: header.index, at: 0)
        try sink.complete()
      }
    case .file(let header):
      if header.offset == 0 { hash = Hash() }
      try stored { () throws(StorageError) in
        try sink.begin(header.entry, index: header.index, at: header.offset)
      }
    case .fileEnded(let expected):
      guard hash.digest() == expected else {
        throw .failed(.wrongHash, "what arrived is not what was sent")
      }
      try stored { () throws(StorageError) in try sink.complete() }
      hash = Hash()
    case .ended:
      try stored { () throws(StorageError) in try sink.finish() }
      isFinished = true
    }
    link.meter.contentBytes.store(receiver.receivedBytes, ordering: .relaxed)
  }

  /// Says what is there, and keeps the hash of it to go on with.
  private func sendPosition() throws(TransferPumpEnd) {
    let position = try stored { () throws(StorageError) in try sink.position() }
    hash = Hash()
    if position.offsetBytes > 0 {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 4096)
      defer { buffer.deallocate() }
      while hash.byteCount < position.offsetBytes {
        try link.breathe()
        let part = UnsafeMutableRawBufferPointer(
          rebasing: buffer[..<Int(min(UInt64(buffer.count), position.offsetBytes - hash.byteCount))])
        let offset = hash.byteCount
        let count = try stored { () throws(StorageError) in try sink.readBack(at: offset, into: part) }
        guard count > 0 else { throw .failed(.notReadable, "the partial result became shorter") }
        hash.update(UnsafeRawBufferPointer(rebasing: part[..<count]))
      }
    }
    receiver.positioned(at: position)
    link.append(.position(position, prefixHash: position.offsetBytes > 0 ? hash.digest() : []))
  }

  private func checked<Value>(
    _ body: () throws(TransferProtocolError) -> Value
  ) throws(TransferPumpEnd) -> Value {
    do throws(TransferProtocolError) { return try body() } catch {
      throw .failed(error.reason, error.description)
    }
  }
}

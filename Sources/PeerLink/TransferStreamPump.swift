import PeerProtocol
import SecureTransport
import Synchronization

/// Carries a byte stream over one bulk connection, on its worker thread.
final class TransferStreamPump {
  /// What the loop hears, at most one of each kind waits.
  enum Notice: Sendable {
    case readable
    case writable
  }

  private let link: TransferRecordLink
  private let dials: Bool
  private let incoming: TransferPipe
  private let outgoing: TransferPipe
  private let notify: @Sendable (Notice) -> Void
  private var stream: TransferStreamState

  init(
    _ tls: BulkTLS, meter: TransferMeter, pacer: TransferPacer?, stream: TransferStreamState, dials: Bool,
    incoming: TransferPipe,
    outgoing: TransferPipe, notify: @escaping @Sendable (Notice) -> Void
  ) {
    link = TransferRecordLink(tls, meter: meter, pacer: pacer)
    self.stream = stream
    self.dials = dials
    self.incoming = incoming
    self.outgoing = outgoing
    self.notify = notify
  }

  func run() -> TransferPumpEnd {
    do throws(TransferPumpEnd) {
      if dials { link.append(.ready) }
      while !isDone {
        try link.breathe()
        if link.isFlushed, stream.isReady, stream.isOutgoingOpen { fill() }
        var moved = try link.flush()
        if try receive() { moved = true }
        if !moved { link.wait() }
      }
      link.close()
      return .finished
    } catch {
      // The other side may have everything, and close, before this one looks.
      if case .broken = error, isDone { return .finished }
      return error
    }
  }

  private var isDone: Bool { !stream.isIncomingOpen && !stream.isOutgoingOpen && link.isFlushed }

  private func fill() {
    if outgoing.isAtEnd { return link.append(stream.endOutgoing()) }
    var wakesOther = false
    let count = link.appendData(atMost: TransferPipe.capacity) { buffer in
      let moved = outgoing.read(into: buffer)
      wakesOther = moved.wakesOther
      return moved.byteCount
    }
    if count > 0 { stream.sent(byteCount: count) }
    if wakesOther { notify(.writable) }
  }

  /// Reads no more than the application has room for: what is left waits in the socket, and so slows the writer.
  private func receive() throws(TransferPumpEnd) -> Bool {
    let limit = stream.isIncomingOpen ? incoming.roomOrWakeUp() : .max
    link.meter.isHeldBack.store(limit == 0, ordering: .relaxed)
    guard limit > 0 else { return false }
    return try link.receive(atMost: limit, data: take, record: take)
  }

  private func take(_ bytes: UnsafeRawBufferPointer) throws(TransferPumpEnd) {
    do throws(TransferProtocolError) { try stream.receivedData(byteCount: bytes.count) } catch {
      throw .failed(error.reason, error.description)
    }
    link.meter.contentBytes.wrappingAdd(UInt64(bytes.count), ordering: .relaxed)
    if incoming.write(bytes).wakesOther { notify(.readable) }
  }

  private func take(_ record: TransferRecord) throws(TransferPumpEnd) {
    do throws(TransferProtocolError) {
      switch try stream.received(record) {
      case .nothing: break
      case .incomingEnded:
        incoming.end()
        notify(.readable)
      }
    } catch { throw .failed(error.reason, error.description) }
  }
}

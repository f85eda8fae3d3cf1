import PeerProtocol
import SecureTransport
import ServiceRuntime
import Synchronization

/// Records over a bulk connection, on its worker thread: one buffer in each direction, filled and used where it lies.
final class TransferRecordLink {
  /// One DATA record fits with the records around it.
  private static let outgoingCapacity =
    TransferRecord.headerBytes + TransferRecord.maximumDataBytes + 2 * TransferRecord.maximumEncodedBytes
  private static let incomingCapacity = 262_144
  private static let aliveAfter: Duration = .seconds(10)
  /// Bounds every wait, so that ALIVE leaves in time.
  private static let longestWait: Duration = .seconds(1)

  let meter: TransferMeter
  private let tls: BulkTLS
  private let outgoing: UnsafeMutableRawBufferPointer
  private let incoming: UnsafeMutableRawBufferPointer
  private var outgoingRange = 0..<0
  private var decoder = TransferRecordDecoder()
  private var lastSent = ContinuousClock.now
  private var waitsFor: Readiness = []
  /// Nil when this side sends nothing worth it, or there is no network between.
  private var pacer: TransferPacer?

  init(_ tls: BulkTLS, meter: TransferMeter, pacer: TransferPacer? = nil) {
    self.tls = tls
    self.pacer = pacer
    self.meter = meter
    // Whole pages: reads of a file into them are copied fastest.
    outgoing = .allocate(byteCount: TransferRecordLink.outgoingCapacity, alignment: 4096)
    incoming = .allocate(byteCount: TransferRecordLink.incomingCapacity, alignment: 4096)
  }

  deinit {
    outgoing.deallocate()
    incoming.deallocate()
  }

  /// Nothing waits to be sent.
  var isFlushed: Bool { outgoingRange.isEmpty }

  /// Content that the next DATA record can take, 0 when it is not worth a record.
  var dataRoom: Int {
    let room = min(
      outgoing.count - outgoingRange.upperBound - TransferRecord.headerBytes
        - TransferRecord.maximumEncodedBytes,
      TransferRecord.maximumDataBytes)
    return room < 16_384 ? 0 : room
  }

  /// Queues a record; there is room for one whenever `dataRoom` is not 0 or everything is flushed, and for ALIVE always.
  func append(_ record: TransferRecord) {
    let bytes = record.encoded
    outgoing[outgoingRange.upperBound...].copyBytes(from: bytes)
    outgoingRange = outgoingRange.lowerBound..<outgoingRange.upperBound + bytes.count
  }

  /// Queues a DATA record with what `fill` writes into its buffer of `limit` bytes, and shows it to `look`.
  ///
  /// - Returns: how many bytes `fill` wrote; with 0 nothing is queued.
  func appendData<Failure: Error>(
    atMost limit: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int,
    look: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) throws(Failure) -> Int {
    let start = outgoingRange.upperBound + TransferRecord.headerBytes
    let space = UnsafeMutableRawBufferPointer(rebasing: outgoing[start..<start + limit])
    let count = try fill(space)
    guard count > 0 else { return 0 }
    outgoing[outgoingRange.upperBound...].copyBytes(from: TransferRecord.dataHeader(byteCount: count))
    outgoingRange = outgoingRange.lowerBound..<start + count
    look(UnsafeRawBufferPointer(rebasing: space[..<count]))
    return count
  }

  /// Sends what the kernel takes.
  ///
  /// - Returns: whether anything moved.
  func flush() throws(TransferPumpEnd) -> Bool {
    guard !outgoingRange.isEmpty else { return false }
    let step = try guarded { () throws(TLSError) in
      try tls.write(UnsafeRawBufferPointer(rebasing: outgoing[outgoingRange]))
    }
    switch step {
    case .moved(let count):
      outgoingRange = outgoingRange.lowerBound + count..<outgoingRange.upperBound
      if outgoingRange.isEmpty { outgoingRange = 0..<0 }
      lastSent = .now
      meter.movedBytes.wrappingAdd(UInt64(count), ordering: .relaxed)
      return true
    case .wait(let readiness):
      waitsFor.formUnion(readiness)
      return false
    case .ended: throw .broken("closed by the other side")
    }
  }

  /// Reads what arrived, at most `limit` bytes at once, and hands it on record by record.
  ///
  /// - Returns: whether anything moved.
  /// - Throws: `broken` also when the peer ended its direction.
  func receive(
    atMost limit: Int = .max,
    data: (UnsafeRawBufferPointer) throws(TransferPumpEnd) -> Void,
    record: (TransferRecord) throws(TransferPumpEnd) -> Void
  ) throws(TransferPumpEnd) -> Bool {
    let space = UnsafeMutableRawBufferPointer(rebasing: incoming[..<min(limit, incoming.count)])
    let step = try guarded { () throws(TLSError) in try tls.read(into: space) }
    switch step {
    case .moved(let count):
      meter.movedBytes.wrappingAdd(UInt64(count), ordering: .relaxed)
      let bytes = UnsafeRawBufferPointer(rebasing: space[..<count])
      var position = 0
      while let item = try nextItem(bytes, &position) {
        switch item {
        case .data(let range): try data(UnsafeRawBufferPointer(rebasing: bytes[range]))
        case .record(let one): try record(one)
        }
      }
      return true
    case .wait(let readiness):
      waitsFor.formUnion(readiness)
      return false
    case .ended: throw .broken("closed by the other side")
    }
  }

  private func nextItem(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(TransferPumpEnd) -> TransferRecordDecoder.Item? {
    do throws(TransferProtocolError) { return try decoder.next(in: bytes, from: &position) } catch {
      throw .failed(error.reason, error.description)
    }
  }

  /// Waits until one of the reads or writes that found nothing to do since the last call can go on.
  func wait() {
    let interest = waitsFor
    waitsFor = []
    // While much is on its way its pace is kept.
    let isPaced = pacer != nil && !isFlushed
    tls.wait(for: interest, atMost: isPaced ? TransferPace.interval : TransferRecordLink.longestWait)
  }

  /// To be called at least each few seconds: sends ALIVE when it is time, keeps the pace, and notices that the loop wants an end.
  func breathe() throws(TransferPumpEnd) {
    if meter.isStopped.load(ordering: .relaxed) { throw .stopped }
    let now = ContinuousClock.now
    pacer?.look(at: now)
    guard isFlushed, lastSent.duration(to: now) >= TransferRecordLink.aliveAfter else { return }
    append(.alive)
    _ = try flush()
  }

  /// Ends this direction.
  func sayFarewell() { tls.endWriting() }

  /// Ends this direction and waits a moment until the other side has ended its own, so that nothing on its way is lost.
  func close() {
    tls.endWriting()
    let deadline = ContinuousClock.now.advanced(by: .seconds(5))
    while ContinuousClock.now < deadline, !meter.isStopped.load(ordering: .relaxed) {
      do throws(TLSError) {
        switch try tls.read(into: incoming) {
        case .moved: continue
        case .wait(let readiness): tls.wait(for: readiness, atMost: TransferRecordLink.longestWait)
        case .ended: return
        }
      } catch { return }
    }
  }

  private func guarded<Value>(_ body: () throws(TLSError) -> Value) throws(TransferPumpEnd) -> Value {
    do throws(TLSError) { return try body() } catch { throw .broken(error.description) }
  }
}

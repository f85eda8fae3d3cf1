import PeerProtocol

/// The bytes of a stream between two peers, on the transceiver's loop. Back-pressure reaches from reader to writer: 256 KiB wait on
/// each side, and what the connection holds.
public final class TransferStream {
  /// Bytes came, or the other side's end; told once until `read` has returned nothing.
  public var onReadable: (() -> Void)?
  /// There is room again after `write` took less than it was given.
  public var onWritable: (() -> Void)?
  /// The stream is over: nil when both directions had ended.
  public var onEnd: ((TransferFailure?) -> Void)?

  public let canRead: Bool
  public let canWrite: Bool
  private(set) var failure: TransferFailure?
  private(set) var isOver = false

  let incoming = TransferPipe()
  let outgoing = TransferPipe()
  /// Wakes the worker, if there is one.
  var wakeWorker: (() -> Void)?
  private var isWritingEnded = false

  init(writers: TransferOffer.StreamWriters, isOfferer: Bool) {
    canRead = writers.includes(isOfferer: !isOfferer)
    canWrite = writers.includes(isOfferer: isOfferer)
  }

  /// The other side has ended its direction and everything was read.
  public var isAtEnd: Bool { !canRead || incoming.isAtEnd }

  /// Takes out what arrived, at most `limit` bytes; empty when nothing is there now.
  public func read(atMost limit: Int = 65_536) -> [UInt8] {
    let (bytes, wakesOther) = incoming.read(atMost: limit)
    if wakesOther { wakeWorker?() }
    return bytes
  }

  /// Queues as much of `bytes` as there is room for.
  ///
  /// - Returns: how many were taken; after fewer than given `onWritable` is told. 0 after the end.
  public func write(_ bytes: some Collection<UInt8>) -> Int {
    guard canWrite, !isOver, !isWritingEnded else { return 0 }
    let moved = outgoing.write(bytes)
    if moved.wakesOther { wakeWorker?() }
    return moved.byteCount
  }

  /// This side writes no more; what was written still arrives. Reading goes on. Idempotent.
  public func endWriting() {
    guard canWrite, !isWritingEnded else { return }
    isWritingEnded = true
    outgoing.end()
    wakeWorker?()
  }

  func notice(_ notice: TransferStreamPump.Notice) {
    switch notice {
    case .readable: onReadable?()
    case .writable: onWritable?()
    }
  }

  func end(_ failure: TransferFailure?) {
    guard !isOver else { return }
    isOver = true
    self.failure = failure
    wakeWorker = nil
    let handler = onEnd
    onEnd = nil
    onWritable = nil
    // After a good end there may still be something to read.
    if failure != nil { onReadable = nil }
    handler?(failure)
  }
}

public import FileTransfer
public import PeerProtocol

/// One file, folder or byte stream on its way between this side and a peer. Confined to the transceiver's loop.
///
/// The transceiver keeps it until it has ended.
public final class Transfer {
  /// How far it is.
  public struct Progress: Equatable, Sendable {
    /// Content that is there: at the receiver in the sink, at the sender handed to the network. Resumed parts count.
    public var bytes: UInt64
    /// 0 for a stream, which does not know.
    public var totalBytes: UInt64
  }

  public enum State: Equatable, Sendable {
    /// Too many of this side's offers are open; it is offered when one of them ends.
    case queued
    /// Waits for the other side's, or this side's, answer.
    case offered
    /// Accepted, and its connection is not up: at first, and after a break.
    case connecting
    case running
    case ended
  }

  public let peerID: PeerID
  public let offer: TransferOffer
  /// The other side offered it.
  public let isIncoming: Bool
  public private(set) var state: State
  public private(set) var progress: Progress
  /// The bytes of a stream, once it is accepted.
  public private(set) var stream: TransferStream?

  /// Told at each change, but for the end.
  public var onState: ((State) -> Void)?
  /// Told at most ten times a second, and once before the end if anything changed.
  public var onProgress: ((Progress) -> Void)?
  /// The last word. Nil when the whole file or folder is in its place at the receiver, or both directions of the stream have ended.
  public var onEnd: ((TransferFailure?) -> Void)?

  /// Set by the session; nil while queued.
  var id: TransferID?
  var storage: TransferStorage?
  private weak var session: SessionTransfers?
  private let workers: TransferWorkers

  init(
    peerID: PeerID, offer: TransferOffer, isIncoming: Bool, session: SessionTransfers,
    workers: TransferWorkers
  ) {
    self.workers = workers
    self.peerID = peerID
    self.offer = offer
    self.isIncoming = isIncoming
    self.session = session
    state = isIncoming ? .offered : .queued
    progress = Progress(bytes: 0, totalBytes: offer.sizeBytes)
  }

  /// Takes an offered file or folder. Without effect when the offer does not wait for an answer any more: the sink is abandoned then.
  public func accept(into sink: any TransferSink) {
    let storage = TransferStorage(.sink(sink))
    switch offer.kind {
    case .stream: preconditionFailure("a stream has no sink")
    case .file, .folder: break
    }
    guard isIncoming, state == .offered, let session else {
      return workers.dispose(storage, keepsPartial: true)
    }
    self.storage = storage
    session.accept(self)
  }

  /// Takes an offered stream.
  ///
  /// - Returns: nil when the offer does not wait for an answer any more.
  public func acceptStream() -> TransferStream? {
    guard case .stream = offer.kind else { preconditionFailure("a file or folder needs a sink") }
    guard isIncoming, state == .offered, let session else { return nil }
    session.accept(self)
    return stream
  }

  /// Says no to an offer. Does nothing when it was answered before.
  public func decline(_ reason: TransferReason = .declined, _ text: String = "") {
    guard isIncoming, state == .offered else { return }
    session?.decline(self, reason, text)
  }

  /// Ends it now, whatever its state. Idempotent.
  ///
  /// - Parameter keepsPartial: the receiving side keeps what is there for a later transfer of the same content.
  public func cancel(_ text: String = "", keepsPartial: Bool = false) {
    session?.cancel(self, text: text, keepsPartial: keepsPartial)
  }

  func become(_ state: State) {
    guard self.state != .ended, self.state != state else { return }
    self.state = state
    onState?(state)
  }

  func open(_ stream: TransferStream) { self.stream = stream }

  func advance(to bytes: UInt64) {
    guard bytes != progress.bytes, state != .ended else { return }
    progress.bytes = bytes
    onProgress?(progress)
  }

  func end(_ failure: TransferFailure?) {
    guard state != .ended else { return }
    state = .ended
    stream?.end(failure)
    let handler = onEnd
    (onEnd, onProgress, onState) = (nil, nil, nil)
    handler?(failure)
  }
}

/// Why a transfer did not come to its end.
public enum TransferFailure: Error, Equatable, Sendable, CustomStringConvertible {
  case notConnected
  /// More transfers wait than may.
  case tooMany
  case declined(TransferReason, String)
  /// Ended on purpose.
  case cancelled(byPeer: Bool, String)
  /// One side could not go on.
  case failed(TransferReason, String, byPeer: Bool)
  case sessionEnded

  public var description: String {
    switch self {
    case .notConnected: "not connected"
    case .tooMany: "too many transfers wait already"
    case .declined(let reason, let text): text.isEmpty ? "\(reason)" : "\(reason): \(text)"
    case .cancelled(let byPeer, let text):
      (byPeer ? "cancelled by the other side" : "cancelled") + (text.isEmpty ? "" : ": \(text)")
    case .failed(let reason, let text, let byPeer):
      (byPeer ? "the other side: " : "") + (text.isEmpty ? "\(reason)" : "\(reason): \(text)")
    case .sessionEnded: "the session ended"
    }
  }
}

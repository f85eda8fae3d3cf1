import FileTransfer
import PeerLink
import PeerProtocol
import ServiceRuntime
import Synchronization

/// An offer of a peer that was not answered yet.
struct OpenOffer {
  let transfer: PeerLink.Transfer
  let peer: Peer
}

/// A transfer that is under way; confined to the node's loop.
final class FollowedTransfer {
  let transfer: PeerLink.Transfer
  let record: TransferRecord
  private(set) var begun: ContinuousClock.Instant
  private(set) var isAccepted = false

  init(_ transfer: PeerLink.Transfer, _ record: TransferRecord, at now: ContinuousClock.Instant) {
    self.transfer = transfer
    self.record = record
    begun = now
  }

  func accepted(at now: ContinuousClock.Instant) {
    isAccepted = true
    begun = now
  }
}

/// The one answer to an offered resource.
struct ResourceAnswer: Sendable {
  let runtime: NodeRuntime
  let token: UInt64
  let peer: Peer
  let name: String

  func accept(into folder: String, resumes: Bool) -> ResourceTransfer {
    let record = TransferRecord()
    runtime.accept(token, into: folder, resumes: resumes, record)
    return ResourceTransfer(peer: peer, name: name, record: record)
  }

  func decline(_ reason: String) { runtime.declineOffer(token, reason) }
}

extension NodeRuntime {
  // MARK: Send

  nonisolated func sendResource(
    at path: String, named name: String?, to peer: Peer, from session: SessionRecord
  ) -> ResourceTransfer {
    let record = TransferRecord()
    // Opening a file may wait for a disk, and a folder is listed first.
    onWorker(failing: record) {
      do throws(SendingError) {
        let resource = try OutgoingResource(path: path, named: name)
        self.submit { $0.offer(resource, to: peer, from: session, record) }
      } catch { record.end(.failure(.file(error.description))) }
    }
    let shown = name ?? path.split(separator: "/").last.map(String.init) ?? path
    return ResourceTransfer(peer: peer, name: shown, record: record)
  }

  private func offer(
    _ resource: OutgoingResource, to peer: Peer, from session: SessionRecord, _ record: TransferRecord
  ) {
    guard let transceiver, let member = members[peer.id], member.session === session,
      member.phase == .connected, !record.isOver
    else {
      resource.source.close()
      return record.end(.failure(.notConnected))
    }
    switch transceiver.offer(resource.offer, to: peer.id.link, source: resource.source) {
    case .success(let transfer): follow(transfer, record, sink: nil, sending: resource)
    case .failure(let failure): record.end(.failure(TransferError(failure)))
    }
  }

  // MARK: Receive

  func offered(_ transfer: PeerLink.Transfer) {
    guard let member = members[Peer.ID(transfer.peerID)], member.phase == .connected else {
      return transfer.decline(.declined, "not in a session")
    }
    let token = takeToken()
    let event: PeerSession.Event
    switch transfer.offer.kind {
    case .stream:
      guard let stream = transfer.acceptStream() else { return }
      event = .streamOpened(open(transfer, stream, with: member.peer))
    case .file(let size):
      event = .resourceOffered(incoming(token, member.peer, transfer, .file, size))
    case .folder(let count, let size):
      event = .resourceOffered(incoming(token, member.peer, transfer, .folder(entries: Int(count)), size))
    }
    var isTaken = false
    member.session.events.update { isTaken = $0.add(offerOf: member.peer, event) }
    // Dropping the event declines the offer or ends the stream.
    if !isTaken { transfer.decline(.busy, "too many offers wait for an answer") }
  }

  private func incoming(
    _ token: UInt64, _ peer: Peer, _ transfer: PeerLink.Transfer, _ kind: IncomingResource.Kind,
    _ size: UInt64
  ) -> IncomingResource {
    offers[token] = OpenOffer(transfer: transfer, peer: peer)
    transfer.onEnd = { _ in self.offers[token] = nil }
    return IncomingResource(
      peer: peer, name: transfer.offer.name, kind: kind, byteCount: size,
      answer: ResourceAnswer(runtime: self, token: token, peer: peer, name: transfer.offer.name))
  }

  nonisolated func declineOffer(_ token: UInt64, _ reason: String) {
    submit { $0.offers.removeValue(forKey: token)?.transfer.decline(.declined, reason) }
  }

  nonisolated func accept(_ token: UInt64, into folder: String, resumes: Bool, _ record: TransferRecord) {
    submit { runtime in
      guard let offer = runtime.offers.removeValue(forKey: token) else {
        return record.end(.failure(.cancelledByPeer("the offer does not stand any more")))
      }
      guard
        let terms = ReceivingTerms(
          offer.transfer.offer, from: offer.peer.id.link, named: offer.peer.displayName)
      else { return record.end(.failure(.protocolError("a stream instead of a file"))) }
      let place = runtime.takeToken()
      runtime.offers[place] = offer
      offer.transfer.onEnd = { failure in
        runtime.offers[place] = nil
        record.end(.failure(failure.map(TransferError.init) ?? .connectionLost("")))
      }
      record.setCancel { runtime.declineOffer(place, "cancelled") }
      runtime.onWorker(failing: record) {
        let sink = Result { () throws(ReceivingError) in
          try NodeRuntime.openSink(in: folder, resumes: resumes, terms)
        }
        runtime.submit { $0.begin(place, sink, record) }
      }
    }
  }

  private nonisolated static func openSink(
    in folder: String, resumes: Bool, _ terms: ReceivingTerms
  ) throws(ReceivingError) -> ReceivedSink {
    do throws(SystemError) { try Files.makeDirectory(folder, mode: 0o755) } catch {
      throw .folderUnusable(error)
    }
    var policy = ReceivingPolicy()
    policy.keepsPartials = resumes
    return try ReceivedFolder(path: folder, policy: policy).sink(for: terms)
  }

  private func begin(
    _ place: UInt64, _ sink: Result<ReceivedSink, ReceivingError>, _ record: TransferRecord
  ) {
    let offer = offers.removeValue(forKey: place)
    switch sink {
    case .failure(let error):
      // The reason in full stays here: it tells of this computer's folders.
      record.end(.failure(.file(error.description)))
      offer?.transfer.decline(error.reason, "it cannot be stored")
    case .success(let sink):
      guard let offer, !record.isOver else { return sink.abandon(isResumable: true) }
      let counted = CountedSink(sink)
      follow(offer.transfer, record, sink: counted)
      offer.transfer.accept(into: counted)
    }
  }

  // MARK: Follow

  private func follow(
    _ transfer: PeerLink.Transfer, _ record: TransferRecord, sink: CountedSink?,
    sending: OutgoingResource? = nil
  ) {
    let omissions = sending?.omissions.map(\.description) ?? []
    let omittedCount = sending?.omittedCount ?? 0
    let token = takeToken()
    let followed = FollowedTransfer(transfer, record, at: loop.now)
    transfers[token] = followed
    transfer.onState = { state in
      // After a break it connects again; the first time counts.
      if state == .connecting, !followed.isAccepted { followed.accepted(at: self.loop.now) }
    }
    transfer.onProgress = { progress in
      record.progress.update {
        $0.put(TransferProgress(completedBytes: progress.bytes, totalBytes: progress.totalBytes))
      }
    }
    transfer.onEnd = { failure in
      self.transfers[token] = nil
      if let failure { return record.end(.failure(TransferError(failure))) }
      let total = transfer.offer.sizeBytes
      record.end(
        .success(
          TransferSummary(
            byteCount: total, resumedBytes: sink.map { total - min(total, $0.writtenBytes) } ?? 0,
            duration: followed.begun.duration(to: self.loop.now), path: sink?.sink.resultPath,
            omissions: omissions, omittedCount: omittedCount)))
    }
    // Kept for a later attempt: who cancels by mistake, or on one side only, loses nothing.
    record.setCancel { [weak self] in
      self?.submit { $0.transfers[token]?.transfer.cancel(keepsPartial: true) }
    }
  }

  func endAllTransfers() {
    for followed in transfers.values {
      followed.record.end(.failure(.connectionLost("the node was stopped")))
    }
    (transfers, offers) = ([:], [:])
    for stream in streams.values { stream.wake() }
    streams = [:]
  }

  /// Runs what may block on a thread of its own.
  private nonisolated func onWorker(failing record: TransferRecord, _ body: @escaping @Sendable () -> Void) {
    do throws(SystemError) { _ = try WorkerThread(name: "peer-files", body) } catch {
      record.end(.failure(.file(error.description)))
    }
  }
}

/// Counts what is written, to tell it from what was there before.
final class CountedSink: TransferSink {
  let sink: ReceivedSink
  private let written = Atomic<UInt64>(0)

  init(_ sink: ReceivedSink) { self.sink = sink }

  var writtenBytes: UInt64 { written.load(ordering: .relaxed) }

  func position() throws(StorageError) -> TransferPosition { try sink.position() }
  func readBack(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    try sink.readBack(at: offset, into: buffer)
  }
  func begin(_ entry: TransferEntry, index: UInt32, at offset: UInt64) throws(StorageError) {
    try sink.begin(entry, index: index, at: offset)
  }
  func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try sink.write(bytes)
    written.wrappingAdd(UInt64(bytes.count), ordering: .relaxed)
  }
  func complete() throws(StorageError) { try sink.complete() }
  func finish() throws(StorageError) { try sink.finish() }
  func abandon(isResumable: Bool) { sink.abandon(isResumable: isResumable) }
}

extension ReceivingError {
  /// What the sender is told.
  fileprivate var reason: TransferReason {
    switch self {
    case .noRoom: .noSpace
    case .tooLarge, .tooManyEntries: .declined
    case .alreadyReceiving: .busy
    default: .notWritable
    }
  }
}

extension TransferError {
  init(_ failure: TransferFailure) {
    switch failure {
    case .notConnected: self = .notConnected
    case .tooMany: self = .declined("too many transfers wait already")
    case .declined(let reason, let text):
      self = .declined(text.isEmpty && reason != .declined ? "\(reason)" : text)
    case .cancelled(byPeer: false, _): self = .cancelled
    case .cancelled(byPeer: true, let text): self = .cancelledByPeer(text)
    case .sessionEnded: self = .connectionLost("the session ended")
    case .failed(let reason, let text, let byPeer):
      let words = failure.description
      switch reason {
      case .cancelled: self = byPeer ? .cancelledByPeer(text) : .cancelled
      case .wrongHash, .wrongByteCount, .changed: self = .damaged(words)
      case .noSpace, .notReadable, .notWritable, .unsafeName: self = .file(words)
      case .stalled, .connectionLost: self = .connectionLost(words)
      case .protocolError: self = .protocolError(words)
      case .declined, .busy, .notSupported: self = .declined(words)
      case .other: self = .connectionLost(words)
      }
    }
  }
}

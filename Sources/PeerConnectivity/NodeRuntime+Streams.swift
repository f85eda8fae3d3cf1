import PeerLink
import PeerProtocol

/// A byte stream on the node's loop, and who waits for it.
final class OpenStream {
  let transfer: PeerLink.Transfer
  let stream: TransferStream
  var isOver = false
  var failure: TransferFailure?
  var isClosedHere = false
  var isWritingFinished = false
  /// Counts what happened, so that nothing is missed between looking and waiting, where others may run.
  private(set) var changes: UInt64 = 0
  private var waiters: [(token: UInt64, continuation: CheckedContinuation<Void, Never>)] = []

  init(_ transfer: PeerLink.Transfer, _ stream: TransferStream) {
    self.transfer = transfer
    self.stream = stream
  }

  func wait(_ token: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
    waiters.append((token, continuation))
  }

  /// Something changed: everybody who waits looks again.
  func wake() {
    changes += 1
    let all = waiters
    waiters = []
    for waiter in all { waiter.continuation.resume() }
  }

  func wake(_ token: UInt64) {
    guard let index = waiters.firstIndex(where: { $0.token == token }) else { return }
    waiters.remove(at: index).continuation.resume()
  }
}

/// What a stream and its node share.
struct StreamRecord: Sendable {
  let runtime: NodeRuntime
  let token: UInt64

  func read(upTo maximumCount: Int) async throws(StreamError) -> [UInt8]? {
    try await runtime.read(token, upTo: maximumCount)
  }
  func write(_ bytes: [UInt8]) async throws(StreamError) { try await runtime.write(token, bytes) }
  func finishWriting() { runtime.finishWriting(token) }
  func cancel() { runtime.closeStream(token, isReleased: false) }
  func release() { runtime.closeStream(token, isReleased: true) }
}

extension NodeRuntime {
  func openStream(
    named name: String, to peer: Peer, from session: SessionRecord
  ) async throws(StreamError) -> PeerStream {
    guard let transceiver, let member = members[peer.id], member.session === session,
      member.phase == .connected
    else { throw .notConnected }
    guard (1...TransferOffer.maximumNameBytes).contains(name.utf8.count) else {
      throw .declined("a stream's name has 1 to \(TransferOffer.maximumNameBytes) bytes")
    }
    switch transceiver.openStream(name, to: peer.id.link) {
    case .failure(let failure): throw StreamError(failure)
    case .success(let transfer):
      guard let stream = transfer.stream else { throw .notConnected }
      let opened = open(transfer, stream, with: member.peer)
      guard let entry = streams[opened.record.token] else { throw .closed }
      transfer.onState = { _ in entry.wake() }
      while transfer.state == .queued || transfer.state == .offered {
        try await wait(for: entry, opened.record.token, since: entry.changes)
        if entry.isOver { throw entry.failure.map(StreamError.init) ?? .closed }
      }
      return opened
    }
  }

  func open(_ transfer: PeerLink.Transfer, _ stream: TransferStream, with peer: Peer) -> PeerStream {
    let token = takeToken()
    let entry = OpenStream(transfer, stream)
    streams[token] = entry
    stream.onReadable = { entry.wake() }
    stream.onWritable = { entry.wake() }
    transfer.onEnd = { failure in
      entry.isOver = true
      entry.failure = failure
      entry.wake()
    }
    return PeerStream(
      peer: peer, name: transfer.offer.name, record: StreamRecord(runtime: self, token: token))
  }

  func read(_ token: UInt64, upTo maximumCount: Int) async throws(StreamError) -> [UInt8]? {
    guard let entry = streams[token] else { throw .closed }
    while true {
      if entry.isClosedHere { throw .closed }
      let changes = entry.changes
      let bytes = entry.stream.read(atMost: max(1, maximumCount))
      if !bytes.isEmpty { return bytes }
      if entry.stream.isAtEnd { return nil }
      if entry.isOver { throw entry.failure.map(StreamError.init) ?? .closed }
      try await wait(for: entry, token, since: changes)
    }
  }

  func write(_ token: UInt64, _ bytes: [UInt8]) async throws(StreamError) {
    guard let entry = streams[token] else { throw .closed }
    var rest = bytes[...]
    while true {
      if entry.isClosedHere { throw .closed }
      if entry.isOver { throw entry.failure.map(StreamError.init) ?? .closed }
      if rest.isEmpty { return }
      let changes = entry.changes
      let count = entry.stream.write(rest)
      rest = rest.dropFirst(count)
      if rest.isEmpty { return }
      if entry.isWritingFinished { throw .closed }
      try await wait(for: entry, token, since: changes)
    }
  }

  nonisolated func finishWriting(_ token: UInt64) {
    submit { runtime in
      guard let entry = runtime.streams[token] else { return }
      entry.isWritingFinished = true
      entry.stream.endWriting()
      entry.wake()
    }
  }

  /// - Parameter isReleased: nobody holds the stream any more; what was finished properly still arrives.
  nonisolated func closeStream(_ token: UInt64, isReleased: Bool) {
    submit { runtime in
      guard let entry = runtime.streams.removeValue(forKey: token) else { return }
      entry.isClosedHere = true
      let isFinished = entry.isWritingFinished && entry.stream.isAtEnd
      if !entry.isOver, !(isReleased && isFinished) { entry.transfer.cancel() }
      entry.wake()
    }
  }

  /// Waits for the next change after `changes`.
  private func wait(
    for entry: OpenStream, _ token: UInt64, since changes: UInt64
  ) async throws(StreamError) {
    let waiter = takeToken()
    let isCancelled = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled || entry.changes != changes {
          continuation.resume()
        } else {
          entry.wait(waiter, continuation)
        }
      }
      return Task.isCancelled
    } onCancel: {
      submit { $0.streams[token]?.wake(waiter) }
    }
    if isCancelled { throw .closed }
  }
}

extension StreamError {
  init(_ failure: TransferFailure) {
    switch failure {
    case .notConnected: self = .notConnected
    case .tooMany: self = .declined(failure.description)
    case .declined(let reason, let text): self = .declined(text.isEmpty ? "\(reason)" : text)
    case .cancelled, .failed, .sessionEnded: self = .connectionLost(failure.description)
    }
  }
}

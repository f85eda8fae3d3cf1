import FileTransfer
import Synchronization

/// The disk's end of a file or folder transfer, and that its last call is made exactly once, on a thread that may block.
final class TransferStorage: Sendable {
  enum Endpoint: Sendable {
    case source(any TransferSource)
    case sink(any TransferSink)
  }

  let endpoint: Endpoint
  private let isDone = Atomic<Bool>(false)

  init(_ endpoint: Endpoint) { self.endpoint = endpoint }

  /// The sink has finished by itself.
  func finished() { isDone.store(true, ordering: .relaxed) }

  /// Closes the source, or abandons the sink if it has not finished. May block. Idempotent.
  func dispose(keepsPartial: Bool) {
    guard !isDone.exchange(true, ordering: .relaxed) else { return }
    switch endpoint {
    case .source(let source): source.close()
    case .sink(let sink): sink.abandon(isResumable: keepsPartial)
    }
  }

  var isDisposed: Bool { isDone.load(ordering: .relaxed) }
}

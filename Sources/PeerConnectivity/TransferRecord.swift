import Synchronization

/// What a transfer and its node share.
final class TransferRecord: Sendable {
  typealias Outcome = Result<TransferSummary, TransferError>

  private struct State {
    var outcome: Outcome?
    var waiters: [CheckedContinuation<Outcome, Never>] = []
    var cancel: (@Sendable () -> Void)?
    var isCancelled = false
  }

  let progress = EventChannel(NewestQueue<TransferProgress>())
  private let state = Mutex(State())

  /// Whether somebody has cancelled or the end is reached.
  var isOver: Bool { state.withLock { $0.isCancelled || $0.outcome != nil } }

  /// Says how it is cancelled from now on; at once when it was cancelled before.
  func setCancel(_ cancel: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.cancel = cancel
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }

  func cancel() {
    let cancel = state.withLock { state in
      guard state.outcome == nil else { return nil as (@Sendable () -> Void)? }
      state.isCancelled = true
      return state.cancel
    }
    cancel?()
    end(.failure(.cancelled))
  }

  /// The first outcome counts.
  func end(_ outcome: Outcome) {
    let waiters = state.withLock { state in
      guard state.outcome == nil else { return [] as [CheckedContinuation<Outcome, Never>] }
      state.outcome = outcome
      state.cancel = nil
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: outcome) }
    progress.finish()
  }

  func value() async throws(TransferError) -> TransferSummary {
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.waiters.append(continuation) }
          return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      cancel()
    }
    return try outcome.get()
  }
}

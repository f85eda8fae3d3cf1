import Glibc
import SecureTransport
import ServiceRuntime
import Synchronization

/// The threads that move the bytes of transfers, and what they tell the loop.
final class TransferWorkers {
  enum Event: Sendable {
    case stream(TransferStreamPump.Notice)
    /// The last one.
    case ended(TransferPumpEnd)
  }

  private struct Report: Sendable {
    let worker: UInt64
    let event: Event
  }

  private struct Worker {
    let thread: WorkerThread
    let onEvent: (Event) -> Void
  }

  /// Each worker has a few reports under way at most, and there are not more workers than transfers.
  private static let inboxCapacity = 4096

  private let loop: EventLoop
  private var receiver: InboxReceiver<Report>?
  private var workers: [UInt64: Worker] = [:]
  private var nextNumber: UInt64 = 1

  init(on loop: EventLoop) { self.loop = loop }

  deinit { receiver?.close() }

  /// Threads that have not ended.
  var count: Int { workers.count }

  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - body: tells of its stream through its argument.
  ///   - onEvent: called on the loop.
  func run(
    _ body: @escaping @Sendable (@escaping @Sendable (TransferStreamPump.Notice) -> Void) -> TransferPumpEnd,
    onEvent: @escaping (Event) -> Void
  ) throws(SystemError) {
    let inbox = try openInbox()
    let number = nextNumber
    let thread = try WorkerThread(name: "transfer") {
      // Writing to a connection that the peer closed must be an error of the write, in programs that have not said so too.
      var brokenPipe = sigset_t()
      sigemptyset(&brokenPipe)
      sigaddset(&brokenPipe, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)
      let end = body { notice in inbox.send(Report(worker: number, event: .stream(notice))) }
      inbox.send(Report(worker: number, event: .ended(end)))
    }
    nextNumber += 1
    workers[number] = Worker(thread: thread, onEvent: onEvent)
  }

  /// Closes a source or abandons a sink that no worker uses.
  func dispose(_ storage: TransferStorage, keepsPartial: Bool) {
    guard !storage.isDisposed else { return }
    do throws(SystemError) {
      try run(
        { _ in
          storage.dispose(keepsPartial: keepsPartial)
          return .stopped
        }, onEvent: { _ in })
    } catch {
      // Without a thread the loop waits for the disk, which is better than leaving a file open.
      storage.dispose(keepsPartial: keepsPartial)
    }
  }

  private func openInbox() throws(SystemError) -> Inbox<Report> {
    if let receiver { return receiver.inbox }
    let receiver = try loop.receive(Report.self, capacity: TransferWorkers.inboxCapacity) {
      [weak self] report in self?.received(report)
    }
    self.receiver = receiver
    return receiver.inbox
  }

  private func received(_ report: Report) {
    guard let worker = workers[report.worker] else { return }
    if case .ended = report.event {
      workers[report.worker] = nil
      // It has nothing left to do but to return.
      worker.thread.join()
    }
    worker.onEvent(report.event)
  }
}

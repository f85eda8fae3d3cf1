import CLinux
import Glibc
import Synchronization

/// A thread for work that may block, such as a connect inside a C library or a write to a slow disk.
public final class WorkerThread: Sendable {
  private let body: @Sendable () -> Void
  private let handle = Mutex<pthread_t?>(nil)

  /// Starts `body` on a thread of its own; `name` (15 bytes are kept) shows in `ps -L` and debuggers.
  public init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    self.body = body
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let result = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        // Balances the retain made for this thread.
        let worker = Unmanaged<WorkerThread>.fromOpaque(pointer).takeRetainedValue()
        worker.body()
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      context.release()
      throw SystemError("start thread \(name)", code: result)
    }
    _ = String(name.prefix(15)).withCString { pthread_setname_np(thread, $0) }
    handle.withLock { $0 = thread }
  }

  // The thread itself keeps this object until its body is done, so nobody can join any more: its stack goes with it.
  deinit { if let thread = handle.withLock({ $0 }) { pthread_detach(thread) } }

  /// Waits for the end of the body. Call once at most; without it the thread cleans up after itself.
  public func join() {
    let thread = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    if let thread { pthread_join(thread, nil) }
  }
}

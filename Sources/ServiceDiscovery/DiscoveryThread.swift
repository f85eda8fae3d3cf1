import Glibc
import ServiceRuntime
import Synchronization

/// A thread with an event loop of its own, to which all objects of one Avahi client are confined.
///
/// Almost every call of Avahi's client library is a D-Bus round trip that blocks, by default up to 25 s when the daemon
/// or the bus hangs. On the program's own loop that would hold up a stop for the vehicle. So Avahi gets this loop, and
/// what it finds goes over to the program's loop as the newest state (`StateReceiver`).
final class DiscoveryThread {
  /// Closing this end is the signal to stop: it works whatever the thread is doing, and at deinit too.
  private let lifeline: Int32
  private var isStopped = false

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - failed: called on the thread when it cannot have a loop; it ends then.
  ///   - body: called on the thread with its loop; what it returns is called when the thread is to stop.
  init(
    name: String, failed: @escaping @Sendable (SystemError) -> Void,
    body: @escaping @Sendable (EventLoop) -> (() -> Void)
  ) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    if unsafe socketpair(AF_UNIX, kind, 0, &ends) != 0 { throw SystemError.current("socketpair") }
    let (ours, theirs) = (ends[0], ends[1])
    do throws(SystemError) {
      _ = try WorkerThread(name: name) {
        // Nobody waits for the end of this thread, so it gives back its stack by itself.
        pthread_detach(pthread_self())
        do throws(SystemError) { try Self.run(until: theirs, body) } catch { failed(error) }
        close(theirs)
      }
    } catch {
      close(ours)
      close(theirs)
      throw error
    }
    lifeline = ours
  }

  deinit { stop() }

  /// Does not wait: a call in progress may hang for as long as the daemon does. Idempotent.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    close(lifeline)
  }

  private static func run(until lifeline: Int32, _ body: (EventLoop) -> (() -> Void)) throws(SystemError) {
    let loop = try EventLoop()
    let watch = try loop.watch(lifeline, for: .readable) { [unowned loop] _ in loop.stop() }
    let end = body(loop)
    loop.run()
    watch.cancel()
    end()
  }
}

/// The newest state of something on another thread: nothing queues, and what a busy receiver missed does not matter.
final class NewestState<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let wakeUp: Inbox<Void>

  fileprivate init(wakeUp: Inbox<Void>) { self.wakeUp = wakeUp }

  /// Replaces the state, from any thread.
  func set(_ newValue: Value) {
    value.withLock { $0 = newValue }
    // Refused when one wake-up waits already: it will find this value.
    wakeUp.send(())
  }

  fileprivate func take() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}

/// The loop's end of a `NewestState`.
final class StateReceiver<Value: Sendable> {
  let state: NewestState<Value>
  private let receiver: InboxReceiver<Void>

  init(on loop: EventLoop, _ handler: @escaping (Value) -> Void) throws(SystemError) {
    // The handler is made before the state it reads.
    var state: NewestState<Value>?
    receiver = try loop.receive(Void.self, capacity: 1) {
      if let value = state?.take() { handler(value) }
    }
    let newest = NewestState<Value>(wakeUp: receiver.inbox)
    state = newest
    self.state = newest
  }

  /// No handler call follows. Idempotent.
  func close() { receiver.close() }
}

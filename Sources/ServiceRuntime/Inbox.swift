import CLinux
import Glibc
import Synchronization

/// The way from other threads into a loop: a bounded queue of values that the loop's thread handles in order.
public final class Inbox<Message: Sendable>: Sendable {
  private struct State {
    var messages: [Message] = []
    var isOpen = true
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let wakeUp: Int32

  fileprivate init(capacity: Int) throws(SystemError) {
    self.capacity = capacity
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    if wakeUp < 0 { throw SystemError.current("eventfd") }
  }

  deinit { Glibc.close(wakeUp) }

  /// Queues a message, from any thread.
  ///
  /// - Returns: false when the queue is full or closed; the message is dropped and the sender decides what that means.
  @discardableResult
  public func send(_ message: Message) -> Bool {
    let accepted = state.withLock { state in
      guard state.isOpen, state.messages.count < capacity else { return false }
      state.messages.append(message)
      return true
    }
    if accepted {
      var one: UInt64 = 1
      // Only a full counter can make this fail, and then the loop is awake anyway.
      _ = Glibc.write(wakeUp, &one, MemoryLayout<UInt64>.size)
    }
    return accepted
  }

  fileprivate func drain() -> [Message] {
    var count: UInt64 = 0
    _ = Glibc.read(wakeUp, &count, MemoryLayout<UInt64>.size)
    return state.withLock { state in
      defer { state.messages.removeAll(keepingCapacity: true) }
      return state.messages
    }
  }

  fileprivate func close() {
    state.withLock { state in
      state.isOpen = false
      state.messages.removeAll()
    }
  }

  fileprivate var descriptor: Int32 { wakeUp }
}

/// The loop's end of an inbox.
public final class InboxReceiver<Message: Sendable> {
  /// Hand this to the other threads.
  public let inbox: Inbox<Message>
  private var watch: DescriptorWatch?

  fileprivate init(inbox: Inbox<Message>) { self.inbox = inbox }

  fileprivate func start(on loop: EventLoop, _ handler: @escaping (Message) -> Void) throws(SystemError) {
    watch = try loop.watch(inbox.descriptor, for: .readable) { [inbox] _ in
      for message in inbox.drain() { handler(message) }
    }
  }

  /// Ends delivery: what is queued is dropped, later sends return false. Idempotent.
  public func close() {
    inbox.close()
    watch?.cancel()
    watch = nil
  }
}

extension EventLoop {
  /// Makes an inbox whose messages `handler` receives on this loop's thread, in order.
  public func receive<Message: Sendable>(
    _: Message.Type, capacity: Int, _ handler: @escaping (Message) -> Void
  ) throws(SystemError) -> InboxReceiver<Message> {
    let receiver = InboxReceiver(inbox: try Inbox<Message>(capacity: capacity))
    try receiver.start(on: self, handler)
    return receiver
  }
}

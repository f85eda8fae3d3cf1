import Synchronization

/// What waits for a reader, as a value that bounds and merges it.
protocol EventQueue<Element>: Sendable {
  associatedtype Element: Sendable
  /// What the producer has to know about an element that was taken.
  associatedtype Note: Sendable = Never

  mutating func popFirst() -> (element: Element, note: Note?)?
}

/// The way of events from the node's thread to the tasks that read them.
final class EventChannel<Queue: EventQueue>: EventSource {
  typealias Element = Queue.Element

  private struct State {
    var queue: Queue
    /// Readers that wait; empty unless the queue is.
    var waiters: [(token: UInt64, continuation: CheckedContinuation<Element?, Never>)] = []
    var nextToken: UInt64 = 0
    var isFinished = false
  }

  private let state: Mutex<State>
  private let onNote: @Sendable (Queue.Note) -> Void

  init(_ queue: Queue, onNote: @escaping @Sendable (Queue.Note) -> Void) {
    state = Mutex(State(queue: queue))
    self.onNote = onNote
  }

  /// Changes the queue and wakes readers; false when the channel is finished, and nothing is changed then.
  @discardableResult
  func update(_ body: (inout Queue) -> Void) -> Bool {
    var deliveries: [(CheckedContinuation<Element?, Never>, Element)] = []
    var notes: [Queue.Note] = []
    let isOpen = state.withLock { state in
      guard !state.isFinished else { return false }
      body(&state.queue)
      while !state.waiters.isEmpty, let (element, note) = state.queue.popFirst() {
        deliveries.append((state.waiters.removeFirst().continuation, element))
        if let note { notes.append(note) }
      }
      return true
    }
    for (continuation, element) in deliveries { continuation.resume(returning: element) }
    for note in notes { onNote(note) }
    return isOpen
  }

  /// Looks at the queue.
  func read<Result: Sendable>(_ body: (borrowing Queue) -> Result) -> Result {
    state.withLock { body($0.queue) }
  }

  /// Whether somebody waits.
  var hasWaiter: Bool { state.withLock { !$0.waiters.isEmpty } }

  /// No event follows those that wait. Idempotent.
  func finish() {
    let waiters = state.withLock { state in
      state.isFinished = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
  }

  func next() async -> Element? {
    let token = state.withLock { state in
      state.nextToken += 1
      return state.nextToken
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        var immediate: Element?
        var note: Queue.Note?
        let isDone = state.withLock { state in
          // Looked at under the lock, so that a cancellation either is seen here or finds the waiter.
          if Task.isCancelled { return true }
          if let first = state.queue.popFirst() {
            (immediate, note) = (first.element, first.note)
            return true
          }
          if state.isFinished { return true }
          state.waiters.append((token, continuation))
          return false
        }
        if isDone { continuation.resume(returning: immediate) }
        if let note { onNote(note) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        guard let index = state.waiters.firstIndex(where: { $0.token == token }) else {
          return nil as CheckedContinuation<Element?, Never>?
        }
        return state.waiters.remove(at: index).continuation
      }
      waiter?.resume(returning: nil)
    }
  }
}

extension EventChannel where Queue.Note == Never {
  convenience init(_ queue: Queue) { self.init(queue) { _ in } }
}

/// Keeps the newest only.
struct NewestQueue<Element: Sendable>: EventQueue {
  private var newest: Element?

  init() {}

  mutating func put(_ element: Element) { newest = element }

  mutating func popFirst() -> (element: Element, note: Never?)? {
    guard let element = newest else { return nil }
    newest = nil
    return (element, nil)
  }
}

/// Keeps a few in order; the producer asks for room first.
struct BoundedQueue<Element: Sendable>: EventQueue {
  private let capacity: Int
  private var elements: [Element] = []

  init(capacity: Int) { self.capacity = capacity }

  var hasRoom: Bool { elements.count < capacity }

  mutating func append(_ element: Element) { elements.append(element) }
  mutating func removeAll(where isUnwanted: (Element) -> Bool) { elements.removeAll(where: isUnwanted) }

  mutating func popFirst() -> (element: Element, note: Never?)? {
    elements.isEmpty ? nil : (elements.removeFirst(), nil)
  }
}

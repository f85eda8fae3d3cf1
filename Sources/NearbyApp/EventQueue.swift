import Synchronization

/// What happens to a program, from many tasks to the one that decides, in order. A full queue makes the tasks wait.
final class EventQueue<Event: Sendable>: Sendable {
  private struct State {
    var events: [Event] = []
    var reader: CheckedContinuation<Event?, Never>?
    var writers: [CheckedContinuation<Void, Never>] = []
    var isFinished = false
  }

  private let state = Mutex(State())
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// Hands an event on; waits while the queue is full. After `finish()` it is dropped.
  func put(_ event: Event) async {
    while !offer(event) {
      await withCheckedContinuation { continuation in
        let isFull = state.withLock { state in
          guard !state.isFinished, state.events.count >= capacity else { return false }
          state.writers.append(continuation)
          return true
        }
        if !isFull { continuation.resume() }
      }
    }
  }

  /// Hands an event on if there is room.
  ///
  /// - Returns: false when the queue is full; true after `finish()` as well, since nobody waits for it then.
  func offer(_ event: Event) -> Bool {
    let (reader, isTaken) = state.withLock { state in
      if state.isFinished { return (CheckedContinuation<Event?, Never>?.none, true) }
      if let reader = state.reader {
        state.reader = nil
        return (reader, true)
      }
      guard state.events.count < capacity else { return (nil, false) }
      state.events.append(event)
      return (nil, true)
    }
    reader?.resume(returning: event)
    return isTaken
  }

  /// The next event; nil when the queue is finished and empty. For one reader.
  func next() async -> Event? {
    await withCheckedContinuation { continuation in
      let (event, writer) = state.withLock { state -> (Event??, CheckedContinuation<Void, Never>?) in
        if !state.events.isEmpty {
          let event = state.events.removeFirst()
          return (event, state.writers.isEmpty ? nil : state.writers.removeFirst())
        }
        if state.isFinished { return (.some(nil), nil) }
        state.reader = continuation
        return (nil, nil)
      }
      if let event { continuation.resume(returning: event) }
      writer?.resume()
    }
  }

  /// No more events come: the reader gets what is there and then nil. Idempotent.
  func finish() {
    let (reader, writers) = state.withLock { state in
      state.isFinished = true
      defer {
        state.reader = nil
        state.writers = []
      }
      return (state.reader, state.writers)
    }
    reader?.resume(returning: nil)
    for writer in writers { writer.resume() }
  }
}

/// What happens, as an asynchronous sequence that never fails.
///
/// It ends (`nil`) when its source is stopped or the awaiting task is cancelled. An event goes to one reader: several loops over one sequence
/// share the events. How much waits for a slow reader, and what happens then, is said where the sequence is offered; nothing grows without bound.
public struct PeerEvents<Element: Sendable>: AsyncSequence, Sendable {
  let source: any EventSource<Element>

  /// Starts to read.
  public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

  /// One reader.
  public struct Iterator: AsyncIteratorProtocol {
    let source: any EventSource<Element>

    /// The next event, as soon as there is one; nil at the end, and at once when the task is cancelled.
    public mutating func next() async -> Element? { await source.next() }

    /// The next event, as soon as there is one; nil at the end, and at once when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await source.next()
    }
  }
}

/// Where events come from.
protocol EventSource<Element>: Sendable {
  associatedtype Element: Sendable
  func next() async -> Element?
}

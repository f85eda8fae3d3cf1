/// What waits for the reader of a session's events.
///
/// Events of one peer keep their order, with one exception: of its unreliable messages, and of its urgent ones, the oldest is dropped
/// and counted when too many wait. States are merged with the state before them when no other event of the peer is in between. So for each peer there wait
/// at most so many bytes of messages, so many offers, and one state more than there are other events.
struct SessionEventQueue: EventQueue {
  typealias Element = PeerSession.Event
  /// A peer whose messages may be read again.
  typealias Note = Peer.ID

  /// What to do with the peer after its message was stored.
  enum OnMessage: Equatable {
    case goOn
    /// Enough waits: read nothing more from it until its note comes.
    case hold
  }

  struct Limits: Sendable {
    var bytes = PeerSession.maximumWaitingBytes
    var unreliableMessages = PeerSession.maximumWaitingUnreliableMessages
    /// Urgent messages cannot be held back, their receipt being what makes them fast. A reader who leaves so many lying has no use for the oldest.
    var urgentMessages = 256
    var offers = 16
  }

  private struct Entry: Sendable {
    let order: UInt64
    var event: Element
    var cost = 0
    var isOffer = false
  }

  /// What waits of one peer.
  private struct Lane: Sendable {
    var ordered = Fifo<Entry>()
    var unreliable = Fifo<Entry>()
    var urgent = Fifo<Entry>()
    var bytes = 0
    var offers = 0
    var dropped = 0
    var isHeld = false

    var isEmpty: Bool {
      ordered.isEmpty && unreliable.isEmpty && urgent.isEmpty && !isHeld && dropped == 0
    }
    var nextOrder: UInt64? {
      [ordered.first?.order, unreliable.first?.order, urgent.first?.order].compactMap(\.self).min()
    }
  }

  /// A stored message costs this much more than its bytes.
  static let overhead = 64

  private let limits: Limits
  private var lanes: [Peer.ID: Lane] = [:]
  private var nextOrder: UInt64 = 0

  init(limits: Limits = Limits()) { self.limits = limits }

  /// Bytes of reliable messages that wait, with what storing them costs.
  var waitingBytes: Int { lanes.values.reduce(0) { $0 + $1.bytes } }

  /// Whether the peer's messages are not to be read now.
  func isHeld(_ id: Peer.ID) -> Bool { lanes[id]?.isHeld ?? false }

  mutating func add(_ peer: Peer, _ state: PeerSession.State) {
    var lane = lanes[peer.id] ?? Lane()
    if let last = lane.ordered.last, case .state(_, let old) = last.event {
      lane.ordered.replaceLast(
        with: Entry(order: last.order, event: .state(peer, SessionEventQueue.merge(old, state))))
    } else {
      lane.ordered.append(Entry(order: takeOrder(), event: .state(peer, state)))
    }
    lanes[peer.id] = lane
  }

  mutating func add(_ message: PeerMessage) -> OnMessage {
    var lane = lanes[message.peer.id] ?? Lane()
    defer { lanes[message.peer.id] = lane }
    let entry = Entry(
      order: takeOrder(), event: .message(message), cost: message.bytes.count + SessionEventQueue.overhead)
    switch message.mode {
    case .unreliable:
      lane.unreliable.append(entry)
      if lane.unreliable.count > limits.unreliableMessages {
        _ = lane.unreliable.popFirst()
        lane.dropped += 1
      }
      return .goOn
    case .urgent:
      lane.urgent.append(entry)
      if lane.urgent.count > limits.urgentMessages {
        _ = lane.urgent.popFirst()
        lane.dropped += 1
      }
      return .goOn
    case .reliable:
      lane.ordered.append(entry)
      lane.bytes += entry.cost
      guard lane.bytes >= limits.bytes else { return .goOn }
      lane.isHeld = true
      return .hold
    }
  }

  /// - Returns: false when too many offers of the peer wait.
  mutating func add(offerOf peer: Peer, _ event: Element) -> Bool {
    var lane = lanes[peer.id] ?? Lane()
    guard lane.offers < limits.offers else { return false }
    lane.offers += 1
    lane.ordered.append(Entry(order: takeOrder(), event: event, isOffer: true))
    lanes[peer.id] = lane
    return true
  }

  mutating func popFirst() -> (element: Element, note: Note?)? {
    let next = lanes.lazy.compactMap { id, lane in lane.nextOrder.map { (order: $0, id: id) } }
      .min { $0.order < $1.order }
    guard let next, var lane = lanes[next.id] else { return nil }
    var note: Note?
    let event: Element
    if lane.unreliable.first?.order == next.order, let entry = lane.unreliable.popFirst() {
      event = SessionEventQueue.counting(lane.dropped, in: entry.event)
      lane.dropped = 0
    } else if lane.urgent.first?.order == next.order, let entry = lane.urgent.popFirst() {
      event = SessionEventQueue.counting(lane.dropped, in: entry.event)
      lane.dropped = 0
    } else if let entry = lane.ordered.popFirst() {
      event = entry.event
      lane.bytes -= entry.cost
      if entry.isOffer { lane.offers -= 1 }
      // Half, so that a reader who takes one at a time does not stop and start the peer each time.
      if lane.isHeld, lane.bytes <= limits.bytes / 2 {
        lane.isHeld = false
        note = next.id
      }
    } else {
      return nil
    }
    lanes[next.id] = lane.isEmpty ? nil : lane
    return (event, note)
  }

  private mutating func takeOrder() -> UInt64 {
    nextOrder += 1
    return nextOrder
  }

  /// The newer state, without losing that the peer was started anew or that a session's continuity broke meanwhile.
  private static func merge(_ old: PeerSession.State, _ new: PeerSession.State) -> PeerSession.State {
    guard case .connected(let isRestarted, let isResumed) = new else { return new }
    switch old {
    case .notConnected(.restarted): return .connected(isRestarted: true, isResumed: false)
    case .connected(let wasRestarted, let wasResumed):
      return .connected(isRestarted: isRestarted || wasRestarted, isResumed: isResumed && wasResumed)
    case .notConnected, .connecting: return new
    }
  }

  private static func counting(_ dropped: Int, in event: Element) -> Element {
    guard dropped > 0, case .message(var message) = event else { return event }
    message.droppedBefore = dropped
    return .message(message)
  }
}

/// First in, first out, without moving what waits at each step.
struct Fifo<Element> {
  private var elements: [Element?] = []
  private var start = 0

  var count: Int { elements.count - start }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : elements[start] }
  var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func replaceLast(with element: Element) {
    precondition(!isEmpty, "nothing to replace")
    elements[elements.count - 1] = element
  }

  mutating func popFirst() -> Element? {
    guard let element = first else { return nil }
    elements[start] = nil
    start += 1
    if start == elements.count {
      elements.removeAll(keepingCapacity: elements.capacity <= 64)
      start = 0
    } else if start > 64, start > elements.count / 2 {
      elements.removeFirst(start)
      start = 0
    }
    return element
  }
}

extension Fifo: Sendable where Element: Sendable {}

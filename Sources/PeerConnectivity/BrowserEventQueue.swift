/// What waits for the reader of a browser's events: the difference between what it was told and what is so.
///
/// So a slow reader costs nothing, and learns nothing of a peer that came and went meanwhile.
struct BrowserEventQueue: EventQueue {
  typealias Element = PeerBrowser.Event

  struct Sighting: Equatable {
    let peer: Peer
    let info: DiscoveryInfo

    // Peers are equal when their identities are; a change of the rest is news.
    static func == (left: Sighting, right: Sighting) -> Bool {
      left.peer == right.peer && left.peer.displayName == right.peer.displayName
        && left.peer.isTrusted == right.peer.isTrusted && left.info == right.info
    }
  }

  private var told: [Peer.ID: Sighting] = [:]
  private(set) var current: [Peer.ID: Sighting] = [:]
  /// In the order of their first news that nobody has read; may hold some that are no news any more.
  private var changed: [Peer.ID] = []
  private var isChanged: Set<Peer.ID> = []
  private var availability: Element?

  mutating func saw(_ sighting: Sighting) {
    guard current[sighting.peer.id] != nil || current.count < PeerBrowser.maximumPeers else { return }
    current[sighting.peer.id] = sighting
    note(sighting.peer.id)
  }

  mutating func lost(_ id: Peer.ID) {
    guard current.removeValue(forKey: id) != nil else { return }
    note(id)
  }

  mutating func loseAll() { for id in current.keys.sorted() { lost(id) } }

  mutating func put(availability: Element) { self.availability = availability }

  mutating func popFirst() -> (element: Element, note: Never?)? {
    if let availability {
      self.availability = nil
      return (availability, nil)
    }
    while !changed.isEmpty {
      let id = changed.removeFirst()
      isChanged.remove(id)
      let (old, new) = (told[id], current[id])
      guard old != new else { continue }
      told[id] = new
      switch (old, new) {
      case (_, nil): if let old { return (.lost(old.peer), nil) }
      case (nil, let new?): return (.found(new.peer, new.info), nil)
      case (_, let new?): return (.updated(new.peer, new.info), nil)
      }
    }
    return nil
  }

  private mutating func note(_ id: Peer.ID) {
    if isChanged.insert(id).inserted { changed.append(id) }
  }
}

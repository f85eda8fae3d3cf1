public import PeerConnectivity

/// The peers that are near, and how far things are with each.
public struct PeerDirectory: Sendable {
  /// Legal ways: nearby → inviting → connected or nearby; nearby → invitesUs → connected or nearby; connected → nearby.
  public enum State: String, Equatable, Sendable {
    case nearby
    case inviting
    case invitesUs = "invites you"
    case connected
  }

  public struct Entry: Equatable, Sendable {
    public let id: Peer.ID
    /// As the peer says; a label, not an identity.
    public var name: String
    /// nil when the peer does not say, or says something of a later version.
    public var purpose: Purpose?
    /// Whether the identity is in our list.
    public var isPaired: Bool
    /// Whether discovery shows it now.
    public var isAnnounced: Bool
    public var state: State
  }

  /// More are not listed: as many announcements are kept by discovery.
  public static let maximumCount = 256

  private var known: [Peer.ID: Entry] = [:]
  /// Of peers that were connected, which are still talked about when they are gone.
  private var names: [Peer.ID: String] = [:]

  public init() {}

  /// By name, and by identity where names are equal: an order that does not jump when states change.
  public var entries: [Entry] {
    known.values.sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
  }

  public subscript(id: Peer.ID) -> Entry? { known[id] }
  public var connected: [Entry] { entries.filter { $0.state == .connected } }
  public var isAnyConnected: Bool { known.values.contains { $0.state == .connected } }

  public enum OnFound: Equatable, Sendable { case appeared, changed, known, full }

  public mutating func found(_ id: Peer.ID, name: String, purpose: Purpose?, isPaired: Bool) -> OnFound {
    if var entry = known[id] {
      let before = entry
      // The name that was said over the proven connection stands; an announcement can be anybody's.
      if entry.state != .connected { entry.name = name }
      entry.purpose = purpose
      entry.isPaired = isPaired
      entry.isAnnounced = true
      known[id] = entry
      return before == entry ? .known : before.isAnnounced ? .changed : .appeared
    }
    guard known.count < Self.maximumCount else { return .full }
    known[id] = Entry(
      id: id, name: name, purpose: purpose, isPaired: isPaired, isAnnounced: true, state: .nearby)
    return .appeared
  }

  /// The announcement is gone; with a peer that we are dealing with this means nothing.
  ///
  /// - Returns: the entry when it left the list.
  public mutating func lost(_ id: Peer.ID) -> Entry? {
    guard let entry = known[id] else { return nil }
    known[id]?.isAnnounced = false
    guard entry.state == .nearby else { return nil }
    return known.removeValue(forKey: id)
  }

  public mutating func set(_ state: State, of id: Peer.ID, name: String, isPaired: Bool) {
    var entry =
      known[id]
      ?? Entry(id: id, name: name, purpose: nil, isPaired: isPaired, isAnnounced: false, state: state)
    entry.state = state
    entry.name = name
    entry.isPaired = isPaired
    known[id] = entry
    if state == .connected {
      if names.count >= Self.maximumCount { names = [:] }
      names[id] = name
    }
    if state == .nearby, !entry.isAnnounced { known[id] = nil }
  }

  /// Nothing is going on with the peer any more.
  public mutating func reset(_ id: Peer.ID) {
    guard let entry = known[id] else { return }
    set(.nearby, of: id, name: entry.name, isPaired: entry.isPaired)
  }

  /// The name for messages, with the beginning of the identity when another peer has the same name.
  public func label(_ id: Peer.ID) -> String {
    guard let entry = known[id] else { return names[id].map(shownName) ?? id.short }
    let isUnique = !known.values.contains { $0.id != id && $0.name.lowercased() == entry.name.lowercased() }
    return shownName(entry.name) + (isUnique ? "" : " (\(id.short))")
  }

  public enum Match: Equatable, Sendable {
    case one(Entry)
    case none
    case several([Entry])
  }

  /// Who is meant by a name, or an identity or its beginning of at least 8 digits as lists show it.
  public func match(_ text: String) -> Match {
    let all = entries
    let named = all.filter { $0.name == text }
    if named.count == 1 { return .one(named[0]) }
    if named.count > 1 { return .several(named) }
    let digits = text.lowercased()
    let hasID = digits.utf8.count >= 8 && digits.allSatisfy(\.isHexDigit)
    let identified = hasID ? all.filter { $0.id.hex.hasPrefix(digits) } : []
    if identified.count == 1 { return .one(identified[0]) }
    let alike = all.filter { $0.name.lowercased() == digits }
    let candidates = identified + alike
    return candidates.count == 1 ? .one(candidates[0]) : candidates.isEmpty ? .none : .several(candidates)
  }
}

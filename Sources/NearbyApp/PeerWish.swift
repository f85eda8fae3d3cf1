import Configuration
public import PeerConnectivity

/// The peer that a command line names, until it is found.
///
/// A name on the network proves nothing, so among peers of one name a paired one is meant; an unpaired one is taken only where the
/// policy allows strangers, and then only when there is exactly one.
public struct PeerWish: Equatable, Sendable {
  /// How long to look for others of the same name before a stranger is taken.
  static let grace: Duration = .seconds(1)

  public let text: String
  private let deadline: ContinuousClock.Instant?
  private var firstSeen: ContinuousClock.Instant?

  /// - Parameter deadline: nil to look for ever.
  public init(_ text: String, deadline: ContinuousClock.Instant?) {
    self.text = text
    self.deadline = deadline
  }

  public enum OnStep: Equatable, Sendable {
    case wait
    case take(Peer.ID)
    /// It cannot be had, for this reason.
    case refuse(String)
    /// Nobody like that came.
    case notFound(String)
  }

  /// Call it when something changed, and a few times a second.
  public mutating func step(_ lobby: Lobby, at now: ContinuousClock.Instant) -> OnStep {
    let candidates = lobby.directory.entries.filter { entry in
      (entry.name == text || entry.id.hex == text) && (entry.purpose ?? lobby.purpose) == lobby.purpose
    }
    let paired = candidates.filter(\.isPaired)
    // Whoever types an identity has pinned the peer as well as pairing does.
    if let entry = candidates.first(where: { $0.id.hex == text }), lobby.policy != .paired || entry.isPaired {
      return .take(entry.id)
    }
    if paired.count == 1 { return .take(paired[0].id) }
    let isOver = deadline.map { now >= $0 } ?? false
    if !candidates.isEmpty, firstSeen == nil { firstSeen = now }
    let isGraceOver = firstSeen.map { $0.duration(to: now) >= Self.grace } ?? false
    if isGraceOver || isOver, candidates.count > 1, lobby.policy != .paired || paired.count > 1 {
      let names = enumeration(candidates.map(\.id.short))
      return .refuse(
        "several are called '\(shownName(text))' (\(names)): give the identity instead of the name")
    }
    if isGraceOver || isOver, candidates.count == 1, lobby.policy != .paired {
      return .take(candidates[0].id)
    }
    guard isOver else { return .wait }
    if let stranger = candidates.first {
      return .refuse(
        "\(shownName(text)) (\(stranger.id.short)) is near but not paired: pair with it first, or use --accept any"
      )
    }
    return .notFound("nobody called '\(shownName(text))' is near")
  }
}

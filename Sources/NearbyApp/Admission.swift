public import Configuration
public import PeerProtocol

/// Whether a peer may connect: what the person's policy says about it.
public enum Admission: Equatable, Sendable {
  case accept, ask, decline

  /// The policy counts for strangers in both directions: a name on the network proves nothing, whoever dials.
  ///
  /// - Parameter isPaired: whether the proven identity is in our list.
  public static func decide(_ policy: AcceptPolicy, isPaired: Bool) -> Admission {
    switch policy {
    case .any: .accept
    case .paired: isPaired ? .accept : .decline
    case .ask: .ask
    }
  }
}

/// Invitations that wait for the person's answer, the oldest first.
public struct InvitationDesk: Sendable {
  public struct Request: Equatable, Sendable {
    public let id: PeerID
    public let name: String
    public let isPaired: Bool
    public let purpose: Purpose?

    public init(id: PeerID, name: String, isPaired: Bool, purpose: Purpose?) {
      self.id = id
      self.name = name
      self.isPaired = isPaired
      self.purpose = purpose
    }

    /// The question. The beginning of the identity is what two people can compare by voice.
    public var question: String {
      "\(shownName(name)) (\(id.short), \(isPaired ? "paired" : "not paired")) invites you"
        + (purpose.map { " to \($0.words)" } ?? "")
    }
  }

  /// Whoever asks more often than people can answer gets no.
  static let maximumWaiting = 16

  private var waiting: [Request] = []

  public init() {}

  /// The one to answer now.
  public var first: Request? { waiting.first }
  public var count: Int { waiting.count }

  public enum OnRequest: Equatable, Sendable {
    case ask
    /// The desk is full: decline.
    case declineAtOnce
  }

  /// A peer that asks again has one place only.
  public mutating func ask(_ request: Request) -> OnRequest {
    waiting.removeAll { $0.id == request.id }
    guard waiting.count < Self.maximumWaiting else { return .declineAtOnce }
    waiting.append(request)
    return .ask
  }

  /// Takes the request that is meant: the named one, else the oldest.
  public mutating func take(_ name: String? = nil) -> Request? {
    guard let name else { return waiting.isEmpty ? nil : waiting.removeFirst() }
    let index = waiting.firstIndex {
      $0.name == name || (name.utf8.count >= 8 && $0.id.hex.hasPrefix(name.lowercased()))
    }
    return index.map { waiting.remove(at: $0) }
  }

  /// The inviter gave up, or its time is over.
  ///
  /// - Returns: the request when it was waiting.
  public mutating func withdraw(_ id: PeerID) -> Request? {
    waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
  }
}

/// Own name and visibility: what others see of us.
public struct Presence: Equatable, Sendable {
  public private(set) var name: String
  public private(set) var isVisible: Bool

  public init(name: String, isVisible: Bool) {
    self.name = name
    self.isVisible = isVisible
  }

  public enum OnRename: Equatable, Sendable {
    case renamed
    case unchanged
    /// Peers know us by the old name.
    case refusedWhileConnected
    case invalid(String)
  }

  /// The name changes only while nothing is connected or on its way to be.
  public mutating func rename(to newName: String, isAnyConnected: Bool) -> OnRename {
    do {
      let checked = try ValueType<String>.displayName.parse(newName)
      if checked == name { return .unchanged }
      guard !isAnyConnected else { return .refusedWhileConnected }
      name = checked
      return .renamed
    } catch {
      return .invalid(
        "the name \(error.problem); valid: \(ValueType<String>.displayName.validValues)")
    }
  }

  /// - Returns: whether that is a change.
  public mutating func setVisible(_ visible: Bool) -> Bool {
    defer { isVisible = visible }
    return visible != isVisible
  }
}

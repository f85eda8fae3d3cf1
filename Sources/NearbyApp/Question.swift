public import PeerConnectivity
import ServiceRuntime

/// Something that another peer wants and the person decides.
public struct Question: Equatable, Sendable {
  public enum Subject: Equatable, Sendable {
    /// To connect, and what for.
    case invitation(Purpose?)
    /// To send something; the number is ours.
    case offer(number: Int, name: String, isFolder: Bool, byteCount: UInt64)
  }

  public let id: Peer.ID
  public let name: String
  public let isPaired: Bool
  public let subject: Subject

  public init(_ subject: Subject, from id: Peer.ID, name: String, isPaired: Bool) {
    self.id = id
    self.name = name
    self.isPaired = isPaired
    self.subject = subject
  }

  /// The question. The beginning of the identity is what two people can compare by voice.
  public var text: String {
    let who = "\(shownName(name)) (\(id.short), \(isPaired ? "paired" : "not paired"))"
    switch subject {
    case .invitation(let purpose):
      return "\(who) invites you" + (purpose.map { " to \($0.invitation)" } ?? "")
    case .offer(_, let name, let isFolder, let byteCount):
      return "\(who) offers \(isFolder ? "the folder " : "")\(shownName(name)), \(sizeText(byteCount))"
    }
  }
}

/// Questions that wait for the person's answer, the oldest first.
public struct QuestionDesk: Sendable {
  /// Whoever asks more often than people can answer gets no.
  static let maximumWaiting = 16
  /// One peer may not fill the desk.
  static let maximumOffersOfOne = 8

  private var waiting: [Question] = []

  public init() {}

  /// The one to answer now.
  public var first: Question? { waiting.first }
  public var count: Int { waiting.count }

  public enum OnAsk: Equatable, Sendable {
    case ask
    /// The desk is full: decline.
    case declineAtOnce
  }

  public mutating func ask(_ question: Question) -> OnAsk {
    switch question.subject {
    // A peer that invites again has one place only.
    case .invitation: _ = withdrawInvitation(of: question.id)
    case .offer:
      guard waiting.count(where: { $0.id == question.id }) < Self.maximumOffersOfOne else {
        return .declineAtOnce
      }
    }
    guard waiting.count < Self.maximumWaiting else { return .declineAtOnce }
    waiting.append(question)
    return .ask
  }

  /// Takes the question that is meant: the first of the peer with this name or identity, else the oldest.
  public mutating func take(_ name: String? = nil) -> Question? {
    guard let name else { return waiting.isEmpty ? nil : waiting.removeFirst() }
    let index = waiting.firstIndex {
      $0.name == name || (name.utf8.count >= 8 && $0.id.hex.hasPrefix(name.lowercased()))
    }
    return index.map { waiting.remove(at: $0) }
  }

  /// The inviter gave up, or its time is over.
  ///
  /// - Returns: the question when it was waiting.
  public mutating func withdrawInvitation(of id: Peer.ID) -> Question? {
    let index = waiting.firstIndex {
      if case .invitation = $0.subject { $0.id == id } else { false }
    }
    return index.map { waiting.remove(at: $0) }
  }

  /// The peer is gone, and its questions with it.
  public mutating func withdrawAll(of id: Peer.ID) { waiting.removeAll { $0.id == id } }
}

import Configuration
public import PeerConnectivity

/// Two people make their programs trust each other: who with whom, the digits, and what came of it.
public struct PairModel: Sendable {
  public enum Input: Equatable, Sendable {
    case lobby(Lobby.Input)
    case tick
    case chose(Peer.ID)
    /// The digits are known on both sides.
    case digits(String, Peer.ID, name: String)
    /// What the person said, or typed.
    case answer(Answer)
    case paired(name: String, Peer.ID)
    case failed(String)
  }

  public enum Answer: Equatable, Sendable {
    /// A key: yes or no.
    case yes, no
    /// A line: the digits of the other side, or anything else for no.
    case typed(String)
  }

  public enum Action: Equatable, Sendable {
    case tell(Notice)
    case start(Peer.ID)
    case confirm
    case reject
    case leave(Ending)
  }

  public enum Ending: Equatable, Sendable { case paired, refused, notFound, noAnswer }

  public enum Stage: Equatable, Sendable {
    /// For somebody to be chosen, or to begin.
    case waiting
    /// The other side has to run the same.
    case beginning(Peer.ID)
    case comparing(String, Peer.ID, name: String, since: ContinuousClock.Instant)
    case confirmed
    case ended
  }

  /// A key that was pressed when the question came was meant for something else.
  static let readingTime: Duration = .milliseconds(500)

  public private(set) var lobby = Lobby(.pair, policy: .any, capacity: 1)
  public private(set) var stage = Stage.waiting
  private var wish: PeerWish?
  private let deadline: ContinuousClock.Instant

  public init(wish: String?, deadline: ContinuousClock.Instant) {
    self.wish = wish.map { PeerWish($0, deadline: deadline) }
    self.deadline = deadline
  }

  public mutating func handle(_ input: Input, at now: ContinuousClock.Instant) -> [Action] {
    switch input {
    case .lobby(let input):
      let told = lobby.handle(input).compactMap { action -> Action? in
        if case .tell(let notice) = action { .tell(notice) } else { nil }
      }
      return told + look(at: now)
    case .tick:
      switch stage {
      case .waiting, .beginning, .comparing, .confirmed:
        return now >= deadline ? end(.noAnswer, "not paired in time") : look(at: now)
      case .ended: return []
      }
    case .chose(let id):
      guard stage == .waiting else { return [] }
      return begin(id)
    case .digits(let code, let id, let name):
      switch stage {
      case .waiting, .beginning:
        stage = .comparing(code, id, name: name, since: now)
        return [
          .tell(.event("\(shownName(name)) (\(id.short)) must show the same digits: \(Self.spaced(code))"))
        ]
      case .comparing, .confirmed, .ended: return []
      }
    case .answer(let answer): return answered(answer, at: now)
    case .paired(let name, let id):
      guard stage != .ended else { return [] }
      stage = .ended
      return [.tell(.event("paired with \(shownName(name)) (\(id.short))")), .leave(.paired)]
    case .failed(let reason):
      switch stage {
      // Somebody's attempt that never came to digits: others may come.
      case .waiting: return [.tell(.problem(reason))]
      case .beginning, .comparing, .confirmed: return end(.refused, "not paired: \(reason)")
      case .ended: return []
      }
    }
  }

  static func spaced(_ code: String) -> String { "\(code.prefix(3)) \(code.dropFirst(3))" }

  private mutating func look(at now: ContinuousClock.Instant) -> [Action] {
    guard stage == .waiting, var wish = wish else { return [] }
    let step = wish.step(lobby, at: now)
    self.wish = wish
    switch step {
    case .wait: return []
    case .take(let id): return begin(id)
    case .refuse(let reason): return end(.refused, reason)
    case .notFound(let reason): return end(.notFound, reason)
    }
  }

  private mutating func begin(_ id: Peer.ID) -> [Action] {
    stage = .beginning(id)
    return [.start(id), .tell(.event("asking \(lobby.directory.label(id)) (\(id.short))"))]
  }

  private mutating func answered(_ answer: Answer, at now: ContinuousClock.Instant) -> [Action] {
    guard case .comparing(let code, _, _, let since) = stage else { return [] }
    let isSame: Bool
    switch answer {
    case .yes, .no:
      guard since.duration(to: now) >= Self.readingTime else { return [] }
      isSame = answer == .yes
    case .typed(let text): isSame = text.filter { $0 != " " } == code
    }
    guard isSame else { return [.reject] + end(.refused, "not paired: the digits were not confirmed") }
    stage = .confirmed
    return [.confirm, .tell(.event("confirmed; waiting for the other side"))]
  }

  private mutating func end(_ ending: Ending, _ reason: String) -> [Action] {
    stage = .ended
    return [.tell(.problem(reason)), .leave(ending)]
  }
}

public import Configuration
public import PeerConnectivity

/// The tap game with whoever is found: choosing an opponent, rounds, and the end of it.
public struct TapModel: Sendable {
  public enum Input: Equatable, Sendable {
    case lobby(Lobby.Input)
    case message(Peer.ID, [UInt8])
    /// A key of the game was pressed.
    case press
    /// The person wants another round.
    case again
    case chose(Peer.ID)
    case answer(accepts: Bool)
    case tick
  }

  public enum Action: Equatable, Sendable {
    case tell(Notice)
    case invite(Peer.ID)
    case answer(Question, accepts: Bool, reason: String)
    case send(TapMessage, to: Peer.ID)
    case started
    case ended(TapGame.Result)
    /// There is no game (any more) for this reason; the program ends.
    case leave(Ending)
  }

  public enum Ending: Equatable, Sendable {
    /// As the person wished, after a round.
    case done
    case opponentLost
    case refused(String)
    case notFound(String)
  }

  public private(set) var lobby: Lobby
  public private(set) var game = TapGame()
  public private(set) var opponent: Peer.ID?
  /// What else arrives in a session is no message of the game; it is counted.
  public private(set) var unknownMessages = 0
  private var wish: PeerWish?
  private let playsOnce: Bool
  private let deadline: ContinuousClock.Instant?

  /// - Parameters:
  ///   - wish: the opponent that was named.
  ///   - playsOnce: whether the program ends after a round.
  ///   - deadline: until when somebody has to be found.
  public init(policy: AcceptPolicy, wish: String?, playsOnce: Bool, deadline: ContinuousClock.Instant?) {
    lobby = Lobby(.tap, policy: policy, capacity: 1)
    self.wish = wish.map { PeerWish($0, deadline: deadline) }
    self.playsOnce = playsOnce
    self.deadline = deadline
  }

  public mutating func handle(_ input: Input, at now: ContinuousClock.Instant) -> [Action] {
    switch input {
    case .lobby(let input): return met(input, at: now) + look(at: now)
    case .message(let id, let bytes):
      guard id == opponent else { return [] }
      guard let message = TapMessage(bytes) else {
        unknownMessages += 1
        return []
      }
      return played(game.received(message, at: now))
    case .press: return played(game.press(at: now))
    case .again: return played(game.ready(at: now))
    case .chose(let id): return translated(lobby.invite(id))
    case .answer(let accepts): return translated(lobby.answer(accepts: accepts))
    case .tick:
      if let deadline, opponent == nil, wish == nil, now >= deadline {
        return [.leave(.notFound("no opponent came"))]
      }
      return look(at: now) + played(game.tick(at: now))
    }
  }

  private mutating func look(at now: ContinuousClock.Instant) -> [Action] {
    guard opponent == nil, var wish = wish else { return [] }
    let step = wish.step(lobby, at: now)
    self.wish = wish
    switch step {
    case .wait: return []
    case .take(let id):
      self.wish = nil
      return translated(lobby.invite(id))
    case .refuse(let reason): return [.leave(.refused(reason))]
    case .notFound(let reason): return [.leave(.notFound(reason))]
    }
  }

  private mutating func met(_ input: Lobby.Input, at now: ContinuousClock.Instant) -> [Action] {
    let actions = translated(lobby.handle(input))
    switch input {
    case .connected(let id, _, _):
      guard opponent == nil else { return actions }
      opponent = id
      game = TapGame()
      // Both are there, so both are ready for the first round.
      return actions + played(game.ready(at: now))
    case .disconnected(let id, _):
      guard id == opponent else { return actions }
      game.opponentLost()
      opponent = nil
      return actions + [.leave(.opponentLost)]
    case .found, .lost, .invited, .withdrawn, .invitationFailed, .offered, .transferBroke:
      return actions
    }
  }

  private func translated(_ actions: [Lobby.Action]) -> [Action] {
    actions.map { action in
      switch action {
      case .tell(let notice): .tell(notice)
      case .invite(let id): .invite(id)
      case .answer(let question, let accepts, let reason): .answer(question, accepts: accepts, reason: reason)
      }
    }
  }

  private func played(_ actions: [TapGame.Action]) -> [Action] {
    actions.flatMap { action -> [Action] in
      switch action {
      case .send(let message): opponent.map { [.send(message, to: $0)] } ?? []
      case .started: [.started]
      case .ended(let result): playsOnce ? [.ended(result), .leave(.done)] : [.ended(result)]
      }
    }
  }

  /// How a round ended, for the person; the counts are in the order of the names.
  public func words(_ result: TapGame.Result) -> String {
    let name = opponent.map(lobby.directory.label) ?? "the other side"
    let counts = "\(game.ownCount) to \(game.theirCount)"
    switch result {
    case .won: return "you win, \(counts)"
    case .lost: return "\(name) wins, \(game.theirCount) to \(game.ownCount)"
    case .drawn: return "a draw, \(counts)"
    case .unknown: return "no winner: \(name) did not say how it ended"
    }
  }
}

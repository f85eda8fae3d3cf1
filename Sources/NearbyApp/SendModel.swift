public import Configuration
public import PeerConnectivity

/// Sending things to one peer, one after another: which, to whom, and what came of it.
public struct SendModel: Sendable {
  public enum Input: Equatable, Sendable {
    case lobby(Lobby.Input)
    case tick
    case choseFiles([String])
    case chose(Peer.ID)
    case answer(accepts: Bool)
    case sent
    case failed(Failure)
  }

  public enum Failure: Equatable, Sendable {
    /// Declined or cancelled, by whichever side.
    case refused
    case lost
  }

  public enum Action: Equatable, Sendable {
    case tell(Notice)
    case invite(Peer.ID)
    case answer(Question, accepts: Bool, reason: String)
    case send(path: String, to: Peer.ID)
    case leave(Ending)
  }

  public enum Ending: Equatable, Sendable {
    case done
    case refused(String?)
    case notFound(String)
    case noAnswer(String?)
  }

  public enum Stage: Equatable, Sendable {
    case choosingFiles
    case choosingPeer
    /// A peer was named, and is not found yet; or an address is being connected.
    case looking
    /// It is a stranger: is it the right one?
    case asking(Peer.ID)
    case inviting(Peer.ID)
    case sending(Peer.ID)
    case ended
  }

  public private(set) var lobby: Lobby
  public private(set) var stage: Stage
  private var paths: [String]
  private var wish: PeerWish?
  private let dials: Bool
  private let deadline: ContinuousClock.Instant?
  private var failure: Failure?

  /// - Parameters:
  ///   - paths: empty when the person chooses.
  ///   - wish: the peer that was named; nil when the person chooses, or when an address is dialled.
  ///   - dials: whether an address is dialled.
  ///   - deadline: until when the peer has to be connected; nil where a person chooses.
  public init(
    policy: AcceptPolicy, paths: [String], wish: String?, dials: Bool, deadline: ContinuousClock.Instant?
  ) {
    lobby = Lobby(.files, policy: policy, capacity: 1)
    self.paths = paths
    self.wish = wish.map { PeerWish($0, deadline: deadline) }
    self.dials = dials
    self.deadline = deadline
    stage = paths.isEmpty ? .choosingFiles : wish == nil && !dials ? .choosingPeer : .looking
  }

  public mutating func handle(_ input: Input, at now: ContinuousClock.Instant) -> [Action] {
    switch input {
    case .lobby(let input): return met(input) + look(at: now)
    case .tick: return look(at: now)
    case .choseFiles(let chosen):
      guard stage == .choosingFiles, !chosen.isEmpty else { return [] }
      paths = chosen
      if let id = lobby.directory.connected.first?.id { return connected(id) }
      stage = wish == nil && !dials ? .choosingPeer : .looking
      return look(at: now)
    case .chose(let id):
      guard stage == .choosingPeer else { return [] }
      return invite(id)
    case .answer(let accepts):
      guard case .asking(let id) = stage else { return [] }
      guard accepts else { return end(.refused(nil)) }
      return lobby.directory[id]?.state == .connected ? begin(id) : invite(id)
    case .sent: return next()
    case .failed(let reason):
      failure = failure ?? reason
      return next()
    }
  }

  private mutating func look(at now: ContinuousClock.Instant) -> [Action] {
    switch stage {
    case .looking:
      if dials {
        guard let deadline, now >= deadline else { return [] }
        return end(.noAnswer("no connection in time"))
      }
      guard var wish = wish else { return [] }
      let step = wish.step(lobby, at: now)
      self.wish = wish
      switch step {
      case .wait: return []
      case .take(let id):
        // Typed in full the identity is pinned; a name alone says nothing about a stranger.
        if lobby.policy == .ask, lobby.directory[id]?.isPaired != true, wish.text != id.hex {
          stage = .asking(id)
          return []
        }
        return invite(id)
      case .refuse(let reason): return end(.refused(reason))
      case .notFound(let reason): return end(.notFound(reason))
      }
    case .choosingFiles, .choosingPeer, .asking, .inviting, .sending, .ended: return []
    }
  }

  private mutating func invite(_ id: Peer.ID) -> [Action] {
    let actions = translated(lobby.invite(id))
    if actions.contains(.invite(id)) { stage = .inviting(id) }
    return actions
  }

  private mutating func met(_ input: Lobby.Input) -> [Action] {
    let actions = translated(lobby.handle(input))
    switch input {
    case .connected(let id, _, let isPaired):
      switch stage {
      case .choosingFiles: return actions
      case .looking where lobby.policy == .ask && !isPaired && dials:
        stage = .asking(id)
        return actions
      case .looking, .choosingPeer, .asking, .inviting: return actions + begin(id)
      case .sending, .ended: return actions
      }
    case .disconnected(let id, _):
      switch stage {
      // The transfer itself tells how it ended; it may go on when the peer is back.
      case .sending, .ended, .choosingFiles, .choosingPeer, .looking, .inviting: return actions
      case .asking(let asked): return asked == id && dials ? actions + end(.noAnswer(nil)) : actions
      }
    case .invitationFailed: return actions
    case .found, .lost, .invited, .withdrawn, .offered, .offerEnded: return actions
    }
  }

  /// The invitation led to nothing. Where a person chose, another one can be chosen.
  public mutating func invitationFailed(_ ending: Ending) -> [Action] {
    guard case .inviting = stage else { return [] }
    if wish == nil, !dials {
      stage = .choosingPeer
      return []
    }
    return end(ending)
  }

  private mutating func connected(_ id: Peer.ID) -> [Action] { begin(id) }

  private mutating func begin(_ id: Peer.ID) -> [Action] {
    stage = .sending(id)
    return next()
  }

  private mutating func next() -> [Action] {
    guard case .sending(let id) = stage else { return [] }
    guard paths.isEmpty else { return [.send(path: paths.removeFirst(), to: id)] }
    switch failure {
    case nil: return end(.done)
    case .refused?: return end(.refused(nil))
    case .lost?: return end(.noAnswer(nil))
    }
  }

  private mutating func end(_ ending: Ending) -> [Action] {
    stage = .ended
    return [.leave(ending)]
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
}

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
    /// The peer said goodbye: it does not come back by itself.
    case peerLeft
  }

  public enum Failure: Equatable, Sendable {
    /// Declined or cancelled, by whichever side.
    case refused
    /// The connection broke; what arrived is kept over there.
    case broken
    /// It cannot be sent, for other reasons.
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
    /// The connection broke in the middle: what is there is kept, and it goes on when the peer is back.
    case resuming(Peer.ID, until: ContinuousClock.Instant)
    case ended
  }

  /// How often one thing is begun again without that the peer was away in between.
  static let maximumAttempts = 3

  public private(set) var lobby: Lobby
  public private(set) var stage: Stage
  private var paths: [String]
  private var wish: PeerWish?
  private let dials: Bool
  private let deadline: ContinuousClock.Instant?
  private let patience: Duration
  private var failure: Failure?
  private var current: String?
  private var attempts = 0
  private var hasLeft = false

  /// - Parameters:
  ///   - patience: how long to wait for a peer that was lost in the middle.
  ///   - paths: empty when the person chooses.
  ///   - wish: the peer that was named; nil when the person chooses, or when an address is dialled.
  ///   - dials: whether an address is dialled.
  ///   - deadline: until when the peer has to be connected; nil where a person chooses.
  public init(
    policy: AcceptPolicy, paths: [String], wish: String?, dials: Bool, deadline: ContinuousClock.Instant?,
    patience: Duration = .seconds(30)
  ) {
    self.patience = patience
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
    case .tick:
      if case .resuming(_, let until) = stage, now >= until { return giveUp("it did not come back in time") }
      return look(at: now)
    case .choseFiles(let chosen):
      guard stage == .choosingFiles, !chosen.isEmpty else { return [] }
      paths = chosen
      if let peer = lobby.directory.connected.first { return metByDialling(peer.id, isPaired: peer.isPaired) }
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
    case .failed(let reason): return failed(reason, at: now)
    case .peerLeft:
      hasLeft = true
      if case .resuming = stage { return giveUp("it left") }
      return []
    }
  }

  private mutating func failed(_ reason: Failure, at now: ContinuousClock.Instant) -> [Action] {
    guard case .sending(let id) = stage else { return [] }
    guard reason == .broken, !hasLeft else {
      failure = failure ?? reason
      return next()
    }
    if lobby.directory[id]?.state == .connected {
      // The connection of the transfer broke and the session did not.
      attempts += 1
      guard attempts < Self.maximumAttempts, let current else {
        failure = failure ?? reason
        return next()
      }
      return [.tell(.event("trying again")), .send(path: current, to: id)]
    }
    stage = .resuming(id, until: now.advanced(by: patience))
    return [.tell(.event("waiting for \(lobby.directory.label(id)) to come back"))]
  }

  private mutating func giveUp(_ reason: String) -> [Action] {
    end(.noAnswer(reason))
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
    case .choosingFiles, .choosingPeer, .asking, .inviting, .sending, .resuming, .ended: return []
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
      case .looking: return actions + metByDialling(id, isPaired: isPaired)
      case .choosingPeer, .asking, .inviting: return actions + begin(id)
      case .resuming(let lost, _):
        guard lost == id, let current else { return actions }
        stage = .sending(id)
        attempts = 0
        return actions + [.send(path: current, to: id)]
      case .sending, .ended: return actions
      }
    case .disconnected(let id, _):
      switch stage {
      // The transfer itself tells how it ended; it may go on when the peer is back.
      case .sending, .resuming, .ended, .choosingFiles, .choosingPeer, .looking, .inviting: return actions
      case .asking(let asked): return asked == id && dials ? actions + end(.noAnswer(nil)) : actions
      }
    case .invitationFailed: return actions
    case .found, .lost, .invited, .withdrawn, .offered, .transferBroke: return actions
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

  /// An address says nothing about who answers there.
  private mutating func metByDialling(_ id: Peer.ID, isPaired: Bool) -> [Action] {
    guard lobby.policy == .ask, dials, !isPaired else { return begin(id) }
    stage = .asking(id)
    return []
  }

  private mutating func begin(_ id: Peer.ID) -> [Action] {
    stage = .sending(id)
    return next()
  }

  private mutating func next() -> [Action] {
    guard case .sending(let id) = stage else { return [] }
    attempts = 0
    if !paths.isEmpty, !hasLeft {
      let path = paths.removeFirst()
      current = path
      return [.send(path: path, to: id)]
    }
    switch failure {
    case nil: return end(hasLeft && !paths.isEmpty ? .noAnswer("it left before everything was sent") : .done)
    case .refused?: return end(.refused(nil))
    case .broken?, .lost?: return end(.noAnswer(nil))
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

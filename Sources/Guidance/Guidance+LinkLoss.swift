import Vehicle

extension Guidance {
  /// How long the client in control has been silent; nil when there is none.
  func silence(at now: Instant) -> Duration? {
    controller.flatMap { clients[$0] }.map { $0.heardAt.duration(to: now) }
  }

  /// The answer to a silent client: once each, and only for a vehicle that flies by our doing.
  mutating func watchLink(at now: Instant) {
    guard let controller, let silence = silence(at: now) else { return }
    if silence >= rules.silenceBeforeNoTargets, linkStage == .live {
      linkStage = .silent
      event(.clientSilent(controller))
    }
    guard isVehiclePresent, case .ours(let assignment) = control else { return }
    var isTakingOff = false
    if case .takingOff = assignment { isTakingOff = true }
    if let returnAfter = rules.returnAfter, silence >= returnAfter, linkStage < .returning, !isOnGround {
      linkStage = .returning
      linkGivenUpAt = now
      giveUp(assignment, controller, at: now)
    } else if silence >= rules.holdAfter, linkStage < .holding, !isOnGround || isTakingOff {
      linkStage = .holding
      linkGivenUpAt = now
      let action = standStill(at: now)
      setLatch(.linkLoss, by: controller, at: now)
      event(.linkLost(controller, action: action))
    }
  }

  private mutating func giveUp(_ assignment: Assignment, _ controller: ClientID, at now: Instant) {
    setLatch(.linkLoss, by: controller, at: now)
    let isComingDown =
      switch assignment {
      case .landing: isMode([.land])
      case .returning: isMode([.returnToLaunch, .land])
      case .takingOff, .targets, .holding, .waiting: false
      }
    guard !isComingDown else { return event(.linkLost(controller, action: nil)) }
    let action: VehicleAction
    switch rules.linkLossAction {
    case .land where vehicle.kind?.canLand == false, .returnToLaunch:
      action = .returnToLaunch
      assign(.returning, at: now)
    case .land:
      action = .land
      assign(.landing, at: now)
    }
    performInsisting(action, for: nil, at: now)
    event(.linkLost(controller, action: action))
  }

  /// The client lives: it was heard, or was alive `delay` ago.
  mutating func heard(_ client: ClientID, delay: Duration, at now: Instant) {
    let aliveAt = now.advanced(by: .zero - max(.zero, delay))
    if clients[client] == nil {
      // Frames come from sessions that were announced; a frame that came first is no reason to lose it.
      makeRoomForClient()
      clients[client] = ClientRecord(name: client.rawValue, at: aliveAt)
    } else if let record = clients[client] {
      clients[client]?.heardAt = max(record.heardAt, aliveAt)
      clients[client]?.isConnected = true
    }
    // What was given up on purpose waits for somebody who asks.
    if controller != client, control == .none, isControllerGone(at: now) { take(control: client) }
    guard controller == client, linkStage != .live, let silence = silence(at: now),
      silence < rules.silenceBeforeNoTargets
    else { return }
    linkStage = .live
    // A hold is carried through. A return that is not confirmed is the operator's to decide again.
    if let insistence, insistence.action != .hold, latch == .linkLoss { self.insistence = nil }
    event(.linkRestored(client))
  }

  /// A bound on what strangers to this flight can make us remember; the one in control is never dropped.
  mutating func makeRoomForClient() {
    guard clients.count >= 64 else { return }
    let oldest = clients.filter { $0.key != controller }.min { left, right in
      (left.value.isConnected ? 1 : 0, left.value.heardAt) < (
        right.value.isConnected ? 1 : 0, right.value.heardAt
      )
    }
    if let oldest { clients[oldest.key] = nil }
  }

  // MARK: Insisting

  mutating func reportInsistence(_ progress: ActionProgress, at now: Instant) {
    guard var current = insistence else { return }
    let reason: String
    switch progress {
    case .forwarded: return
    case .accepted:
      insistence = nil
      return
    case .refused(let text), .unknown(let text): reason = text
    case .superseded: reason = "something else took its place"
    }
    if current.lastReason != reason {
      event(.actionFailed(current.action, attempt: current.attempts, reason: reason))
    }
    current.lastReason = reason
    current.retryAt = now.advanced(
      by: current.attempts < Rules.quickRetries ? Rules.retryInterval : Rules.slowRetryInterval)
    insistence = current
  }

  mutating func insist(at now: Instant) {
    guard isVehiclePresent, let current = insistence, let retryAt = current.retryAt, now >= retryAt else {
      return
    }
    guard vehicle.isArmed != false else {
      insistence = nil
      return
    }
    let ticket = perform(current.action, for: nil, at: now)
    insistence = Insistence(
      action: current.action, ticket: ticket, attempts: current.attempts + 1, lastReason: current.lastReason)
  }
}

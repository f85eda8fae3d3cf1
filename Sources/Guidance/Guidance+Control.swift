import Vehicle

extension Guidance {
  /// A client's wish for control, until the holder answers or the time is over.
  struct ControlRequest: Equatable {
    var reference: CommandReference
    let deadline: Instant

    var asker: ClientID { reference.client }
  }

  /// Why control went to another client.
  public enum HandOverReason: Equatable, Sendable {
    case handedOver
    case unanswered
    /// The holder left or fell silent.
    case holderGone
  }

  /// What one command about control leads to, decided from who holds it and who asks.
  enum ControlAnswer: Equatable {
    /// The sender has control already; a request of another is refused by that.
    case isHolder
    /// Nobody holds it against others.
    case take
    case ask
    /// The same client asks again: the time goes on as it was.
    case askedAlready
    case refuse(Refusal)
  }

  // MARK: Commands

  mutating func control(_ verb: Verb, of command: Command, at now: Instant) {
    let reference = command.reference(verb)
    if isShuttingDown { return refuse(reference, .shuttingDown) }
    // Whoever asked and waited has given up or is somewhere else by now, and would be surprised.
    if command.delay > rules.commandFreshness { return refuse(reference, .lateControl(command.delay)) }
    switch verb {
    case .takeControl: takeControl(reference, at: now)
    case .handOver: handOver(reference, at: now)
    case .keep: keep(reference, at: now)
    case .stop, .land, .returnToLaunch, .takeoff, .reset, .goTo, .coordinate: break
    }
  }

  private mutating func takeControl(_ reference: CommandReference, at now: Instant) {
    switch answer(to: reference.client, at: now) {
    case .isHolder:
      isControlReleased = false
      refuseRequest(at: now)
      receipt(reference, .accepted)
    case .take:
      take(control: reference.client)
      receipt(reference, .accepted)
    case .ask:
      controlRequest = ControlRequest(
        reference: reference, deadline: now.advanced(by: rules.controlAnswerTime))
      event(.controlAsked(by: reference.client, of: controller ?? reference.client))
      receipt(reference, .received)
    case .askedAlready:
      receipt(controlRequest?.reference, .superseded)
      controlRequest?.reference = reference
      receipt(reference, .received)
    case .refuse(let refusal):
      refuse(reference, refusal)
      event(.controlRefused(to: reference.client, reason: refusal.text))
    }
  }

  func answer(to asker: ClientID, at now: Instant) -> ControlAnswer {
    if controller == asker { return .isHolder }
    guard let controller, !isControlFree(at: now) else { return .take }
    if let controlRequest {
      guard controlRequest.asker != asker else { return .askedAlready }
      return .refuse(
        .othersRequest(name(of: controlRequest.asker), now.duration(to: controlRequest.deadline)))
    }
    // A holder that has a vehicle to watch is not to be asked again and again.
    if let keptAt = clients[asker]?.keptAt, keptAt.duration(to: now) < rules.controlAnswerTime {
      let left = rules.controlAnswerTime - keptAt.duration(to: now)
      return .refuse(.keptLately(name(of: controller), left))
    }
    return .ask
  }

  private mutating func handOver(_ reference: CommandReference, at now: Instant) {
    guard isHolder(reference, at: now) else { return }
    if controlRequest != nil {
      grant(.handedOver, at: now)
    } else {
      endFollowing(at: now)
      // It stays the one whose silence is watched, until somebody takes the vehicle: one in flight is never nobody's.
      isControlReleased = true
      hasControllerAsked = false
      event(.controlReleased(by: reference.client))
    }
    receipt(reference, .accepted)
  }

  private mutating func keep(_ reference: CommandReference, at now: Instant) {
    guard isHolder(reference, at: now) else { return }
    isControlReleased = false
    refuseRequest(at: now)
    receipt(reference, .accepted)
  }

  private mutating func isHolder(_ reference: CommandReference, at now: Instant) -> Bool {
    guard controller != reference.client else { return true }
    let holder = isControlFree(at: now) ? nil : controller.map(name(of:))
    refuse(reference, .notHolder(holder))
    return false
  }

  // MARK: Requests

  /// Ends the open request when its time is over, its asker is gone, or nobody holds control against it any more.
  mutating func settleControlRequest(at now: Instant) {
    guard let request = controlRequest else { return }
    guard let asker = clients[request.asker], asker.isConnected,
      asker.heardAt.duration(to: now) < rules.holdAfter
    else {
      controlRequest = nil
      refuse(request.reference, .askerGone)
      return event(.controlRequestOver(of: request.asker))
    }
    if isControlFree(at: now) {
      grant(.holderGone, at: now)
    } else if now >= request.deadline {
      grant(.unanswered, at: now)
    }
  }

  private mutating func grant(_ reason: HandOverReason, at now: Instant) {
    guard let request = controlRequest else { return }
    controlRequest = nil
    endFollowing(at: now)
    let holder = controller
    assignControl(to: request.asker)
    event(.controlHandedOver(to: request.asker, by: holder ?? request.asker, reason))
    receipt(request.reference, .accepted)
  }

  /// The holder keeps control.
  private mutating func refuseRequest(at now: Instant) {
    guard let request = controlRequest, let controller else { return }
    controlRequest = nil
    clients[request.asker]?.keptAt = now
    refuse(request.reference, .kept(name(of: controller)))
    event(.controlKept(by: controller, from: request.asker))
  }

  /// The session in which control was asked for is over.
  mutating func withdrawControlRequest(of client: ClientID) {
    guard let request = controlRequest, request.asker == client else { return }
    controlRequest = nil
    receipt(request.reference, .unknown(reason: "the session ended before the answer; ask again"))
    event(.controlRequestOver(of: client))
  }

  // MARK: Control

  mutating func take(control client: ClientID) {
    if controller == client {
      isControlReleased = false
      return
    }
    assignControl(to: client)
    event(.controlTaken(by: client))
  }

  /// Whose coordinates counted does not matter any more: they count again when the new holder asks.
  private mutating func assignControl(to client: ClientID) {
    controller = client
    isControlReleased = false
    hasControllerAsked = false
    linkStage = .live
  }

  /// Control goes to another: a vehicle that flies to the coordinates of the one before holds. Everything else goes on.
  mutating func endFollowing(at now: Instant) {
    guard case .ours(.targets) = control else { return }
    _ = standStill(at: now)
  }

  /// Nobody holds control against others: no client yet, or the one that had it gave it up, left or fell silent.
  func isControlFree(at now: Instant) -> Bool {
    isControlReleased || isControllerGone(at: now)
  }

  func isControllerGone(at now: Instant) -> Bool {
    guard let controller, let record = clients[controller] else { return true }
    return !record.isConnected || record.heardAt.duration(to: now) >= rules.holdAfter
  }

  /// Whether the client may command; takes control where nobody holds it.
  mutating func mayCommand(_ reference: CommandReference, at now: Instant) -> Bool {
    if let controller, controller != reference.client, !isControlFree(at: now) {
      refuse(reference, .notInControl(name(of: controller)))
      return false
    }
    take(control: reference.client)
    return true
  }
}

import Geodesy
public import Vehicle

extension Guidance {
  /// A new session of a trusted client. Sequence numbers begin anew with it; a connection that merely moved to another path within the
  /// same session is not to be announced again.
  public mutating func clientConnected(_ id: ClientID, name: String, at now: ContinuousClock.Instant)
    -> [Decision]
  {
    if clients[id] == nil { makeRoomForClient() }
    closeReferences(of: id)
    let heardBefore = clients[id]?.heardAt
    clients[id] = ClientRecord(name: name, at: heardBefore ?? now)
    heard(id, delay: .zero, at: now)
    return drain()
  }

  /// A session that counted as ended is back with all it had: its sequence numbers go on, so that what comes late is known for what it is, and
  /// the newest outcomes are told again.
  ///
  /// It is heard when its next frame comes, not by this.
  public mutating func clientResumed(_ id: ClientID, name: String, at now: ContinuousClock.Instant)
    -> [Decision]
  {
    guard let record = clients[id] else { return clientConnected(id, name: name, at: now) }
    clients[id]?.isConnected = true
    // What it was told in the silence is lost.
    for entry in record.newestOutcomes {
      let reference = CommandReference(
        client: id, sequence: entry.sequence, frame: entry.frame, verb: entry.verb)
      decisions.append(.receipt(reference, entry.outcome))
    }
    return drain()
  }

  /// The session ended. In flight a farewell counts as silence: the vehicle holds after `holdAfter` since the client was last heard, and
  /// control is free at once.
  ///
  /// - Parameter mayResume: it ended by silence alone and may come back with `clientResumed`.
  public mutating func clientDisconnected(
    _ id: ClientID, mayResume: Bool = false, at now: ContinuousClock.Instant
  ) -> [Decision] {
    if id == controller || mayResume {
      clients[id]?.isConnected = false
    } else {
      closeReferences(of: id)
      clients[id] = nil
    }
    settleControlRequest(at: now)
    return drain()
  }

  /// One frame of a trusted client. A frame without a coordinate and without flags keeps the client alive.
  public mutating func received(
    _ command: Command, vehicle state: VehicleState, at now: ContinuousClock.Instant
  ) -> [Decision] {
    observe(state, at: now)
    // First: who asked for control comes before whoever commands next.
    settleControlRequest(at: now)
    let holder = controller
    take(command, at: now)
    // Who took control flies nothing of the one before, also when what it asked for is refused.
    if controller != holder, !hasControllerAsked { endFollowing(at: now) }
    return drain()
  }

  private mutating func take(_ command: Command, at now: Instant) {
    let client = command.client
    heard(client, delay: command.delay, at: now)
    guard var record = clients[client] else { return }
    let isNewest = record.isNewest(sequence: command.sequence)
    var due: [Verb] = []
    for verb in command.verbs where verb != .coordinate {
      let reference = command.reference(verb)
      switch record.novelty(of: verb, sequence: command.sequence, isStopped: latch == .stop) {
      case .new: due.append(verb)
      case .outdated: refuse(reference, .outOfOrder)
      case .repeated(let outcome?): decisions.append(.receipt(reference, outcome))
      case .repeated(nil): break
      }
    }
    // Read again: refusals above are remembered in it.
    record = clients[client] ?? record
    record.note(sequence: command.sequence, verbs: command.verbs)
    if command.coordinate != nil { record.coordinateAt = now }
    clients[client] = record

    for verb in due where command.isHeldBack(verb, due) { receipt(command.reference(verb), .superseded) }
    due.removeAll { [due] in command.isHeldBack($0, due) }
    obey(due, of: command, at: now)

    // A client that does not count keeps `engage` raised; after the first frame it is the steady stream.
    let isAsked = due.contains(.goTo)
    let isStreamed = command.coordinate != nil && (!command.engage || command.sequence == nil)
    guard isAsked || isStreamed else {
      if command.verbs.isEmpty { tellNoCoordinate(client, at: now) }
      return
    }
    let reference = command.reference(isAsked ? .goTo : .coordinate)
    if due.contains(where: \.replacesCoordinate) {
      receipt(reference, .superseded)
    } else if isAsked || isNewest {
      coordinate(of: command, reference, isAsked: isAsked, at: now)
    } else if case .repeated(let outcome?) = record.novelty(
      of: .coordinate, sequence: command.sequence, isStopped: false)
    {
      decisions.append(.receipt(reference, outcome))
    }
  }

  /// Acts on the flags of a frame: the first of stop, land, return and takeoff; who is in control and the reset before them.
  private mutating func obey(_ due: [Verb], of command: Command, at now: Instant) {
    let action = due.first { $0 == .stop || $0 == .land || $0 == .returnToLaunch || $0 == .takeoff }
    if action == .stop { stop(command, at: now) }
    let wish = due.first(where: \.isAboutControl)
    if let wish { control(wish, of: command, at: now) }
    if due.contains(.reset) {
      if action == .stop { receipt(command.reference(.reset), .superseded) } else { reset(command, at: now) }
    }
    switch action {
    case .land: land(command, at: now)
    case .returnToLaunch: returnToLaunch(command, at: now)
    case .takeoff: takeoff(command, at: now)
    case .stop, .reset, .goTo, .coordinate, .takeControl, .handOver, .keep, nil: break
    }
    for verb in due where verb != action && verb != wish && verb != .reset && verb != .goTo {
      receipt(command.reference(verb), .superseded)
    }
  }

  // MARK: Commands

  /// Open to every trusted client, at any time, whatever else the frame is.
  private mutating func stop(_ command: Command, at now: Instant) {
    let reference = command.reference(.stop)
    if isControlFree(at: now) { take(control: command.client) }
    setLatch(.stop, by: command.client, at: now)
    let (action, assignment): (VehicleAction, Assignment) =
      switch rules.stopAction {
      // On the ground there is nothing to land or return.
      case _ where isOnGround: (.hold, .holding)
      case .hold: (.hold, .holding)
      // A stop must not end in a refusal because of how the vehicle moves.
      case .land where vehicle.kind?.canLand == false: (.hold, .holding)
      case .land: (.land, .landing)
      case .returnToLaunch: (.returnToLaunch, .returning)
      }
    // Tried even when heartbeats are late: the bytes may arrive.
    guard vehicle.heartbeatAt != nil else {
      if case .ours = control {
        assign(assignment, at: now)
        insistence = Insistence(action: action, ticket: 0, attempts: 0, retryAt: now)
      }
      return refuse(reference, .noVehicle)
    }
    if isOnGround, control == .none || vehicle.isArmed == false {
      control = .none
      perform(action, for: reference, at: now)
    } else {
      // On the ground too when armed: it may be about to leave it.
      assign(assignment, at: now)
      performInsisting(action, for: reference, at: now)
    }
    receipt(reference, .received)
  }

  private mutating func land(_ command: Command, at now: Instant) {
    let reference = command.reference(.land)
    guard mayCommand(reference, at: now) else { return }
    if let refusal = askedBeforeLinkLoss(command, at: now) { return refuse(reference, refusal) }
    guard vehicle.heartbeatAt != nil else { return refuse(reference, .noVehicle) }
    if vehicle.isArmed != false || control != .none { assign(.landing, at: now) }
    perform(.land, for: reference, at: now)
    receipt(reference, .received)
  }

  private mutating func returnToLaunch(_ command: Command, at now: Instant) {
    let reference = command.reference(.returnToLaunch)
    guard mayCommand(reference, at: now) else { return }
    if let refusal = askedBeforeLinkLoss(command, at: now) { return refuse(reference, refusal) }
    guard vehicle.heartbeatAt != nil else { return refuse(reference, .noVehicle) }
    guard isOnGround else {
      assign(.returning, at: now)
      perform(.returnToLaunch, for: reference, at: now)
      return receipt(reference, .received)
    }
    // On the ground a return could make it take off; landing ends whatever may be starting.
    if control != .none { assign(.landing, at: now) }
    perform(.land, for: reference, at: now)
    receipt(reference, .received)
  }

  private mutating func takeoff(_ command: Command, at now: Instant) {
    let reference = command.reference(.takeoff)
    guard mayCommand(reference, at: now) else { return }
    let altitude = command.takeoffAltitudeMeters ?? rules.takeoffAltitudeMeters
    if let refusal = takeoffRefusal(command, altitude: altitude, at: now) {
      return refuse(reference, refusal)
    }
    clearLatch(by: command.client)
    hasControllerAsked = true
    let ticket = perform(.takeoff(altitudeAboveHomeMeters: altitude), for: reference, at: now)
    assign(.takingOff(Takeoff(altitudeAboveHomeMeters: altitude, ticket: ticket)), at: now)
    receipt(reference, .received)
  }

  private func takeoffRefusal(_ command: Command, altitude: Double, at now: Instant) -> Refusal? {
    if isShuttingDown { return .shuttingDown }
    if let refusal = askedBeforeLatch(command, at: now) { return refusal }
    if command.delay > rules.commandFreshness { return .late(command.delay) }
    guard isVehiclePresent else { return .noVehicle }
    if case .ours(.takingOff) = control { return .takeoffUnderWay }
    if vehicle.isAirborne { return .alreadyFlying }
    let range =
      Rules.minimumTakeoffAltitudeMeters...max(Rules.minimumTakeoffAltitudeMeters, rules.maximumHeightMeters)
    guard range.contains(altitude) else { return .takeoffAltitude(altitude, rules.maximumHeightMeters) }
    if let minimum = rules.minimumBatteryPercent, let percent = vehicle.batteryPercent, percent < minimum {
      return .battery(percent, minimum)
    }
    // Without any position it could not come to the coordinate that is waiting.
    if command.coordinate != nil, vehicle.home == nil, vehicle.coordinate == nil {
      return .vehiclePositionUnknown
    }
    return nil
  }

  private mutating func reset(_ command: Command, at now: Instant) {
    let reference = command.reference(.reset)
    guard mayCommand(reference, at: now) else { return }
    if isShuttingDown { return refuse(reference, .shuttingDown) }
    if let refusal = askedBeforeLatch(command, at: now) { return refuse(reference, refusal) }
    clearLatch(by: command.client)
    lastRefusal = nil
    lastGoToFailure = nil
    clients[command.client]?.track = CoordinateTrack()
    clients[command.client]?.told = .nothing
    switch control {
    case .ours(.holding), .ours(.waiting):
      insistence = nil
      assign(.targets, at: now)
    // A landing or return goes on, and the pilot keeps the vehicle, until the operator asks for something else.
    case .ours(.takingOff), .ours(.targets), .ours(.landing), .ours(.returning), .pilot, .none: break
    }
    if rules.resetClearsAutopilot, isVehiclePresent, vehicle.isArmed == false, !vehicle.isAirborne,
      control == .none
    {
      perform(.rebootAutopilot, for: reference, at: now)
      return receipt(reference, .received)
    }
    receipt(reference, .accepted)
  }

  // MARK: Too late

  /// An ask that was on its way when another client stopped the vehicle, or when the vehicle gave the link up, was made without knowing of
  /// it. The same client's stops and asks are ordered by their sequence.
  func askedBeforeLatch(_ command: Command, at now: Instant) -> Refusal? {
    guard latch == .stop, let latchedAt, let latchedBy, latchedBy != command.client else {
      return askedBeforeLinkLoss(command, at: now)
    }
    return command.wasAsked(before: latchedAt, now) ? .askedBeforeStop(name(of: latchedBy)) : nil
  }

  /// What was on its way while the link was lost comes when the vehicle has already been brought to safety: not even a landing, wherever it
  /// may be by now, is what was meant. Only a stop still is.
  func askedBeforeLinkLoss(_ command: Command, at now: Instant) -> Refusal? {
    guard let linkGivenUpAt else { return nil }
    return command.wasAsked(before: linkGivenUpAt, now) ? .askedBeforeLinkLoss : nil
  }

  /// Some frames without a coordinate between others with one are nothing to tell.
  private mutating func tellNoCoordinate(_ client: ClientID, at now: Instant) {
    guard client == controller, let record = clients[client], record.told != .noPosition else { return }
    if let last = record.coordinateAt, last.duration(to: now) < rules.coordinateFreshness { return }
    clients[client]?.told = .noPosition
    event(.noCoordinate(from: client))
  }
}

extension Guidance.Command {
  fileprivate func wasAsked(before instant: ContinuousClock.Instant, _ now: ContinuousClock.Instant) -> Bool {
    now.advanced(by: .zero - max(.zero, delay)) < instant
  }

  /// Whether the frame still says something safer, on which it acted before: a client without numbers keeps its flags raised, and whoever
  /// says stop wants no takeoff.
  fileprivate func isHeldBack(_ verb: Guidance.Verb, _ due: [Guidance.Verb]) -> Bool {
    guard let safer = verbs.first(where: { $0 == .stop || $0 == .land || $0 == .returnToLaunch }),
      !due.contains(safer)
    else { return false }
    return switch verb {
    case .takeoff, .goTo: true
    case .returnToLaunch: safer != .returnToLaunch
    case .land, .reset: safer == .stop
    case .stop, .coordinate, .takeControl, .handOver, .keep: false
    }
  }

  func reference(_ verb: Guidance.Verb) -> Guidance.CommandReference {
    Guidance.CommandReference(client: client, sequence: sequence, frame: frame, verb: verb)
  }

  /// What the frame asks for, in the order of obedience.
  var verbs: [Guidance.Verb] {
    var verbs: [Guidance.Verb] = []
    if stop { verbs.append(.stop) }
    if land { verbs.append(.land) }
    if returnToLaunch { verbs.append(.returnToLaunch) }
    if takeoff { verbs.append(.takeoff) }
    if reset { verbs.append(.reset) }
    if takeControl { verbs.append(.takeControl) }
    if handOver { verbs.append(.handOver) }
    if keep { verbs.append(.keep) }
    if engage { verbs.append(.goTo) } else if coordinate != nil { verbs.append(.coordinate) }
    return verbs
  }
}

extension Guidance.Verb {
  /// Says who is in control, and nothing to the vehicle.
  var isAboutControl: Bool {
    switch self {
    case .takeControl, .handOver, .keep: true
    case .stop, .land, .returnToLaunch, .takeoff, .reset, .goTo, .coordinate: false
    }
  }

  /// A coordinate in the same frame is not flown to.
  fileprivate var replacesCoordinate: Bool {
    switch self {
    case .stop, .land, .returnToLaunch, .takeoff, .takeControl, .handOver, .keep: true
    case .reset, .goTo, .coordinate: false
    }
  }
}

import Geodesy
import Vehicle

extension Guidance {
  /// Flies to a coordinate or says why not. Asked for by the operator, it ends a stop and takes the vehicle back from other modes,
  /// but only when it can be flown to: a goto that is refused changes nothing.
  mutating func coordinate(
    of command: Command, _ reference: CommandReference, isAsked: Bool, at now: Instant
  ) {
    if isAsked {
      guard mayCommand(reference, at: now) else { return }
    } else if let controller, controller != command.client {
      let isFree = isControlFree(at: now)
      return ignore(reference, isFree ? .notAsked("control is free") : .notInControl(name(of: controller)))
    }
    guard let coordinate = command.coordinate else { return ignore(reference, .noCoordinate) }
    if let refusal = valueRefusal(command, coordinate) { return ignore(reference, refusal) }
    let fixedAt = now.advanced(by: .zero - (command.coordinateAge ?? .zero) - max(.zero, command.delay))
    // Judged on the ground too, so that the first coordinate in flight is compared with something.
    let jump =
      isAsked
      ? nil
      : clients[command.client]?.track.add(
        coordinate, at: fixedAt, speedMetersPerSecond: rules.maximumJumpSpeedMetersPerSecond)
    if let refusal = (isAsked ? askedRefusal(command, at: now) : streamRefusal())
      ?? placeRefusal(coordinate, command.manner)
    {
      return ignore(reference, refusal)
    }
    if let jump { return ignore(reference, .jump(jump)) }
    if isAsked {
      clients[command.client]?.track.restart(at: coordinate, fixedAt)
      clearLatch(by: command.client)
      hasControllerAsked = true
      assign(.targets, at: now)
      engagement = Engagement(client: command.client, sequence: command.sequence)
    }
    if clients[command.client]?.told != .flown {
      clients[command.client]?.told = .flown
      event(.coordinateFlown(from: command.client))
    }
    let freshUntil = min(
      now.advanced(by: Rules.glideFreshness), fixedAt.advanced(by: rules.coordinateFreshness))
    fly(
      towards: coordinate, command.manner, reference, isAsked: isAsked, freshUntil: freshUntil, at: now)
    receipt(reference, .received)
  }

  private mutating func ignore(_ reference: CommandReference, _ refusal: Refusal) {
    refuse(reference, refusal)
    guard clients[reference.client]?.told != .ignored(code: refusal.code) else { return }
    clients[reference.client]?.told = .ignored(code: refusal.code)
    event(.coordinateIgnored(from: reference.client, reason: refusal.text))
  }

  // MARK: Reasons against

  /// What is wrong with the coordinate by itself.
  private func valueRefusal(_ command: Command, _ coordinate: Coordinate) -> Refusal? {
    if coordinate.isNullIsland { return .nullIsland }
    let age = command.coordinateAge ?? .zero
    if age < .zero { return .badAge }
    let total = age + max(.zero, command.delay)
    if total > rules.coordinateFreshness { return .stale(total, rules.coordinateFreshness) }
    if let error = command.horizontalAccuracyMeters {
      // The range fails for NaN as well.
      guard (0...rules.maximumHorizontalErrorMeters).contains(error) else {
        return .inaccurate(error, rules.maximumHorizontalErrorMeters)
      }
    }
    return nil
  }

  /// Why the operator's own coordinate cannot be flown to now.
  private func askedRefusal(_ command: Command, at now: Instant) -> Refusal? {
    if isShuttingDown { return .shuttingDown }
    if let refusal = askedBeforeLatch(command, at: now) { return refusal }
    guard isVehiclePresent else { return .noVehicle }
    if case .ours(.takingOff) = control { return .takeoffUnderWay }
    return vehicle.isAirborne ? nil : .notFlying
  }

  /// Why a coordinate of the steady stream is not flown to now.
  private func streamRefusal() -> Refusal? {
    if isShuttingDown { return .shuttingDown }
    guard isVehiclePresent else { return .noVehicle }
    if let latch { return .latched(latch) }
    switch control {
    case .ours(.takingOff): return .takeoffUnderWay
    case .none:
      return vehicle.isAirborne ? .notAsked("the vehicle flies, but not by a command from here") : .notFlying
    case .pilot(let mode): return .pilot(mode)
    case .ours(.holding): return .notAsked("the vehicle holds")
    case .ours(.landing): return .notAsked("the vehicle is landing")
    case .ours(.returning): return .notAsked("the vehicle is returning")
    case .ours(.waiting): return .notAsked("the last command was not confirmed")
    case .ours(.targets): break
    }
    guard vehicle.isAirborne else { return .notFlying }
    guard isMode(modes(of: .targets)) else {
      return .otherMode(vehicle.modeName ?? vehicle.mode?.rawValue ?? "unknown")
    }
    return hasControllerAsked ? nil : .notAsked("control changed hands")
  }

  /// Why the place may not be flown to: neither the coordinate nor where the vehicle would be beside it.
  private func placeRefusal(_ coordinate: Coordinate, _ manner: Manner) -> Refusal? {
    guard let home = vehicle.home else { return .homeUnknown }
    for place in [coordinate, manner.place(beside: coordinate)].compactMap(\.self) {
      let distance = home.distanceMeters(to: place)
      if distance > rules.maximumDistanceMeters { return .tooFar(distance, rules.maximumDistanceMeters) }
      if let radius = rules.geofenceRadiusMeters, distance > radius { return .outsideFence(distance, radius) }
    }
    if let height = manner.heightMeters {
      let range =
        Rules.minimumTargetHeightMeters...max(Rules.minimumTargetHeightMeters, rules.maximumHeightMeters)
      guard range.contains(height) else { return .targetHeight(height, rules.maximumHeightMeters) }
    } else if rules.followHeightMeters > rules.maximumHeightMeters {
      return .tooHigh(rules.followHeightMeters, rules.maximumHeightMeters)
    }
    if standOff(manner) > 0, manner.bearingDegrees == nil, vehicle.coordinate == nil {
      return .vehiclePositionUnknown
    }
    return nil
  }

  // MARK: The target

  private mutating func fly(
    towards coordinate: Coordinate, _ manner: Manner, _ reference: CommandReference, isAsked: Bool,
    freshUntil: Instant, at now: Instant
  ) {
    approach?.freshUntil = freshUntil
    let beside = manner.place(beside: coordinate)
    guard let wanted = beside ?? stopShort(of: coordinate, by: standOff(manner), isAsked: isAsked) else {
      return
    }
    let height = manner.heightMeters ?? rules.followHeightMeters
    // A plane circles its target: one that moves on in pieces would keep it turning.
    let isPlane = vehicle.kind == .plane
    let speed = isPlane ? nil : manner.speedMetersPerSecond
    if !isAsked {
      // The operator waits for the answer to the ask; the stream goes on from there.
      if isAskOpen { return }
      if let target, let approach, target.altitudeAboveHomeMeters == height,
        approach.goal.distanceMeters(to: wanted) < Rules.targetDeadbandMeters,
        target.sentAt.duration(to: now) < Rules.resendAfter
      {
        return
      }
    }
    if isAsked || approach == nil || isPlane {
      approach = Approach(
        to: wanted, from: vehicle.coordinate, speedMetersPerSecond: speed, freshUntil: freshUntil, at: now)
    } else {
      approach?.turn(to: wanted, from: vehicle.coordinate, speedMetersPerSecond: speed, at: now)
    }
    send(height, for: reference, at: now)
  }

  private mutating func send(_ height: Double, for reference: CommandReference?, at now: Instant) {
    guard let aim = approach?.aim else { return }
    let ticket = perform(.goTo(aim, altitudeAboveHomeMeters: height), for: reference, at: now)
    target = Target(coordinate: aim, altitudeAboveHomeMeters: height, sentAt: now, ticket: ticket)
  }

  /// The next piece of the way, while coordinates are fresh and a coordinate of this moment would be flown to.
  mutating func moveOn(at now: Instant) {
    guard let target, !isAskOpen, linkStage == .live, streamRefusal() == nil,
      approach?.advance(to: now, position: vehicle.coordinate) == true
    else { return }
    send(target.altitudeAboveHomeMeters, for: nil, at: now)
  }

  /// A goto or follow of which the autopilot has not decided yet. A newer target would take its place and leave it without an answer.
  private var isAskOpen: Bool {
    guard let target else { return false }
    return pending.contains { $0.ticket == target.ticket && $0.reference?.verb == .goTo }
  }

  private func standOff(_ manner: Manner) -> Double { manner.distanceMeters ?? rules.standOffMeters }

  /// The point short of the coordinate by the stand-off, on the line from the vehicle; nil to stay.
  private func stopShort(of coordinate: Coordinate, by standOff: Double, isAsked: Bool) -> Coordinate? {
    guard standOff > 0, let position = vehicle.coordinate else { return coordinate }
    guard position.distanceMeters(to: coordinate) <= standOff else {
      let bearing = coordinate.bearingDegrees(to: position)
      return coordinate.moved(distanceMeters: standOff, bearingDegrees: bearing)
    }
    // Near enough. A target that was sent before the operator came closer is given up where the vehicle is, lest it passes overhead.
    if isAsked { return position }
    guard let target else { return nil }
    let isTooNear =
      target.coordinate.distanceMeters(to: coordinate) < standOff - Rules.targetDeadbandMeters
    let isUnderWay = position.distanceMeters(to: target.coordinate) > 2
    return isTooNear && isUnderWay ? position : nil
  }
}

extension Guidance.Manner {
  /// Where the vehicle is wanted on the side that the operator chose; nil when none was.
  fileprivate func place(beside coordinate: Coordinate) -> Coordinate? {
    guard let distanceMeters, let bearingDegrees else { return nil }
    return coordinate.moved(distanceMeters: distanceMeters, bearingDegrees: bearingDegrees)
  }
}

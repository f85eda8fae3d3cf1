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
    if let refusal = (isAsked ? askedRefusal(command, at: now) : streamRefusal()) ?? placeRefusal(coordinate)
    {
      return ignore(reference, refusal)
    }
    if let jump { return ignore(reference, .jump(jump)) }
    if isAsked {
      clients[command.client]?.track.restart(at: coordinate, fixedAt)
      clearLatch(by: command.client)
      hasControllerAsked = true
      assign(.targets, at: now)
    }
    if clients[command.client]?.told != .flown {
      clients[command.client]?.told = .flown
      event(.coordinateFlown(from: command.client))
    }
    fly(towards: coordinate, reference, isAsked: isAsked, at: now)
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

  /// Why the place may not be flown to.
  private func placeRefusal(_ coordinate: Coordinate) -> Refusal? {
    guard let home = vehicle.home else { return .homeUnknown }
    let distance = home.distanceMeters(to: coordinate)
    if distance > rules.maximumDistanceMeters { return .tooFar(distance, rules.maximumDistanceMeters) }
    if let radius = rules.geofenceRadiusMeters, distance > radius { return .outsideFence(distance, radius) }
    if rules.followHeightMeters > rules.maximumHeightMeters {
      return .tooHigh(rules.followHeightMeters, rules.maximumHeightMeters)
    }
    if rules.standOffMeters > 0, vehicle.coordinate == nil { return .vehiclePositionUnknown }
    return nil
  }

  // MARK: The target

  private mutating func fly(
    towards coordinate: Coordinate, _ reference: CommandReference, isAsked: Bool, at now: Instant
  ) {
    guard let wanted = stopShort(of: coordinate, isAsked: isAsked) else {
      return receipt(reference, .received)
    }
    if !isAsked, let target, target.altitudeAboveHomeMeters == rules.followHeightMeters,
      target.coordinate.distanceMeters(to: wanted) < Rules.targetDeadbandMeters,
      target.sentAt.duration(to: now) < Rules.resendAfter
    {
      return receipt(reference, .received)
    }
    let height = rules.followHeightMeters
    let ticket = perform(.goTo(wanted, altitudeAboveHomeMeters: height), for: reference, at: now)
    target = Target(coordinate: wanted, altitudeAboveHomeMeters: height, sentAt: now, ticket: ticket)
    receipt(reference, .received)
  }

  /// The point short of the coordinate by the stand-off, on the line from the vehicle; nil to stay.
  private func stopShort(of coordinate: Coordinate, isAsked: Bool) -> Coordinate? {
    guard rules.standOffMeters > 0, let position = vehicle.coordinate else { return coordinate }
    guard position.distanceMeters(to: coordinate) <= rules.standOffMeters else {
      let bearing = coordinate.bearingDegrees(to: position)
      return coordinate.moved(distanceMeters: rules.standOffMeters, bearingDegrees: bearing)
    }
    // Near enough. A target that was sent before the operator came closer is given up where the vehicle is, lest it passes overhead.
    if isAsked { return position }
    guard let target else { return nil }
    let isTooNear =
      target.coordinate.distanceMeters(to: coordinate) < rules.standOffMeters - Rules.targetDeadbandMeters
    let isUnderWay = position.distanceMeters(to: target.coordinate) > 2
    return isTooNear && isUnderWay ? position : nil
  }
}

import Geodesy
import Vehicle

extension Guidance {
  /// On the ground as far as is known; unknown counts as flying wherever holding is at stake.
  var isOnGround: Bool {
    if vehicle.isArmed == false { return true }
    return vehicle.landed == .onGround && vehicle.kind?.isOnSurface != true
  }

  func isMode(_ modes: [FlightMode]) -> Bool { vehicle.mode.map(modes.contains) ?? false }

  /// The modes that belong to an assignment; any other that appears is somebody else's doing.
  func modes(of assignment: Assignment) -> [FlightMode] {
    // PX4 flies to targets and holds in one mode.
    let isOneMode = vehicle.autopilot != .ardupilot
    return switch assignment {
    case .takingOff: isOneMode ? [.guided, .takeoff, .hold] : [.guided, .takeoff]
    case .targets: isOneMode || mayLeaveHold ? [.guided, .hold] : [.guided]
    case .holding: isOneMode ? [.hold, .guided] : [.hold]
    case .landing: [.land]
    // A return ends in a landing, which some autopilots show as such.
    case .returning: [.returnToLaunch, .land]
    case .waiting: [.guided, .takeoff, .hold]
    }
  }

  mutating func observe(_ new: VehicleState, at now: Instant) {
    let old = vehicle
    vehicle = new
    if hasRestarted(from: old.uptimeMilliseconds, to: new.uptimeMilliseconds) {
      voidPending("the autopilot restarted before it answered; look at the vehicle and ask again")
      control = .none
      modeSeen = new.mode
      mayLeaveHold = false
      decisions.append(.abandon)
      event(.vehicleRestarted)
    }
    observePresence(at: now)
    // While unheard, what is left in the state is old news.
    guard isVehiclePresent else { return }
    observeMode(at: now)
    observeFlight(at: now)
    observeFence(at: now)
    observeArrival()
  }

  /// The clock of the autopilot went back by more than reordering explains, and did not just wrap after 49 days.
  private func hasRestarted(from old: UInt32?, to new: UInt32?) -> Bool {
    guard let old, let new, new < old else { return false }
    let isWrap = old > 0xF000_0000 && new < 0x1000_0000
    return !isWrap && old - new > Rules.restartUptimeFallMilliseconds
  }

  private mutating func observePresence(at now: Instant) {
    let isPresent = vehicle.heartbeatAt.map { $0.duration(to: now) <= Rules.vehicleSilence } ?? false
    guard isPresent != isVehiclePresent else { return }
    isVehiclePresent = isPresent
    guard !isPresent else { return event(.vehicleHeard) }
    // Authority is kept: when it is heard again in our mode, in flight, a silent client must still lead to a hold. Targets wait for
    // the operator, since nobody knows what happened meanwhile.
    let unconfirmed = insistence
    voidPending("the autopilot is not heard any more; look at the vehicle and ask again")
    // The one thing that outlives the loss: a stop or hold that was not confirmed is due as soon as the vehicle is heard in our mode.
    insistence = unconfirmed
    insistence?.retryAt = now
    switch control {
    case .ours(.takingOff), .ours(.targets):
      control = .ours(.waiting)
      engagement = nil
    case .ours(.holding), .ours(.landing), .ours(.returning), .ours(.waiting), .pilot, .none: break
    }
    decisions.append(.abandon)
    event(.vehicleLost)
  }

  private mutating func observeMode(at now: Instant) {
    guard let mode = vehicle.mode else { return }
    let before = modeSeen
    modeSeen = mode
    let modeName = vehicle.modeName ?? mode.rawValue
    switch control {
    case .none: return
    case .pilot:
      control = .pilot(modeName: modeName)
    case .ours(let assignment):
      guard let before, mode != before else { return }
      if modes(of: assignment).contains(mode) {
        // Once guided again, a later hold is not ours.
        if mode == .guided, case .targets = assignment { mayLeaveHold = false }
        return
      }
      if let graceUntil, now < graceUntil, graceModes.contains(mode) { return }
      voidPending("mode \(modeName) was set by the pilot or the autopilot; look at the vehicle")
      control = .pilot(modeName: modeName)
      mayLeaveHold = false
      decisions.append(.abandon)
      event(.tookOver(modeName: modeName, isFailsafe: vehicle.isFailsafe == true))
    }
  }

  private mutating func observeFlight(at now: Instant) {
    if case .ours(.takingOff(let takeoff)) = control, let completeBy = takeoff.completeBy {
      climb(takeoff, completeBy: completeBy, at: now)
    }
    guard vehicle.isArmed == false else { return }
    switch control {
    case .none: return
    // Not armed yet.
    case .ours(.takingOff(let takeoff)) where takeoff.completeBy == nil: return
    case .ours, .pilot: break
    }
    let wasInsisting = insistence != nil
    control = .none
    target = nil
    approach = nil
    insistence = nil
    mayLeaveHold = false
    if latch != .stop { latch = nil }
    if wasInsisting { decisions.append(.abandon) }
    event(.flightOver)
  }

  private mutating func climb(_ takeoff: Takeoff, completeBy: Instant, at now: Instant) {
    let goal = takeoff.altitudeAboveHomeMeters * Rules.takeoffReachedShare
    // PX4 leaves its takeoff mode by itself; a target before that would cut the climb short.
    if let altitude = vehicle.altitudeAboveHomeMeters, altitude >= goal, vehicle.mode != .takeoff {
      assign(.targets, at: now)
      event(.takeoffComplete)
    } else if now >= completeBy {
      assign(.waiting, at: now)
      let height = vehicle.altitudeAboveHomeMeters.map(Refusal.length) ?? "an unknown height"
      event(
        .takeoffIncomplete(
          reason:
            "at \(height) instead of \(Refusal.length(takeoff.altitudeAboveHomeMeters)); ask with goto or follow, or land"
        ))
    }
  }

  /// Holds once when the guided vehicle crosses the fence outwards; outside already, it may be brought back.
  private mutating func observeFence(at now: Instant) {
    var breach: String?
    if let height = vehicle.altitudeAboveHomeMeters,
      height > rules.maximumHeightMeters + Rules.fenceMarginMeters
    {
      breach = "height \(Refusal.length(height)), limit \(Refusal.length(rules.maximumHeightMeters))"
    }
    if let radius = rules.geofenceRadiusMeters, let home = vehicle.home, let coordinate = vehicle.coordinate {
      let distance = home.distanceMeters(to: coordinate)
      if distance > radius + Rules.fenceMarginMeters {
        breach = "\(Refusal.length(distance)) from home, limit \(Refusal.length(radius))"
      }
    }
    let wasInside = isInsideFence
    isInsideFence = breach == nil
    guard let breach, wasInside, !isOnGround else { return }
    switch control {
    case .ours(.takingOff), .ours(.targets), .ours(.waiting): break
    case .ours(.holding), .ours(.landing), .ours(.returning), .pilot, .none: return
    }
    event(.fenceBreached(reason: breach))
    setLatch(.fence, by: nil, at: now)
    _ = standStill(at: now)
  }

  /// Told once for each goto or follow.
  private mutating func observeArrival() {
    guard case .ours(.targets) = control else {
      engagement = nil
      return
    }
    guard let engagement, !engagement.hasArrived, let approach, approach.isThere, let target,
      let coordinate = vehicle.coordinate
    else { return }
    let isPlane = vehicle.kind == .plane
    guard
      coordinate.distanceMeters(to: approach.goal)
        <= (isPlane ? Rules.planeArrivalMeters : Rules.arrivalMeters)
    else { return }
    if !isPlane {
      if let speed = vehicle.groundSpeedMetersPerSecond, speed > Rules.arrivalSpeedMetersPerSecond { return }
      if let height = vehicle.altitudeAboveHomeMeters, vehicle.kind?.isOnSurface != true,
        abs(height - target.altitudeAboveHomeMeters) > Rules.arrivalMeters
      {
        return
      }
    }
    self.engagement?.hasArrived = true
    event(.arrived(for: engagement.client))
  }

  // MARK: Reports of actions

  mutating func report(_ ticket: UInt32, _ progress: ActionProgress, at now: Instant) {
    guard let index = pending.firstIndex(where: { $0.ticket == ticket }) else { return }
    let entry = pending[index]
    if progress.isFinal { pending.remove(at: index) }
    receipt(entry.reference, outcome(of: progress))
    guard progress.isFinal else { return }
    if insistence?.ticket == ticket {
      reportInsistence(progress, at: now)
      return
    }
    switch entry.action {
    case .takeoff: reportTakeoff(ticket, progress, at: now)
    case .goTo: reportGoTo(ticket, progress)
    case .land: if case .ours(.landing) = control, progress.isRefusal { assign(.waiting, at: now) }
    case .returnToLaunch:
      if case .ours(.returning) = control, progress.isRefusal { assign(.waiting, at: now) }
    case .hold, .rebootAutopilot: break
    }
  }

  private func outcome(of progress: ActionProgress) -> Outcome {
    switch progress {
    case .forwarded: .forwarded
    case .accepted: .accepted
    case .refused(let reason): .refused(reason: reason)
    case .unknown(let reason): .unknown(reason: reason)
    case .superseded: .superseded
    }
  }

  private mutating func reportTakeoff(_ ticket: UInt32, _ progress: ActionProgress, at now: Instant) {
    guard case .ours(.takingOff(var takeoff)) = control, takeoff.ticket == ticket else { return }
    switch progress {
    case .forwarded: return
    case .accepted:
      let climb = Duration.seconds(takeoff.altitudeAboveHomeMeters / Rules.slowestClimbMetersPerSecond)
      takeoff.completeBy = now.advanced(by: climb + Rules.spinUp)
      control = .ours(.takingOff(takeoff))
      observeFlight(at: now)
    case .refused(let reason):
      if isOnGround { control = .none } else { assign(.waiting, at: now) }
      event(.takeoffIncomplete(reason: reason))
    case .unknown(let reason):
      // It may climb yet: as long as it may, it stays ours, so that a silent client leads to a hold.
      if vehicle.isArmed == false { control = .none } else { assign(.waiting, at: now) }
      event(.takeoffIncomplete(reason: reason))
    case .superseded:
      if isOnGround { control = .none } else { assign(.waiting, at: now) }
    }
  }

  private mutating func reportGoTo(_ ticket: UInt32, _ progress: ActionProgress) {
    switch progress {
    case .accepted: lastGoToFailure = nil
    case .refused(let reason), .unknown(let reason):
      guard let target, target.ticket == ticket else { return }
      // Forgotten, so that the next coordinate is sent even if it is the same.
      self.target = nil
      if lastGoToFailure != reason {
        lastGoToFailure = reason
        event(
          .actionFailed(
            .goTo(target.coordinate, altitudeAboveHomeMeters: target.altitudeAboveHomeMeters), attempt: 1,
            reason: reason))
      }
    case .forwarded, .superseded: break
    }
  }
}

extension ActionProgress {
  fileprivate var isRefusal: Bool {
    if case .refused = self { true } else { false }
  }
}

import Geodesy
import MAVLink
import Vehicle

extension ArduPilotDriver {
  typealias Instant = ContinuousClock.Instant

  // MARK: Beginning a step

  mutating func change(
    to mode: FlightMode, for order: Order, limit: Duration, _ situation: Situation, _ now: Instant
  ) -> [DriverOutput] {
    let number: CopterMode =
      switch mode {
      // Never LOITER for a stop: without a pilot's radio it descends to the ground.
      case .hold: .brake
      case .land: .land
      case .returnToLaunch: .rtl
      case .guided, .takeoff, .other: .guided
      }
    let command = command(
      .doSetMode, Float(ModeFlags.customModeEnabled.rawValue), Float(number.rawValue), situation)
    phase = .changingMode(
      .init(
        order: order, mode: mode,
        command: CommandInFlight(command, policy: .persistent(limit: limit), at: now)))
    return [.send(.command(command), for: order)]
  }

  mutating func arm(
    _ order: Order, _ height: Double, _ situation: Situation, _ now: Instant
  ) -> [DriverOutput] {
    if situation.state.isArmed == true { return lift(order, height, situation, now) }
    explanations = []
    let command = command(.componentArmDisarm, 1, 0, situation)
    phase = .arming(
      .init(
        order: order, heightMeters: height,
        command: CommandInFlight(command, policy: .once(limit: Self.armLimit), at: now)))
    return [.send(.command(command), for: order)]
  }

  mutating func lift(
    _ order: Order, _ height: Double, _ situation: Situation, _ now: Instant
  ) -> [DriverOutput] {
    explanations = []
    let command = command(.navTakeoff, 0, 0, p7: Float(height), situation)
    phase = .lifting(
      .init(
        order: order, heightMeters: height,
        startHeightMeters: situation.state.altitudeAboveHomeMeters ?? 0,
        command: CommandInFlight(command, policy: .once(limit: Self.takeoffLimit), at: now)))
    return [.send(.command(command), for: order)]
  }

  mutating func target(
    _ coordinate: Coordinate, _ height: Double, for order: Order, _ situation: Situation, _ now: Instant
  ) -> [DriverOutput] {
    phase = .targeting(
      .init(
        order: order, coordinate: coordinate, heightMeters: height, firstSentAt: now, lastSentAt: now,
        sends: 1, startDistanceMeters: situation.state.coordinate?.distanceMeters(to: coordinate)))
    return [.send(.target(message(coordinate, height, situation)), for: order)]
  }

  mutating func reboot(
    _ order: Order, isAtRest: Bool, _ situation: Situation, _ now: Instant
  ) -> [DriverOutput] {
    guard isAtRest else {
      return [.progress(order, .refused(reason: "only on the ground and disarmed"))]
    }
    let command = command(.preflightRebootShutdown, 1, 0, situation)
    phase = .rebooting(
      .init(order: order, command: CommandInFlight(command, policy: .once(limit: Self.rebootLimit), at: now)))
    return [.send(.command(command), for: order)]
  }

  // MARK: Moving on when the vehicle shows it

  mutating func advance(_ situation: Situation, at now: Instant) -> [DriverOutput] {
    let state = situation.state
    switch phase {
    case .idle: return []
    case .changingMode(let step):
      guard isProven(step.command, state.mode == step.mode, situation, now) else { return [] }
      switch step.order.action {
      case .takeoff(let height): return arm(step.order, height, situation, now)
      case .goTo(let coordinate, let height):
        return target(coordinate, height, for: step.order, situation, now)
      case .hold, .land, .returnToLaunch, .rebootAutopilot: return finish(step.order, .accepted)
      }
    case .arming(let step):
      if let outputs = endIfModeLeft(step.order, state) { return outputs }
      guard isProven(step.command, state.isArmed == true, situation, now) else { return [] }
      return lift(step.order, step.heightMeters, situation, now)
    case .lifting(let step):
      if let outputs = endIfModeLeft(step.order, state) { return outputs }
      let gained = (state.altitudeAboveHomeMeters ?? step.startHeightMeters) - step.startHeightMeters
      let isClimbing =
        gained > Self.climbProofMeters || state.landed == .takingOff || state.landed == .inAir
      guard isProven(step.command, isClimbing, situation, now) else { return [] }
      // At half a metre a second, the slowest climb that is of any use.
      let giveUpAt = now.advanced(by: .seconds(30 + step.heightMeters * 2))
      phase = .climbing(.init(order: step.order, heightMeters: step.heightMeters, giveUpAt: giveUpAt))
      return [.progress(step.order, .accepted)] + advance(situation, at: now)
    case .climbing(let step):
      // Unknown is no reason to give up: the state is void for a moment after a restart or silence.
      if state.isArmed == false || (state.mode != nil && state.mode != .guided) {
        phase = .idle
        return []
      }
      guard let height = state.altitudeAboveHomeMeters, height >= step.heightMeters * 0.95 else { return [] }
      phase = .idle
      return [.takeoffComplete(step.order)]
    case .targeting(let step):
      if let outputs = endIfModeLeft(step.order, state) { return outputs }
      return isTargetTaken(step, situation) ? finish(step.order, .accepted) : []
    case .rebooting: return []
    case .refusing(let step):
      if let mode = step.provingMode, state.mode == mode, let heard = state.heartbeatAt, heard > step.since,
        step.order.action.isModeOnly
      {
        return finish(step.order, .accepted)
      }
      return []
    }
  }

  // MARK: Time limits

  mutating func expire(_ situation: Situation, at now: Instant) -> [DriverOutput] {
    switch phase {
    case .idle: return []
    case .climbing(let step):
      if now >= step.giveUpAt { phase = .idle }
      return []
    case .changingMode(var step):
      if let command = step.command.resend(at: now) {
        phase = .changingMode(step)
        return [.send(.command(command), for: step.order)]
      }
      return expire(
        step.order, step.command, now, asked: "the mode change",
        missing: "the mode is still \(situation.state.modeName ?? "unknown")")
    case .arming(let step):
      return expire(step.order, step.command, now, asked: "arming", missing: "the vehicle did not arm")
    case .lifting(let step):
      return expire(
        step.order, step.command, now, asked: "the takeoff", missing: "no climb was seen",
        proofLimit: Self.liftLimit)
    case .targeting(var step):
      guard step.lastSentAt.duration(to: now) >= Self.targetInterval else { return [] }
      if step.sends == Self.targetSends {
        return finish(step.order, .unknown(reason: "no sign that the vehicle took the target"))
      }
      step.sends += 1
      step.lastSentAt = now
      phase = .targeting(step)
      return [.send(.target(message(step.coordinate, step.heightMeters, situation)), for: step.order)]
    case .rebooting(let step):
      return expire(
        step.order, step.command, now, asked: "the restart", missing: "no restart was seen",
        proofLimit: Self.rebootLimit)
    case .refusing(let step):
      let isTextOver =
        explanations.last.map { max($0.at, step.since).duration(to: now) >= Self.textPause } ?? false
      guard isTextOver || step.since.duration(to: now) >= Self.textPatience else { return [] }
      return finish(step.order, .refused(reason: reason(step, at: now)))
    }
  }

  private mutating func expire(
    _ order: Order, _ command: CommandInFlight, _ now: Instant, asked: String, missing: String,
    proofLimit: Duration = Self.proofLimit
  ) -> [DriverOutput] {
    if let acknowledgedAt = command.acknowledgedAt {
      guard acknowledgedAt.duration(to: now) >= proofLimit else { return [] }
      return finish(order, .unknown(reason: "acknowledged, but \(missing)"))
    }
    guard command.isOver(at: now) else { return [] }
    return finish(
      order,
      .unknown(reason: "no acknowledgement of \(asked) in \(command.policy.limit.components.seconds) s"))
  }

  // MARK: Small pieces

  private mutating func finish(_ order: Order, _ progress: ActionProgress) -> [DriverOutput] {
    phase = .idle
    return [.progress(order, progress)]
  }

  /// A pilot or a failsafe who changes the mode takes the vehicle back.
  private mutating func endIfModeLeft(_ order: Order, _ state: VehicleState) -> [DriverOutput]? {
    guard let mode = state.mode, mode != .guided else { return nil }
    return finish(order, .refused(reason: "the flight mode changed to \(state.modeName ?? mode.rawValue)"))
  }

  /// Acknowledged and shown by a heartbeat after the command; or shown, and the acknowledgement lost.
  private func isProven(
    _ command: CommandInFlight, _ isShown: Bool, _ situation: Situation, _ now: Instant
  ) -> Bool {
    guard isShown, let heard = situation.state.heartbeatAt, heard > command.firstSentAt else { return false }
    return command.result == .accepted
      || command.firstSentAt.duration(to: now) >= Self.lostAcknowledgementGrace
  }

  private func isTargetTaken(_ step: ArduPilotPhase.Targeting, _ situation: Situation) -> Bool {
    let state = situation.state
    if let report = situation.reportedTarget, report.at > step.firstSentAt,
      let reported = Coordinate(e7: report.latitudeE7, report.longitudeE7),
      reported.distanceMeters(to: step.coordinate) < 1
    {
      guard let altitude = report.altitudeMSLMeters, let home = state.homeAltitudeMSLMeters else {
        return true
      }
      if abs(altitude - home - step.heightMeters) < 2 { return true }
    }
    // The report may be missing: coming closer is as good.
    if let start = step.startDistanceMeters, let here = state.coordinate, let positionAt = state.positionAt,
      positionAt > step.firstSentAt
    {
      return start - here.distanceMeters(to: step.coordinate) > 2
    }
    return false
  }

  /// Asks for the heartbeat that proves a step, which would otherwise come up to a second later.
  func askForHeartbeat(_ order: Order, _ situation: Situation) -> [DriverOutput] {
    [.send(.command(command(.requestMessage, Float(Heartbeat.messageID), 0, situation)), for: order)]
  }

  private func command(
    _ id: CommandID, _ p1: Float, _ p2: Float, p7: Float = 0, _ situation: Situation
  ) -> CommandLong {
    CommandLong(
      targetSystem: situation.address.systemID, targetComponent: situation.address.componentID, command: id,
      param1: p1, param2: p2, param7: p7)
  }

  private func message(
    _ coordinate: Coordinate, _ height: Double, _ situation: Situation
  ) -> SetPositionTargetGlobalInt {
    SetPositionTargetGlobalInt(
      targetSystem: situation.address.systemID, targetComponent: situation.address.componentID,
      // Above home whatever the map says; position only, all three axes.
      coordinateFrame: .globalRelativeAltInt, typeMask: PositionTargetTypeMask(rawValue: 0x0DF8),
      latInt: Int32((coordinate.latitude * 1e7).rounded()),
      lonInt: Int32((coordinate.longitude * 1e7).rounded()), alt: Float(height))
  }
}

extension VehicleAction {
  /// Whether a change of mode is all there is to it.
  fileprivate var isModeOnly: Bool {
    switch self {
    case .hold, .land, .returnToLaunch: true
    case .takeoff, .goTo, .rebootAutopilot: false
    }
  }
}

import Geodesy
import MAVLink
import Vehicle

extension SequencedDriver {
  typealias Instant = ContinuousClock.Instant

  // MARK: Beginning a step

  mutating func change(
    to mode: FlightMode, for order: Order, limit: Duration, _ situation: Situation, _ now: Instant
  ) -> [DriverOutput] {
    let command = Firmware.command(setting: mode, for: situation)
    phase = .changingMode(
      .init(
        order: order, mode: mode,
        command: CommandInFlight(command, policy: .persistent(limit: limit), at: now)))
    return [.send(.command(command), for: order)]
  }

  mutating func stop(_ order: Order, _ situation: Situation, _ now: Instant) -> [DriverOutput] {
    guard let command = Firmware.commandToStop(for: situation) else {
      return change(to: .hold, for: order, limit: DriverLimits.stopLimit, situation, now)
    }
    phase = .stopping(
      .init(
        order: order,
        command: CommandInFlight(
          command, policy: .persistent(limit: DriverLimits.stopLimit), at: now),
        peakMetersPerSecond: situation.state.groundSpeedMetersPerSecond))
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
        command: CommandInFlight(command, policy: .once(limit: DriverLimits.armLimit), at: now)))
    return [.send(.command(command), for: order)]
  }

  mutating func lift(
    _ order: Order, _ height: Double, _ situation: Situation, _ now: Instant
  ) -> [DriverOutput] {
    explanations = []
    guard let command = Firmware.commandToTakeOff(to: height, for: situation) else {
      return finish(order, .refused(reason: DriverLimits.homeUnknown))
    }
    phase = .lifting(
      .init(
        order: order, heightMeters: height,
        startHeightMeters: situation.state.altitudeAboveHomeMeters ?? 0,
        command: CommandInFlight(command, policy: .once(limit: DriverLimits.takeoffLimit), at: now)))
    return [.send(.command(command), for: order)]
  }

  mutating func target(
    _ coordinate: Coordinate, _ height: Double, for order: Order, _ situation: Situation, _ now: Instant
  ) -> [DriverOutput] {
    guard let target = Firmware.target(coordinate, height, for: situation) else {
      return finish(order, .refused(reason: DriverLimits.homeUnknown))
    }
    phase = .targeting(
      .init(
        order: order, coordinate: coordinate, heightMeters: height, firstSentAt: now, lastSentAt: now,
        sends: 1, startDistanceMeters: situation.state.coordinate?.distanceMeters(to: coordinate)))
    return [.send(target, for: order)]
  }

  mutating func reboot(
    _ order: Order, isAtRest: Bool, _ situation: Situation, _ now: Instant
  ) -> [DriverOutput] {
    guard isAtRest else {
      return [.progress(order, .refused(reason: "only on the ground and disarmed"))]
    }
    let command = command(.preflightRebootShutdown, 1, 0, situation)
    phase = .rebooting(
      .init(
        order: order,
        command: CommandInFlight(command, policy: .once(limit: DriverLimits.rebootLimit), at: now)))
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
    case .stopping(var step):
      let speed = state.groundSpeedMetersPerSecond
      step.peakMetersPerSecond = [step.peakMetersPerSecond, speed].compactMap { $0 }.max()
      phase = .stopping(step)
      // The mode alone proves nothing where it is the mode of flying to a target as well.
      guard step.command.result == .accepted, isSlowing(speed, from: step.peakMetersPerSecond),
        isProven(step.command, state.mode == .hold, situation, now)
      else { return [] }
      return finish(step.order, .accepted)
    case .arming(let step):
      if let outputs = endIfModeLeft(Firmware.takeoffModes, step.order, state) { return outputs }
      guard isProven(step.command, state.isArmed == true, situation, now) else { return [] }
      return lift(step.order, step.heightMeters, situation, now)
    case .lifting(let step):
      if let outputs = endIfModeLeft(Firmware.takeoffModes, step.order, state) { return outputs }
      let gained = (state.altitudeAboveHomeMeters ?? step.startHeightMeters) - step.startHeightMeters
      let isClimbing =
        gained > DriverLimits.climbProofMeters || state.landed == .takingOff || state.landed == .inAir
        || state.mode == .takeoff
      guard isProven(step.command, isClimbing, situation, now) else { return [] }
      return finish(step.order, .accepted)
    case .checking(let step):
      guard let heard = state.heartbeatAt, heard > step.since else { return [] }
      if let outputs = endIfModeLeft(Firmware.modesToCheckBeforeTarget, step.order, state) { return outputs }
      return target(step.coordinate, step.heightMeters, for: step.order, situation, now)
    case .targeting(let step):
      // An acknowledgement ends it.
      guard let modes = Firmware.targetModes else { return [] }
      if let outputs = endIfModeLeft(modes, step.order, state) { return outputs }
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
    case .changingMode(var step):
      if let command = step.command.resend(at: now) {
        phase = .changingMode(step)
        return [.send(.command(command), for: step.order)]
      }
      if let rejection = step.rejection, let acceptedAt = step.command.acknowledgedAt,
        acceptedAt.duration(to: now) >= DriverLimits.proofLimit
      {
        refuse(step.order, rejection, "the flight mode", proving: step.mode, at: now)
        return []
      }
      return expire(
        step.order, step.command, now, asked: "the mode change",
        missing: "the mode is still \(situation.state.modeName ?? "unknown")")
    case .stopping(var step):
      if let command = step.command.resend(at: now) {
        phase = .stopping(step)
        return [.send(.command(command), for: step.order)]
      }
      return expire(
        step.order, step.command, now, asked: "the stop",
        missing: situation.state.mode == .hold
          ? "the vehicle does not slow down"
          : "the mode is still \(situation.state.modeName ?? "unknown")")
    case .arming(let step):
      return expire(step.order, step.command, now, asked: "arming", missing: "the vehicle did not arm")
    case .lifting(let step):
      return expire(
        step.order, step.command, now, asked: "the takeoff", missing: "no climb was seen",
        proofLimit: DriverLimits.liftLimit)
    case .checking(let step):
      guard step.since.duration(to: now) >= DriverLimits.checkLimit else { return [] }
      return finish(step.order, .unknown(reason: "no heartbeat told the flight mode"))
    case .targeting(var step):
      guard step.lastSentAt.duration(to: now) >= DriverLimits.targetInterval else { return [] }
      if step.sends == DriverLimits.targetSends {
        // Only the acknowledgement may be lost.
        if isTargetTaken(step, situation) { return finish(step.order, .accepted) }
        return finish(step.order, .unknown(reason: "no sign that the vehicle took the target"))
      }
      guard let target = Firmware.target(step.coordinate, step.heightMeters, for: situation) else {
        return []
      }
      step.sends += 1
      step.lastSentAt = now
      phase = .targeting(step)
      return [.send(target, for: step.order)]
    case .rebooting(let step):
      return expire(
        step.order, step.command, now, asked: "the restart", missing: "no restart was seen",
        proofLimit: DriverLimits.rebootLimit)
    case .refusing(let step):
      let isTextOver =
        explanations.last.map { max($0.at, step.since).duration(to: now) >= DriverLimits.textPause } ?? false
      guard isTextOver || step.since.duration(to: now) >= DriverLimits.textPatience else { return [] }
      return finish(step.order, .refused(reason: reason(step, at: now)))
    }
  }

  private mutating func expire(
    _ order: Order, _ command: CommandInFlight, _ now: Instant, asked: String, missing: String,
    proofLimit: Duration = DriverLimits.proofLimit
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

  mutating func finish(_ order: Order, _ progress: ActionProgress) -> [DriverOutput] {
    phase = .idle
    return [.progress(order, progress)]
  }

  /// A pilot or a failsafe who changes the mode takes the vehicle back.
  private mutating func endIfModeLeft(
    _ modes: [FlightMode], _ order: Order, _ state: VehicleState
  ) -> [DriverOutput]? {
    guard let mode = state.mode, !modes.contains(mode) else { return nil }
    return finish(order, .refused(reason: "the flight mode changed to \(state.modeName ?? mode.rawValue)"))
  }

  /// Acknowledged and shown by a heartbeat after the command; or shown, and the acknowledgement lost.
  private func isProven(
    _ command: CommandInFlight, _ isShown: Bool, _ situation: Situation, _ now: Instant
  ) -> Bool {
    guard isShown, let heard = situation.state.heartbeatAt, heard > command.firstSentAt else { return false }
    return command.result == .accepted
      || command.firstSentAt.duration(to: now) >= DriverLimits.lostAcknowledgementGrace
  }

  /// Unknown is taken for slowing: the acknowledgement and the mode are there.
  private func isSlowing(_ speed: Double?, from peak: Double?) -> Bool {
    guard let speed, let peak else { return true }
    return speed < 0.5 || speed < peak * 0.8
  }

  private func isTargetTaken(_ step: DriverPhase.Targeting, _ situation: Situation) -> Bool {
    let state = situation.state
    if let report = situation.reportedTarget, report.at > step.firstSentAt,
      let reported = Coordinate(e7: report.latitudeE7, report.longitudeE7),
      reported.distanceMeters(to: step.coordinate) < 1
    {
      guard Firmware.targetsHaveHeight, let altitude = report.altitudeMSLMeters,
        let home = state.homeAltitudeMSLMeters
      else {
        return true
      }
      if abs(altitude - home - step.heightMeters) < 2 { return true }
    }
    // The report may be missing: coming closer is as good, and so is having stayed where it was wanted already.
    guard let start = step.startDistanceMeters, let here = state.coordinate,
      let positionAt = state.positionAt,
      positionAt > step.firstSentAt
    else { return false }
    let distance = here.distanceMeters(to: step.coordinate)
    return start - distance > 2
      || distance < 2 && step.firstSentAt.duration(to: positionAt) >= DriverLimits.targetInterval
  }

  /// Asks for the heartbeat that proves a step, which would otherwise come up to a second later.
  func askForHeartbeat(_ order: Order, _ situation: Situation) -> [DriverOutput] {
    [.send(.command(command(.requestMessage, Float(Heartbeat.messageID), 0, situation)), for: order)]
  }

  private func command(
    _ id: CommandID, _ p1: Float, _ p2: Float, _ situation: Situation
  ) -> CommandLong {
    CommandLong(
      targetSystem: situation.address.systemID, targetComponent: situation.address.componentID, command: id,
      param1: p1, param2: p2)
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

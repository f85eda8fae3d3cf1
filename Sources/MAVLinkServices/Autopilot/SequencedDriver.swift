import Geodesy
public import MAVLink
import Vehicle

/// The sequences of steps that carry out an action, each confirmed by acknowledgement and state.
///
/// They are the same for every autopilot; what is asked for in a step, and what proves it, is the firmware's.
public struct SequencedDriver<Firmware: AutopilotFirmware>: AutopilotDriver {
  var phase: DriverPhase = .idle
  /// Texts since the step began, at most a few.
  var explanations: [VehicleText] = []
  /// The last arming check that failed, which ArduPilot repeats every 30 s unasked.
  private var lastArmingText: VehicleText?
  /// Acknowledgements of a superseded command that may still arrive.
  private var strayAcknowledgements = 0
  private var strayCommand: CommandID?
  private var straysEndAt: ContinuousClock.Instant?

  public init() {}

  public var isActionUnderWay: Bool { phase != .idle }

  public mutating func start(
    _ order: Order, in situation: Situation, at now: ContinuousClock.Instant
  ) -> [DriverOutput] {
    // A newer target, while the mode is set in which it can be flown to: the change goes on for it.
    if case .goTo = order.action, case .changingMode(let step) = phase, case .goTo = step.order.action {
      phase = .changingMode(step.with(order))
      return [.progress(step.order, .superseded)]
    }
    if case .goTo(let coordinate, let height) = order.action, case .checking(let step) = phase {
      phase = .checking(
        .init(order: order, coordinate: coordinate, heightMeters: height, since: step.since))
      return [.progress(step.order, .superseded)]
    }
    var outputs: [DriverOutput] = []
    if let open = phase.openOrder { outputs.append(.progress(open, .superseded)) }
    let wasBusy = isActionUnderWay
    expectStrays(at: now)
    phase = .idle
    explanations = []
    let state = situation.state
    // While an arming command may be on its way to the autopilot, "disarmed on the ground" is only what was.
    let isOnGround = state.landed == .onGround || state.kind?.isOnSurface == true
    let isAtRest = isOnGround && state.isArmed == false && !wasBusy
    if let inability = Firmware.inability(for: order.action) {
      return outputs + [.progress(order, .refused(reason: inability))]
    }
    switch order.action {
    case .takeoff(let height):
      if state.isAirborne {
        outputs.append(.progress(order, .refused(reason: "already in the air")))
      } else if Firmware.commandToTakeOff(to: height, for: situation) == nil {
        outputs.append(.progress(order, .refused(reason: DriverLimits.homeUnknown)))
      } else if let mode = state.mode, Firmware.takeoffModes.contains(mode) {
        outputs += arm(order, height, situation, now)
      } else {
        let mode = Firmware.takeoffModes[0]
        outputs += change(to: mode, for: order, limit: DriverLimits.guidedLimit, situation, now)
      }
    case .goTo(let coordinate, let height):
      if !state.isAirborne {
        let reason =
          state.kind?.isOnSurface == true
          ? "the vehicle is not armed; its pilot arms it" : "the vehicle is not in the air"
        outputs.append(.progress(order, .refused(reason: reason)))
      } else if let modes = Firmware.targetModes, state.mode.map(modes.contains) != true {
        outputs += change(to: modes[0], for: order, limit: DriverLimits.guidedLimit, situation, now)
      } else if let mode = state.mode, Firmware.modesToCheckBeforeTarget.contains(mode) {
        phase = .checking(
          .init(order: order, coordinate: coordinate, heightMeters: height, since: now))
        outputs += askForHeartbeat(order, situation)
      } else {
        outputs += target(coordinate, height, for: order, situation, now)
      }
    case .hold:
      // On the ground there is nothing to stop.
      if isAtRest {
        outputs.append(.progress(order, .accepted))
      } else {
        outputs += stop(order, situation, now)
      }
    case .land:
      if isAtRest {
        outputs.append(.progress(order, .accepted))
      } else {
        outputs += change(to: .land, for: order, limit: DriverLimits.stopLimit, situation, now)
      }
    case .returnToLaunch:
      if isAtRest {
        outputs.append(.progress(order, .refused(reason: "the vehicle is on the ground")))
      } else {
        outputs += change(to: .returnToLaunch, for: order, limit: DriverLimits.stopLimit, situation, now)
      }
    case .rebootAutopilot: outputs += reboot(order, isAtRest: isAtRest, situation, now)
    }
    return outputs
  }

  public mutating func acknowledged(
    _ ack: CommandAck, in situation: Situation, at now: ContinuousClock.Instant
  ) -> [DriverOutput] {
    if ack.command == strayCommand, let straysEndAt, now < straysEndAt, strayAcknowledgements > 0 {
      strayAcknowledgements -= 1
      return []
    }
    var awaitingHeartbeat: Order?
    switch phase {
    case .idle, .checking, .refusing: return []
    case .targeting(let step):
      guard let command = Firmware.targetCommand, ack.command == command, ack.result != .inProgress else {
        return []
      }
      if ack.result == .accepted { return finish(step.order, .accepted) }
      refuse(step.order, ack.result, "the target", at: now)
    case .stopping(var step):
      guard step.command.acknowledge(ack, at: now) else { return [] }
      phase = .stopping(step)
      if ack.result != .accepted {
        refuse(step.order, ack.result, "the stop", at: now)
      } else {
        awaitingHeartbeat = step.order
      }
    case .changingMode(var step)
    where step.command.result == .accepted && ack.command == step.command.command.command:
      // PX4 may refuse what it has accepted, and do it all the same: the heartbeat decides.
      step.rejection = ack.result == .accepted || ack.result == .inProgress ? step.rejection : ack.result
      phase = .changingMode(step)
    case .changingMode(var step):
      guard step.command.acknowledge(ack, at: now) else { return [] }
      phase = .changingMode(step)
      if ack.result != .accepted {
        refuse(step.order, ack.result, "the flight mode", proving: step.mode, at: now)
      } else {
        awaitingHeartbeat = step.order
      }
    case .arming(var step):
      guard step.command.acknowledge(ack, at: now) else { return [] }
      phase = .arming(step)
      if ack.result != .accepted {
        refuse(step.order, ack.result, "arming", at: now)
      } else {
        awaitingHeartbeat = step.order
      }
    case .lifting(var step):
      guard step.command.acknowledge(ack, at: now) else { return [] }
      phase = .lifting(step)
      if ack.result != .accepted { refuse(step.order, ack.result, "the takeoff", at: now) }
    case .rebooting(var step):
      guard step.command.acknowledge(ack, at: now) else { return [] }
      phase = .rebooting(step)
      if ack.result != .accepted { refuse(step.order, ack.result, "the restart", at: now) }
    }
    let outputs = advance(situation, at: now)
    guard let awaitingHeartbeat, outputs.isEmpty else { return outputs }
    return askForHeartbeat(awaitingHeartbeat, situation)
  }

  public mutating func stateChanged(
    _ situation: Situation, at now: ContinuousClock.Instant
  ) -> [DriverOutput] {
    advance(situation, at: now)
  }

  public mutating func received(_ text: VehicleText, at now: ContinuousClock.Instant) {
    guard text.explainsRefusal else { return }
    if text.text.hasPrefix("PreArm:") || text.text.hasPrefix("Arm:") { lastArmingText = text }
    guard phase.openOrder != nil, !explanations.contains(where: { $0.text == text.text }) else { return }
    if explanations.count == 5 { explanations.removeFirst() }
    explanations.append(text)
  }

  public mutating func tick(
    _ situation: Situation, at now: ContinuousClock.Instant
  ) -> [DriverOutput] {
    let outputs = advance(situation, at: now)
    return outputs.isEmpty ? expire(situation, at: now) : outputs
  }

  public mutating func restarted(at now: ContinuousClock.Instant) -> [DriverOutput] {
    if case .rebooting(let step) = phase {
      phase = .idle
      return [.progress(step.order, .accepted)]
    }
    return abandon(because: "the flight controller restarted")
  }

  public mutating func abandon(because reason: String) -> [DriverOutput] {
    defer {
      phase = .idle
      strayAcknowledgements = 0
      strayCommand = nil
    }
    // A flight controller on USB takes its device along when it restarts.
    if case .rebooting(let step) = phase, step.command.result == .accepted {
      return [.progress(step.order, .accepted)]
    }
    guard let order = phase.openOrder else { return [] }
    return [.progress(order, .unknown(reason: reason))]
  }

  /// Remembers what may still be answered, so that it is not taken for the answer to the next command.
  private mutating func expectStrays(at now: ContinuousClock.Instant) {
    switch phase {
    case .changingMode(let step):
      strayCommand = .doSetMode
      strayAcknowledgements = step.command.unansweredSends
    case .stopping(let step):
      strayCommand = step.command.command.command
      strayAcknowledgements = step.command.unansweredSends
    case .targeting(let step):
      strayCommand = Firmware.targetCommand
      strayAcknowledgements = step.sends
    case .idle, .checking, .arming, .lifting, .rebooting, .refusing: return
    }
    straysEndAt = now.advanced(by: .milliseconds(400))
  }

  mutating func refuse(
    _ order: Order, _ result: CommandResult, _ step: String, proving mode: FlightMode? = nil,
    at now: ContinuousClock.Instant
  ) {
    phase = .refusing(
      .init(order: order, result: result, step: step, provingMode: mode, since: now))
  }

  /// The reason of a refusal in the autopilot's own words where it gave some.
  func reason(_ refusal: DriverPhase.Refusing, at now: ContinuousClock.Instant) -> String {
    var texts = explanations.map(\.text)
    if texts.isEmpty, refusal.step == "arming", let lastArmingText,
      lastArmingText.at.duration(to: now) < .seconds(60)
    {
      texts = [lastArmingText.text]
    }
    if texts.isEmpty { return "the flight controller refused \(refusal.step): \(refusal.result.words)" }
    return texts.joined(separator: "; ") + " (\(refusal.step): \(refusal.result.words))"
  }
}

import Geodesy
public import MAVLink
import Vehicle

/// The sequences for ArduCopter, as measured on a simulated 4.7: each step confirmed by acknowledgement and state.
public struct ArduPilotDriver: AutopilotDriver {
  /// The text that explains a refusal can come after it; none comes later than this.
  static let textPatience: Duration = .milliseconds(1500)
  /// Pause after an explaining text in which the next one may still follow.
  static let textPause: Duration = .milliseconds(250)
  /// With the state seen, how long a lost acknowledgement is waited for.
  static let lostAcknowledgementGrace: Duration = .seconds(1)
  /// With the acknowledgement there, how long the state that proves it is waited for.
  static let proofLimit: Duration = .seconds(5)
  static let stopLimit: Duration = .seconds(30)
  static let guidedLimit: Duration = .seconds(5)
  static let armLimit: Duration = .seconds(10)
  static let takeoffLimit: Duration = .seconds(3)
  /// Motors spool up and the climb shows in the position stream.
  static let liftLimit: Duration = .seconds(10)
  static let targetInterval: Duration = .seconds(1)
  static let targetSends = 3
  static let rebootLimit: Duration = .seconds(20)
  /// Height gained that proves a climb, above the noise of a barometer at rest.
  static let climbProofMeters = 0.5

  var phase: ArduPilotPhase = .idle
  /// Texts since the step began, at most a few.
  var explanations: [VehicleText] = []
  /// The last arming check that failed, which ArduPilot repeats every 30 s unasked.
  private var lastArmingText: VehicleText?
  /// Acknowledgements of a superseded mode command that may still arrive.
  private var strayAcknowledgements = 0
  private var straysEndAt: ContinuousClock.Instant?

  public init() {}

  public var isActionUnderWay: Bool { phase != .idle }

  public var isTakeoffUnderWay: Bool {
    if case .climbing = phase { return true }
    if case .takeoff? = phase.openOrder?.action { return true }
    return false
  }

  public mutating func start(
    _ order: Order, in situation: Situation, at now: ContinuousClock.Instant
  ) -> [DriverOutput] {
    var outputs: [DriverOutput] = []
    if let open = phase.openOrder { outputs.append(.progress(open, .superseded)) }
    let wasBusy = isActionUnderWay
    expectStrays(at: now)
    phase = .idle
    explanations = []
    let state = situation.state
    // While an arming command may be on its way to the autopilot, "disarmed on the ground" is only what was.
    let isAtRest = state.landed == .onGround && state.isArmed == false && !wasBusy
    switch order.action {
    case .takeoff(let height):
      if state.isAirborne {
        outputs.append(.progress(order, .refused(reason: "already in the air")))
      } else if state.mode == .guided {
        outputs += arm(order, height, situation, now)
      } else {
        outputs += change(to: .guided, for: order, limit: Self.guidedLimit, situation, now)
      }
    case .goTo(let coordinate, let height):
      if !state.isAirborne {
        outputs.append(.progress(order, .refused(reason: "the vehicle is not in the air")))
      } else if state.mode == .guided {
        outputs += target(coordinate, height, for: order, situation, now)
      } else {
        outputs += change(to: .guided, for: order, limit: Self.guidedLimit, situation, now)
      }
    case .hold:
      // On the ground there is nothing to stop.
      if isAtRest {
        outputs.append(.progress(order, .accepted))
      } else {
        outputs += change(to: .hold, for: order, limit: Self.stopLimit, situation, now)
      }
    case .land:
      if isAtRest {
        outputs.append(.progress(order, .accepted))
      } else {
        outputs += change(to: .land, for: order, limit: Self.stopLimit, situation, now)
      }
    case .returnToLaunch:
      if isAtRest {
        outputs.append(.progress(order, .refused(reason: "the vehicle is on the ground")))
      } else {
        outputs += change(to: .returnToLaunch, for: order, limit: Self.stopLimit, situation, now)
      }
    case .rebootAutopilot: outputs += reboot(order, isAtRest: isAtRest, situation, now)
    }
    return outputs
  }

  public mutating func acknowledged(
    _ ack: CommandAck, in situation: Situation, at now: ContinuousClock.Instant
  ) -> [DriverOutput] {
    if ack.command == .doSetMode, let straysEndAt, now < straysEndAt, strayAcknowledgements > 0 {
      strayAcknowledgements -= 1
      return []
    }
    var awaitingHeartbeat: Order?
    switch phase {
    case .idle, .climbing, .targeting, .refusing: return []
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
    guard case .changingMode(let step) = phase else { return }
    strayAcknowledgements = step.command.unansweredSends
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
  func reason(_ refusal: ArduPilotPhase.Refusing, at now: ContinuousClock.Instant) -> String {
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

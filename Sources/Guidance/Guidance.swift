import Geodesy
public import Vehicle

/// Decides what the vehicle is asked to do: who may command it, which coordinates are flown to, and what happens when a client, the
/// pilot or the autopilot goes its own way.
///
/// A pure value. Each input takes the present state of the vehicle and the monotonic time and returns what to do, in order. Every
/// input looks at the state first, so a mode change by the pilot counts before the command that arrives with it.
///
/// Who guides, and the legal moves between:
/// ```
///   none ---- takeoff ----> takingOff ---- height reached ----> targets
///   any in flight -- goto or follow (engage) --> targets
///   any ---- stop, silence, fence ----> holding ---- reset ----> targets
///   any ---- land / return ----> landing / returning
///   takingOff, targets -- takeoff stuck, autopilot unheard --> waiting (for the operator)
///   any of ours ---- mode changed by others ----> pilot ---- command of the operator ----> ours
///   any ---- disarmed, autopilot restarted ----> none
/// ```
public struct Guidance: Sendable {
  typealias Instant = ContinuousClock.Instant

  struct Takeoff: Equatable {
    let altitudeAboveHomeMeters: Double
    let ticket: UInt32
    /// Set when the autopilot is seen to climb.
    var completeBy: Instant?
  }

  enum Assignment: Equatable {
    case takingOff(Takeoff)
    case targets
    case holding
    case landing
    case returning
    /// In flight by our doing, but nothing is under way that is sure to be obeyed.
    case waiting
  }

  enum Control: Equatable {
    case none
    case ours(Assignment)
    case pilot(modeName: String)
  }

  struct Pending {
    let ticket: UInt32
    let action: VehicleAction
    var reference: CommandReference?
    let startedAt: Instant
  }

  /// The goto or follow that coordinates are flown to for.
  struct Engagement: Equatable {
    let client: ClientID
    let sequence: UInt32?
    var hasArrived = false
  }

  struct Target: Equatable {
    let coordinate: Coordinate
    let altitudeAboveHomeMeters: Double
    let sentAt: Instant
    let ticket: UInt32
  }

  /// A safe action that is tried until the vehicle is seen to obey.
  struct Insistence {
    let action: VehicleAction
    var ticket: UInt32
    var attempts: Int
    /// Nil while an attempt is under way.
    var retryAt: Instant?
    var lastReason: String?
  }

  /// How far the answer to silence has gone; only rises until the client is heard again.
  enum LinkStage: Int, Comparable {
    case live
    case silent
    case holding
    case returning

    static func < (left: LinkStage, right: LinkStage) -> Bool { left.rawValue < right.rawValue }
  }

  /// May be changed at any time; what was already decided stays decided.
  public var rules: Rules

  var vehicle = VehicleState()
  var isVehiclePresent = false
  /// The last mode that was known, kept when the link to the autopilot is lost.
  var modeSeen: FlightMode?
  /// Modes of the action before the present one, and how long they still count as ours.
  var graceModes: [FlightMode] = []
  var graceUntil: Instant?
  /// The mode is a hold that was set from here and may be left by the next target.
  var mayLeaveHold = false

  var control = Control.none
  var latch: Latch?
  var latchedAt: Instant?
  var latchedBy: ClientID?
  var target: Target?
  /// How the target moves on while coordinates are fresh; nil when none is flown to.
  var approach: Approach?
  var engagement: Engagement?
  var insistence: Insistence?
  var pending: [Pending] = []
  var nextTicket: UInt32 = 1
  var lastGoToFailure: String?

  var clients: [ClientID: ClientRecord] = [:]
  /// Who holds control, or held it last: its silence is what counts as a lost link.
  var controller: ClientID?
  /// The controller gave control up without a successor.
  var isControlReleased = false
  /// The controller asked for a flight (takeoff, goto, follow) since it has control: its coordinates count.
  var hasControllerAsked = false
  var controlRequest: ControlRequest?
  var linkStage = LinkStage.live
  /// When the vehicle was last brought to safety, or on its way there, for want of a client.
  var linkGivenUpAt: Instant?
  var lastRefusal: String?
  var isInsideFence = true
  var isShuttingDown = false

  var decisions: [Decision] = []

  /// Actions whose outcome is awaited; targets come once a second and end each other, so few are ever open.
  private static let pendingLimit = 32

  public init(rules: Rules = Rules()) { self.rules = rules }

  // MARK: Inputs about the vehicle

  /// The state of the vehicle changed: pilot override, restart, loss, landing.
  public mutating func vehicleChanged(to state: VehicleState, at now: ContinuousClock.Instant) -> [Decision] {
    observe(state, at: now)
    return drain()
  }

  /// How far the action of a ticket is. Reports of tickets that are void are ignored.
  public mutating func progressed(
    _ ticket: UInt32, _ progress: ActionProgress, vehicle state: VehicleState, at now: ContinuousClock.Instant
  ) -> [Decision] {
    observe(state, at: now)
    report(ticket, progress, at: now)
    return drain()
  }

  /// To be called several times a second.
  public mutating func tick(vehicle state: VehicleState, at now: ContinuousClock.Instant) -> [Decision] {
    observe(state, at: now)
    for late in pending where late.startedAt.duration(to: now) > Rules.reportTimeout {
      report(late.ticket, .unknown(reason: "nothing was heard of it; look at the vehicle"), at: now)
    }
    settleControlRequest(at: now)
    watchLink(at: now)
    insist(at: now)
    moveOn(at: now)
    return drain()
  }

  /// The program ends: hold first when the vehicle flies by our doing. A landing or return goes on by itself.
  ///
  /// Feed progress and ticks on until `mayExit`, within a time limit of the caller's.
  public mutating func shutdown(vehicle state: VehicleState, at now: ContinuousClock.Instant) -> [Decision] {
    observe(state, at: now)
    isShuttingDown = true
    let action = isVehiclePresent ? standStill(at: now) : nil
    event(.shuttingDown(action: action))
    return drain()
  }

  /// After `shutdown`: nothing is left to be confirmed.
  public var mayExit: Bool { isShuttingDown && (insistence == nil || !isVehiclePresent) }

  // MARK: Acting

  /// Starts an action; whatever was insisted on before is over.
  @discardableResult
  mutating func perform(_ action: VehicleAction, for reference: CommandReference?, at now: Instant) -> UInt32
  {
    let ticket = nextTicket
    nextTicket = nextTicket == .max ? 1 : nextTicket + 1
    if pending.count >= Self.pendingLimit {
      report(pending[0].ticket, .unknown(reason: "too many commands are open; look at the vehicle"), at: now)
    }
    pending.append(Pending(ticket: ticket, action: action, reference: reference, startedAt: now))
    if case .goTo = action {
    } else {
      target = nil
      approach = nil
    }
    insistence = nil
    decisions.append(.perform(action, ticket: ticket, for: reference))
    return ticket
  }

  /// Starts a safe action and tries it until it is confirmed.
  mutating func performInsisting(_ action: VehicleAction, for reference: CommandReference?, at now: Instant) {
    let ticket = perform(action, for: reference, at: now)
    insistence = Insistence(action: action, ticket: ticket, attempts: 1)
  }

  /// Changes what is ours, keeping the modes of what was before as ours for a moment.
  mutating func assign(_ assignment: Assignment, at now: Instant) {
    switch control {
    case .ours(let before):
      graceModes = modes(of: before)
      graceUntil = now.advanced(by: Rules.modeGrace)
    case .none, .pilot:
      graceModes = []
    }
    switch assignment {
    case .takingOff, .landing, .returning: mayLeaveHold = false
    case .holding: mayLeaveHold = true
    case .targets, .waiting: break
    }
    if assignment != .targets { engagement = nil }
    control = .ours(assignment)
  }

  /// Ends flying to targets or a takeoff: a hold in flight or with the motors on, else nothing more is sent.
  mutating func standStill(at now: Instant) -> VehicleAction? {
    guard case .ours(let assignment) = control else { return nil }
    switch assignment {
    case .holding: return nil
    case .landing where isMode([.land]), .returning where isMode([.returnToLaunch, .land]): return nil
    case .takingOff, .targets, .waiting, .landing, .returning: break
    }
    guard isOnGround else {
      assign(.holding, at: now)
      performInsisting(.hold, for: nil, at: now)
      return .hold
    }
    guard case .takingOff = assignment else { return nil }
    if vehicle.isArmed == false {
      voidPending("the takeoff was called off before arming; ask again")
      control = .none
      decisions.append(.abandon)
      return nil
    }
    assign(.holding, at: now)
    performInsisting(.hold, for: nil, at: now)
    return .hold
  }

  mutating func setLatch(_ new: Latch, by client: ClientID?, at now: Instant) {
    // A stop is the operator's word and is not weakened by what happens later.
    guard latch != .stop || new == .stop else { return }
    if latch != new { event(.latched(new, by: client)) }
    latch = new
    latchedAt = now
    latchedBy = client
  }

  mutating func clearLatch(by client: ClientID) {
    if let latch { event(.latchCleared(latch, by: client)) }
    latch = nil
    latchedAt = nil
    latchedBy = nil
  }

  mutating func voidPending(_ reason: String) {
    let open = pending
    pending = []
    target = nil
    approach = nil
    insistence = nil
    for one in open { receipt(one.reference, .unknown(reason: reason)) }
  }

  /// Ends what a client waits for when its session ends. A later report under the same sequence number would be taken for the answer to
  /// another command of the next session, and that command for a repeat.
  mutating func closeReferences(of client: ClientID) {
    withdrawControlRequest(of: client)
    for index in pending.indices where pending[index].reference?.client == client {
      receipt(
        pending[index].reference, .unknown(reason: "the session ended before the answer; look at the vehicle")
      )
      pending[index].reference = nil
    }
  }

  mutating func event(_ event: Event) { decisions.append(.event(event)) }

  mutating func receipt(_ reference: CommandReference?, _ outcome: Outcome) {
    guard let reference else { return }
    if let sequence = reference.sequence {
      clients[reference.client]?.record(
        outcome, sequence: sequence, verb: reference.verb, frame: reference.frame)
    }
    decisions.append(.receipt(reference, outcome))
  }

  mutating func refuse(_ reference: CommandReference, _ refusal: Refusal) {
    lastRefusal = refusal.text
    receipt(reference, .refused(reason: refusal.text))
  }

  mutating func drain() -> [Decision] {
    defer { decisions = [] }
    return decisions
  }

  func name(of client: ClientID) -> String { clients[client]?.name ?? client.rawValue }
}

public import Geodesy
import Vehicle

extension Guidance {
  public enum Authority: String, Equatable, Sendable {
    /// Nothing flies by our doing.
    case none
    case ours
    /// The pilot, the autopilot's failsafe or another program.
    case pilot
  }

  public enum Activity: String, Equatable, Sendable {
    case idle
    case takingOff = "taking off"
    case following
    case holding
    case landing
    case returning
    /// In flight by our doing; the operator has to ask for what comes next.
    case waiting
  }

  public enum Link: String, Equatable, Sendable {
    /// No client has been in control yet.
    case none
    case live
    case silent
    /// Silent so long that the vehicle was to hold.
    case holding
    /// Silent so long that the vehicle was to return or land.
    case returning
  }

  /// What guidance has in mind, for status lines and the status sent to clients.
  public struct Status: Equatable, Sendable {
    public var controller: ClientID?
    public var controllerName: String?
    /// Another client's next command would take control.
    public var isControlFree: Bool
    /// Who asks for control, and how long the holder still has to refuse.
    public var controlAsker: ClientID?
    public var controlAskerName: String?
    public var controlAnswerLeft: Duration?
    /// In flight by our doing, but the coordinates of the one in control do not count before it asks.
    public var awaitsAsk: Bool
    public var authority: Authority
    public var activity: Activity
    /// Why coordinates are ignored.
    public var latch: Latch?
    public var link: Link
    public var isVehicleHeard: Bool
    public var target: Coordinate?
    public var targetAltitudeAboveHomeMeters: Double?
    public var distanceToTargetMeters: Double?
    public var bearingToTargetDegrees: Double?
    /// Who asked for the target by goto or follow, and under which number; nil when no such ask is under way.
    public var engagedBy: ClientID?
    public var engagedSequence: UInt32?
    /// The vehicle has been where that ask wanted it.
    public var hasArrived = false
    public var lastRefusal: String?
  }

  public func status(at now: ContinuousClock.Instant) -> Status {
    let goal = target == nil ? nil : approach?.goal ?? target?.coordinate
    let position = goal == nil ? nil : vehicle.coordinate
    return Status(
      controller: controller, controllerName: controller.map(name(of:)),
      isControlFree: isControlFree(at: now),
      controlAsker: controlRequest?.asker, controlAskerName: controlRequest.map { name(of: $0.asker) },
      controlAnswerLeft: controlRequest.map { now.duration(to: $0.deadline) },
      awaitsAsk: !hasControllerAsked && (activity == .following || activity == .holding),
      authority: authority, activity: activity, latch: latch, link: link, isVehicleHeard: isVehiclePresent,
      target: goal, targetAltitudeAboveHomeMeters: target?.altitudeAboveHomeMeters,
      distanceToTargetMeters: position.flatMap { from in goal.map { from.distanceMeters(to: $0) } },
      bearingToTargetDegrees: position.flatMap { from in goal.map { from.bearingDegrees(to: $0) } },
      engagedBy: engagement?.client, engagedSequence: engagement?.sequence,
      hasArrived: engagement?.hasArrived ?? false, lastRefusal: lastRefusal)
  }

  /// Heartbeats as a ground station are to be sent now: a trusted client is alive. Else they must stop, or they would keep the
  /// autopilot's own failsafe from acting.
  public func needsGroundStationHeartbeat(at now: ContinuousClock.Instant) -> Bool {
    clients.values.contains { $0.isConnected && $0.heardAt.duration(to: now) <= Rules.clientAlive }
  }

  /// The names of all clients that are remembered, for texts that carry their IDs.
  public var clientNames: [ClientID: String] { clients.mapValues(\.name) }

  private var authority: Authority {
    switch control {
    case .none: .none
    case .ours: .ours
    case .pilot: .pilot
    }
  }

  private var activity: Activity {
    switch control {
    case .none, .pilot: .idle
    case .ours(.takingOff): .takingOff
    case .ours(.targets): .following
    case .ours(.holding): .holding
    case .ours(.landing): .landing
    case .ours(.returning): .returning
    case .ours(.waiting): .waiting
    }
  }

  private var link: Link {
    guard controller != nil else { return .none }
    return switch linkStage {
    case .live: .live
    case .silent: .silent
    case .holding: .holding
    case .returning: .returning
    }
  }
}

public import Vehicle

extension Guidance {
  /// Why coordinates are ignored until the operator acts.
  public enum Latch: String, Equatable, Sendable {
    case stop
    case linkLoss = "link loss"
    case fence
  }

  /// Something worth a line in the log. A lasting condition is told once, when it begins or changes.
  public enum Event: Equatable, Sendable {
    case controlTaken(by: ClientID)
    case controlAsked(by: ClientID, of: ClientID)
    case controlRefused(to: ClientID, reason: String)
    case controlKept(by: ClientID, from: ClientID)
    case controlHandedOver(to: ClientID, by: ClientID, HandOverReason)
    case controlReleased(by: ClientID)
    case controlRequestOver(of: ClientID)
    case latched(Latch, by: ClientID?)
    case latchCleared(Latch, by: ClientID)
    case coordinateIgnored(from: ClientID, reason: String)
    case coordinateFlown(from: ClientID)
    case noCoordinate(from: ClientID)
    /// The vehicle is where a goto or follow wanted it.
    case arrived(for: ClientID)
    case takeoffComplete
    case takeoffIncomplete(reason: String)
    case tookOver(modeName: String, isFailsafe: Bool)
    case vehicleHeard
    case vehicleLost
    case vehicleRestarted
    case flightOver
    case fenceBreached(reason: String)
    case clientSilent(ClientID)
    case linkLost(ClientID, action: VehicleAction?)
    case linkRestored(ClientID)
    case actionFailed(VehicleAction, attempt: Int, reason: String)
    case shuttingDown(action: VehicleAction?)
  }
}

extension Guidance.Event: CustomStringConvertible {
  public var description: String {
    switch self {
    case .controlTaken(let client): "\(client) is in control"
    case .controlAsked(let asker, let holder): "\(asker) asks \(holder) for control"
    case .controlRefused(let asker, let reason): "\(asker) did not get control: \(reason)"
    case .controlKept(let holder, let asker): "\(holder) keeps control, which \(asker) asked for"
    case .controlHandedOver(let asker, let holder, .handedOver):
      "\(asker) is in control: \(holder) handed it over"
    case .controlHandedOver(let asker, let holder, .unanswered):
      "\(asker) is in control: \(holder) did not refuse in time"
    case .controlHandedOver(let asker, let holder, .holderGone):
      "\(asker) is in control: \(holder) is silent or gone"
    case .controlReleased(let holder): "\(holder) gave up control: the next command of anybody takes it"
    case .controlRequestOver(let asker): "\(asker) no longer asks for control"
    case .latched(let latch, let client):
      "coordinates are ignored after \(latch.rawValue)\(client.map { " by \($0)" } ?? ""), until reset, takeoff, goto or follow"
    case .latchCleared(let latch, let client): "\(latch.rawValue) cleared by \(client)"
    case .coordinateIgnored(let client, let reason): "coordinate of \(client) ignored: \(reason)"
    case .coordinateFlown(let client): "flying to the coordinate of \(client)"
    case .noCoordinate(let client): "\(client) is there but has no position"
    case .arrived(let client): "arrived at the target of \(client)"
    case .takeoffComplete: "takeoff height reached, coordinates are flown to"
    case .takeoffIncomplete(let reason): "takeoff not complete: \(reason)"
    case .tookOver(let mode, true):
      "the autopilot's failsafe took over, mode \(mode): silent until the operator asks"
    case .tookOver(let mode, false): "the pilot took over, mode \(mode): silent until the operator asks"
    case .vehicleHeard: "the autopilot is heard"
    case .vehicleLost: "the autopilot is not heard any more: what was under way is void"
    case .vehicleRestarted: "the autopilot restarted: what was under way is void"
    case .flightOver: "disarmed, the flight is over"
    case .fenceBreached(let reason): "holding at the fence: \(reason)"
    case .clientSilent(let client): "\(client) is silent: no new targets"
    case .linkLost(let client, let action?): "\(client) is silent: \(action.name)"
    case .linkLost(let client, nil): "\(client) is silent: what is under way goes on"
    case .linkRestored(let client): "\(client) is back; nothing resumes until the operator asks"
    case .actionFailed(let action, let attempt, let reason):
      "\(action.name) failed at attempt \(attempt): \(reason)"
    case .shuttingDown(let action?): "shutting down in flight: \(action.name) first"
    case .shuttingDown(nil): "shutting down"
    }
  }
}

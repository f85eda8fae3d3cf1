public import JSONText
public import PeerProtocol
public import ServiceRuntime

/// How a command ended at one vehicle.
public struct CommandOutcome: Equatable, Sendable {
  public enum Result: Equatable, Sendable {
    case accepted
    /// Accepted before, and now the vehicle is there.
    case arrived
    /// The navigator or the autopilot said no, or a newer command took its place.
    case refused(reason: String)
    /// No answer and no proof: it may or may not have happened.
    case unknown(reason: String)
    /// Not even a final receipt within the time limit.
    case noAnswer
    /// It did not leave, and nothing happened.
    case notSent(reason: String)
  }

  /// The name that the vehicle gives itself.
  public let vehicle: String
  public let id: PeerID
  /// As it was typed.
  public let verb: String
  public let result: Result
  /// From sending to the end.
  public let elapsed: Duration

  public init(vehicle: String, id: PeerID, verb: String, result: Result, elapsed: Duration) {
    self.vehicle = vehicle
    self.id = id
    self.verb = verb
    self.result = result
    self.elapsed = elapsed
  }

  public var exitCode: ExitCode {
    switch result {
    case .accepted, .arrived: .accepted
    case .refused: .refused
    case .unknown, .noAnswer: .noAnswer
    case .notSent: .noVehicle
    }
  }

  private static let relayVerbs = ["reset", "take-control", "hand-over", "keep"]

  /// One line for people.
  public var text: String {
    switch result {
    case .accepted:
      // A reset may end in the relay, and who is in control is decided there; every other acceptance is the autopilot's.
      "\(verb): accepted\(Self.relayVerbs.contains(verb) ? "" : " by the flight controller") in \(measured(elapsed))"
    case .arrived: "\(verb): arrived in \(measured(elapsed))"
    case .refused(let reason): "\(verb): refused: \(shown(reason))"
    case .unknown(let reason): "\(verb): outcome unknown: \(shown(reason))"
    case .noAnswer: "\(verb): no answer in \(seconds(elapsed))"
    case .notSent(let reason): "\(verb): not sent: \(shown(reason))"
    }
  }

  /// The same among those of other vehicles: each says whose it is and how long it took.
  public var namedText: String {
    let time =
      switch result {
      case .accepted, .arrived, .noAnswer, .notSent: ""
      case .refused, .unknown: " (\(measured(elapsed)))"
      }
    return "\(shown(vehicle)): \(text)\(time)"
  }

  public var json: JSON {
    let (word, reason): (String, String) =
      switch result {
      case .accepted: ("accepted", "")
      case .arrived: ("arrived", "")
      case .refused(let reason): ("refused", reason)
      case .unknown(let reason): ("unknown", reason)
      case .noAnswer: ("noAnswer", "")
      case .notSent(let reason): ("notSent", reason)
      }
    return [
      "vehicle": .string(vehicle), "id": .string(id.hex), "command": .string(verb), "outcome": .string(word),
      "reason": .string(reason), "seconds": .number(elapsed.inSeconds),
    ]
  }

  /// Nil for what is no outcome.
  public init?(json: JSON) {
    guard let vehicle = json["vehicle"]?.string, let id = json["id"]?.string.flatMap({ PeerID(hex: $0) }),
      let verb = json["command"]?.string, let seconds = json["seconds"]?.double,
      let reason = json["reason"]?.string
    else { return nil }
    switch json["outcome"]?.string {
    case "accepted": result = .accepted
    case "arrived": result = .arrived
    case "refused": result = .refused(reason: reason)
    case "unknown": result = .unknown(reason: reason)
    case "noAnswer": result = .noAnswer
    case "notSent": result = .notSent(reason: reason)
    default: return nil
    }
    self.vehicle = vehicle
    self.id = id
    self.verb = verb
    elapsed = .seconds(seconds)
  }

  /// The exit code of a command that went to several vehicles: a refusal outweighs silence, silence outweighs absence, and that success.
  public static func exitCode(of outcomes: [CommandOutcome]) -> ExitCode {
    let codes = outcomes.map(\.exitCode)
    if codes.contains(.refused) { return .refused }
    if codes.contains(.noAnswer) { return .noAnswer }
    if codes.contains(.noVehicle) { return .noVehicle }
    return .accepted
  }
}

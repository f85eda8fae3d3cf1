public import Configuration
public import PeerProtocol
public import RemoteControl
public import ServiceRuntime

/// A vehicle as commands are addressed: who it is and what it calls itself.
public struct VehicleLabel: Equatable, Sendable {
  public let id: PeerID
  public let name: String

  public init(id: PeerID, name: String) {
    self.id = id
    self.name = name
  }
}

/// Waits for the outcome of each command, by the sequence number of its frame.
///
///     sent ──final receipt──▶ accepted, refused, unknown
///     sent ──accepted, waits for the arrival──▶ accepted ──status──▶ arrived, or refused when something came between
///     sent ──session ended──▶ unknown          sent ──deadline──▶ no answer
///     sent ──session silent──▶ sent: when the session is back, the vehicle tells the outcome again
///     sent stop ──session ended or silent──▶ interrupted ──session back──▶ sent again
///
/// A request ends when it is sealed (no further vehicle is added) and none of its frames is open.
public struct OutcomeTracker: Sendable {
  public enum Event: Equatable, Sendable {
    case outcome(request: Int, sequence: UInt32?, CommandOutcome)
    /// The vehicle asks the client in control, whose answer may take a while.
    case asking(request: Int, VehicleLabel)
    case finished(request: Int, ExitCode)
  }

  private struct Request: Sendable {
    let verb: VehicleVerb
    let deadline: ContinuousClock.Instant
    let isUntilArrival: Bool
    var open: [UInt32: Frame] = [:]
    /// Stops whose session ended before the receipt, or was silent when they were asked for.
    var interrupted: [PeerID: Frame] = [:]
    var outcomes: [CommandOutcome] = []
    var isSealed = false
  }

  private struct Frame: Sendable {
    let vehicle: VehicleLabel
    let sentAt: ContinuousClock.Instant
    /// Of a request that waits for the arrival: accepted, and how many statuses since then were not about it.
    var foreignStatuses: Int?
  }

  /// So many statuses in a row must show another target: one may have been on its way when this one was accepted.
  private static let foreignStatusLimit = 3

  private var requests: [Int: Request] = [:]
  private var nextRequest = 1

  public init() {}

  /// - Parameter untilArrival: each vehicle's outcome is followed by its arrival.
  public mutating func begin(
    _ verb: VehicleVerb, deadline: ContinuousClock.Instant, untilArrival: Bool = false
  ) -> Int {
    defer { nextRequest += 1 }
    requests[nextRequest] = Request(verb: verb, deadline: deadline, isUntilArrival: untilArrival)
    return nextRequest
  }

  /// A frame of the request is on its way.
  public mutating func sent(
    _ sequence: UInt32, to vehicle: VehicleLabel, request: Int, at now: ContinuousClock.Instant
  ) {
    let first = requests[request]?.interrupted.removeValue(forKey: vehicle.id)
    requests[request]?.open[sequence] = Frame(vehicle: vehicle, sentAt: first?.sentAt ?? now)
  }

  /// The stop of a request waits for the session with the vehicle to come back.
  public mutating func postponed(
    to vehicle: VehicleLabel, request: Int, at now: ContinuousClock.Instant
  ) {
    requests[request]?.interrupted[vehicle.id] = Frame(vehicle: vehicle, sentAt: now)
  }

  /// The request ends at this vehicle before a frame left.
  public mutating func notSent(
    to vehicle: VehicleLabel, _ result: CommandOutcome.Result, request: Int
  ) -> [Event] {
    guard let verb = requests[request]?.verb else { return [] }
    requests[request]?.interrupted[vehicle.id] = nil
    let outcome = CommandOutcome(
      vehicle: vehicle.name, id: vehicle.id, verb: verb.name, result: result, elapsed: .zero)
    requests[request]?.outcomes.append(outcome)
    return [.outcome(request: request, sequence: nil, outcome)] + finishIfDone(request)
  }

  /// No further vehicle is added to the request.
  public mutating func seal(_ request: Int) -> [Event] {
    requests[request]?.isSealed = true
    return finishIfDone(request)
  }

  /// Forgets a request whose asker is gone.
  public mutating func forget(_ request: Int) { requests[request] = nil }

  public mutating func received(
    _ receipt: CommandReceipt, from vehicle: PeerID, at now: ContinuousClock.Instant
  ) -> [Event] {
    let match = requests.first { $0.value.open[receipt.sequence]?.vehicle.id == vehicle }
    guard let (number, request) = match, receipt.verb == request.verb.receiptVerb else { return [] }
    switch receipt.stage {
    case .received where request.verb == .takeControl:
      return request.open[receipt.sequence].map { [.asking(request: number, $0.vehicle)] } ?? []
    case .received, .forwarded: return []
    case .accepted where request.isUntilArrival:
      guard let frame = request.open[receipt.sequence], frame.foreignStatuses == nil else { return [] }
      requests[number]?.open[receipt.sequence]?.foreignStatuses = 0
      let outcome = CommandOutcome(
        vehicle: frame.vehicle.name, id: frame.vehicle.id, verb: request.verb.name, result: .accepted,
        elapsed: frame.sentAt.duration(to: now))
      return [.outcome(request: number, sequence: receipt.sequence, outcome)]
    case .accepted: return conclude(number, receipt.sequence, .accepted, at: now)
    case .refused: return conclude(number, receipt.sequence, .refused(reason: receipt.reason), at: now)
    case .unknown: return conclude(number, receipt.sequence, .unknown(reason: receipt.reason), at: now)
    case .superseded:
      let reason = receipt.reason.isEmpty ? "a newer command took its place" : receipt.reason
      return conclude(number, receipt.sequence, .refused(reason: reason), at: now)
    }
  }

  /// Looks for the arrival that a request waits for, and for what came between.
  public mutating func received(
    _ status: VehicleStatus, from vehicle: PeerID, at now: ContinuousClock.Instant
  ) -> [Event] {
    var events: [Event] = []
    for (number, request) in requests.sorted(by: { $0.key < $1.key }) where request.isUntilArrival {
      for (sequence, frame) in request.open where frame.vehicle.id == vehicle {
        guard let foreign = frame.foreignStatuses else { continue }
        if status.engagedSequence == sequence {
          requests[number]?.open[sequence]?.foreignStatuses = 0
          if status.hasArrived == true { events += conclude(number, sequence, .arrived, at: now) }
        } else if foreign + 1 < Self.foreignStatusLimit {
          requests[number]?.open[sequence]?.foreignStatuses = foreign + 1
        } else {
          let cause = status.autopilotProblem ?? status.relayState ?? "another command took its place"
          events += conclude(number, sequence, .refused(reason: "did not arrive: \(cause)"), at: now)
        }
      }
    }
    return events
  }

  /// The session with a vehicle ended, and its receipts with it.
  ///
  /// A stop is not given up: it is harmless to repeat and the one command that has to arrive. Any other command would
  /// surprise when it is carried out seconds later.
  ///
  /// - Parameter mayReturn: it only fell silent; when it is back, what was carried out is answered.
  public mutating func lost(
    _ vehicle: PeerID, reason: String, mayReturn: Bool = false, at now: ContinuousClock.Instant
  ) -> [Event] {
    var events: [Event] = []
    for (number, request) in requests.sorted(by: { $0.key < $1.key }) {
      for (sequence, frame) in request.open where frame.vehicle.id == vehicle {
        if request.verb == .stop {
          requests[number]?.open[sequence] = nil
          requests[number]?.interrupted[vehicle] = frame
          continue
        }
        if mayReturn { continue }
        let text = "the connection ended before the answer (\(reason)); it may or may not have acted"
        events += conclude(number, sequence, .unknown(reason: text), at: now)
      }
    }
    return events
  }

  /// The requests whose stop is to be sent again, now that a session with the vehicle is back.
  public func interrupted(_ vehicle: PeerID) -> [Int] {
    requests.filter { $0.value.interrupted[vehicle] != nil }.keys.sorted()
  }

  /// Ends what is past its deadline.
  public mutating func expire(at now: ContinuousClock.Instant) -> [Event] {
    var events: [Event] = []
    for (number, request) in requests.sorted(by: { $0.key < $1.key }) where request.deadline <= now {
      requests[number]?.isSealed = true
      for sequence in request.open.keys.sorted() { events += conclude(number, sequence, .noAnswer, at: now) }
      for frame in request.interrupted.values {
        let text =
          "there is no connection and it did not come back before an answer; it may or may not have acted"
        events += notSent(to: frame.vehicle, .unknown(reason: text), request: number)
      }
      events += finishIfDone(number)
    }
    return events
  }

  private mutating func conclude(
    _ number: Int, _ sequence: UInt32, _ result: CommandOutcome.Result, at now: ContinuousClock.Instant
  ) -> [Event] {
    guard let verb = requests[number]?.verb, let frame = requests[number]?.open.removeValue(forKey: sequence)
    else { return [] }
    let outcome = CommandOutcome(
      vehicle: frame.vehicle.name, id: frame.vehicle.id, verb: verb.name, result: result,
      elapsed: frame.sentAt.duration(to: now))
    requests[number]?.outcomes.append(outcome)
    return [.outcome(request: number, sequence: sequence, outcome)] + finishIfDone(number)
  }

  private mutating func finishIfDone(_ number: Int) -> [Event] {
    guard let request = requests[number], request.isSealed, request.open.isEmpty, request.interrupted.isEmpty
    else { return [] }
    requests[number] = nil
    let code = request.outcomes.isEmpty ? .noVehicle : CommandOutcome.exitCode(of: request.outcomes)
    return [.finished(request: number, code)]
  }
}

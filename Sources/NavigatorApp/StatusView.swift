import Geodesy
import Guidance
import JSONText
import MAVLinkServices
import PeerLink
import PeerProtocol
import RemoteControl
import Vehicle

extension VehicleStatus {
  /// What one client is told.
  init(_ vehicle: VehicleState, _ guidance: Guidance.Status, problem: String?, for client: Guidance.ClientID)
  {
    self.init(vehicle)
    autopilotProblem = problem
    isInControl = guidance.controller == client && !guidance.isControlFree
    controllerName = guidance.isControlFree ? nil : guidance.controllerName
    controlAskerName = VehicleStatus.askerName(guidance)
    secondsUntilHandOver = guidance.controlAnswerLeft.map { Int((max(.zero, $0) / .seconds(1)).rounded(.up)) }
    isAskingForControl = guidance.controlAsker.map { $0 == client }
    isStopLatched = guidance.latch == .stop
    target = guidance.target
    distanceToTargetMeters = guidance.distanceToTargetMeters
    bearingToTargetDegrees = guidance.bearingToTargetDegrees
    targetAltitudeAboveHomeMeters = guidance.targetAltitudeAboveHomeMeters
    if guidance.engagedBy == client {
      engagedSequence = guidance.engagedSequence
      hasArrived = guidance.hasArrived
    }
    relayState = VehicleStatus.relayState(guidance)
  }

  /// Two laptops may have one name; then the fingerprint says which one asks.
  private static func askerName(_ guidance: Guidance.Status) -> String? {
    guard let name = guidance.controlAskerName, let asker = guidance.controlAsker else { return nil }
    guard name == guidance.controllerName else { return name }
    return "\(name.prefix(24)) (\(asker.rawValue.prefix(8)))"
  }

  /// What an operator should know about the relay itself, nil when all is as usual.
  private static func relayState(_ guidance: Guidance.Status) -> String? {
    if guidance.authority == .pilot { return "the pilot has the vehicle; ask with goto, follow or takeoff" }
    let helps =
      guidance.awaitsAsk ? "goto, follow or takeoff resumes" : "reset, goto, follow or takeoff resumes"
    switch guidance.latch {
    case .stop: return "stopped; \(helps)"
    case .linkLoss: return "held after a lost link; \(helps)"
    case .fence: return "held at the fence; goto or follow resumes"
    case nil:
      if guidance.awaitsAsk { return "control changed hands; goto or follow resumes" }
      return guidance.activity == .idle ? nil : guidance.activity.rawValue
    }
  }
}

/// What `drone-navigator status` shows of the vehicle and its clients.
func vehicleStatus(
  name: String, id: String, serial: String, problem: String?, clients: [(peer: Peer, link: PeerStatus?)],
  vehicle: VehicleState,
  guidance: Guidance.Status, uptimeSeconds: Int64
) -> JSON.Object {
  var object: JSON.Object = ["name": .string(name), "id": .string(id), "serial": .string(serial)]
  object["uptime"] = .integer(uptimeSeconds)
  object["autopilot"] = vehicle.autopilot.map { .string($0.rawValue) } ?? .null
  object["problem"] = problem.map { .string($0) } ?? .null
  object["armed"] = vehicle.isArmed.map { .bool($0) } ?? .null
  // Null where it is not known: then a restart of this program may be one in flight.
  let isKnown = problem == nil && (vehicle.landed != nil || vehicle.isArmed != nil)
  object["inAir"] = isKnown ? .bool(vehicle.isAirborne) : .null
  object["mode"] = vehicle.modeName.map { .string($0) } ?? .null
  object["latitude"] = vehicle.coordinate.map { .number($0.latitude) } ?? .null
  object["longitude"] = vehicle.coordinate.map { .number($0.longitude) } ?? .null
  object["altitudeAboveHome"] = vehicle.altitudeAboveHomeMeters.map { .number($0) } ?? .null
  object["batteryPercent"] = vehicle.batteryPercent.map { .integer(Int64($0)) } ?? .null
  object["activity"] = .string(guidance.activity.rawValue)
  object["authority"] = .string(guidance.authority.rawValue)
  object["link"] = .string(guidance.link.rawValue)
  object["latch"] = guidance.latch.map { .string($0.rawValue) } ?? .null
  object["lastRefusal"] = guidance.lastRefusal.map { .string($0) } ?? .null
  object["controller"] = guidance.isControlFree ? .null : guidance.controllerName.map { .string($0) } ?? .null
  object["asksForControl"] = guidance.controlAskerName.map { .string($0) } ?? .null
  object["clients"] = .array(
    clients.map { peer, link in
      .object([
        "name": .string(peer.name), "id": .string(peer.id.hex),
        "inControl": .bool(!guidance.isControlFree && guidance.controller?.rawValue == peer.id.hex),
        "linkPercent": link?.quality.map { .integer(Int64($0.answeredPercent)) } ?? .null,
        "datagrams": link.map { .string($0.datagrams.rawValue) } ?? .null,
        "control": .bool(link?.hasControl ?? false),
      ])
    })
  return object
}

/// What the line to the flight controller carries; the rates that were asked for beside those that came, a second.
func lineJSON(_ line: LineReport) -> JSON.Object {
  func tenths(_ value: Double?) -> JSON { value.map { .number(($0 * 10).rounded() / 10) } ?? .null }
  var streams: JSON.Object = [:]
  for stream in line.streams {
    streams[stream.name] = .object(["asked": tenths(stream.asked), "came": tenths(stream.measured)])
  }
  return [
    "bytesPerSecond": line.bytesPerSecond.map { .integer(Int64($0)) } ?? .null,
    "bytesPerSecondIn": tenths(line.bytesPerSecondIn), "bytesPerSecondOut": tenths(line.bytesPerSecondOut),
    "loadInPercent": tenths(line.loadIn.map { $0 * 100 }), "messagesPerSecond": .object(streams),
  ]
}

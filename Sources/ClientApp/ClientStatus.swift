public import Geodesy
public import JSONText
public import PeerLink
public import PeerProtocol
public import RemoteControl
import Vehicle

/// Whether other computers see this client; discovery is a hint, so sessions that live do not care.
public enum Advertising: Equatable, Sendable {
  case notYet
  case advertised(name: String)
  /// Not visible; the reason names the remedy where there is one.
  case hidden(reason: String)
}

/// What the client shows of itself and its vehicles, apart from how it is printed.
public struct ClientStatus: Equatable, Sendable {
  public struct Vehicle: Equatable, Sendable {
    public var label: VehicleLabel
    public var isConnected: Bool
    /// Not heard at present, but its session may go on.
    public var isSilent: Bool
    /// How it is reached, while it is.
    public var link: PeerStatus?
    /// The last one received, and how old it is.
    public var status: VehicleStatus?
    public var age: Duration?
    public var target: VehicleTarget
    /// From the operator to the vehicle, where both positions are known.
    public var distanceMeters: Double?

    public init(
      label: VehicleLabel, isConnected: Bool, isSilent: Bool = false, link: PeerStatus? = nil,
      status: VehicleStatus? = nil,
      age: Duration? = nil,
      target: VehicleTarget = .ownPosition, distanceMeters: Double? = nil
    ) {
      self.label = label
      self.isConnected = isConnected
      self.isSilent = isSilent
      self.link = link
      self.status = status
      self.age = age
      self.target = target
      self.distanceMeters = distanceMeters
    }
  }

  public var name: String
  public var id: PeerID
  public var processID: Int32
  public var address: String
  public var advertising: Advertising
  public var position: PositionStatus
  public var positionAge: Duration?
  public var vehicles: [Vehicle]

  public init(
    name: String, id: PeerID, processID: Int32, address: String, advertising: Advertising,
    position: PositionStatus, positionAge: Duration? = nil, vehicles: [Vehicle] = []
  ) {
    self.name = name
    self.id = id
    self.processID = processID
    self.address = address
    self.advertising = advertising
    self.position = position
    self.positionAge = positionAge
    self.vehicles = vehicles
  }
}

extension ClientStatus {
  public var json: JSON {
    var object: JSON.Object = [
      "name": .string(name), "id": .string(id.hex), "processID": .integer(Int64(processID)),
      "address": .string(address),
    ]
    switch advertising {
    case .notYet: object["advertised"] = false
    case .advertised: object["advertised"] = true
    case .hidden(let reason):
      object["advertised"] = false
      object["advertisingProblem"] = .string(reason)
    }
    object["position"] = positionJSON
    object["vehicles"] = .array(vehicles.map(\.json))
    return .object(object)
  }

  private var positionJSON: JSON {
    var object: JSON.Object = ["state": .string(position.word)]
    switch position {
    case .waiting, .lostFix: break
    case .fix(let fix), .stale(let fix, _):
      object["latitude"] = fix.coordinate.map { .number($0.latitude) }
      object["longitude"] = fix.coordinate.map { .number($0.longitude) }
      object["dimensions"] = .integer(Int64(fix.mode.rawValue))
      object["horizontalErrorMeters"] = fix.horizontalErrorMeters.map { .number($0) }
      object["ageSeconds"] = positionAge.map { .number($0.inSeconds) }
    case .unreachable(let reason, _): object["reason"] = .string(reason)
    }
    return .object(object)
  }
}

extension ClientStatus.Vehicle {
  /// Eight statuses did not come, or it is not connected any more: what is shown is old.
  public var isStale: Bool { !isConnected || (age ?? .zero) >= .seconds(2) }

  /// What is not known is left out.
  public var json: JSON {
    var object: JSON.Object = [
      "name": .string(label.name), "id": .string(label.id.hex), "connected": .bool(isConnected),
    ]
    if isSilent { object["silent"] = true }
    object["linkPercent"] = link?.quality.map { .integer(Int64($0.answeredPercent)) }
    object["roundTripMilliseconds"] = link?.quality?.roundTrip.map {
      .number(($0.inSeconds * 10_000).rounded() / 10)
    }
    object["datagrams"] = link.map { .string($0.datagrams.rawValue) }
    object["control"] = link.map { .bool($0.hasControl) }
    switch target {
    case .ownPosition: object["target"] = "ownPosition"
    case .fixed(let place):
      object["target"] = ["latitude": .number(place.latitude), "longitude": .number(place.longitude)]
    }
    object["distanceMeters"] = distanceMeters.map { .number($0) }
    object["ageSeconds"] = age.map { .number($0.inSeconds) }
    object["stale"] = age.map { _ in .bool(isStale) }
    guard let status else { return .object(object) }
    object["autopilot"] = status.autopilot.map { .string($0.rawValue) }
    object["autopilotProblem"] = status.autopilotProblem.map { .string($0) }
    object["relayState"] = status.relayState.map { .string($0) }
    object["inControl"] = .bool(status.isInControl)
    object["controller"] = status.controllerName.map { .string($0) }
    object["controlAsker"] = status.controlAskerName.map { .string($0) }
    object["secondsUntilHandOver"] = status.secondsUntilHandOver.map { .integer(Int64($0)) }
    object["stopLatched"] = .bool(status.isStopLatched)
    object["mode"] = (status.modeName ?? status.mode?.rawValue).map { .string($0) }
    object["armed"] = status.isArmed.map { .bool($0) }
    object["readyToArm"] = status.isReadyToArm.map { .bool($0) }
    object["failsafe"] = status.isFailsafe.map { .bool($0) }
    object["landed"] = status.landed.map { .string($0.rawValue) }
    object["latitude"] = status.coordinate.map { .number($0.latitude) }
    object["longitude"] = status.coordinate.map { .number($0.longitude) }
    object["altitudeAboveHomeMeters"] = status.altitudeAboveHomeMeters.map { .number($0) }
    object["groundSpeedMetersPerSecond"] = status.groundSpeedMetersPerSecond.map { .number($0) }
    object["climbRateMetersPerSecond"] = status.climbRateMetersPerSecond.map { .number($0) }
    object["headingDegrees"] = status.headingDegrees.map { .number($0) }
    object["batteryPercent"] = status.batteryPercent.map { .integer(Int64($0)) }
    object["batteryVolts"] = status.batteryVolts.map { .number($0) }
    object["gpsFixType"] = status.gpsFixType.map { .integer(Int64($0)) }
    object["satellites"] = status.satellites.map { .integer(Int64($0)) }
    object["distanceToTargetMeters"] = status.distanceToTargetMeters.map { .number($0) }
    object["bearingToTargetDegrees"] = status.bearingToTargetDegrees.map { .number($0) }
    object["targetAltitudeAboveHomeMeters"] = status.targetAltitudeAboveHomeMeters.map { .number($0) }
    object["arrived"] = status.hasArrived.map { .bool($0) }
    return .object(object)
  }
}

extension PositionStatus {
  /// One word for programs.
  var word: String {
    switch self {
    case .waiting(.connecting): "connecting"
    case .waiting(.noReport): "noReport"
    case .waiting(.noFix): "noFix"
    case .fix: "fix"
    case .lostFix: "lostFix"
    case .stale: "stale"
    case .unreachable: "unreachable"
    }
  }

  /// For people, with the remedy where there is one.
  var text: String {
    switch self {
    case .waiting(.connecting): "asking the receiver"
    case .waiting(.noReport): "no report: is a receiver attached and does gpsd know its device?"
    case .waiting(.noFix): "no fix yet: does the receiver see the sky?"
    case .fix(let fix):
      "\(fix.mode == .threeDimensional ? "3D" : "2D") fix"
        + (fix.coordinate.map { " \(coordinateText($0))" } ?? "")
        + (fix.horizontalErrorMeters.map { " ±\(decimals($0, 0)) m" } ?? "")
    case .lostFix: "fix lost"
    case .stale(_, let age): "no report for \(decimals(age.inSeconds, 0)) s"
    case .unreachable(let reason, _): "gpsd unreachable: \(shown(reason))"
    }
  }
}

/// Seven decimals are a centimetre.
func coordinateText(_ place: Coordinate) -> String {
  "\(decimals(place.latitude, 7)),\(decimals(place.longitude, 7))"
}

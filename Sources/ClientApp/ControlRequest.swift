public import Configuration
import Geodesy
public import JSONText
public import PeerAdministration
import PeerProtocol
import RemoteControl
public import ServiceRuntime

/// What a command process asks the running client through the local socket: one JSON object a line.
public enum ControlRequest: Equatable, Sendable {
  case status(ClientStatusOptions)
  case command(VehicleCommandOptions)
  case pair(ClientPairOptions)
  /// The person's answer to the question of a pairing under way, on the same connection.
  case pairingAnswer(isSame: Bool)

  /// Longest line that is read; a real request is under 300 bytes.
  public static let maximumBytes = 4096

  public var json: JSON {
    let options: VehicleCommandOptions
    switch self {
    case .status(let status):
      var object: JSON.Object = ["command": "status"]
      object["vehicle"] = status.vehicle.map { .string($0) }
      if status.follows { object["follow"] = true }
      return .object(object)
    case .pair(let pairing):
      var object: JSON.Object = ["command": "pair", "timeout": .number(pairing.timeout.inSeconds)]
      object["code"] = pairing.code.map { .string($0) }
      return .object(object)
    case .pairingAnswer(let isSame): return ["command": "pairing-answer", "same": .bool(isSame)]
    case .command(let command): options = command
    }
    var object: JSON.Object = ["command": .string(options.verb.name)]
    switch options.verb {
    case .goto(let place):
      object["latitude"] = .number(place.latitudeDegrees)
      object["longitude"] = .number(place.longitudeDegrees)
    case .takeoff(let altitude?): object["altitude"] = .number(altitude)
    case .takeoff, .stop, .land, .returnToLaunch, .reset, .follow, .takeControl, .handOver, .keep: break
    }
    object["distance"] = options.target.distanceMeters.map { .number($0) }
    object["bearing"] = options.target.bearingDegrees.map { .number($0) }
    object["height"] = options.target.heightAboveHomeMeters.map { .number($0) }
    object["speed"] = options.target.speedMetersPerSecond.map { .number($0) }
    if options.waitsForArrival { object["wait"] = true }
    switch options.vehicle {
    case .only: break
    case .named(let name): object["vehicle"] = .string(name)
    case .all: object["all"] = true
    }
    object["timeout"] = .number(options.timeout.inSeconds)
    return .object(object)
  }

  /// - Throws: `RequestFailure` that says which member is wrong.
  public init(line: [UInt8]) throws(RequestFailure) {
    let json: JSON
    do {
      json = try JSON.parse(
        line, limits: JSON.Limits(maximumBytes: Self.maximumBytes, maximumDepth: 2, maximumValues: 32))
    } catch {
      throw RequestFailure(.usage, "the request is no JSON object: \(error)")
    }
    guard let word = json["command"]?.string else { throw RequestFailure(.usage, "'command' is missing") }
    switch word {
    case "status":
      self = .status(try ControlRequest.status(json))
      return
    case "pair":
      self = .pair(try ControlRequest.pairing(json))
      return
    case "pairing-answer":
      guard let isSame = json["same"]?.bool else { throw RequestFailure(.usage, "'same' is missing") }
      self = .pairingAnswer(isSame: isSame)
      return
    default: break
    }
    var options = VehicleCommandOptions(try ControlRequest.verb(word, json))
    switch (json["vehicle"], json["all"]) {
    case (nil, nil), (nil, .bool(false)): break
    case (.string(let name), nil): options.vehicle = .named(name)
    case (nil, .bool(true)): options.vehicle = .all
    default: throw RequestFailure(.usage, "'vehicle' must be a name, or 'all' true, not both")
    }
    options.timeout = try ControlRequest.timeout(json) ?? options.timeout
    options.target = try ControlRequest.target(json)
    options.waitsForArrival = json["wait"]?.bool ?? false
    self = .command(options)
  }

  private static func status(_ json: JSON) throws(RequestFailure) -> ClientStatusOptions {
    var options = ClientStatusOptions()
    if let member = json["vehicle"] {
      guard let name = member.string else { throw RequestFailure(.usage, "'vehicle' must be a name") }
      options.vehicle = name
    }
    if let member = json["follow"] {
      guard let follows = member.bool else { throw RequestFailure(.usage, "'follow' must be true or false") }
      options.follows = follows
    }
    return options
  }

  private static func pairing(_ json: JSON) throws(RequestFailure) -> ClientPairOptions {
    var options = ClientPairOptions()
    options.timeout = try ControlRequest.timeout(json) ?? options.timeout
    if let member = json["code"] {
      guard let code = member.string, PairingCode(code) != nil else {
        throw RequestFailure(.usage, "'code' is not six digits")
      }
      options.code = code
    }
    return options
  }

  private static func target(_ json: JSON) throws(RequestFailure) -> TargetOptions {
    func quantity(_ name: String, _ range: ClosedRange<Double>) throws(RequestFailure) -> Double? {
      guard let member = json[name] else { return nil }
      guard let value = member.double, range.contains(value) else {
        throw RequestFailure(
          .usage, "'\(name)' is not between \(range.lowerBound) and \(range.upperBound)")
      }
      return value
    }
    var target = TargetOptions()
    target.distanceMeters = try quantity("distance", RemoteControlCommand.followDistanceRangeMeters)
    target.bearingDegrees = try quantity("bearing", RemoteControlCommand.followBearingRangeDegrees)
    target.heightAboveHomeMeters = try quantity("height", RemoteControlCommand.takeoffAltitudeRangeMeters)
    target.speedMetersPerSecond = try quantity("speed", RemoteControlCommand.speedRangeMetersPerSecond)
    return target
  }

  private static func timeout(_ json: JSON) throws(RequestFailure) -> Duration? {
    guard let timeout = json["timeout"] else { return nil }
    guard let seconds = timeout.double, (0.1...3600).contains(seconds) else {
      throw RequestFailure(.usage, "'timeout' is not between 0.1 and 3600 seconds")
    }
    return .seconds(seconds)
  }

  private static func verb(_ word: String, _ json: JSON) throws(RequestFailure) -> VehicleVerb {
    switch word {
    case "takeoff":
      guard let member = json["altitude"] else { return .takeoff(altitudeAboveHomeMeters: nil) }
      guard let altitude = member.double,
        RemoteControlCommand.takeoffAltitudeRangeMeters.contains(altitude)
      else { throw RequestFailure(.usage, "'altitude' is no height to climb to in metres") }
      return .takeoff(altitudeAboveHomeMeters: altitude)
    case "stop": return .stop
    case "land": return .land
    case "return": return .returnToLaunch
    case "reset": return .reset
    case "follow": return .follow
    case "take-control": return .takeControl
    case "hand-over": return .handOver
    case "keep": return .keep
    case "goto":
      guard let latitude = json["latitude"]?.double, let longitude = json["longitude"]?.double,
        let place = Coordinate(latitude: latitude, longitude: longitude), !place.isNullIsland
      else { throw RequestFailure(.usage, "'latitude' and 'longitude' are no place to fly to") }
      return .goto(LatitudeLongitude(latitudeDegrees: latitude, longitudeDegrees: longitude))
    default: throw RequestFailure(.usage, "unknown command '\(shown(word))'")
    }
  }
}

/// What the running client answers: one line for each outcome, then the end.
public enum ControlReply: Equatable, Sendable {
  /// The command goes to so many vehicles.
  case started(vehicles: Int)
  case outcome(CommandOutcome)
  /// What is waited for.
  case note(String)
  case status(text: String, JSON)
  case pairing(PairingNotice)
  /// The last line; with an error when nothing could be done.
  case end(ExitCode, error: String?)

  public var json: JSON {
    switch self {
    case .started(let count): return ["vehicleCount": .integer(Int64(count))]
    case .outcome(let outcome): return outcome.json
    case .note(let text): return ["note": .string(text)]
    case .status(let text, let status): return ["text": .string(text), "status": status]
    case .pairing(let notice): return notice.json
    case .end(let code, let error):
      var object: JSON.Object = ["exitCode": .integer(Int64(code.rawValue))]
      object["error"] = error.map { .string($0) }
      return .object(object)
    }
  }

  /// Nil for a line of another version.
  public init?(line: [UInt8]) {
    guard let json = try? JSON.parse(line, limits: JSON.Limits(maximumBytes: 1 << 20)) else { return nil }
    if let number = json["exitCode"]?.integer {
      guard let code = Int32(exactly: number).flatMap(ExitCode.init(rawValue:)) else { return nil }
      self = .end(code, error: json["error"]?.string)
    } else if let status = json["status"], let text = json["text"]?.string {
      self = .status(text: text, status)
    } else if let text = json["note"]?.string {
      self = .note(text)
    } else if let notice = PairingNotice(json: json) {
      self = .pairing(notice)
    } else if let count = json["vehicleCount"]?.integer {
      self = .started(vehicles: Int(clamping: count))
    } else if let outcome = CommandOutcome(json: json) {
      self = .outcome(outcome)
    } else {
      return nil
    }
  }
}

/// Cuts a stream of bytes into lines of bounded length.
public struct LineSplitter: Sendable {
  private let maximumBytes: Int
  private var rest: [UInt8] = []

  public init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// The lines that `bytes` complete, without their ends, or nil when one is too long.
  public mutating func take(_ bytes: [UInt8]) -> [[UInt8]]? {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        lines.append(rest)
        rest = []
      } else {
        rest.append(byte)
        if rest.count > maximumBytes { return nil }
      }
    }
    return lines
  }
}

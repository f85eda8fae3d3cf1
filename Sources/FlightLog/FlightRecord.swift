public import JSONText

/// One line of the flight log.
public struct FlightRecord: Equatable, Sendable {
  public enum Event: String, CaseIterable, Sendable {
    /// A command arrived from a client.
    case command
    /// Something was written to the flight controller for it.
    case sent
    /// How it ended.
    case outcome
    /// A client or the flight controller came or went.
    case link
    /// Anything else worth keeping; lost lines too.
    case note
  }

  public var time: WallClockTime
  /// Seconds of the monotonic clock, which orders records when the wall clock was set.
  public var monotonicSeconds: Double
  public var event: Event
  /// The client's display name.
  public var client: String?
  /// The fingerprint of the client's certificate.
  public var clientID: String?
  public var sequence: Int64?
  /// The command's name, such as `takeoff`.
  public var command: String?
  /// Further members, such as `latitude` or `reason`; they cannot replace those above.
  public var details: JSON.Object

  public init(
    time: WallClockTime, monotonicSeconds: Double, event: Event, client: String? = nil,
    clientID: String? = nil,
    sequence: Int64? = nil, command: String? = nil, details: JSON.Object = [:]
  ) {
    self.time = time
    self.monotonicSeconds = monotonicSeconds
    self.event = event
    self.client = client
    self.clientID = clientID
    self.sequence = sequence
    self.command = command
    self.details = details
  }

  static let fixedKeys: Set<String> = [
    "time", "monotonic", "event", "client", "client.id", "sequence", "command",
  ]
  /// Longer lines are refused by writer and reader.
  public static let maximumLineBytes = 16384

  public var json: JSON {
    var object: JSON.Object = ["time": .string(time.description), "monotonic": .number(monotonicSeconds)]
    object["event"] = .string(event.rawValue)
    object["client"] = client.map { .string($0) }
    object["client.id"] = clientID.map { .string($0) }
    object["sequence"] = sequence.map { .integer($0) }
    object["command"] = command.map { .string($0) }
    for member in details.members where !Self.fixedKeys.contains(member.key) {
      object[member.key] = member.value
    }
    return .object(object)
  }

  /// The record of a line, or nil when the line is none.
  public init?(line: some Sequence<UInt8>) {
    let limits = JSON.Limits(maximumBytes: Self.maximumLineBytes, maximumDepth: 8, maximumValues: 1000)
    guard let json = try? JSON.parse(line, limits: limits), let object = json.object,
      let time = json["time"]?.string.flatMap({ WallClockTime(rfc3339: $0) }),
      let monotonic = json["monotonic"]?.double,
      let event = json["event"]?.string.flatMap({ Event(rawValue: $0) })
    else { return nil }
    self.init(
      time: time, monotonicSeconds: monotonic, event: event, client: json["client"]?.string,
      clientID: json["client.id"]?.string, sequence: json["sequence"]?.integer,
      command: json["command"]?.string,
      details: JSON.Object(object.members.filter { !Self.fixedKeys.contains($0.key) }))
  }

  /// The line for people.
  public var text: String {
    var words = [time.description, event.rawValue]
    if let client { words.append("client=\(Self.quoted(client))") }
    if let sequence { words.append("sequence=\(sequence)") }
    if let command { words.append(Self.visible(command)) }
    for member in details.members {
      let value = member.value.string.map { Self.quoted($0) } ?? member.value.text
      words.append("\(Self.visible(member.key))=\(value)")
    }
    return words.joined(separator: " ")
  }

  /// The first line of CSV output.
  public static let csvHeader = "time,monotonic,event,client,client.id,sequence,command,details"

  /// The record as a line of RFC 4180, without its end.
  public var csv: String {
    let fields = [
      time.description, monotonicSeconds.description, event.rawValue, client ?? "", clientID ?? "",
      sequence.map { String($0) } ?? "", command ?? "",
      details.members.isEmpty ? "" : JSON.object(details).text,
    ]
    return fields.map { field in
      let shown = Self.visible(field)
      guard shown.contains(where: { $0 == "," || $0 == "\"" }) else { return shown }
      return "\"" + shown.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        + "\""
    }.joined(separator: ",")
  }

  private static func quoted(_ text: String) -> String {
    let shown = visible(text)
    return shown.isEmpty || shown.contains(" ") ? "\"\(shown)\"" : shown
  }

  /// Text from a peer must not drive the terminal: control characters appear as escapes.
  static func visible(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

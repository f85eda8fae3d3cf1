/// One line for the link: a change, for both directions or one, or a question.
public enum LinkCommand: Equatable, Sendable {
  case change(ImpairmentChange, Set<Direction>)
  case counters

  /// What is wrong with a line.
  public struct ParseError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
  }

  /// The words of a line and what they do.
  public static let help = """
      delay 20ms          one-way delay
      jitter 5ms          up to so much more, drawn for each packet; changes their order
      loss 0.3            share of packets lost, or 30%
      duplicate 0.01      share of packets that arrive twice
      rate 2mbit          bits a second (bit, kbit, mbit, gbit); 'rate off' for no limit
      queue 64kB          bytes that wait for a limited rate; what finds no room is dropped
      bands on            what is marked as lower effort (DSCP 1 or 8) waits behind everything else; 'bands off' for one queue
      cut, restore        nothing passes; it does again
      drop udp            a firewall against UDP to one host, or tcp; 'drop none' for no firewall
      counters            prints what happened so far
    Changes hold for both directions, or for one with 'a-to-b' or 'b-to-a' at the end of the line.
    """

  /// - Throws: a `ParseError` that names the word and what is valid.
  public static func parse(_ line: String) throws(ParseError) -> LinkCommand {
    var words = line.split(separator: " ").map(String.init)
    var directions = Set(Direction.allCases)
    if let last = words.last, let direction = Direction(rawValue: last) {
      directions = [direction]
      words.removeLast()
    }
    guard let name = words.first else { throw ParseError("an empty line") }
    if words.count == 1 {
      switch name {
      case "counters": return .counters
      case "cut": return .change(.cut, directions)
      case "restore": return .change(.restore, directions)
      default: throw ParseError("'\(name)' is no command, or needs a value")
      }
    }
    guard words.count == 2 else { throw ParseError("more than a command and a value: '\(line)'") }
    return .change(try change(name, words[1]), directions)
  }

  private static func change(_ name: String, _ value: String) throws(ParseError) -> ImpairmentChange {
    func required<Value>(_ parsed: Value?, _ valid: String) throws(ParseError) -> Value {
      guard let parsed else { throw ParseError("\(name): '\(value)' is not \(valid)") }
      return parsed
    }
    switch name {
    case "delay": return .delay(try required(duration(value), "a time such as 20ms, at most 60s"))
    case "jitter": return .jitter(try required(duration(value), "a time such as 5ms, at most 60s"))
    case "loss": return .loss(try required(share(value), "a share such as 0.3 or 30%"))
    case "duplicate": return .duplicates(try required(share(value), "a share such as 0.01 or 1%"))
    case "rate" where value == "off": return .rate(bitsPerSecond: nil)
    case "rate": return .rate(bitsPerSecond: try required(rate(value), "a rate such as 2mbit"))
    case "queue": return .queue(byteCount: try required(size(value), "a size such as 64kB"))
    case "bands": return .bands(try required(["on": true, "off": false][value], "on or off"))
    case "drop" where value == "none": return .block([])
    case "drop":
      let kind = PacketKind(rawValue: value)
      return .block([try required(kind == .udp || kind == .tcp ? kind : nil, "udp, tcp or none")])
    default: throw ParseError("'\(name)' is no command")
    }
  }

  private static func duration(_ text: String) -> Duration? {
    number(text, ["us": 1e-6, "ms": 1e-3, "s": 1]).flatMap { $0 <= 60 ? .seconds($0) : nil }
  }

  private static func share(_ text: String) -> Double? {
    number(text, ["%": 0.01, "": 1]).flatMap { $0 <= 1 ? $0 : nil }
  }

  private static func rate(_ text: String) -> Double? {
    number(text, ["gbit": 1e9, "mbit": 1e6, "kbit": 1e3, "bit": 1]).flatMap { $0 >= 100 ? $0 : nil }
  }

  private static func size(_ text: String) -> Int? {
    number(text, ["MB": 1e6, "kB": 1e3, "B": 1]).flatMap { (1...1e9).contains($0) ? Int($0) : nil }
  }

  /// A number that is not negative, times the factor of its unit.
  private static func number(_ text: String, _ units: KeyValuePairs<String, Double>) -> Double? {
    guard let (unit, factor) = units.first(where: { text.hasSuffix($0.key) }),
      let value = Double(text.dropLast(unit.count)), value >= 0, value.isFinite
    else { return nil }
    return value * factor
  }
}

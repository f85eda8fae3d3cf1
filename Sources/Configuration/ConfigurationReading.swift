/// One thing that is wrong in a configuration.
public struct ConfigurationProblem: Equatable, Sendable, CustomStringConvertible {
  /// `FILE:LINE`, or the name of the option.
  public var place: String
  public var key: String?
  public var message: String

  public init(place: String, key: String?, message: String) {
    self.place = place
    self.key = key
    self.message = message
  }

  public var description: String { ([place] + (key.map { [$0] } ?? []) + [message]).joined(separator: ": ") }
}

/// Everything that is wrong in a configuration; programs print it and exit with status 78.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  public var problems: [ConfigurationProblem]
  /// Problems beyond the first 50.
  public var omittedCount: Int

  public init(problems: [ConfigurationProblem], omittedCount: Int) {
    self.problems = problems
    self.omittedCount = omittedCount
  }

  /// One line for each problem.
  public var description: String {
    let lines = problems.map(\.description)
    return (omittedCount > 0 ? lines + ["and \(omittedCount) more"] : lines).joined(separator: "\n")
  }
}

/// Reads `key = value` lines by a key table and collects every problem.
struct ConfigurationReading<Target> {
  /// Far more than every key with its comment needs.
  static var maximumBytes: Int { 65536 }
  static var maximumLineBytes: Int { 2048 }
  static var maximumProblems: Int { 50 }

  let keys: [Key<Target>]
  private(set) var problems: [ConfigurationProblem] = []
  private(set) var omittedCount = 0
  /// Where each key was set.
  private(set) var places: [String: String] = [:]

  init(keys: [Key<Target>]) { self.keys = keys }

  /// Reports a problem at the place where the key was set.
  mutating func report(key: String, _ message: String) {
    report(ConfigurationProblem(place: places[key] ?? "configuration", key: key, message: message))
  }

  private mutating func report(_ problem: ConfigurationProblem) {
    if problems.count < Self.maximumProblems { problems.append(problem) } else { omittedCount += 1 }
  }

  mutating func read(_ content: [UInt8], name: String, into target: inout Target) {
    let file = printable(name)
    guard content.count <= Self.maximumBytes else {
      report(
        ConfigurationProblem(place: file, key: nil, message: "is longer than \(Self.maximumBytes) bytes"))
      return
    }
    // Editors on other systems begin files with a byte order mark and end lines with CR LF.
    let bytes = content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content[...]
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let place = "\(file):\(index + 1)"
      do {
        let text = line.last == 0x0D ? line.dropLast() : line
        guard let (key, value) = try Self.split(text) else { continue }
        set(key, value, place: place, &target)
      } catch {
        report(ConfigurationProblem(place: place, key: nil, message: error.problem))
      }
    }
  }

  private mutating func set(_ name: String, _ value: String, place: String, _ target: inout Target) {
    guard let key = keys.first(where: { $0.name == name }) else {
      let hint = nearest(to: name, among: keys.map(\.name)).map { "; did you mean \($0)?" } ?? ""
      report(ConfigurationProblem(place: place, key: printable(name), message: "unknown key\(hint)"))
      return
    }
    if let earlier = places[name], !key.isList {
      report(ConfigurationProblem(place: place, key: name, message: "is set already at \(earlier)"))
      return
    }
    places[name] = place
    assign(key, value, place: place, &target)
  }

  private mutating func assign(_ key: Key<Target>, _ value: String, place: String, _ target: inout Target) {
    do {
      try key.set(&target, value)
    } catch {
      let message = "\(error.problem); valid: \(key.validValues)"
      report(ConfigurationProblem(place: place, key: key.name, message: message))
    }
  }

  /// Values from the command line replace those of the file.
  mutating func apply(_ overrides: [(key: String, text: String)], to target: inout Target) {
    var cleared: Set<String> = []
    for (name, text) in overrides {
      guard let key = keys.first(where: { $0.name == name }) else {
        preconditionFailure("option --\(name) is not in the key table")
      }
      if cleared.insert(name).inserted { key.clear(&target) }
      places[name] = "command line"
      assign(key, text, place: "command line", &target)
    }
  }

  /// Key and value of a line; nil for an empty line or a comment.
  private static func split(_ line: ArraySlice<UInt8>) throws(InvalidValue) -> (key: String, value: String)? {
    guard line.count <= maximumLineBytes else {
      throw InvalidValue("line is longer than \(maximumLineBytes) bytes")
    }
    guard let text = String(validating: line, as: UTF8.self) else { throw InvalidValue("line is not UTF-8") }
    let whole = trimmed(text)
    if whole.isEmpty || whole.hasPrefix("#") { return nil }
    guard !text.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
      throw InvalidValue("line contains control characters")
    }
    guard let equals = whole.firstIndex(of: "=") else {
      throw InvalidValue("'\(printable(whole))' is not 'key = value'")
    }
    let key = trimmed(whole[..<equals])
    guard !key.isEmpty else { throw InvalidValue("the key before '=' is missing") }
    return (key, try unquoted(trimmed(whole[whole.index(after: equals)...])))
  }

  /// A value without its quotes or the comment that follows it.
  private static func unquoted(_ text: String) throws(InvalidValue) -> String {
    guard text.hasPrefix("\"") else {
      var previous: Character = " "
      let end = text.indices.first { index in
        defer { previous = text[index] }
        return text[index] == "#" && (previous == " " || previous == "\t")
      }
      return trimmed(text[..<(end ?? text.endIndex)])
    }
    var value = ""
    var rest = text.dropFirst()
    while let character = rest.popFirst() {
      switch character {
      case "\"":
        let tail = trimmed(rest)
        guard tail.isEmpty || tail.hasPrefix("#") else { throw InvalidValue("text after the closing quote") }
        return value
      case "\\":
        guard let escaped = rest.popFirst(), escaped == "\"" || escaped == "\\" else {
          throw InvalidValue("only \\\" and \\\\ are known in quotes")
        }
        value.append(escaped)
      default: value.append(character)
      }
    }
    throw InvalidValue("the closing quote is missing")
  }
}

/// The value as a file can hold it.
func quotedIfNeeded(_ value: String) -> String {
  guard value.contains("#") || value.contains("\"") || value != trimmed(value) || value.isEmpty else {
    return value
  }
  var result = "\""
  for character in value {
    if character == "\"" || character == "\\" { result.append("\\") }
    result.append(character)
  }
  return result + "\""
}

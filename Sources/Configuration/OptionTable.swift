/// One command-line option: `--name` or `--name VALUE`.
public struct Option: Equatable, Sendable {
  /// The long name without its hyphens.
  public var name: String
  /// How help calls the value; nil for a flag.
  public var valueName: String?
  /// One sentence.
  public var help: String
  /// What counts when the option is absent, as text.
  public var defaultText: String?
  /// Whether it may be given several times.
  public var mayRepeat: Bool

  public init(
    _ name: String, _ valueName: String? = nil, help: String, defaultText: String? = nil,
    mayRepeat: Bool = false
  ) {
    self.name = name
    self.valueName = valueName
    self.help = help
    self.defaultText = defaultText
    self.mayRepeat = mayRepeat
  }
}

/// An argument without a name; required, unless it takes the rest of the line.
public struct Positional: Equatable, Sendable {
  public var name: String
  public var help: String
  /// Whether it stands for none, one or several arguments; the last one of a subcommand only.
  public var takesRest: Bool

  public init(_ name: String, help: String, takesRest: Bool = false) {
    self.name = name
    self.help = help
    self.takesRest = takesRest
  }

  /// As usage lines show it.
  var usage: String { takesRest ? "[\(name)]..." : name }
}

/// What one subcommand takes. A value, so that help, parser, completion and manual pages come from one table.
public struct Subcommand: Equatable, Sendable {
  public var name: String
  /// One sentence.
  public var summary: String
  public var positionals: [Positional]
  public var options: [Option]
  /// Further paragraphs of the help.
  public var discussion: [String]

  public init(
    _ name: String, summary: String, positionals: [Positional] = [], options: [Option],
    discussion: [String] = []
  ) {
    self.name = name
    self.summary = summary
    self.positionals = positionals
    self.options = options
    self.discussion = discussion
  }
}

/// The command line of a program.
public struct Program: Equatable, Sendable {
  public struct ExitStatus: Equatable, Sendable {
    public var code: Int32
    public var meaning: String

    public init(_ code: Int32, _ meaning: String) {
      self.code = code
      self.meaning = meaning
    }
  }

  public enum Shape: Equatable, Sendable {
    case subcommands([Subcommand])
    /// A program that does one thing; the name of the subcommand is not typed.
    case single(Subcommand)
  }

  public var name: String
  /// One sentence.
  public var summary: String
  public var version: String
  public var shape: Shape
  public var exitStatuses: [ExitStatus]

  public init(name: String, summary: String, version: String, shape: Shape, exitStatuses: [ExitStatus]) {
    self.name = name
    self.summary = summary
    self.version = version
    self.shape = shape
    self.exitStatuses = exitStatuses
  }

  /// All subcommands; the one of a program that does one thing.
  public var subcommands: [Subcommand] {
    switch shape {
    case .subcommands(let subcommands): subcommands
    case .single(let only): [only]
    }
  }
}

/// What was typed wrong; programs print it and exit with status 64.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The command as typed up to its subcommand, such as `drone-client takeoff`.
  public var command: String
  public var message: String

  public init(command: String, message: String) {
    self.command = command
    self.message = message
  }

  /// One line: place, cause and remedy.
  public var description: String { "\(command): \(message) (see '\(command) --help')" }
}

/// What a command line asks for.
public enum Invocation<Command> {
  /// Print this and exit with status 0.
  case help(String)
  /// Print this and exit with status 0.
  case version(String)
  case command(Command)
}

extension Invocation: Equatable where Command: Equatable {}
extension Invocation: Sendable where Command: Sendable {}

/// A command line sorted by its table: known options, each with the values it was given, and the positionals.
public struct ParsedArguments: Equatable, Sendable {
  public var subcommand: String
  public var positionals: [String]
  var command: String
  var values: [String: [String]]

  /// Whether a flag or option was given.
  public func has(_ option: String) -> Bool { values[option] != nil }

  /// The value of an option as text.
  public func text(_ option: String) -> String? { values[option]?.first }

  /// All values of an option that may repeat.
  public func texts(_ option: String) -> [String] { values[option] ?? [] }

  /// The value of an option, or nil when it was not given.
  public func value<Value>(_ option: String, _ type: ValueType<Value>) throws(UsageError) -> Value? {
    guard let text = text(option) else { return nil }
    return try read(text, "--\(option)", type)
  }

  /// All values of an option that may repeat, in the order given.
  public func values<Value>(_ option: String, _ type: ValueType<Value>) throws(UsageError) -> [Value] {
    var values: [Value] = []
    for text in texts(option) { values.append(try read(text, "--\(option)", type)) }
    return values
  }

  /// A positional argument; the parser has made sure that it is there.
  public func positional<Value>(_ index: Int, named name: String, _ type: ValueType<Value>) throws(UsageError)
    -> Value
  { try read(positionals[index], name, type) }

  /// The arguments of a positional that takes the rest of the line.
  public func rest<Value>(from index: Int, named name: String, _ type: ValueType<Value>) throws(UsageError)
    -> [Value]
  {
    var values: [Value] = []
    for text in positionals.dropFirst(index) { values.append(try read(text, name, type)) }
    return values
  }

  private func read<Value>(_ text: String, _ place: String, _ type: ValueType<Value>) throws(UsageError)
    -> Value
  {
    do {
      return try type.parse(text)
    } catch {
      throw UsageError(command: command, message: "\(place): \(error.problem); valid: \(type.validValues)")
    }
  }
}

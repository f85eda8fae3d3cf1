/// The version of all programs of the package.
public enum Release {
  public static let version = "0.1.0"
}

/// Options that several programs or subcommands share, so that they read the same everywhere.
enum SharedOptions {
  static func state(defaultText: String) -> Option {
    Option(
      "state", "DIR", help: "Directory of the identity, the list of trusted peers and the local socket.",
      defaultText: defaultText)
  }

  static let json = Option("json", help: "Print one JSON object a line instead of text.")
  static let logLevel = Option(
    "log-level", ValueType<LogLevel>.choice.name, help: "How much is told on standard error.",
    defaultText: LogLevel.notice.rawValue)
  static let id = Positional("ID", help: "the 64 hexadecimal digits that 'identity' prints on the other side")
  static let trustName = Option("name", "NAME", help: "A name for the peer in lists and messages.")

  static let commonExitStatuses: [Program.ExitStatus] = [
    Program.ExitStatus(64, "wrong usage"),
    Program.ExitStatus(69, "a service that is needed is missing"),
    Program.ExitStatus(78, "wrong configuration"),
  ]
}

/// Where programs of a person keep their state.
enum StateDirectory {
  /// By the XDG base directory specification (a relative `XDG_STATE_HOME` is to be ignored); nil when there is no home directory
  /// either.
  static func `default`(of program: String, xdgStateHome: String?, home: String?) -> String? {
    if let xdgStateHome, xdgStateHome.hasPrefix("/") { return "\(xdgStateHome)/\(program)" }
    guard let home, home.hasPrefix("/") else { return nil }
    return (home == "/" ? "" : home) + "/.local/state/\(program)"
  }
}

/// What `identity`, `trust`, `untrust` and `peers` take: the same for client and navigator.
public enum TrustCommand: Equatable, Sendable {
  case identity(json: Bool)
  case trust(id: String, name: String?)
  case untrust(id: String)
  case peers(json: Bool)

  static func subcommands(common: [Option]) -> [Subcommand] {
    [
      Subcommand(
        "identity", summary: "Print the fingerprint by which other peers know this one.",
        options: common + [SharedOptions.json]),
      Subcommand(
        "trust", summary: "Trust a peer, at once also in a running program.", positionals: [SharedOptions.id],
        options: common + [SharedOptions.trustName]),
      Subcommand(
        "untrust", summary: "Trust a peer no longer; a live session with it ends.",
        positionals: [SharedOptions.id],
        options: common),
      Subcommand("peers", summary: "List the trusted peers.", options: common + [SharedOptions.json]),
    ]
  }

  /// The command when it is one of these.
  init?(_ arguments: ParsedArguments) throws(UsageError) {
    switch arguments.subcommand {
    case "identity": self = .identity(json: arguments.has("json"))
    case "trust":
      self = .trust(
        id: try arguments.positional(0, named: "ID", .fingerprint),
        name: try arguments.value("name", .displayName))
    case "untrust": self = .untrust(id: try arguments.positional(0, named: "ID", .fingerprint))
    case "peers": self = .peers(json: arguments.has("json"))
    default: return nil
    }
  }
}

extension ValueType where Value == Duration {
  /// How long an operator may accept pairing.
  static let pairingTime = ValueType.duration(.seconds(5)...(.seconds(3600)))
}

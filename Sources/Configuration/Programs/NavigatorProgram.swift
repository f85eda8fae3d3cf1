/// A parsed command line of `drone-navigator`.
public struct NavigatorInvocation: Equatable, Sendable {
  /// One value from the command line that replaces what the file says.
  public struct Override: Equatable, Sendable {
    public var key: String
    public var text: String
  }

  /// `--config`; nil for `NavigatorConfiguration.defaultPath`, which may be missing.
  public var configurationFile: String?
  public var overrides: [Override]
  public var command: NavigatorCommand

  /// The configuration for this command line.
  ///
  /// - Parameter file: name and content; nil when the default file is missing.
  public func configuration(file: (name: String, content: [UInt8])?) throws(ConfigurationError)
    -> NavigatorConfiguration
  {
    let needsSerial =
      switch command {
      case .run, .check: true
      case .status, .log, .pair, .trust: false
      }
    return try NavigatorConfiguration.load(
      file: file, overrides: overrides.map { ($0.key, $0.text) }, needsSerial: needsSerial)
  }
}

public enum NavigatorCommand: Equatable, Sendable {
  case run
  /// With `printsConfiguration` the effective configuration is printed and the device left alone.
  case check(printsConfiguration: Bool)
  case status(json: Bool)
  case log(LogOptions)
  case pair(NavigatorPairOptions)
  case trust(TrustCommand)
}

public struct NavigatorPairOptions: Equatable, Sendable {
  public enum Method: Equatable, Sendable {
    /// A person here compares digits.
    case compare
    /// Nobody is here: the client's operator types the code that is printed, or written to a file.
    case code(file: String?)
  }

  public var method = Method.compare
  /// How long a client may take to accept pairing.
  public var timeout = Duration.seconds(120)
  /// The client, when several accept pairing.
  public var peer: String?

  public init() {}
}

/// What `drone-navigator log` prints.
public struct LogOptions: Equatable, Sendable {
  public enum Format: Equatable, Sendable { case text, json, csv }

  public var format = Format.text
  public var follows = false
  /// As typed: RFC 3339, `HH:MM`, or how long ago such as `10m`; the log knows the clock and the time zone.
  public var since: String?

  public init() {}
}

public enum NavigatorProgram {
  public static let program: Program = {
    let config = Option(
      "config", "FILE", help: "Configuration file.",
      defaultText: "\(NavigatorConfiguration.defaultPath), when it exists")
    let common = [config, SharedOptions.state(defaultText: "/var/lib/drone-navigator")]
    let override = "Options with the name of a configuration key replace what the file says."
    return Program(
      name: "drone-navigator",
      summary: "Relays commands of trusted clients to the flight controller of this vehicle.",
      version: Release.version,
      shape: .subcommands(
        [
          Subcommand(
            "run",
            summary: "Find and invite trusted clients and forward their commands to the flight controller.",
            options: [config] + NavigatorConfiguration.options, discussion: [override]),
          Subcommand(
            "check", summary: "Validate configuration and device without side effects.",
            options: [
              config, Option("print-config", help: "Print the effective configuration and do no more."),
            ]
              + NavigatorConfiguration.options,
            discussion: [override]),
          Subcommand(
            "status", summary: "Show the state of the running navigator.",
            options: [SharedOptions.json] + common),
          Subcommand(
            "log", summary: "Print the received commands, what was sent for them, and their outcomes.",
            options: [
              Option("follow", help: "Go on printing what is added."),
              SharedOptions.json,
              Option("csv", help: "Print comma-separated values."),
              Option(
                "since", "TIME", help: "Only what is newer: 2026-05-01T12:00:00Z, 12:00, or 10m, 2h, 3d ago."),
            ] + common),
          Subcommand(
            "pair", summary: "Come to trust a client, and it this vehicle, by six digits.",
            options: [
              Option("peer", "NAME", help: "The client, when several accept pairing."),
              Option(
                "timeout", ValueType<Duration>.pairingTime.name,
                help: "How long to look for a client that accepts pairing.", defaultText: "2 min"),
              Option(
                "accept-for", ValueType<Duration>.pairingTime.name,
                help: "Without a person here: for so long pair with the client whose operator types the code."
              ),
              Option(
                "code-file", "PATH",
                help: "Where the code of --accept-for is kept meanwhile, mode 0600, instead of printing it."),
              Option("connect", "HOST:PORT", help: "The client, where multicast does not reach."),
              Option(
                "name", "NAME", help: "The name by which clients see this vehicle.", defaultText: "Drone"),
            ] + common,
            discussion: [
              "On the laptop run 'drone-client pair', with --code for the code of --accept-for. A running navigator connects by itself afterwards."
            ]),
        ] + TrustCommand.subcommands(common: common)),
      exitStatuses: [
        Program.ExitStatus(0, "done"), Program.ExitStatus(1, "internal error"),
        Program.ExitStatus(2, "refused"), Program.ExitStatus(3, "no navigator running"),
        Program.ExitStatus(4, "no answer in time"),
      ] + SharedOptions.commonExitStatuses)
  }()

  /// Parses the arguments after the program's own name.
  ///
  /// Values of configuration keys are checked together with the file, by `NavigatorInvocation.configuration`.
  public static func parse(_ arguments: [String]) throws(UsageError) -> Invocation<NavigatorInvocation> {
    switch try program.parse(arguments) {
    case .help(let text): return .help(text)
    case .version(let text): return .version(text)
    case .command(let parsed):
      // `trust --name` names the peer, not the vehicle.
      let keys = parsed.subcommand == "trust" ? ["state"] : NavigatorConfiguration.keys.map(\.name)
      return .command(
        NavigatorInvocation(
          configurationFile: try parsed.value("config", .path("FILE")),
          overrides: keys.flatMap { key in
            parsed.texts(key).map { NavigatorInvocation.Override(key: key, text: $0) }
          },
          command: try command(parsed)))
    }
  }

  private static func command(_ parsed: ParsedArguments) throws(UsageError) -> NavigatorCommand {
    if let trust = try TrustCommand(parsed) { return .trust(trust) }
    switch parsed.subcommand {
    case "run": return .run
    case "check": return .check(printsConfiguration: parsed.has("print-config"))
    case "status": return .status(json: parsed.has("json"))
    case "log":
      guard !parsed.has("json") || !parsed.has("csv") else {
        throw UsageError(command: parsed.command, message: "--json and --csv exclude each other")
      }
      var options = LogOptions()
      options.format = parsed.has("json") ? .json : parsed.has("csv") ? .csv : .text
      options.follows = parsed.has("follow")
      options.since = parsed.text("since")
      return .log(options)
    case "pair": return .pair(try pair(parsed))
    case let other: preconditionFailure("subcommand \(other) is in the table but not handled")
    }
  }

  private static func pair(_ parsed: ParsedArguments) throws(UsageError) -> NavigatorPairOptions {
    var options = NavigatorPairOptions()
    options.peer = try parsed.value("peer", .displayName)
    options.timeout = try parsed.value("timeout", .pairingTime) ?? options.timeout
    let file = try parsed.value("code-file", .path("PATH"))
    if let acceptFor = try parsed.value("accept-for", .pairingTime) {
      guard !parsed.has("timeout") else {
        throw UsageError(command: parsed.command, message: "--timeout and --accept-for exclude each other")
      }
      options.timeout = acceptFor
      options.method = .code(file: file)
    } else if file != nil {
      throw UsageError(command: parsed.command, message: "--code-file needs --accept-for")
    }
    return options
  }
}

/// A parsed command line of `nearby`.
public struct NearbyInvocation: Equatable, Sendable {
  /// `--state`; nil for the default, see `NearbyProgram.defaultStateDirectory`.
  public var stateDirectory: String?
  public var command: NearbyCommand
}

public enum NearbyCommand: Equatable, Sendable {
  case list(NearbyListOptions)
  case chat(NearbyChatOptions)
  case send(NearbySendOptions)
  case receive(NearbyReceiveOptions)
  case tap(NearbyTapOptions)
  case pair(NearbyPairOptions)
  case trust(TrustCommand)
}

/// Which peers may connect, and be connected to.
public enum AcceptPolicy: String, CaseIterable, Sendable {
  /// The person decides about each.
  case ask
  /// Those whose identity is in the list.
  case paired
  /// Everybody.
  case any
}

/// What the subcommands that meet peers share.
public struct NearbyMeetingOptions: Equatable, Sendable {
  /// nil for the name of the host.
  public var name: String?
  public var listen = ListenAddress()
  public var connect: [HostAndPort] = []
  /// nil: `ask` on a terminal, else `paired`.
  public var accept: AcceptPolicy?
  public var logLevel = LogLevel.warning

  public init() {}
}

public struct NearbyListOptions: Equatable, Sendable {
  public var json = false
  /// How long to look.
  public var timeout = Duration.seconds(3)
  public var logLevel = LogLevel.warning

  public init() {}
}

public struct NearbyChatOptions: Equatable, Sendable {
  public var meeting = NearbyMeetingOptions()
  /// Whom to invite when seen, by name or identity.
  public var invite: [String] = []
  public var isHidden = false
  /// Where received files go.
  public var folder = "."
  /// End when the last peer is gone.
  public var once = false

  public init() {}
}

public struct NearbySendOptions: Equatable, Sendable {
  public var meeting = NearbyMeetingOptions()
  /// Files and folders; empty: the person chooses one of `folder`.
  public var paths: [String] = []
  public var peer: String?
  public var folder = "."
  /// How long finding the peer and its answer may take.
  public var timeout = Duration.seconds(30)

  public init() {}
}

public struct NearbyReceiveOptions: Equatable, Sendable {
  public var meeting = NearbyMeetingOptions()
  public var folder = "."
  /// End after the first peer that sent something has gone.
  public var once = false
  /// nil: wait for ever.
  public var timeout: Duration?
  public var json = false

  public init() {}
}

public struct NearbyTapOptions: Equatable, Sendable {
  public var meeting = NearbyMeetingOptions()
  public var peer: String?
  /// End after one round.
  public var once = false
  /// nil: wait for ever for an opponent.
  public var timeout: Duration?

  public init() {}
}

public struct NearbyPairOptions: Equatable, Sendable {
  /// Its `accept` is of no use here: strangers are the point.
  public var meeting = NearbyMeetingOptions()
  public var peer: String?
  /// For both people together.
  public var timeout = Duration.seconds(120)

  public init() {}
}

public enum NearbyProgram {
  public static let program: Program = {
    let common = [SharedOptions.state(defaultText: "$XDG_STATE_HOME/nearby, else ~/.local/state/nearby")]
    let quiet = Option(
      "log-level", ValueType<LogLevel>.choice.name, help: "How much is told on standard error.",
      defaultText: LogLevel.warning.rawValue)
    let accept = Option(
      "accept", ValueType<AcceptPolicy>.choice.name,
      help: "Peers to connect with: ask about each, only paired ones, or any.",
      defaultText: "ask on a terminal, else paired")
    let meeting = [
      Option("name", "NAME", help: "The name that others see.", defaultText: "the name of this host"),
      Option(
        "listen", ValueType<ListenAddress>.listen.name, help: "Where others connect.",
        defaultText: "all addresses, any port"),
      Option(
        "connect", ValueType<HostAndPort>.hostAndPort.name, help: "A peer that multicast does not show.",
        mayRepeat: true),
      quiet,
    ]
    let folder = Option(
      "folder", "DIR", help: "Where received files and folders go.", defaultText: "this directory")
    return Program(
      name: "nearby",
      summary: "Chat, files and a game with people near you, encrypted, without a server or an address.",
      version: Release.version,
      shape: .subcommands(
        [
          Subcommand(
            "list", summary: "List the peers that are near.",
            options: [
              SharedOptions.json,
              Option("timeout", span.name, help: "How long to look.", defaultText: "3 s"), quiet,
            ] + common),
          Subcommand(
            "chat", summary: "Talk with everybody who is connected.",
            options: [
              Option("invite", "NAME|ID", help: "Whom to invite when seen.", mayRepeat: true),
              Option("hidden", help: "Let others not see this chat."), folder,
              Option("once", help: "End when the last peer is gone."),
            ] + [accept] + meeting + common,
            discussion: [
              "Lines that begin with a slash are commands; /help lists them. Without a terminal lines are read from standard input "
                + "and printed to standard output: '>' sent, '<' received, '-' an event, '!' a problem."
            ]),
          Subcommand(
            "send", summary: "Send files and folders to a peer.",
            positionals: [
              Positional("PATH", help: "what to send; on a terminal it can be chosen", takesRest: true)
            ],
            options: [
              Option("to", "NAME|ID", help: "The peer that receives; on a terminal it can be chosen."),
              Option(
                "folder", "DIR", help: "Where to choose from without PATH.", defaultText: "this directory"),
              Option(
                "timeout", span.name, help: "How long finding the peer and its answer may take.",
                defaultText: "30 s"),
            ] + [accept] + meeting + common),
          Subcommand(
            "receive", summary: "Receive files and folders; nothing is ever overwritten.",
            options: [
              folder, Option("once", help: "End when the first sender has finished."),
              Option(
                "timeout", span.name, help: "How long to wait for a sender.", defaultText: "for ever"),
              SharedOptions.json,
            ] + [accept] + meeting + common),
          Subcommand(
            "tap", summary: "Play: who presses more keys in 30 seconds?",
            options: [
              Option("to", "NAME|ID", help: "The opponent to invite; on a terminal it can be chosen."),
              Option("once", help: "End after one round."),
              Option(
                "timeout", span.name, help: "How long to wait for an opponent.", defaultText: "for ever"),
            ] + [accept] + meeting + common,
            discussion: [
              "Without a terminal each line of standard input is one press; a line 'again' asks for another round and 'quit' leaves."
            ]),
          Subcommand(
            "pair", summary: "Come to trust a peer, and it this one, by six digits on both screens.",
            options: [
              Option("to", "NAME|ID", help: "The peer to pair with; on a terminal it can be chosen."),
              Option(
                "timeout", span.name, help: "How long both people may take.", defaultText: "2 min"),
            ] + meeting + common,
            discussion: [
              "Run it on both sides, and choose on one of them. Without a terminal the line that confirms is the six digits that the other side shows."
            ]),
        ] + TrustCommand.subcommands(common: common)),
      exitStatuses: [
        Program.ExitStatus(0, "done"),
        Program.ExitStatus(1, "internal error"),
        Program.ExitStatus(2, "declined, refused or cancelled"),
        Program.ExitStatus(3, "no such peer is near"),
        Program.ExitStatus(4, "no answer in time, or the connection was lost"),
      ] + SharedOptions.commonExitStatuses)
  }()

  private static let span = ValueType<Duration>.duration(.milliseconds(100)...(.seconds(86_400)))

  /// Parses the arguments after the program's own name.
  public static func parse(_ arguments: [String]) throws(UsageError) -> Invocation<NearbyInvocation> {
    switch try program.parse(arguments) {
    case .help(let text): .help(text)
    case .version(let text): .version(text)
    case .command(let parsed):
      .command(
        NearbyInvocation(
          stateDirectory: try parsed.value("state", .path("DIR")), command: try command(parsed)))
    }
  }

  private static func command(_ parsed: ParsedArguments) throws(UsageError) -> NearbyCommand {
    if let trust = try TrustCommand(parsed) { return .trust(trust) }
    switch parsed.subcommand {
    case "list":
      var options = NearbyListOptions()
      options.json = parsed.has("json")
      options.timeout = try parsed.value("timeout", span) ?? options.timeout
      options.logLevel = try parsed.value("log-level", .choice) ?? options.logLevel
      return .list(options)
    case "chat":
      var options = NearbyChatOptions()
      options.meeting = try meeting(parsed)
      options.invite = try parsed.values("invite", .peer)
      options.isHidden = parsed.has("hidden")
      options.folder = try parsed.value("folder", .path("DIR")) ?? options.folder
      options.once = parsed.has("once")
      return .chat(options)
    case "send":
      var options = NearbySendOptions()
      options.meeting = try meeting(parsed)
      options.paths = try parsed.rest(from: 0, named: "PATH", .path("PATH"))
      options.peer = try parsed.value("to", .peer)
      options.folder = try parsed.value("folder", .path("DIR")) ?? options.folder
      options.timeout = try parsed.value("timeout", span) ?? options.timeout
      return .send(options)
    case "receive":
      var options = NearbyReceiveOptions()
      options.meeting = try meeting(parsed)
      options.folder = try parsed.value("folder", .path("DIR")) ?? options.folder
      options.once = parsed.has("once")
      options.timeout = try parsed.value("timeout", span)
      options.json = parsed.has("json")
      return .receive(options)
    case "tap":
      var options = NearbyTapOptions()
      options.meeting = try meeting(parsed)
      options.peer = try parsed.value("to", .peer)
      options.once = parsed.has("once")
      options.timeout = try parsed.value("timeout", span)
      return .tap(options)
    case "pair":
      var options = NearbyPairOptions()
      options.meeting = try meeting(parsed)
      options.peer = try parsed.value("to", .peer)
      options.timeout = try parsed.value("timeout", span) ?? options.timeout
      return .pair(options)
    case let other: preconditionFailure("subcommand \(other) is in the table but not handled")
    }
  }

  private static func meeting(_ parsed: ParsedArguments) throws(UsageError) -> NearbyMeetingOptions {
    var options = NearbyMeetingOptions()
    options.name = try parsed.value("name", .displayName)
    options.listen = try parsed.value("listen", .listen) ?? options.listen
    options.connect = try parsed.values("connect", .hostAndPort)
    options.accept = try parsed.value("accept", .choice)
    options.logLevel = try parsed.value("log-level", .choice) ?? options.logLevel
    return options
  }

  /// Where `nearby` keeps its state without `--state`; nil when there is no home directory.
  public static func defaultStateDirectory(xdgStateHome: String?, home: String?) -> String? {
    StateDirectory.default(of: "nearby", xdgStateHome: xdgStateHome, home: home)
  }
}

extension ValueType where Value == String {
  /// A peer by its name or its identity; the list of peers says which it is.
  static let peer = ValueType(
    name: "NAME|ID", validValues: "a name of at most 63 bytes, or the 64 digits of an identity",
    parse: { (text) throws(InvalidValue) in
      text.utf8.count == 64 ? try fingerprint.parse(text) : try displayName.parse(text)
    },
    text: { $0 })
}

/// A parsed command line of `drone-client`.
public struct ClientInvocation: Equatable, Sendable {
  /// `--state`; nil for the default, see `ClientProgram.defaultStateDirectory`.
  public var stateDirectory: String?
  public var command: ClientCommand

  public init(stateDirectory: String? = nil, command: ClientCommand) {
    self.stateDirectory = stateDirectory
    self.command = command
  }
}

public enum ClientCommand: Equatable, Sendable {
  case run(ClientRunOptions)
  case send(VehicleCommandOptions)
  case status(ClientStatusOptions)
  case pair(ClientPairOptions)
  case trust(TrustCommand)
}

public struct ClientStatusOptions: Equatable, Sendable {
  /// Only this one of the vehicles.
  public var vehicle: String?
  /// Again and again, until the asker goes.
  public var follows = false
  public var json = false

  public init() {}
}

public struct ClientPairOptions: Equatable, Sendable {
  /// How long vehicles may come to be paired.
  public var timeout = Duration.seconds(120)
  /// Six digits that the vehicle shows; nil: both sides show digits, and people compare them.
  public var code: String?
  /// Where the code is read; nil when digits are compared. Never on the command line, which every user of the machine can see.
  public var codeSource: PairingCodeSource?
  /// For the client that the command starts when none runs; nil for the name of the host.
  public var name: String?
  public var listen = ListenAddress()

  public init() {}
}

public enum PairingCodeSource: Equatable, Sendable {
  /// A person is asked at a terminal, or a script writes a line.
  case standardInput
  case file(String)
}

public struct ClientRunOptions: Equatable, Sendable {
  public var position = PositionEndpoint.gpsd(host: "localhost", port: PositionEndpoint.defaultGPSDPort)
  /// nil for the name of the host.
  public var name: String?
  public var listen = ListenAddress()
  public var logLevel = LogLevel.notice

  public init() {}
}

/// What the operator asks of the vehicle.
public enum VehicleVerb: Equatable, Sendable {
  /// nil: as high as the vehicle's configuration says.
  case takeoff(altitudeAboveHomeMeters: Double?)
  case stop, land, returnToLaunch, reset, follow
  /// Who commands, when several clients are there.
  case takeControl, handOver, keep
  case goto(LatitudeLongitude)
}

public enum VehicleSelection: Equatable, Sendable {
  /// The one that is connected; with several the command is refused and asks for a name.
  case only
  case named(String)
  case all
}

/// How `goto` and `follow` are flown; what is nil is as the vehicle is configured.
public struct TargetOptions: Equatable, Sendable {
  /// Between the coordinate and the vehicle.
  public var distanceMeters: Double?
  /// From the coordinate to the vehicle, clockwise from true north.
  public var bearingDegrees: Double?
  public var heightAboveHomeMeters: Double?
  public var speedMetersPerSecond: Double?

  public init() {}
}

public struct VehicleCommandOptions: Equatable, Sendable {
  public var verb: VehicleVerb
  /// For `goto` and `follow`.
  public var target = TargetOptions()
  /// `goto` ends when the vehicle is there, not when the target was accepted.
  public var waitsForArrival = false
  public var vehicle = VehicleSelection.only
  /// How long the outcome may take.
  public var timeout = Duration.seconds(30)
  public var json = false

  public init(_ verb: VehicleVerb) { self.verb = verb }
}

public enum ClientProgram {
  public static let program: Program = {
    let common = [
      SharedOptions.state(defaultText: "$XDG_STATE_HOME/drone-client, else ~/.local/state/drone-client")
    ]
    let run = ClientRunOptions()
    let verbOptions = [
      Option(
        "vehicle", "NAME",
        help: "The vehicle, when several are connected: its name or the first digits of its fingerprint."),
      Option("all", help: "All connected vehicles."),
      Option("timeout", timeout.name, help: "How long to wait for the outcome.", defaultText: "30 s"),
      SharedOptions.json,
    ]
    let targetOptions = [
      Option(
        "height", altitude.name, help: "Height above home to fly at.",
        defaultText: "as the vehicle is configured"),
      Option("speed", speed.name, help: "How fast at most.", defaultText: "as the flight controller is set"),
    ]
    func verb(_ name: String, _ summary: String, _ positionals: [Positional] = [], _ options: [Option] = [])
      -> Subcommand
    {
      Subcommand(name, summary: summary, positionals: positionals, options: options + verbOptions + common)
    }
    return Program(
      name: "drone-client",
      summary: "Advertises an operator's position to trusted vehicles and sends them commands.",
      version: Release.version,
      shape: .subcommands(
        [
          Subcommand(
            "run",
            summary: "Advertise this client, accept trusted vehicles and send them the position each second.",
            options: [
              Option(
                "position", ValueType<PositionEndpoint>.positionEndpoint.name,
                help: "Where the operator is: gpsd://HOST:PORT, or a fixed LAT,LON.",
                defaultText: run.position.description),
              Option(
                "name", "NAME", help: "The name that vehicles see.", defaultText: "the name of this host"),
              Option(
                "listen", ValueType<ListenAddress>.listen.name, help: "Where vehicles connect.",
                defaultText: "all addresses, any port"),
              SharedOptions.logLevel,
            ] + common),
          verb(
            "takeoff", "Arm, take off and climb.", [],
            [
              Option(
                "altitude", altitude.name, help: "How far to climb above home.",
                defaultText: "as the vehicle is configured")
            ]),
          verb(
            "stop", "Halt now and hold; positions are ignored until a new takeoff, goto, follow or reset."),
          verb("land", "Land where the vehicle is."),
          verb("return", "Return to the launch position and land there."),
          verb("reset", "Clear a latched stop and the faults of the vehicle's relay."),
          verb(
            "goto", "Fly to a coordinate.",
            [Positional("LAT,LON", help: "the coordinate in decimal degrees, such as 52.5163,13.3777")],
            targetOptions + [
              Option(
                "wait",
                help:
                  "End when the vehicle has arrived; without --timeout this waits up to an hour. Exit status 2 when something else came between."
              )
            ]),
          verb(
            "follow", "Follow the position of this client again.", [],
            [
              Option(
                "distance", distance.name, help: "How far from this client the vehicle stays.",
                defaultText: "as the vehicle is configured"),
              Option(
                "bearing", bearing.name,
                help:
                  "On which side of this client the vehicle stays, clockwise from true north; needs --distance.",
                defaultText: "the side it comes from"),
            ] + targetOptions),
          verb(
            "take-control",
            "Ask the client that commands the vehicle for control; unanswered, it is handed over in 10 s."),
          verb("hand-over", "Give control to the client that asks for it, or up when none does."),
          verb("keep", "Refuse to hand control over to the client that asks for it."),
          Subcommand(
            "status", summary: "Show the position, the connected vehicles and their state.",
            options: [
              Option(
                "vehicle", "NAME",
                help: "Only this vehicle, in full: its name or the first digits of its fingerprint."),
              Option(
                "follow", help: "Again twice a second and at each change of a connection, until interrupted."),
              SharedOptions.json,
            ] + common),
          Subcommand(
            "pair", summary: "Come to trust a vehicle, and it this client, by six digits.",
            options: [
              Option(
                "code",
                help:
                  "Ask for the code that the vehicle shows or keeps in its file, or read it as a line of standard input; without it both sides show digits to compare."
              ),
              Option("code-file", "PATH", help: "Read that code from a file."),
              Option(
                "timeout", ValueType<Duration>.pairingTime.name, help: "How long to accept a vehicle.",
                defaultText: "2 min"),
              Option(
                "name", "NAME", help: "The name that the vehicle sees, unless a client runs.",
                defaultText: "the name of this host"),
              Option(
                "listen", ValueType<ListenAddress>.listen.name,
                help: "Where the vehicle connects, unless a client runs.",
                defaultText: "all addresses, any port"),
            ] + common,
            discussion: [
              "On the vehicle run 'drone-navigator pair'. A running client takes part by itself; else this command advertises one."
            ]),
        ] + TrustCommand.subcommands(common: common)),
      exitStatuses: [
        Program.ExitStatus(0, "accepted by the flight controller, or done"),
        Program.ExitStatus(1, "internal error"),
        Program.ExitStatus(2, "refused"),
        Program.ExitStatus(3, "no vehicle connected, or no client running"),
        Program.ExitStatus(4, "no answer in time"),
      ] + SharedOptions.commonExitStatuses)
  }()

  private static let timeout = ValueType<Duration>.duration(.milliseconds(100)...(.seconds(3600)))
  private static let altitude = ValueType<Double>.meters(1...500)
  private static let distance = ValueType<Double>.meters(0...1000)
  private static let bearing = ValueType<Double>.degrees(0...360)
  private static let speed = ValueType<Double>.metersPerSecond(0.5...50)
  /// An hour at the slowest speed, and longer than any battery lasts.
  private static let arrivalTimeout = Duration.seconds(3600)

  /// Parses the arguments after the program's own name.
  public static func parse(_ arguments: [String]) throws(UsageError) -> Invocation<ClientInvocation> {
    switch try program.parse(arguments) {
    case .help(let text): .help(text)
    case .version(let text): .version(text)
    case .command(let parsed):
      .command(
        ClientInvocation(
          stateDirectory: try parsed.value("state", .path("DIR")), command: try command(parsed)))
    }
  }

  private static func command(_ parsed: ParsedArguments) throws(UsageError) -> ClientCommand {
    if let trust = try TrustCommand(parsed) { return .trust(trust) }
    switch parsed.subcommand {
    case "run":
      var options = ClientRunOptions()
      options.position = try parsed.value("position", .positionEndpoint) ?? options.position
      options.name = try parsed.value("name", .displayName)
      options.listen = try parsed.value("listen", .listen) ?? options.listen
      options.logLevel = try parsed.value("log-level", .choice) ?? options.logLevel
      return .run(options)
    case "status":
      var options = ClientStatusOptions()
      options.vehicle = try parsed.value("vehicle", .displayName)
      options.follows = parsed.has("follow")
      options.json = parsed.has("json")
      return .status(options)
    case "pair":
      var options = ClientPairOptions()
      options.timeout = try parsed.value("timeout", .pairingTime) ?? options.timeout
      if let path = try parsed.value("code-file", .path("PATH")) {
        guard !parsed.has("code") else {
          throw UsageError(command: parsed.command, message: "--code and --code-file exclude each other")
        }
        options.codeSource = .file(path)
      } else if parsed.has("code") {
        options.codeSource = .standardInput
      }
      options.name = try parsed.value("name", .displayName)
      options.listen = try parsed.value("listen", .listen) ?? options.listen
      return .pair(options)
    case "takeoff":
      return try send(.takeoff(altitudeAboveHomeMeters: try parsed.value("altitude", altitude)), parsed)
    case "stop": return try send(.stop, parsed)
    case "land": return try send(.land, parsed)
    case "return": return try send(.returnToLaunch, parsed)
    case "reset": return try send(.reset, parsed)
    case "goto": return try send(.goto(try parsed.positional(0, named: "LAT,LON", .coordinate)), parsed)
    case "follow": return try send(.follow, parsed)
    case "take-control": return try send(.takeControl, parsed)
    case "hand-over": return try send(.handOver, parsed)
    case "keep": return try send(.keep, parsed)
    case let other: preconditionFailure("subcommand \(other) is in the table but not handled")
    }
  }

  private static func send(_ verb: VehicleVerb, _ parsed: ParsedArguments) throws(UsageError) -> ClientCommand
  {
    var options = VehicleCommandOptions(verb)
    if let name = try parsed.value("vehicle", .displayName) { options.vehicle = .named(name) }
    if parsed.has("all") {
      guard options.vehicle == .only else {
        throw UsageError(command: parsed.command, message: "--vehicle and --all exclude each other")
      }
      options.vehicle = .all
    }
    switch verb {
    case .goto, .follow: options.target = try target(parsed)
    case .takeoff, .stop, .land, .returnToLaunch, .reset, .takeControl, .handOver, .keep: break
    }
    if case .goto = verb, parsed.has("wait") {
      options.waitsForArrival = true
      options.timeout = arrivalTimeout
    }
    options.timeout = try parsed.value("timeout", timeout) ?? options.timeout
    options.json = parsed.has("json")
    return .send(options)
  }

  private static func target(_ parsed: ParsedArguments) throws(UsageError) -> TargetOptions {
    var target = TargetOptions()
    target.heightAboveHomeMeters = try parsed.value("height", altitude)
    target.speedMetersPerSecond = try parsed.value("speed", speed)
    guard parsed.subcommand == "follow" else { return target }
    target.distanceMeters = try parsed.value("distance", distance)
    target.bearingDegrees = try parsed.value("bearing", bearing)
    if target.bearingDegrees != nil, target.distanceMeters == nil {
      throw UsageError(command: parsed.command, message: "--bearing needs --distance")
    }
    return target
  }

  /// Where the client keeps its state without `--state`; nil when there is no home directory.
  public static func defaultStateDirectory(xdgStateHome: String?, home: String?) -> String? {
    StateDirectory.default(of: "drone-client", xdgStateHome: xdgStateHome, home: home)
  }
}

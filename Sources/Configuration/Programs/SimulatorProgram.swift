/// Which flight controller the simulator imitates.
public enum SimulatedAutopilot: String, CaseIterable, Sendable {
  case ardupilot
}

/// A parsed command line of `drone-simulator`.
public struct SimulatorInvocation: Equatable, Sendable {
  /// Where the pseudo-terminal appears; nil for none.
  public var link: String?
  /// Where MAVLink is served over TCP on the loopback address; nil for nowhere, 0 for any free port.
  public var tcpPort: UInt16?
  public var autopilot = SimulatedAutopilot.ardupilot
  /// ArduPilot's own default location for simulations.
  public var home = HomePosition(
    coordinate: LatitudeLongitude(latitudeDegrees: -35.363262, longitudeDegrees: 149.165237),
    altitudeMSLMeters: 584)
  public var speedup = 1.0
  /// Armable at once, without the half minute that a real estimator takes.
  public var fastStart = false
  public var logLevel = LogLevel.notice

  public init() {}
}

public enum SimulatorProgram {
  private static let speedup = ValueType<Double>.factor(0.1...100)
  private static let port = ValueType<Int>.count(0...65535)

  public static let program: Program = {
    let defaults = SimulatorInvocation()
    return Program(
      name: "drone-simulator",
      summary: "Simulates a flight controller behind a pseudo-terminal.", version: Release.version,
      shape: .single(
        Subcommand(
          "run", summary: "Simulate a flight controller that speaks MAVLink behind a pseudo-terminal.",
          options: [
            Option("link", "PATH", help: "Make a pseudo-terminal and a symbolic link to it at PATH."),
            Option(
              "tcp-port", "PORT",
              help: "Serve the same on this port of the loopback address; 0 is any free port."),
            Option(
              "autopilot", ValueType<SimulatedAutopilot>.choice.name, help: "Whose behaviour to imitate.",
              defaultText: defaults.autopilot.rawValue),
            Option(
              "home", ValueType<HomePosition>.home.name, help: "Where the vehicle stands at start.",
              defaultText: defaults.home.description),
            Option(
              "speedup", speedup.name, help: "How many times faster than real time to fly.", defaultText: "1"),
            Option("fast-start", help: "Be ready to arm at once instead of after the start-up checks."),
            SharedOptions.logLevel,
          ])),
      exitStatuses: [Program.ExitStatus(0, "ended by a signal"), Program.ExitStatus(1, "internal error")]
        + SharedOptions.commonExitStatuses)
  }()

  /// Parses the arguments after the program's own name.
  public static func parse(_ arguments: [String]) throws(UsageError) -> Invocation<SimulatorInvocation> {
    switch try program.parse(arguments) {
    case .help(let text): return .help(text)
    case .version(let text): return .version(text)
    case .command(let parsed):
      var invocation = SimulatorInvocation()
      invocation.link = try parsed.value("link", .path("PATH"))
      invocation.tcpPort = try parsed.value("tcp-port", port).map { UInt16($0) }
      invocation.autopilot = try parsed.value("autopilot", .choice) ?? invocation.autopilot
      invocation.home = try parsed.value("home", .home) ?? invocation.home
      invocation.speedup = try parsed.value("speedup", speedup) ?? invocation.speedup
      invocation.fastStart = parsed.has("fast-start")
      invocation.logLevel = try parsed.value("log-level", .choice) ?? invocation.logLevel
      guard invocation.link != nil || invocation.tcpPort != nil else {
        throw UsageError(
          command: parsed.command, message: "nothing to serve: give --link PATH or --tcp-port PORT")
      }
      return .command(invocation)
    }
  }
}

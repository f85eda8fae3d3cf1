/// Which flight controller the simulator imitates.
public enum SimulatedAutopilot: String, CaseIterable, Sendable {
  case ardupilot
  case px4
}

/// What may go wrong on purpose.
public enum SimulatedFault: String, CaseIterable, Sendable {
  case noGPS = "no-gps"
  case refuseArm = "refuse-arm"
  case dropAcknowledgements = "drop-acknowledgements"
  case batteryLow = "battery-low"
  case restartInFlight = "restart-in-flight"
  case noise
  case pilotTakesOver = "pilot-takes-over"
  case silent
  case unplug
}

/// Where a further port of the simulated flight controller is to be had, on this machine only.
public enum SimulatorPort: Equatable, Sendable, CustomStringConvertible {
  /// Listens; 0 is any free port.
  case tcp(port: UInt16)
  /// Sends there, as autopilots do to a ground station that waits on a port.
  case udp(port: UInt16)

  public var description: String {
    switch self {
    case .tcp(let port): "tcp://127.0.0.1:\(port)"
    case .udp(let port): "udp://127.0.0.1:\(port)"
    }
  }
}

/// A fault, and when it begins.
public struct ScheduledFault: Equatable, Sendable {
  public var fault: SimulatedFault
  /// Seconds after the start of the program.
  public var afterSeconds: Double

  public init(_ fault: SimulatedFault, afterSeconds: Double = 0) {
    self.fault = fault
    self.afterSeconds = afterSeconds
  }
}

/// A parsed command line of `drone-simulator`.
public struct SimulatorInvocation: Equatable, Sendable {
  /// Where the pseudo-terminal appears; nil for none.
  public var link: String?
  /// Where MAVLink is served over TCP on the loopback address; nil for nowhere, 0 for any free port.
  public var tcpPort: UInt16?
  /// Further ports of the flight controller, each with its own message intervals, for programs that look on.
  public var also: [SimulatorPort] = []
  public var autopilot = SimulatedAutopilot.ardupilot
  /// ArduPilot's own default location for simulations.
  public var home = HomePosition(
    coordinate: LatitudeLongitude(latitudeDegrees: -35.363262, longitudeDegrees: 149.165237),
    altitudeMSLMeters: 584)
  public var speedup = 1.0
  /// Armable at once, without the half minute that a real estimator takes.
  public var fastStart = false
  public var faults: [ScheduledFault] = []
  public var logLevel = LogLevel.notice

  public init() {}
}

public enum SimulatorProgram {
  private static let speedup = ValueType<Double>.factor(0.1...100)
  private static let faultNames = SimulatedFault.allCases.map(\.rawValue).joined(separator: ", ")
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
              "also", ValueType<SimulatorPort>.simulatorPort.name,
              help:
                "Serve another port of the flight controller: listen on a TCP port of the loopback address, or send to a UDP port of it.",
              mayRepeat: true),
            Option(
              "autopilot", ValueType<SimulatedAutopilot>.choice.name, help: "Whose behaviour to imitate.",
              defaultText: defaults.autopilot.rawValue),
            Option(
              "home", ValueType<HomePosition>.home.name, help: "Where the vehicle stands at start.",
              defaultText: defaults.home.description),
            Option(
              "speedup", speedup.name, help: "How many times faster than real time to fly.", defaultText: "1"),
            Option("fast-start", help: "Be ready to arm at once instead of after the start-up checks."),
            Option(
              "fault", ValueType<ScheduledFault>.fault.name,
              help: "Let something go wrong, from the start or after so many seconds: \(faultNames).",
              mayRepeat: true),
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
      invocation.also = try parsed.values("also", .simulatorPort)
      invocation.autopilot = try parsed.value("autopilot", .choice) ?? invocation.autopilot
      invocation.home = try parsed.value("home", .home) ?? invocation.home
      invocation.speedup = try parsed.value("speedup", speedup) ?? invocation.speedup
      invocation.fastStart = parsed.has("fast-start")
      invocation.faults = try parsed.values("fault", .fault)
      invocation.logLevel = try parsed.value("log-level", .choice) ?? invocation.logLevel
      guard invocation.link != nil || invocation.tcpPort != nil else {
        throw UsageError(
          command: parsed.command, message: "nothing to serve: give --link PATH or --tcp-port PORT")
      }
      return .command(invocation)
    }
  }
}

extension ValueType where Value == SimulatorPort {
  static let simulatorPort = ValueType(
    name: "URL", validValues: "tcp://127.0.0.1:PORT or udp://127.0.0.1:PORT",
    parse: { (text) throws(InvalidValue) in
      let address: HostAndPort
      if text.hasPrefix("tcp://") {
        address = try HostAndPort(parsing: String(text.dropFirst(6)), minimumPort: 0)
      } else if text.hasPrefix("udp://") {
        address = try HostAndPort(parsing: String(text.dropFirst(6)))
      } else {
        throw InvalidValue("'\(printable(text))' is neither tcp://127.0.0.1:PORT nor udp://127.0.0.1:PORT")
      }
      // Whoever reaches a port flies the vehicle.
      guard address.host == "127.0.0.1" || address.host == "localhost" else {
        throw InvalidValue("'\(printable(address.host))' is not the loopback address 127.0.0.1")
      }
      return text.hasPrefix("tcp") ? .tcp(port: address.port) : .udp(port: address.port)
    },
    text: \.description)
}

extension ValueType where Value == ScheduledFault {
  /// A fault's name, and after an `@` the seconds until it begins.
  static let fault = ValueType(
    name: "NAME[@SECONDS]",
    validValues: "\(alternatives(SimulatedFault.allCases.map(\.rawValue))), each with or without @SECONDS",
    parse: { (text) throws(InvalidValue) in
      let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
      let fault = try ValueType<SimulatedFault>.choice.parse(String(parts[0]))
      guard parts.count == 2 else { return ScheduledFault(fault) }
      guard let seconds = decimalNumber(parts[1]), (0...86_400).contains(seconds) else {
        throw InvalidValue("'\(printable(String(parts[1])))' is not a number of seconds from 0 to 86400")
      }
      return ScheduledFault(fault, afterSeconds: seconds)
    },
    text: {
      $0.afterSeconds == 0 ? $0.fault.rawValue : "\($0.fault.rawValue)@\(decimalText($0.afterSeconds))"
    })
}

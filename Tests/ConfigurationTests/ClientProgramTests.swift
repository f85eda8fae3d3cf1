import Configuration
import Testing

struct ClientCommandLine {
  struct Vector: Sendable, CustomTestStringConvertible {
    var line: String
    var command: ClientCommand
    var testDescription: String { line }
    init(_ line: String, _ command: ClientCommand) {
      self.line = line
      self.command = command
    }
  }

  static func send(_ verb: VehicleVerb, _ change: (inout VehicleCommandOptions) -> Void = { _ in })
    -> ClientCommand
  {
    var options = VehicleCommandOptions(verb)
    change(&options)
    return .send(options)
  }

  static func run(_ change: (inout ClientRunOptions) -> Void = { _ in }) -> ClientCommand {
    var options = ClientRunOptions()
    change(&options)
    return .run(options)
  }

  static func status(_ change: (inout ClientStatusOptions) -> Void = { _ in }) -> ClientCommand {
    var options = ClientStatusOptions()
    change(&options)
    return .status(options)
  }

  static func pair(_ change: (inout ClientPairOptions) -> Void = { _ in }) -> ClientCommand {
    var options = ClientPairOptions()
    change(&options)
    return .pair(options)
  }

  static let id = String(repeating: "0123456789abcdef", count: 4)
  static let capitals = id.uppercased()

  static let vectors: [Vector] = [
    Vector("run", run()),
    Vector("run --position gpsd://", run()),
    Vector("run --position=gpsd://[::1]:3000", run { $0.position = .gpsd(host: "::1", port: 3000) }),
    Vector(
      "run --position -33.9,151.2 --name Ground --listen *:4000 --log-level debug",
      run {
        $0.position = .fixed(LatitudeLongitude(latitudeDegrees: -33.9, longitudeDegrees: 151.2))
        $0.name = "Ground"
        $0.listen = ListenAddress(address: nil, port: 4000)
        $0.logLevel = .debug
      }),
    Vector("run --listen [::]:0", run { $0.listen = ListenAddress(address: "::", port: 0) }),
    Vector("takeoff", send(.takeoff(altitudeAboveHomeMeters: nil))),
    Vector(
      "follow --distance 20 --bearing 270 --height 15 --speed 9km/h",
      send(.follow) {
        $0.target.distanceMeters = 20
        $0.target.bearingDegrees = 270
        $0.target.heightAboveHomeMeters = 15
        $0.target.speedMetersPerSecond = 2.5
      }),
    Vector(
      "goto 52.5,13.4 --height 30m --speed 3 --wait",
      send(.goto(LatitudeLongitude(latitudeDegrees: 52.5, longitudeDegrees: 13.4))) {
        $0.target.heightAboveHomeMeters = 30
        $0.target.speedMetersPerSecond = 3
        $0.waitsForArrival = true
        $0.timeout = .seconds(3600)
      }),
    Vector("takeoff --altitude 12.5m", send(.takeoff(altitudeAboveHomeMeters: 12.5))),
    Vector(
      "stop --all --json",
      send(.stop) {
        $0.vehicle = .all
        $0.json = true
      }),
    Vector("land --vehicle=Drone", send(.land) { $0.vehicle = .named("Drone") }),
    Vector("return --timeout 5", send(.returnToLaunch) { $0.timeout = .seconds(5) }),
    Vector("reset --timeout=1500ms", send(.reset) { $0.timeout = .milliseconds(1500) }),
    Vector("follow", send(.follow)),
    Vector("take-control --vehicle 1a2b3c", send(.takeControl) { $0.vehicle = .named("1a2b3c") }),
    Vector("hand-over", send(.handOver)),
    Vector("keep --json", send(.keep) { $0.json = true }),
    Vector(
      "goto -33.9,-1.5", send(.goto(LatitudeLongitude(latitudeDegrees: -33.9, longitudeDegrees: -1.5)))),
    Vector(
      "goto -- -.5,1", send(.goto(LatitudeLongitude(latitudeDegrees: -0.5, longitudeDegrees: 1)))),
    Vector("status", status()),
    Vector("status --json", status { $0.json = true }),
    Vector(
      "status --json --follow --vehicle 1a2b",
      status {
        $0.json = true
        $0.follows = true
        $0.vehicle = "1a2b"
      }),
    Vector("pair", pair()),
    Vector(
      "pair --code --timeout 2m --name Ann --listen *:4000",
      pair {
        $0.codeSource = .standardInput
        $0.timeout = .seconds(120)
        $0.name = "Ann"
        $0.listen = ListenAddress(address: nil, port: 4000)
      }),
    Vector("pair --code-file /run/code", pair { $0.codeSource = .file("/run/code") }),
    Vector("identity", .trust(.identity(json: false))),
    Vector("trust \(capitals) --name Drone", .trust(.trust(id: id, name: "Drone"))),
    Vector("untrust \(id)", .trust(.untrust(id: id))),
    Vector("peers --json", .trust(.peers(json: true))),
  ]

  static func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  @Test(arguments: vectors) func isUnderstood(_ vector: Vector) throws {
    let expected = ClientInvocation(command: vector.command)
    #expect(try ClientProgram.parse(Self.words(vector.line)) == .command(expected))
  }

  @Test(arguments: ClientProgram.program.subcommands.map(\.name))
  func everySubcommandTakesAStateDirectory(_ name: String) throws {
    let argument = ["goto": ["1,2"], "trust": [Self.id], "untrust": [Self.id]][name] ?? []
    guard case .command(let invocation) = try ClientProgram.parse([name] + argument + ["--state", "/s"])
    else {
      Issue.record("no command")
      return
    }
    #expect(invocation.stateDirectory == "/s")
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    var line: String
    var text: String
    var testDescription: String { line }
    init(_ line: String, _ text: String) {
      self.line = line
      self.text = text
    }
  }

  static let refusals: [Refusal] = [
    Refusal(
      "",
      "drone-client: a subcommand is missing: run, takeoff, stop, land, return, reset, goto, follow, "
        + "take-control, hand-over, keep, status, pair, identity, trust, untrust or peers (see 'drone-client --help')"
    ),
    Refusal(
      "takof", "drone-client: unknown subcommand 'takof'; did you mean 'takeoff'? (see 'drone-client --help')"
    ),
    Refusal(
      "--state /x run",
      "drone-client: '--state' before the subcommand; options follow it: drone-client SUBCOMMAND --option (see 'drone-client --help')"
    ),
    Refusal(
      "takeoff --altitud 3",
      "drone-client takeoff: unknown option '--altitud'; did you mean --altitude? (see 'drone-client takeoff --help')"
    ),
    Refusal(
      "follow --bearing 90",
      "drone-client follow: --bearing needs --distance (see 'drone-client follow --help')"
    ),
    Refusal(
      "takeoff --altitude 1000",
      "drone-client takeoff: --altitude: 1000 is too large; valid: 1 to 500 m (see 'drone-client takeoff --help')"
    ),
    Refusal(
      "takeoff --altitude 10ft",
      "drone-client takeoff: --altitude: '10ft': unknown unit 'ft'; valid: 1 to 500 m (see 'drone-client takeoff --help')"
    ),
    Refusal(
      "takeoff --altitude nan",
      "drone-client takeoff: --altitude: 'nan' is not a number; valid: 1 to 500 m (see 'drone-client takeoff --help')"
    ),
    // Everybody on the machine could read it there.
    Refusal(
      "pair --code 123456", "drone-client pair: unexpected argument '123456' (see 'drone-client pair --help')"
    ),
    Refusal(
      "pair --code=123456", "drone-client pair: --code takes no value (see 'drone-client pair --help')"),
    Refusal(
      "pair --code --code-file x",
      "drone-client pair: --code and --code-file exclude each other (see 'drone-client pair --help')"),
    Refusal("stop now", "drone-client stop: unexpected argument 'now' (see 'drone-client stop --help')"),
    Refusal(
      "stop -a",
      "drone-client stop: unknown option '-a'; options begin with two hyphens (see 'drone-client stop --help')"
    ),
    Refusal("stop --all=yes", "drone-client stop: --all takes no value (see 'drone-client stop --help')"),
    Refusal(
      "stop --json --json", "drone-client stop: --json is given twice (see 'drone-client stop --help')"),
    Refusal(
      "stop --vehicle --json",
      "drone-client stop: --vehicle needs a value: --vehicle NAME (see 'drone-client stop --help')"),
    Refusal(
      "stop --all --vehicle D",
      "drone-client stop: --vehicle and --all exclude each other (see 'drone-client stop --help')"),
    Refusal(
      "stop --timeout 1e300",
      "drone-client stop: --timeout: '1e300': unknown unit 'e300'; valid: 100 ms to 3600 s (see 'drone-client stop --help')"
    ),
    Refusal(
      "goto",
      "drone-client goto: LAT,LON is missing: the coordinate in decimal degrees, such as 52.5163,13.3777 "
        + "(see 'drone-client goto --help')"),
    Refusal(
      "goto 91,0",
      "drone-client goto: LAT,LON: latitude 91.0 is not between -90 and 90 degrees; valid: LAT,LON in decimal degrees, "
        + "such as 52.5163,13.3777 (see 'drone-client goto --help')"),
    Refusal(
      "goto 0,0",
      "drone-client goto: LAT,LON: 0,0 is not accepted: it stands for no position; valid: LAT,LON in decimal degrees, "
        + "such as 52.5163,13.3777 (see 'drone-client goto --help')"),
    Refusal(
      "trust \u{1B}[2J",
      "drone-client trust: ID: '\\u{1b}[2J' is not hexadecimal; valid: the 64 hexadecimal digits that 'identity' prints "
        + "on the other side (see 'drone-client trust --help')"),
  ]

  @Test(arguments: refusals) func isRefusedWithPlaceCauseAndRemedy(_ refusal: Refusal) {
    let error = #expect(throws: UsageError.self) { try ClientProgram.parse(Self.words(refusal.line)) }
    #expect(error?.description == refusal.text)
  }

  @Test func defaultStateDirectoryFollowsXDG() {
    #expect(ClientProgram.defaultStateDirectory(xdgStateHome: "/x", home: "/home/a") == "/x/drone-client")
    #expect(
      ClientProgram.defaultStateDirectory(xdgStateHome: "x", home: "/home/a")
        == "/home/a/.local/state/drone-client")
    #expect(ClientProgram.defaultStateDirectory(xdgStateHome: nil, home: "/") == "/.local/state/drone-client")
    #expect(ClientProgram.defaultStateDirectory(xdgStateHome: nil, home: nil) == nil)
  }

  @Test func helpAndVersionAreAnsweredAnywhere() throws {
    #expect(try ClientProgram.parse(["--version"]) == .version("drone-client \(Release.version)\n"))
    #expect(try ClientProgram.parse(["goto", "--version"]) == .version("drone-client \(Release.version)\n"))
    #expect(try ClientProgram.parse(["help", "goto"]) == ClientProgram.parse(["goto", "1,2", "-h"]))
    #expect(try ClientProgram.parse(["help"]) == .help(ClientProgram.program.helpText))
  }
}

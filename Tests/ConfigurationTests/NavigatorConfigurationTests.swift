import Configuration
import Testing

struct NavigatorConfigurationFile {
  func problems(_ text: String, overrides: [(key: String, text: String)] = [], needsSerial: Bool = false)
    -> [String]
  {
    do {
      _ = try NavigatorConfiguration.load(
        file: ("f.conf", Array(text.utf8)), overrides: overrides, needsSerial: needsSerial)
      return []
    } catch {
      return error.description.split(separator: "\n").map(String.init)
    }
  }

  func load(_ text: String, overrides: [(key: String, text: String)] = []) throws -> NavigatorConfiguration {
    try NavigatorConfiguration.load(
      file: ("f.conf", Array(text.utf8)), overrides: overrides, needsSerial: false)
  }

  @Test func sampleLeavesEveryDefaultAndTeachesEveryKey() throws {
    #expect(try load(NavigatorConfiguration.sampleText) == NavigatorConfiguration())
    // With the comment signs of the keys removed the sample is still the default, apart from empty lists.
    let active = NavigatorConfiguration.sampleText.split(separator: "\n").compactMap { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") && !line.hasSuffix("=") ? String(line.dropFirst()) : nil
    }
    #expect(active.count == 26)
    #expect(try load(active.joined(separator: "\n")) == NavigatorConfiguration())
  }

  @Test func everyKeyIsReadPrintedAndReadAgain() throws {
    let text = """
      \u{FEFF}# comment
      serial = /dev/serial/by-path/pci-0:1.0:115200   # trailing comment
      name = "Drone #1 \\"red\\""
      connect = 192.0.2.1:4000, [fe80::1%wlan0]:4001
      connect = laptop.local:4002
      state=/tmp/state
      takeoff-altitude = 12 m
      follow-height = 15.5
      stand-off = 5 m
      maximum-distance = 1 km
      maximum-height = 60 m
      maximum-speed = 72 km/h
      coordinate-freshness = 2500 ms
      hold-after = 4 s
      return-after = off
      link-loss-action = land
      hand-over-after = 20 s
      stop-action = return
      minimum-battery = 30 %
      geofence-radius = 300 m
      reset-clears-autopilot = yes
      gcs-heartbeat = no
      log-file-size = 1 MiB
      log-files = 3
      log-level = debug\r

      """
    let configuration = try load(text)
    var expected = NavigatorConfiguration()
    expected.serial = .device(path: "/dev/serial/by-path/pci-0:1.0", baud: 115200)
    expected.name = "Drone #1 \"red\""
    expected.connect = [
      HostAndPort(host: "192.0.2.1", port: 4000), HostAndPort(host: "fe80::1%wlan0", port: 4001),
      HostAndPort(host: "laptop.local", port: 4002),
    ]
    expected.stateDirectory = "/tmp/state"
    expected.takeoffAltitudeAboveHomeMeters = 12
    expected.followHeightAboveHomeMeters = 15.5
    expected.standOffMeters = 5
    expected.maximumDistanceFromHomeMeters = 1000
    expected.maximumHeightAboveHomeMeters = 60
    expected.maximumSpeedMetersPerSecond = 20
    expected.coordinateFreshness = .milliseconds(2500)
    expected.holdAfter = .seconds(4)
    expected.returnAfter = nil
    expected.linkLossAction = .land
    expected.handOverAfter = .seconds(20)
    expected.stopAction = .returnToLaunch
    expected.minimumBatteryPercent = 30
    expected.geofenceRadiusMeters = 300
    expected.resetClearsAutopilot = true
    expected.sendsGCSHeartbeat = false
    expected.logFileSizeBytes = 1_048_576
    expected.logFileCount = 3
    expected.logLevel = .debug
    #expect(configuration == expected)
    let printed = configuration.fileText
    #expect(try load(printed) == configuration)
    #expect(try load(printed).fileText == printed)
  }

  @Test func everyProblemIsReportedWithFileLineKeyAndRemedy() {
    let text = """
      takeof-altitude = 3
      takeoff-altitude = high
      nonsense
      = 3
      hold-after = 3 s
      hold-after = 4 s
      stop-action = lnd
      gcs-heartbeat = maybe
      name = "open
      serial = ttyACM0
      return-after = 1 s
      """
    #expect(
      problems(text) == [
        "f.conf:1: takeof-altitude: unknown key; did you mean takeoff-altitude?",
        "f.conf:2: takeoff-altitude: 'high' is not a number; valid: 1 to 500 m",
        "f.conf:3: 'nonsense' is not 'key = value'",
        "f.conf:4: the key before '=' is missing",
        "f.conf:6: hold-after: is set already at f.conf:5",
        "f.conf:7: stop-action: 'lnd' is not known; did you mean land?; valid: hold, land or return",
        "f.conf:8: gcs-heartbeat: 'maybe' is neither yes nor no; valid: yes or no",
        "f.conf:9: the closing quote is missing",
        "f.conf:10: serial: 'ttyACM0' is not a device path (it has no '/'); a network address is tcp://HOST:PORT; "
          + "valid: PATH[:BAUD], serial://PATH[:BAUD], tcp://HOST:PORT or udp://HOST:PORT, or none",
        "f.conf:11: return-after: 1 s is too small; valid: 5 s to 3600 s, or off",
      ])
  }

  @Test func contradictionsNameTheLineOrTheOption() {
    #expect(
      problems(
        "follow-height = 80\nhold-after = 10 s", overrides: [("return-after", "6 s")], needsSerial: true) == [
          "f.conf:1: follow-height: 80 m is above maximum-height, 50 m",
          "command line: return-after: must be longer than hold-after",
          "configuration: serial: not set; add 'serial = PATH' to f.conf or give --serial PATH",
        ])
  }

  @Test func sizeLinesEncodingAndNumberOfProblemsAreBounded() {
    #expect(problems(String(repeating: "#", count: 65537)) == ["f.conf: is longer than 65536 bytes"])
    #expect(
      problems("name = " + String(repeating: "a", count: 2048)) == [
        "f.conf:1: line is longer than 2048 bytes"
      ])
    #expect(problems("name = a\u{1B}[2J") == ["f.conf:1: line contains control characters"])
    let many = problems(String(repeating: "x\n", count: 60))
    #expect(many.count == 51)
    #expect(many.last == "and 10 more")
    #expect(throws: ConfigurationError.self) {
      try NavigatorConfiguration.load(file: ("f", [0x61, 0x3D, 0xFF]), needsSerial: false)
    }
    #expect(problems("connect = " + [String](repeating: "a:1", count: 33).joined(separator: ",")).count == 1)
  }

  @Test func commandLineReplacesTheFile() throws {
    let configuration = try load(
      "name = File\nconnect = a:1\nstop-action = land",
      overrides: [("name", "Option"), ("connect", "b:2"), ("connect", "c:3")])
    #expect(configuration.name == "Option")
    #expect(configuration.connect == [HostAndPort(host: "b", port: 2), HostAndPort(host: "c", port: 3)])
    #expect(configuration.stopAction == .land)
  }
}

struct SerialEndpoints {
  struct Vector: Sendable {
    var text: String
    var endpoint: SerialEndpoint?
    init(_ text: String, _ endpoint: SerialEndpoint?) {
      self.text = text
      self.endpoint = endpoint
    }
  }

  static let vectors: [Vector] = [
    Vector("/dev/ttyACM0", .device(path: "/dev/ttyACM0", baud: 57600)),
    Vector("/dev/ttyACM0:115200", .device(path: "/dev/ttyACM0", baud: 115200)),
    Vector(
      "/dev/serial/by-path/a-usb-0:1.2:1.0", .device(path: "/dev/serial/by-path/a-usb-0:1.2:1.0", baud: 57600)
    ),
    Vector("serial:///dev/ttyAMA0:921600", .device(path: "/dev/ttyAMA0", baud: 921600)),
    Vector("./vehicle", .device(path: "./vehicle", baud: 57600)),
    Vector("tcp://localhost:5760", .tcp(host: "localhost", port: 5760)),
    Vector("udp://[::1]:14550", .udp(host: "::1", port: 14550)),
    Vector("", nil), Vector("localhost:5760", nil), Vector("/dev/ttyACM0:9", nil), Vector("http://a:1", nil),
    Vector("tcp://a", nil), Vector("tcp://a:0", nil), Vector("tcp://a:65536", nil),
    Vector("tcp://::1:5", nil),
    Vector("tcp://:5", nil), Vector("tcp://[::1:5", nil), Vector("tcp://a b:5", nil),
    Vector("/dev/\u{1B}", nil),
    Vector("serial://", nil), Vector("/dev/a:99999999999999999999", nil),
  ]

  @Test(arguments: vectors) func areReadOrRefused(_ vector: Vector) {
    let type = ValueType<SerialEndpoint>.serialEndpoint
    let endpoint = try? type.parse(vector.text)
    #expect(endpoint == vector.endpoint)
    if let endpoint { #expect((try? type.parse(type.text(endpoint))) == endpoint) }
  }
}

struct NavigatorCommandLine {
  @Test func optionsOverrideKeysAndTrustKeepsItsOwnName() throws {
    let id = String(repeating: "a", count: 64)
    guard
      case .command(let run) = try NavigatorProgram.parse(
        [
          "run", "--serial", "./v", "--connect", "a:1", "--connect", "b:2", "--config", "c", "--return-after",
          "off",
        ]),
      case .command(let trust) = try NavigatorProgram.parse(["trust", id, "--name", "N", "--state", "/s"]),
      case .command(let log) = try NavigatorProgram.parse(["log", "--csv", "--follow", "--since", "10m"])
    else {
      Issue.record("no command")
      return
    }
    #expect(run.configurationFile == "c")
    let configuration = try run.configuration(file: nil)
    #expect(configuration.serial == .device(path: "./v", baud: 57600))
    #expect(configuration.connect.count == 2)
    #expect(configuration.returnAfter == nil)
    #expect(trust.command == .trust(.trust(id: id, name: "N")))
    #expect(try trust.configuration(file: nil).name == "Drone")
    #expect(try trust.configuration(file: nil).stateDirectory == "/s")
    var options = LogOptions()
    options.format = .csv
    options.follows = true
    options.since = "10m"
    #expect(log.command == .log(options))
    #expect(throws: UsageError.self) { try NavigatorProgram.parse(["log", "--csv", "--json"]) }
  }

  @Test func pairingTakesAPersonOrACode() throws {
    var unattended = NavigatorPairOptions()
    unattended.method = .code(file: "/run/code")
    unattended.timeout = .seconds(120)
    var person = NavigatorPairOptions()
    person.peer = "Ann"
    person.timeout = .seconds(30)
    for (line, expected) in [
      ("pair", NavigatorPairOptions()), ("pair --accept-for 2m --code-file /run/code", unattended),
      ("pair --peer Ann --timeout 30", person),
    ] {
      guard
        case .command(let parsed) = try NavigatorProgram.parse(line.split(separator: " ").map(String.init))
      else {
        Issue.record("\(line)")
        continue
      }
      #expect(parsed.command == .pair(expected), "\(line)")
      #expect(try parsed.configuration(file: nil).connect.isEmpty, "no flight controller is needed")
    }
    for line in [
      "pair --code-file x", "pair --accept-for 2m --timeout 2m", "pair --accept-for 2d", "pair --timeout 1s",
    ] {
      #expect(throws: UsageError.self, "\(line)") {
        try NavigatorProgram.parse(line.split(separator: " ").map(String.init))
      }
    }
  }

  @Test func simulatorNeedsSomethingToServe() throws {
    #expect(throws: UsageError.self) { try SimulatorProgram.parse([]) }
    var expected = SimulatorInvocation()
    expected.link = "./v"
    expected.tcpPort = 0
    expected.speedup = 5
    expected.fastStart = true
    expected.home = HomePosition(
      coordinate: LatitudeLongitude(latitudeDegrees: -1.5, longitudeDegrees: 2), altitudeMSLMeters: -3)
    #expect(
      try SimulatorProgram.parse(
        ["--link", "./v", "--tcp-port=0", "--speedup", "5", "--fast-start", "--home", "-1.5,2,-3"])
        == .command(expected))
  }

  @Test func simulatorTakesFaultsWithAndWithoutTheirTime() throws {
    let parsed = try SimulatorProgram.parse(
      ["--link", "./v", "--fault", "noise", "--fault=silent@12.5"])
    guard case .command(let invocation) = parsed else {
      Issue.record("no command")
      return
    }
    #expect(invocation.faults == [ScheduledFault(.noise), ScheduledFault(.silent, afterSeconds: 12.5)])
    for wrong in ["fire", "noise@", "noise@-1", "noise@nan", "@3", "noise@3@4"] {
      #expect(throws: UsageError.self) { try SimulatorProgram.parse(["--link", "./v", "--fault", wrong]) }
    }
  }
}

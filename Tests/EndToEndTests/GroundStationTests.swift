import Glibc
import JSONText
import TestSupport
import Testing

private let python = getenv("DRONE_TEST_PYTHON").map { String(cString: $0) } ?? "python3"

private let canRun: Bool = {
  let script = "import importlib.metadata as m, mavsdk.plugins.action, MAVProxy; print('there')"
  if let process = try? ChildProcess([python, "-c", script]),
    process.readLine(within: .seconds(20)) == "there"
  {
    return true
  }
  print("skipped: mavsdk 4 and MAVProxy are not installed for \(python); install them with pip")
  return false
}()

/// What a ground station says of the vehicle.
private struct Seen: Equatable {
  var latitude: Double
  var longitude: Double
  var heightMeters: Double
  var isArmed: Bool
  var mode: String

  func isNear(_ other: Seen) -> Bool {
    abs(latitude - other.latitude) < 1e-5 && abs(longitude - other.longitude) < 1e-5
      && abs(heightMeters - other.heightMeters) < 0.5 && isArmed == other.isArmed && mode == other.mode
  }
}

extension EndToEndTests {
  /// MAVSDK and MAVProxy, each at a port of its own, while the navigator flies the vehicle.
  @Suite(.enabled(if: canRun, "needs mavsdk and MAVProxy for DRONE_TEST_PYTHON"))
  struct GroundStationTests {
    private let world: World
    private let mavsdk: ChildProcess
    private let mavproxy: ChildProcess
    private let directory: TemporaryDirectory

    /// Answers each line on its input with what it sees, or lands.
    private static let watcher = """
      import json, sys
      from mavsdk import ComponentType, Configuration, Mavsdk
      from mavsdk.plugins.action import Action
      from mavsdk.plugins.telemetry import Telemetry
      sdk = Mavsdk(Configuration.create_with_component_type(ComponentType.GROUND_STATION))
      sdk.add_any_connection(sys.argv[1])
      system = sdk.first_autopilot(20)
      action, telemetry = Action(system), Telemetry(system)
      for line in sys.stdin:
          if line == 'land\\n': action.land()
          p = telemetry.position()
          # No number before the first position.
          latitude, longitude, height = (0 if v != v else v for v in (p.latitude_deg, p.longitude_deg, p.relative_altitude_m))
          print(json.dumps({"seen": "mavsdk", "latitude": latitude, "longitude": longitude, "height": height,
                            "armed": telemetry.armed(), "mode": telemetry.flight_mode().name}), flush=True)
      """

    init() throws {
      directory = try TemporaryDirectory()
      world = try World()
      try world.startSimulator(
        "--autopilot", "px4", "--also", "tcp://127.0.0.1:0", "--also", "tcp://127.0.0.1:0", "--speedup", "10")
      let ports = try #require(world.simulator).lines.filter { $0.contains("also listening") }
        .compactMap { $0.split(separator: "/").last }
      try #require(ports.count == 2)
      let quiet = ["PYTHONUNBUFFERED": "1", "HOME": directory.path]
      mavsdk = try ChildProcess([python, "-c", Self.watcher, "tcpout://\(ports[0])"], environment: quiet)
      mavproxy = try ChildProcess(
        [
          python, "-m", "MAVProxy.mavproxy", "--master", "tcp:\(ports[1])", "--state-basedir", directory.path,
          "--logfile", "\(directory.path)/mav.tlog", "--default-modules", "mode,cmdlong,link",
        ], environment: quiet)
      try world.startClient()
      try world.startNavigator()
      try world.requireReady()
    }

    private func navigatorSees() throws -> Seen? {
      guard let vehicle = try world.vehicle(), let latitude = vehicle["latitude"]?.double,
        let longitude = vehicle["longitude"]?.double, let height = vehicle["altitudeAboveHomeMeters"]?.double,
        let isArmed = vehicle["armed"]?.bool, let mode = vehicle["mode"]?.string
      else { return nil }
      return Seen(
        latitude: latitude, longitude: longitude, heightMeters: height, isArmed: isArmed, mode: mode)
    }

    private func mavsdkSees(_ request: String = "look") -> Seen? {
      mavsdk.send(request)
      while let line = mavsdk.readLine(within: .seconds(20)) {
        // The library logs on the same output.
        guard let answer = try? JSON.parse(line), answer["seen"] != nil,
          let latitude = answer["latitude"]?.double, let longitude = answer["longitude"]?.double,
          let height = answer["height"]?.double, let isArmed = answer["armed"]?.bool,
          let name = answer["mode"]?.string
        else { continue }
        let mode = name == "HOLD" ? "AUTO.LOITER" : "AUTO.\(name)"
        return Seen(
          latitude: latitude, longitude: longitude, heightMeters: height, isArmed: isArmed, mode: mode)
      }
      return nil
    }

    /// Its console prints the newest message of a kind.
    private func mavproxySees() -> Seen? {
      func field(_ name: String, _ line: String) -> Int? {
        guard let start = line.firstRange(of: "\(name) : ")?.upperBound else { return nil }
        return Int(line[start...].prefix { $0 == "-" || $0.isWholeNumber })
      }
      mavproxy.send("status HEARTBEAT")
      mavproxy.send("status GLOBAL_POSITION_INT")
      var heartbeat: (base: Int, custom: Int)?
      while let line = mavproxy.readLine(within: .seconds(5)) {
        if line.contains("HEARTBEAT {"), let base = field("base_mode", line),
          let custom = field("custom_mode", line)
        {
          heartbeat = (base, custom)
        }
        guard line.contains("GLOBAL_POSITION_INT {"), let latitude = field("lat", line),
          let longitude = field("lon", line), let height = field("relative_alt", line)
        else { continue }
        guard let heartbeat else { return nil }
        let modes = [0x0204_0000: "AUTO.TAKEOFF", 0x0304_0000: "AUTO.LOITER", 0x0604_0000: "AUTO.LAND"]
        return Seen(
          latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7,
          heightMeters: Double(height) / 1000, isArmed: heartbeat.base & 128 != 0,
          mode: modes[heartbeat.custom] ?? "\(heartbeat.custom)")
      }
      return nil
    }

    /// Until all three say the same, and what is wanted.
    private func allSee(_ isWanted: (Seen) -> Bool) throws -> Bool {
      try world.waits {
        guard let own = try navigatorSees(), isWanted(own), let first = mavsdkSees(), own.isNear(first),
          let second = mavproxySees()
        else { return false }
        return own.isNear(second)
      }
    }

    private var story: String {
      "navigator: \(String(describing: try? navigatorSees()))\nMAVSDK: \(String(describing: mavsdkSees()))\n"
        + "MAVProxy: \(String(describing: mavproxySees()))\n\(world.story)"
    }

    @Test func twoGroundStationsSeeWhatTheNavigatorDoesAndItSeesWhatTheyDo() throws {
      defer {
        mavsdk.stop()
        mavproxy.stop()
      }
      let areAgreedOnGround = try allSee { !$0.isArmed }
      #expect(areAgreedOnGround, "\(story)")
      try world.takeOff()
      #expect(try world.runClient("goto", World.north).code == 0)
      #expect(try world.runClient("stop").code == 0)
      let areAgreedInFlight = try allSee { $0.isArmed && $0.heightMeters > 2 && $0.mode == "AUTO.LOITER" }
      #expect(areAgreedInFlight, "\(story)")
      // Somebody else lands it: the navigator has to see that and let it happen.
      _ = mavsdkSees("land")
      let areAgreedOnLanding = try allSee { $0.mode == "AUTO.LAND" }
      #expect(areAgreedOnLanding, "\(story)")
      let isDown = try allSee { !$0.isArmed && $0.heightMeters < 0.5 }
      #expect(isDown, "\(story)")
    }
  }
}

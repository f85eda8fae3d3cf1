import Glibc
import JSONText
import ServiceRuntime
import TestSupport
import Testing

/// All end-to-end tests: one after the other, as each starts several programs.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EndToEndTests {}

/// A client, a navigator and a simulated vehicle with state directories of their own.
final class World {
  /// Where the vehicle stands; the recorded walk goes round it.
  static let home = "47.397742,8.545594"
  /// 30 m north of it.
  static let north = "47.398012,8.545594"

  let place: Place
  let port: UInt16
  let link: String
  let clientID: String
  let navigatorID: String
  private(set) var simulator: Running?
  private(set) var client: Running?
  private(set) var navigator: Running?
  private let directory: TemporaryDirectory

  var clientState: String { "\(directory.path)/client" }
  var navigatorState: String { "\(directory.path)/navigator" }

  /// - Parameter isTrusting: both sides trust each other from the start.
  init(in place: Place = Place(), isTrusting: Bool = true) throws {
    self.place = place
    port = try GPSDaemon.freePort()
    directory = try TemporaryDirectory()
    link = "\(directory.path)/vehicle"
    let client = try Finished(.client, ["identity", "--json", "--state", "\(directory.path)/client"])
    let navigator = try Finished(
      .navigator, ["identity", "--json", "--state", "\(directory.path)/navigator"])
    clientID = try #require(try JSON.parse(client.text)["id"]?.string)
    navigatorID = try #require(try JSON.parse(navigator.text)["id"]?.string)
    if isTrusting {
      #expect(try runClient("trust", navigatorID, "--name", "Drone").code == 0)
      #expect(try runNavigator("trust", clientID).code == 0)
    }
  }

  deinit {
    for program in [navigator, client, simulator] { program?.stop() }
  }

  /// What everybody said, for a test that fails.
  var story: String {
    func part(_ name: String, _ program: Running?) -> String {
      program?.catchUp()
      return "\(name):\n  " + (program?.lines.suffix(30).joined(separator: "\n  ") ?? "not started")
    }
    return [part("client", client), part("navigator", navigator), part("simulator", simulator)]
      .joined(separator: "\n")
  }

  // MARK: Programs that go on

  func startSimulator(_ options: String...) throws {
    simulator = try Running(
      .simulator, ["--link", link, "--home", "\(World.home),488", "--fast-start"] + options, in: place)
    #expect(simulator?.says("serial port") == true)
  }

  /// One that is reached over TCP instead of a device.
  ///
  /// - Returns: its address, as `--serial` takes it.
  func startNetworkSimulator() throws -> String {
    simulator = try Running(
      .simulator, ["--tcp-port", "0", "--home", "\(World.home),488", "--fast-start"], in: place)
    #expect(simulator?.says("listening on tcp://") == true)
    return try #require(simulator?.lines.last?.split(separator: " ").last.map(String.init))
  }

  /// A simulator that needs its time to become ready.
  func startSlowSimulator() throws {
    simulator = try Running(.simulator, ["--link", link, "--home", "\(World.home),488"], in: place)
    #expect(simulator?.says("serial port") == true)
  }

  func startClient(position: String = World.north, listen: String? = nil) throws {
    let address = listen ?? "127.0.0.1:\(port)"
    client = try Running(
      .client,
      ["run", "--name", "Ann", "--state", clientState, "--position", position, "--listen", address], in: place
    )
    #expect(client?.says("listening on") == true)
  }

  /// - Parameters:
  ///   - connects: dials the client's address, as there is no Avahi to find it.
  ///   - proxy: dialled in the client's place.
  ///   - serial: nil for the device of the simulator.
  func startNavigator(connects: Bool = true, proxy: UInt16? = nil, serial: String? = nil) throws {
    navigator = try Running(
      .navigator, navigatorArguments(connects: connects, proxy: proxy, serial: serial), in: place)
  }

  func navigatorArguments(
    connects: Bool = true, proxy: UInt16? = nil, serial: String? = nil
  ) -> [String] {
    [
      "run", "--state", navigatorState, "--serial", serial ?? link, "--log-level", "info",
      "--takeoff-altitude", "3 m",
      "--follow-height", "3 m",
    ] + (connects ? ["--connect", "127.0.0.1:\(proxy ?? port)"] : [])
  }

  /// Simulator, client and navigator, connected, and the vehicle heard.
  func start(position: String = World.north) throws {
    try startSimulator()
    try startClient(position: position)
    try startNavigator()
    try requireReady()
  }

  func requireReady() throws {
    let isReady = try waits { try vehicle()?["armed"] != nil }
    try #require(isReady, "\(story)")
  }

  /// Waits for the streams that carry position and readiness, which come some time after the first heartbeat.
  func requireReadyToFly() throws {
    let mayFly = try waits {
      let told = try vehicle()
      return told?["readyToArm"]?.bool == true && told?["latitude"] != nil
    }
    try #require(mayFly, "\(story)")
  }

  /// Takes off, and waits until coordinates are flown to.
  func takeOff() throws {
    try requireReadyToFly()
    let takeoff = try runClient("takeoff")
    try #require(takeoff.code == 0, "\(takeoff)\n\(story)")
    let isUp = navigator?.says("takeoff height reached") == true
    try #require(isUp, "\(story)")
  }

  // MARK: Programs that end

  func runClient(_ arguments: String...) throws -> Finished {
    try Finished(.client, arguments + ["--state", clientState], in: place)
  }

  func runNavigator(_ arguments: String...) throws -> Finished {
    try Finished(.navigator, arguments + ["--state", navigatorState], in: place)
  }

  /// What the client says of itself, nil when it does not run.
  func clientStatus() throws -> JSON? {
    let status = try runClient("status", "--json")
    return status.code == 0 ? try JSON.parse(status.text) : nil
  }

  /// The vehicle as the client sees it, nil when it is not connected.
  func vehicle() throws -> JSON? {
    try clientStatus()?["vehicles"]?.array?.first { $0["connected"]?.bool == true }
  }

  func navigatorStatus() throws -> JSON? {
    let status = try runNavigator("status", "--json")
    return status.code == 0 ? try JSON.parse(status.text) : nil
  }

  /// The log of commands.
  func log() throws -> [JSON] { try runNavigator("log", "--json").lines.compactMap { try? JSON.parse($0) } }

  /// What was written to the serial line, by the command it was for.
  func sentCommands() throws -> [String] {
    try log().filter { $0["event"]?.string == "sent" }.compactMap { $0["command"]?.string }
  }

  /// Waits for so many of the client's coordinates since it connected last; one comes each second.
  func hearsCoordinates(_ count: Int) throws -> Bool {
    try waits {
      let records = try log()
      let start = records.lastIndex { $0["state"]?.string == "connected" } ?? records.endIndex
      let commands = records[start...].filter { $0["event"]?.string == "command" }
      return commands.count { $0["command"]?.string == "coordinate" } >= count
    }
  }

  /// Looks again and again until `condition` holds.
  func waits(_ limit: Duration = .seconds(20), for condition: () throws -> Bool) throws -> Bool {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while ContinuousClock.now < deadline {
      if try condition() { return true }
      usleep(100_000)
    }
    return false
  }
}

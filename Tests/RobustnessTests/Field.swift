import Glibc
import JSONText
import ServiceRuntime
import TestSupport
import Testing

let canRun: Bool = {
  if let reason = NetworkNamespaces.missing {
    print("robustness between hosts is not tried: \(reason)")
    return false
  }
  return true
}()

/// All tests with real programs on several hosts: one after the other.
@Suite(.enabled(if: canRun, "needs root and network namespaces"), .serialized, .timeLimit(.minutes(2)))
struct RobustnessTests {}

/// An operator's host (0) and hosts with a vehicle each, the programs on them, and what is between them.
final class Field {
  /// One navigator with its flight controller.
  struct Vehicle {
    let simulator: Running?
    var navigator: Running
    let state: String
    let arguments: [String]
    let id: String
  }

  static let port: UInt16 = 4000

  let network: NetworkNamespaces
  private(set) var client: Running?
  private(set) var vehicles: [Vehicle] = []
  private let directory: TemporaryDirectory
  private let hasDiscovery: Bool
  private let clientID: String
  private(set) var clientEnvironment: [String: String] = [:]

  var clientState: String { "\(directory.path)/client" }

  /// - Parameters:
  ///   - hosts: besides the operator's.
  ///   - radio: settings of a radio at the operator's host; nil for a cable.
  init(hosts: Int = 1, hasDiscovery: Bool = false, radio: [String]? = nil) throws {
    self.hasDiscovery = hasDiscovery
    network = try NetworkNamespaces(
      hostCount: hosts + 1, hasDiscovery: hasDiscovery, radio: radio.map { _ in BuiltProgram.radio.path },
      settings: radio ?? [], radioHosts: [0])
    directory = try TemporaryDirectory()
    clientID = try Field.identity(.client, "\(directory.path)/client")
  }

  deinit {
    for vehicle in vehicles {
      vehicle.navigator.stop()
      vehicle.simulator?.stop()
    }
    client?.stop()
  }

  private static func identity(_ program: BuiltProgram, _ state: String) throws -> String {
    let told = try Finished(program, ["identity", "--json", "--state", state])
    return try #require(try JSON.parse(told.text)["id"]?.string, "\(told)")
  }

  func place(_ host: Int, _ environment: [String: String] = [:]) -> Place {
    var place = Place(network.hosts[host])
    if !hasDiscovery { place.environment = Place().environment }
    place.environment.merge(environment) { $1 }
    return place
  }

  func startClient(_ environment: [String: String] = [:]) throws {
    let address = hasDiscovery ? "0.0.0.0:0" : "0.0.0.0:\(Field.port)"
    client = try Running(
      .client,
      [
        "run", "--name", "Ann", "--state", clientState, "--position", "47.398012,8.545594", "--listen",
        address,
      ], in: place(0, environment))
    let isUp = client?.says(hasDiscovery ? "advertised as" : "listening on") == true
    try #require(isUp, "\(story)")
  }

  /// Starts a navigator, with a flight controller unless `isBare`, and does not wait for it.
  func addVehicle(on host: Int = 1, name: String = "Drone", isBare: Bool = false) throws {
    let state = "\(directory.path)/navigator\(vehicles.count)"
    let link = "\(directory.path)/vehicle\(vehicles.count)"
    let id = try Field.identity(.navigator, state)
    try trust(id, name)
    #expect(try Finished(.navigator, ["trust", clientID, "--state", state]).code == 0)
    var simulator: Running?
    if !isBare {
      simulator = try Running(
        .simulator, ["--link", link, "--home", "47.397742,8.545594,488", "--fast-start"], in: place(host))
      #expect(simulator?.says("serial port") == true)
    }
    let arguments =
      [
        "run", "--state", state, "--serial", link, "--log-level", "info", "--name", name,
        "--takeoff-altitude",
        "3 m",
      ] + (hasDiscovery ? [] : ["--connect", "\(NetworkNamespaces.address(0)):\(Field.port)"])
    vehicles.append(
      Vehicle(
        simulator: simulator, navigator: try Running(.navigator, arguments, in: place(host)), state: state,
        arguments: arguments, id: id))
  }

  func restartNavigator(_ index: Int, on host: Int = 1) throws {
    vehicles[index].navigator.killNow()
    vehicles[index].navigator = try Running(.navigator, vehicles[index].arguments, in: place(host))
  }

  func trust(_ id: String, _ name: String) throws {
    #expect(try Finished(.client, ["trust", id, "--name", name, "--state", clientState]).code == 0)
  }

  /// Client and one vehicle, connected.
  func start(_ environment: [String: String] = [:]) throws {
    try startClient(environment)
    try addVehicle()
    try requireVehicles(1)
  }

  func requireVehicles(_ count: Int, within limit: Duration = .seconds(20)) throws {
    let areThere = try waits(limit) { try connectedVehicles().count == count }
    try #require(areThere, "\(story)")
  }

  /// Those whose flight controller is heard.
  func connectedVehicles() throws -> [JSON] {
    try (status()?["vehicles"]?.array ?? []).filter {
      $0["connected"]?.bool == true && $0["armed"] != nil
    }
  }

  func status() throws -> JSON? {
    let status = try run("status", "--json")
    return status.code == 0 ? try JSON.parse(status.text) : nil
  }

  /// What the client says of the first vehicle's datagrams: up, connecting or blocked.
  func datagrams() throws -> String? { try status()?["vehicles"]?[0]?["datagrams"]?.string }

  /// Runs a command of the client.
  func run(_ arguments: String...) throws -> Finished {
    try Finished(.client, arguments + ["--state", clientState], in: place(0))
  }

  /// The log of a vehicle.
  func log(vehicle: Int = 0) -> String {
    (try? Finished(.navigator, ["log", "--json", "--state", vehicles[vehicle].state]).text) ?? "no log"
  }

  /// How often a command was obeyed by a vehicle.
  func obeyedCount(_ command: String, vehicle: Int = 0) -> Int {
    log(vehicle: vehicle).split(separator: "\n").compactMap { try? JSON.parse(String($0)) }
      .count { $0["outcome"]?.string == "accepted" && $0["command"]?.string == command }
  }

  /// How often one of the two told the end of a session.
  func disconnections() -> Int {
    client?.catchUp()
    for vehicle in vehicles { vehicle.navigator.catchUp() }
    let clientLines = client?.lines.count { $0.contains("disconnected: ") } ?? 0
    return clientLines
      + vehicles.map { $0.navigator.lines.count { $0.contains("disconnected from") } }.reduce(0, +)
  }

  /// Resident memory of a process, in bytes.
  func residentBytes(_ process: Int32) throws -> Int {
    let text = String(decoding: try Files.read("/proc/\(process)/statm", maximumBytes: 4096), as: UTF8.self)
    let pages = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  func waits(_ limit: Duration = .seconds(20), for condition: () throws -> Bool) throws -> Bool {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while ContinuousClock.now < deadline {
      if try condition() { return true }
      usleep(100_000)
    }
    return false
  }

  /// What everybody said, for a test that fails.
  var story: String {
    func part(_ name: String, _ program: Running?) -> String {
      program?.catchUp()
      return "\(name):\n  " + (program?.lines.suffix(30).joined(separator: "\n  ") ?? "not started")
    }
    return
      ([part("client", client)]
      + vehicles.indices.map { part("navigator \($0)", vehicles[$0].navigator) }).joined(separator: "\n")
  }
}

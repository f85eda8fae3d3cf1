import Glibc
import JSONText
import ServiceRuntime
import TestSupport
import Testing

/// Clients and navigators that all trust each other; each navigator dials each client.
private final class Fleet {
  final class Member {
    let name: String
    let state: String
    let id: String
    var port: UInt16 = 0
    fileprivate(set) var running: Running?

    fileprivate init(_ name: String, _ program: BuiltProgram, in directory: String) throws {
      self.name = name
      state = "\(directory)/\(name)"
      let finished = try Finished(program, ["identity", "--json", "--state", state])
      id = try #require(try JSON.parse(finished.text)["id"]?.string)
    }
  }

  let clients: [Member]
  let vehicles: [Member]
  private(set) var simulator: Running?
  private let directory: TemporaryDirectory
  private let place = Place()

  init(clients: [String], vehicles: [String]) throws {
    directory = try TemporaryDirectory()
    let path = directory.path
    self.clients = try clients.map { try Member($0, .client, in: path) }
    self.vehicles = try vehicles.map { try Member($0, .navigator, in: path) }
    for client in self.clients {
      for vehicle in self.vehicles {
        #expect(try run(client, "trust", vehicle.id, "--name", vehicle.name).code == 0)
        let trust = try Finished(
          .navigator, ["trust", client.id, "--name", client.name, "--state", vehicle.state])
        #expect(trust.code == 0)
      }
    }
  }

  deinit {
    for member in vehicles + clients {
      member.running?.signal(SIGCONT)
      member.running?.stop()
    }
    simulator?.stop()
  }

  func start(_ client: Member, position: String) throws {
    client.port = try GPSDaemon.freePort()
    client.running = try Running(
      .client,
      [
        "run", "--name", client.name, "--state", client.state, "--position", position, "--listen",
        "127.0.0.1:\(client.port)",
      ], in: place)
    #expect(client.running?.says("listening on") == true)
  }

  func startSimulator() throws {
    let link = "\(directory.path)/serial"
    simulator = try Running(
      .simulator, ["--link", link, "--home", "\(World.home),488", "--fast-start", "--speedup", "3"], in: place
    )
    #expect(simulator?.says("serial port") == true)
  }

  /// How long control takes to go over without an answer, and a client to count as silent. Long where a busy machine must not be quicker
  /// than the test; short where the test waits for it. Read anew by a program that runs.
  func setPatience(of vehicle: Member, handOver: Int, silence: Int) throws {
    let text = "hand-over-after = \(handOver) s\nhold-after = \(silence) s\n"
    try Files.replace(configuration(vehicle), with: Array(text.utf8), mode: 0o600)
    guard let running = vehicle.running else { return }
    running.catchUp()
    running.signal(SIGHUP)
    #expect(running.says("configuration changed"), "\(story)")
  }

  func configuration(_ vehicle: Member) -> String { "\(directory.path)/\(vehicle.name).conf" }

  /// Without a simulator its serial line stays down, which concerns no relay's own commands.
  func start(_ vehicle: Member, _ options: String...) throws {
    let dials = clients.flatMap { ["--connect", "127.0.0.1:\($0.port)"] }
    vehicle.running = try Running(
      .navigator,
      [
        "run", "--name", vehicle.name, "--state", vehicle.state, "--serial", "\(directory.path)/serial",
        "--takeoff-altitude", "3 m", "--follow-height", "3 m",
      ] + dials + options, in: place)
  }

  func run(_ client: Member, _ arguments: String...) throws -> Finished {
    try Finished(.client, arguments + ["--state", client.state], in: place)
  }

  /// What a client says of its only vehicle.
  func vehicle(_ client: Member) throws -> JSON? {
    try? JSON.parse(try run(client, "status", "--json").text)["vehicles"]?[0]
  }

  func log(_ vehicle: Member) throws -> String {
    try Finished(.navigator, ["log", "--state", vehicle.state], in: place).text
  }

  func waits(for condition: () throws -> Bool) throws -> Bool {
    let deadline = ContinuousClock.now.advanced(by: .seconds(20))
    while ContinuousClock.now < deadline {
      if try condition() { return true }
      usleep(50_000)
    }
    return false
  }

  var story: String {
    (clients + vehicles).map { member in
      member.running?.catchUp()
      return "\(member.name):\n  "
        + (member.running?.lines.suffix(30).joined(separator: "\n  ") ?? "not started")
    }.joined(separator: "\n")
  }
}

extension EndToEndTests {
  /// Several clients of one vehicle, and several vehicles of one client.
  struct AuthorityTests {
    @Test func controlGoesFromClientToClientAndTheVehicleStaysWhereItIs() throws {
      let fleet = try Fleet(clients: ["Ann", "Bob"], vehicles: ["Drone"])
      let (ann, bob, drone) = (fleet.clients[0], fleet.clients[1], fleet.vehicles[0])
      try fleet.startSimulator()
      try fleet.start(ann, position: World.north)
      try fleet.start(bob, position: World.home)
      try fleet.setPatience(of: drone, handOver: 20, silence: 20)
      try fleet.start(drone, "--config", fleet.configuration(drone))
      for client in [ann, bob] { #expect(client.running?.says("connected: Drone") == true, "\(fleet.story)") }
      // The first one has control; which one that is, both are told.
      let isTold = try fleet.waits {
        try fleet.vehicle(ann)?["controller"] != nil && fleet.vehicle(bob)?["controller"] != nil
      }
      try #require(isTold, "\(fleet.story)")
      let isAnn = try fleet.vehicle(ann)?["inControl"]?.bool == true
      let (holder, other) = isAnn ? (ann, bob) : (bob, ann)
      #expect(try fleet.vehicle(other)?["controller"]?.string == holder.name)

      // Asked, told, kept.
      let asks = try Running(.client, ["take-control", "--state", other.state], in: Place())
      let question =
        "\(other.name) asks for control of Drone; `drone-client keep --state \(holder.state)` refuses, else it is handed over in "
      #expect(holder.running?.says(question) == true, "\(fleet.story)")
      #expect(try fleet.run(holder, "keep").code == 0)
      #expect(asks.says("take-control: refused: \(holder.name) keeps control"))
      #expect(asks.exitCode() == 2)

      let isReady = try fleet.waits { try fleet.vehicle(holder)?["readyToArm"]?.bool == true }
      try #require(isReady, "\(fleet.story)")
      let takeoff = try fleet.run(holder, "takeoff")
      try #require(takeoff.code == 0, "\(takeoff)\n\(fleet.story)")
      let land = try fleet.run(other, "land")
      #expect(land.code == 2 && land.text.contains("\(holder.name) is in control"), "\(land)")
      // Anyone stops.
      #expect(try fleet.run(other, "stop").code == 0)
      #expect(fleet.simulator?.says("mode BRAKE (command)") == true)
      let follow = try fleet.run(holder, "follow")
      #expect(follow.code == 0, "\(follow)\n\(fleet.story)")
      #expect(fleet.simulator?.says("mode GUIDED (command)") == true)

      // Unanswered.
      try fleet.setPatience(of: drone, handOver: 1, silence: 20)
      let unanswered = try fleet.run(other, "take-control", "--json")
      #expect(unanswered.code == 0, "\(unanswered)\n\(fleet.story)")
      #expect(try JSON.parse(unanswered.lines.last ?? "")["seconds"]?.double ?? 0 > 0.9)
      #expect(fleet.simulator?.says("mode BRAKE (command)") == true)
      let late = try fleet.run(holder, "keep")
      #expect(late.code == 2 && late.text.contains("\(other.name) is in control"), "\(late)")

      // Handed over.
      try fleet.setPatience(of: drone, handOver: 20, silence: 20)
      let back = try Running(.client, ["take-control", "--state", holder.state], in: Place())
      #expect(other.running?.says("\(holder.name) asks for control of Drone") == true, "\(fleet.story)")
      #expect(try fleet.run(other, "hand-over").code == 0)
      #expect(back.says("take-control: accepted in"))
      #expect(back.exitCode() == 0)

      // Silence frees it at once, and nobody's coordinates count before they are asked for.
      try fleet.setPatience(of: drone, handOver: 20, silence: 3)
      holder.running?.signal(SIGSTOP)
      let isFree = try fleet.waits { try fleet.vehicle(other)?["controller"] == nil }
      #expect(isFree, "\(fleet.story)")
      let taken = try fleet.run(other, "take-control")
      #expect(taken.code == 0, "\(taken)\n\(fleet.story)")
      holder.running?.signal(SIGCONT)
      let log = try fleet.log(drone)
      for line in [
        "\(other.name) asks \(holder.name) for control",
        "\(holder.name) keeps control, which \(other.name) asked for",
        "\(other.name) is in control: \(holder.name) did not refuse in time",
        "\(holder.name) is in control: \(other.name) handed it over", "\(other.name) is in control",
      ] { #expect(log.contains(line), "\(line)\n\(log)") }
      #expect(try fleet.vehicle(other)?["mode"]?.string == "BRAKE")
      let sent = log.split(separator: "\n").last { $0.contains(" sent ") }
      #expect(sent?.contains("goto") == false, "\(log)")
    }

    @Test func oneVehicleThatHangsDelaysNoOther() throws {
      let fleet = try Fleet(clients: ["Ann"], vehicles: ["Drone", "Kite"])
      let (ann, kite) = (fleet.clients[0], fleet.vehicles[1])
      try fleet.start(ann, position: World.north)
      for vehicle in fleet.vehicles { try fleet.start(vehicle) }
      #expect(ann.running?.says("connected to 2 vehicles") == true, "\(fleet.story)")
      let states = try Running(.client, ["status", "--json", "--follow", "--state", ann.state], in: Place())
      #expect(states.says("\"connected\":true"))

      let all = try fleet.run(ann, "reset", "--all")
      #expect(all.code == 0, "\(all)")
      #expect(all.lines.map { $0.split(separator: ":")[0] }.sorted() == ["Drone", "Kite"], "\(all)")

      kite.running?.signal(SIGSTOP)
      let worst = try fleet.run(ann, "reset", "--all", "--timeout", "1")
      #expect(worst.code == 4, "\(worst)")
      #expect(worst.lines.count == 2)
      #expect(worst.lines.first?.hasPrefix("Drone: reset: accepted in 0.") == true, "\(worst)")
      #expect(worst.lines.last?.hasPrefix("Kite: reset: no answer in 1") == true, "\(worst)")

      let one = try fleet.run(ann, "reset", "--vehicle", String(fleet.vehicles[0].id.prefix(6)))
      #expect(one.code == 0 && one.lines.count == 1, "\(one)")
      let unknown = try fleet.run(ann, "reset", "--vehicle", "Drake")
      #expect(
        unknown.code == 64 && unknown.text.contains("Drone (") && unknown.text.contains("Kite ("),
        "\(unknown)")
      #expect(try fleet.run(ann, "reset").code == 64)
      let table = try fleet.run(ann, "status")
      #expect(table.text.contains("VEHICLE  ID "), "\(table)")
      for vehicle in fleet.vehicles {
        #expect(
          table.lines.contains { $0.hasPrefix(vehicle.name) && $0.contains(vehicle.id.prefix(8)) }, "\(table)"
        )
      }

      // Each change of a connection is a line.
      states.catchUp()
      fleet.vehicles[0].running?.signal(SIGTERM)
      #expect(states.says("\"connected\":false"))
      ann.running?.signal(SIGTERM)
      #expect(states.exitCode() == 3)
    }
  }
}

import ClientApp
import Geodesy
import JSONText
import PeerLink
import PeerProtocol
import RemoteControl
import ServiceRuntime
import Testing
import Vehicle

@Suite struct TextTests {
  struct Line: Sendable {
    let verb: String
    let result: CommandOutcome.Result
    let milliseconds: Int
    let text: String
  }

  static let lines = [
    Line(
      verb: "takeoff", result: .accepted, milliseconds: 214,
      text: "takeoff: accepted by the flight controller in 0.21 s"),
    Line(verb: "reset", result: .accepted, milliseconds: 9, text: "reset: accepted in 0.009 s"),
    Line(
      verb: "takeoff", result: .refused(reason: "Arm: Need Position Estimate"), milliseconds: 500,
      text: "takeoff: refused: Arm: Need Position Estimate"),
    Line(
      verb: "land", result: .refused(reason: "\u{1B}[2J\nland: accepted"), milliseconds: 5,
      text: #"land: refused: \u{1b}[2J\u{a}land: accepted"#),
    Line(verb: "takeoff", result: .noAnswer, milliseconds: 30_000, text: "takeoff: no answer in 30 s"),
    Line(
      verb: "stop", result: .unknown(reason: "no proof"), milliseconds: 5,
      text: "stop: outcome unknown: no proof"),
  ]

  @Test(arguments: lines) func outcomesReadWell(line: Line) {
    let outcome = CommandOutcome(
      vehicle: "Drone", id: peer(1), verb: line.verb, result: line.result,
      elapsed: .milliseconds(line.milliseconds))
    #expect(outcome.text == line.text)
  }

  /// What a report prints for replies.
  private func report(_ replies: [ControlReply], json: Bool = false) -> (
    output: [String], errors: [String], ExitCode?
  ) {
    var output: [String] = []
    var errors: [String] = []
    var report = CommandReport(
      verb: "stop", json: json, namesVehicles: false, output: { output.append($0) },
      errorOutput: { errors.append($0) })
    for reply in replies { report.take(reply) }
    return (output, errors, report.exitCode)
  }

  private func accepted(_ name: String) -> ControlReply {
    .outcome(
      CommandOutcome(vehicle: name, id: peer(1), verb: "stop", result: .accepted, elapsed: .milliseconds(20)))
  }

  @Test func oneVehicleNeedsNoName() {
    let (output, errors, code) = report([
      .started(vehicles: 1), accepted("Drone"), .end(.accepted, error: nil),
    ])
    #expect(output == ["stop: accepted by the flight controller in 0.020 s"])
    #expect(errors == [] && code == .accepted)
  }

  @Test func severalVehiclesAreNamed() {
    let (output, _, _) = report([.started(vehicles: 2), accepted("Drone"), accepted("Kite")])
    #expect(
      output == [
        "Drone: stop: accepted by the flight controller in 0.020 s",
        "Kite: stop: accepted by the flight controller in 0.020 s",
      ])
  }

  @Test func aFailureIsToldOnStandardError() {
    let (output, errors, code) = report([.end(.noVehicle, error: "no vehicle is connected")])
    #expect(output == [] && errors == ["stop: no vehicle is connected"] && code == .noVehicle)
  }

  @Test func jsonIsOneObjectALine() throws {
    let (output, _, _) = report([.started(vehicles: 1), accepted("Drone")], json: true)
    #expect(output.count == 1)
    let json = try JSON.parse(output[0])
    #expect(json["vehicle"] == "Drone" && json["outcome"] == "accepted" && json["command"] == "stop")
  }

  private func status(_ vehicles: [ClientStatus.Vehicle], position: PositionStatus) -> ClientStatus {
    ClientStatus(
      name: "laptop", id: peer(9), processID: 42, address: "[::]:4000",
      advertising: .advertised(name: "laptop"),
      position: position, vehicles: vehicles)
  }

  private var flying: ClientStatus.Vehicle {
    var vehicle = VehicleStatus(isInControl: true)
    vehicle.isArmed = true
    vehicle.modeName = "GUIDED"
    vehicle.altitudeAboveHomeMeters = 10.04
    vehicle.groundSpeedMetersPerSecond = 3.26
    vehicle.batteryPercent = 87
    return ClientStatus.Vehicle(
      label: VehicleLabel(id: peer(1), name: "Drone"), isConnected: true, status: vehicle,
      age: .milliseconds(200),
      distanceMeters: 120.4)
  }

  @Test func theStatusTellsHowTheVehicleIsReached() {
    var vehicle = flying
    vehicle.link = PeerStatus(datagrams: .up, hasControl: true)
    let position = PositionStatus.waiting(.noFix)
    #expect(status([vehicle], position: position).text.contains("connected, datagrams up, status 0.2 s old"))
    #expect(vehicle.json["datagrams"] == "up" && vehicle.json["control"] == true)
    vehicle.link = PeerStatus(datagrams: .blocked, hasControl: false)
    #expect(
      status([vehicle], position: position).text.contains(
        "connected, datagrams blocked, control being reopened, status 0.2 s old"))
    #expect(vehicle.json["datagrams"] == "blocked" && vehicle.json["control"] == false)
  }

  @Test func theStatusLineSaysWhatMatters() {
    let fix = Fix(
      mode: .threeDimensional, coordinate: Coordinate(latitude: 52.5, longitude: -13.25), receivedAt: .now,
      horizontalErrorMeters: 3.4)
    #expect(
      status([flying], position: .fix(fix)).line
        == "Drone: GUIDED armed 10.0 m 3.3 m/s 87 % 120 m away | 3D fix 52.5000000,-13.2500000 ±3 m")
    #expect(
      status([], position: .lostFix(since: .now)).line == "no vehicle connected | fix lost")
  }

  @Test func theStatusOfAPeerCannotDriveTheTerminal() {
    var vehicle = flying
    vehicle.status?.modeName = "\u{1B}[31mRED"
    vehicle.label = VehicleLabel(id: peer(1), name: "Dr\u{7}one")
    let shown = status([vehicle], position: .waiting(.noFix))
    #expect(!(shown.line + shown.text).unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
  }

  @Test func theStatusObjectLeavesOutWhatIsNotKnown() {
    let json = status([flying], position: .waiting(.noFix)).json
    #expect(json["name"] == "laptop" && json["id"]?.string == peer(9).hex)
    #expect(json["position"] == ["state": "noFix"])
    let vehicle = json["vehicles"]?[0]
    #expect(vehicle?["connected"] == true && vehicle?["armed"] == true && vehicle?["mode"] == "GUIDED")
    #expect(vehicle?["ageSeconds"]?.double == 0.2)
    #expect(vehicle?["headingDegrees"] == nil)
  }

  @Test func strangersAreToldOnceAMinuteAndFewInAll() {
    var notices = StrangerNotices()
    let start = ContinuousClock.now
    let first = [0, 59, 60].map { notices.shouldTell(peer(1), at: start.advanced(by: .seconds($0))) }
    #expect(first == [true, false, true])
    let told = (2..<200).filter { notices.shouldTell(peer(UInt8($0)), at: start.advanced(by: .seconds(61))) }
    #expect(told.count == 15)
  }
}

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
      verb: "take-control", result: .accepted, milliseconds: 10_040, text: "take-control: accepted in 10.04 s"
    ),
    Line(
      verb: "land", result: .notSent(reason: "the vehicle is silent"), milliseconds: 0,
      text: "land: not sent: the vehicle is silent"),
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

  @Test func eachOfSeveralSaysHowLongItTook() {
    func outcome(_ result: CommandOutcome.Result) -> ControlReply {
      .outcome(
        CommandOutcome(
          vehicle: "Kite", id: peer(2), verb: "land", result: result, elapsed: .milliseconds(1234)))
    }
    let (output, _, _) = report(
      [.started(vehicles: 4)]
        + [.refused(reason: "no"), .unknown(reason: "no proof"), .noAnswer, .notSent(reason: "silent")].map(
          outcome)
    )
    #expect(
      output == [
        "Kite: land: refused: no (1.23 s)", "Kite: land: outcome unknown: no proof (1.23 s)",
        "Kite: land: no answer in 1.23 s", "Kite: land: not sent: silent",
      ])
  }

  @Test(arguments: [
    ([CommandOutcome.Result.accepted, .accepted], ExitCode.accepted),
    ([.accepted, .notSent(reason: "")], .noVehicle), ([.notSent(reason: ""), .noAnswer], .noAnswer),
    ([.noAnswer, .refused(reason: ""), .accepted], .refused), ([.unknown(reason: ""), .accepted], .noAnswer),
  ]) func theWorstOfSeveralOutcomesCounts(results: [CommandOutcome.Result], code: ExitCode) {
    let outcomes = results.map {
      CommandOutcome(vehicle: "Kite", id: peer(2), verb: "land", result: $0, elapsed: .zero)
    }
    #expect(CommandOutcome.exitCode(of: outcomes) == code)
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

  @Test func severalVehiclesAreATable() {
    var drone = flying
    drone.link = PeerStatus(
      datagrams: .up, hasControl: true,
      quality: LinkQuality(answeredPercent: 95, roundTrip: .milliseconds(21)))
    drone.status?.landed = .inAir
    drone.status?.isStopLatched = true
    drone.status?.relayState = "stopped; reset, goto, follow or takeoff resumes"
    drone.status?.distanceToTargetMeters = 12.3
    drone.status?.bearingToTargetDegrees = 271
    var old = VehicleStatus()
    old.isArmed = false
    old.modeName = "HOLD"
    let kite = ClientStatus.Vehicle(
      label: VehicleLabel(id: peer(2), name: "Kite 2"), isConnected: false, isSilent: true, status: old,
      age: .seconds(34))
    var lines = status([drone, kite], position: .lostFix(since: .now)).text.split(separator: "\n").map(
      String.init)
    lines.removeFirst(3)
    #expect(
      lines == [
        "VEHICLE  ID        LINK        CONTROL  MODE    STATE           HEIGHT  SPEED    BATTERY  FROM HERE  TO TARGET  STATUS",
        "Drone    01010101  95 % 21 ms  you      GUIDED  flying STOPPED  10.0 m  3.3 m/s  87 %     120 m      12 m 271°  0.2 s",
        "Kite 2   02020202  SILENT      -        HOLD    disarmed        -       -        -        -          -          34 s OLD",
        "Drone: stopped; reset, goto, follow or takeoff resumes",
      ])
  }

  @Test func whoIsInControlIsSaidWhereItMatters() {
    let fix = PositionStatus.lostFix(since: .now)
    func line(_ change: (inout VehicleStatus) -> Void) -> String {
      var vehicle = flying
      var told = VehicleStatus(isInControl: false)
      change(&told)
      vehicle.status = told
      vehicle.distanceMeters = nil
      return status([vehicle], position: fix).line
    }
    let cases: [(String, (inout VehicleStatus) -> Void)] = [
      ("", { $0.isInControl = true }),
      ("not in control", { _ in }),
      ("Bob in control", { $0.controllerName = "Bob" }),
      (
        "Bob ASKS FOR CONTROL, 7 s",
        {
          $0.isInControl = true
          $0.controlAskerName = "Bob"
          $0.isAskingForControl = false
          $0.secondsUntilHandOver = 7
        }
      ),
      (
        "asked Bob for control, 7 s",
        {
          $0.controllerName = "Bob"
          $0.controlAskerName = "Ann"
          $0.isAskingForControl = true
          $0.secondsUntilHandOver = 7
        }
      ),
    ]
    for (text, change) in cases { #expect(line(change) == "Drone: \(text) | fix lost") }
  }

  @Test func oldNewsSayHowOldTheyAre() {
    var vehicle = flying
    vehicle.age = .seconds(5)
    let shown = status([vehicle], position: .lostFix(since: .now))
    #expect(shown.line.contains("5 s OLD") && shown.text.contains("5 s OLD"))
    #expect(vehicle.json["stale"] == true && flying.json["stale"] == false)
    vehicle.isConnected = false
    vehicle.isSilent = true
    #expect(status([vehicle], position: .lostFix(since: .now)).line.contains("Drone: SILENT for 5 s"))
    #expect(vehicle.json["silent"] == true && vehicle.json["armed"] == true)
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

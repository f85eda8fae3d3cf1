import Configuration
import FlightLog
import Geodesy
import Glibc
import JSONText
import NavigatorApp
import PeerLink
import PeerProtocol
import RemoteControl
import ServiceRuntime
import Sockets
import TestSupport
import Testing
import Vehicle

@Suite(.timeLimit(.minutes(1)))
struct LogAndStatusTests {
  /// What a subcommand printed.
  final class Printed {
    var output = ""
    var errors = ""
  }

  private func log(_ options: LogOptions = LogOptions(), in directory: String) throws -> (ExitCode, Printed) {
    let printed = Printed()
    let code = printLog(
      options, stateDirectory: directory, loop: try EventLoop(),
      output: {
        printed.output += $0
        return true
      }, errors: { printed.errors += $0 })
    return (code, printed)
  }

  @Test func aFlightIsRecordedAsCommandSentAndOutcome() throws {
    let bench = try Bench()
    #expect(bench.connect())
    bench.standOnGround()
    let takeoff = bench.send { $0.takeoff = true }
    #expect(bench.loop.runUntil { !bench.vehicle.performed.isEmpty })
    let ticket = try #require(bench.vehicle.performed.last?.ticket)
    bench.vehicle.onSent?(ticket, "COMMAND_LONG MAV_CMD_NAV_TAKEOFF")
    bench.vehicle.report(.refused(reason: "PreArm: Compass not calibrated"))
    bench.send { $0.coordinate = Bench.north }
    bench.send()
    #expect(
      bench.loop.runUntil { bench.records().contains { $0["command"]?.string == "keep-alive" } })
    let records = bench.records()
    let mine = records.filter { $0["sequence"]?.integer == Int64(takeoff) }
    #expect(mine.map { $0["event"]?.string } == ["command", "outcome", "sent", "outcome"])
    #expect(mine.allSatisfy { $0["command"]?.string == "takeoff" })
    #expect(
      mine.allSatisfy { $0["client"]?.string == "Ann" && $0["client.id"]?.string == bench.clientID.hex })
    #expect(mine[2]["message"]?.string == "COMMAND_LONG MAV_CMD_NAV_TAKEOFF")
    #expect(mine[3]["outcome"]?.string == "refused")
    #expect(mine[3]["reason"]?.string == "PreArm: Compass not calibrated")
    #expect(mine[3]["elapsed-ms"]?.integer != nil)
    let coordinate = try #require(records.first { $0["command"]?.string == "coordinate" })
    #expect(coordinate["latitude"]?.double == Bench.north.latitude)
    #expect(records.contains { $0["event"]?.string == "link" && $0["state"]?.string == "connected" })
  }

  @Test func aCoordinateRefusedEachSecondIsToldOnceAReason() throws {
    let bench = try Bench()
    #expect(bench.connect())
    bench.standOnGround()
    for _ in 0..<3 { bench.send { $0.coordinate = Bench.north } }
    bench.send()
    #expect(
      bench.loop.runUntil { bench.records().contains { $0["command"]?.string == "keep-alive" } })
    let coordinates = bench.records().filter { $0["command"]?.string == "coordinate" }
    #expect(coordinates.count { $0["event"]?.string == "command" } == 3)
    #expect(coordinates.count { $0["event"]?.string == "outcome" } == 1)
  }

  @Test func anUnusableTimeIsAUsageError() throws {
    let directory = try TemporaryDirectory()
    var options = LogOptions()
    options.since = "yesterday"
    let (code, printed) = try log(options, in: directory.path)
    #expect(code == .usage)
    #expect(printed.errors.contains("--since yesterday: expected a time such as"))
    #expect(printed.output.isEmpty)
  }

  @Test func noLogYetIsAnEmptyLog() throws {
    let directory = try TemporaryDirectory()
    var options = LogOptions()
    options.format = .csv
    let (code, printed) = try log(options, in: directory.path)
    #expect(code == .accepted)
    #expect(printed.output == FlightRecord.csvHeader + "\n")
    #expect(printed.errors.isEmpty)
  }

  @Test func aLogThatCannotBeReadIsAnError() throws {
    let directory = try TemporaryDirectory()
    try Files.replace("\(directory.path)/file", with: [], mode: 0o600)
    let (code, printed) = try log(in: "\(directory.path)/file")
    #expect(code == .internalError)
    #expect(printed.errors.contains("cannot read the log"))
    #expect(printed.errors.contains("\(directory.path)/file"))
  }

  @Test func damageIsTold() throws {
    let directory = try TemporaryDirectory()
    let good = #"{"time":"2026-05-01T12:00:00.000Z","monotonic":1.0,"event":"note","text":"hello"}"#
    let text = "\(good)\nnoise\n" + good.prefix(30)
    try Files.replace(
      "\(directory.path)/\(LogFiles.defaultName)", with: Array(text.utf8), mode: 0o600)
    let (code, printed) = try log(in: directory.path)
    #expect(code == .accepted)
    #expect(printed.output.contains("text=hello"))
    #expect(printed.output.split(separator: "\n").count == 1)
    #expect(printed.errors.contains("skipped 1 damaged lines"))
    #expect(printed.errors.contains("the last line is not complete"))
  }

  @Test func followingEndsWhenNobodyReads() throws {
    let directory = try TemporaryDirectory()
    let good = #"{"time":"2026-05-01T12:00:00.000Z","monotonic":1.0,"event":"note","text":"hello"}"# + "\n"
    let path = "\(directory.path)/\(LogFiles.defaultName)"
    try Files.replace(path, with: Array(good.utf8), mode: 0o600)
    let loop = try EventLoop()
    var options = LogOptions()
    options.follows = true
    var count = 0
    loop.schedule(after: .milliseconds(100)) {
      let file = open(path, O_WRONLY | O_APPEND)
      _ = good.withCString { write(file, $0, strlen($0)) }
      close(file)
    }
    let code = printLog(
      options, stateDirectory: directory.path, loop: loop,
      output: { _ in
        count += 1
        return count < 2
      }, errors: { Issue.record("\($0)") })
    #expect(code == .accepted)
    #expect(count == 2)
  }

  private func status(json: Bool = false, in directory: String, on loop: EventLoop) -> (ExitCode, Printed) {
    let printed = Printed()
    let code = printStatus(
      json: json, stateDirectory: directory, loop: loop, output: { printed.output += $0 },
      errors: { printed.errors += $0 })
    return (code, printed)
  }

  @Test func statusIsOneObject() throws {
    let bench = try Bench()
    #expect(bench.connect())
    #expect(bench.guide())
    bench.vehicle.problem = "bad\u{1B}[31m cable"
    let (code, printed) = status(json: true, in: bench.state.path, on: bench.loop)
    #expect(code == .accepted)
    let json = try JSON.parse(Array(printed.output.utf8), limits: JSON.Limits())
    #expect(json["id"]?.string == bench.navigatorID.hex)
    #expect(json["mode"]?.string == "GUIDED")
    #expect(json["activity"]?.string == "following")
    #expect(json["authority"]?.string == "ours")
    #expect(json["link"]?.string == "live")
    #expect(json["latch"] == .null)
    #expect(json["clients"]?.array?.first?["name"]?.string == "Ann")
    #expect(json["clients"]?.array?.first?["inControl"]?.bool == true)
    let (_, text) = status(in: bench.state.path, on: bench.loop)
    #expect(text.output.contains("activity: following\n"))
    #expect(!text.output.contains("\u{1B}"))
  }

  @Test func aReloadChangesTheRulesOfWhatComesNext() throws {
    let bench = try Bench()
    #expect(bench.connect())
    #expect(bench.guide())
    var new = bench.service.configurationInForce
    new.maximumDistanceFromHomeMeters = 10
    let change = ConfigurationReload.Change(key: "maximum-distance", old: "500 m", new: "10 m")
    bench.service.reconfigure(.changed(new, [change]))
    #expect(bench.vehicle.actions.count == 1)
    let sequence = bench.send {
      $0.coordinate = Bench.north
      $0.engage = true
    }
    #expect(
      bench.loop.runUntil {
        bench.receipts.contains { $0.sequence == sequence && $0.reason.contains("from home, over 10 m") }
      })
  }

  @Test func aFenceThatIsDrawnCloserHoldsAVehicleOutside() throws {
    let bench = try Bench()
    #expect(bench.connect())
    #expect(bench.guide())
    bench.vehicle.reported.coordinate = Bench.north
    bench.run(for: .milliseconds(300))
    #expect(!bench.vehicle.actions.contains(.hold))
    var new = bench.service.configurationInForce
    new.geofenceRadiusMeters = 30
    bench.service.reconfigure(
      .changed(new, [ConfigurationReload.Change(key: "geofence-radius", old: "off", new: "30 m")]))
    #expect(bench.loop.runUntil { bench.vehicle.actions.last == .hold })
  }

  @Test func aRefusedReloadChangesNothing() throws {
    let bench = try Bench()
    let before = bench.service.configurationInForce
    let problem = ConfigurationProblem(place: "file:3", key: "name", message: "cannot become Crow")
    bench.service.reconfigure(.refused(ConfigurationError(problems: [problem], omittedCount: 0)))
    #expect(bench.service.configurationInForce == before)
    #expect(bench.log.messages.contains("file:3: name: cannot become Crow"))
  }

  @Test func aLossIsInTheStatus() throws {
    let bench = try Bench()
    #expect(bench.connect())
    bench.vehicle.onLink?("/dev/ttyACM0 vanished")
    bench.client.disconnect(bench.navigatorID)
    #expect(bench.loop.runUntil { bench.transceiver.connectedPeers.isEmpty })
    let (_, printed) = status(json: true, in: bench.state.path, on: bench.loop)
    let json = try JSON.parse(Array(printed.output.utf8), limits: JSON.Limits())
    #expect(json["lastLineLoss"]?["reason"]?.string == "/dev/ttyACM0 vanished")
    #expect(json["lastClientLoss"]?["what"]?.string == "Ann")
    #expect(json["inAir"] == .null)
  }

  @Test func withoutANavigatorThereIsNoStatus() throws {
    let directory = try TemporaryDirectory()
    let (code, printed) = status(in: directory.path, on: try EventLoop())
    #expect(code == .noVehicle)
    #expect(printed.errors.contains("no navigator is running in \(directory.path)"))
    #expect(printed.errors.contains("drone-navigator run"))
  }

  @Test func aNavigatorThatHangsIsNotWaitedForLong() throws {
    let directory = try TemporaryDirectory()
    let loop = try EventLoop()
    let listener = try UnixListener(path: "\(directory.path)/status.socket", on: loop)
    var kept: [DescriptorChannel] = []
    listener.onAccept = { channel, _ in kept.append(channel) }
    let (code, printed) = status(in: directory.path, on: loop)
    #expect(code == .noAnswer)
    #expect(printed.errors.contains("no answer"))
    listener.close()
  }
}

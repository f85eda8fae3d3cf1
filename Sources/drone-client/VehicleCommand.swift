import ClientApp
import Configuration
import Glibc
import PeerLink
import ServiceRuntime
import Sockets

/// `drone-client takeoff` and its like: through the running client, or by a client of its own for as long as it takes.
struct VehicleCommand {
  private let place: Place
  private let options: VehicleCommandOptions

  init(_ place: Place, _ options: VehicleCommandOptions) {
    self.place = place
    self.options = options
  }

  func run() throws -> ExitCode {
    let loop = try EventLoop()
    // Nothing comes before this: a stop is a connect and a write away from the running client.
    if let code = try askRunningClient(loop) { return code }
    if options.verb.needsRunningClient {
      throw Failure(
        .serviceUnavailable,
        "\(options.verb.name) needs a running client that goes on sending positions: start 'drone-client run' first"
      )
    }
    return try runOwnClient(loop)
  }

  private func makeReport() -> CommandReport {
    CommandReport(
      verb: options.verb.name, json: options.json, namesVehicles: options.vehicle == .all, output: writeLine,
      errorOutput: complain)
  }

  /// - Returns: nil when no client runs.
  private func askRunningClient(_ loop: EventLoop) throws(Failure) -> ExitCode? {
    var report = makeReport()
    do throws(ControlCaller.Failure) {
      // The running client keeps the time limit; the margin is for one that hangs.
      try ControlCaller.exchange(
        .command(options), socketPath: place.socketPath, within: options.timeout + .seconds(2), on: loop
      ) { report.take($0) }
      return report.exitCode ?? .internalError
    } catch {
      switch error {
      case .notRunning: return nil
      case .noAnswer(let text): throw Failure(.noAnswer, "\(options.verb.name): \(text)")
      case .unusable(let text): throw Failure(.configuration, text)
      }
    }
  }

  private func runOwnClient(_ loop: EventLoop) throws -> ExitCode {
    let logger = Logger.standardError(program: "drone-client", level: .warning)
    let signals = try SignalWatch([SIGINT, SIGTERM, SIGHUP], on: loop) { _ in loop.stop() }
    defer { withExtendedLifetime(signals) {} }
    let assembly = try Assembly(place, nil, console: nil, loop: loop, logger: logger)
    guard assembly.trust.count > 0 else {
      throw Failure(
        .noVehicle,
        "no vehicle is trusted yet: '\(place.command("pair"))' here and 'drone-navigator pair' there; or '\(place.trustCommand) ID'"
      )
    }
    let service = assembly.service
    do {
      try service.start()
    } catch UnixSocketError.inUse {
      // Another command was quicker: its client serves this one too.
      return try askRunningClient(loop) ?? .serviceUnavailable
    } catch let error as UnixSocketError {
      throw Failure(.configuration, error.description)
    } catch let error as SystemError {
      throw Failure(.serviceUnavailable, error.description)
    }
    var report = makeReport()
    service.perform(options) { report.take($0) }
    // The sessions may still serve commands of other processes.
    let check = loop.repeating(every: .milliseconds(20)) {
      if report.exitCode != nil, service.isIdle { loop.stop() }
    }
    loop.run()
    check.cancel()
    service.stop()
    loop.schedule(after: ClientRun.goodbyeLimit) { loop.stop() }
    loop.run()
    let code = report.exitCode ?? .noAnswer
    if case .takeoff = options.verb, code == .accepted {
      complain(
        "note: no client stays connected after this command, so the vehicle holds 3 s from now; "
          + "'drone-client run' keeps a link to it")
    }
    return code
  }
}

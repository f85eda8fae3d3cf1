import ClientApp
import Configuration
import PeerLink
import ServiceRuntime

/// `drone-client takeoff` and its like.
struct VehicleCommand {
  private let place: Place
  private let options: VehicleCommandOptions

  init(_ place: Place, _ options: VehicleCommandOptions) {
    self.place = place
    self.options = options
  }

  func run() throws -> ExitCode {
    let command = OneCommand(name: options.verb.name, place: place, loop: try EventLoop())
    // Nothing comes before this: a stop is a connect and a write away from the running client.
    if let code = try askRunningClient(command) { return code }
    if options.verb.needsRunningClient {
      throw Failure(.serviceUnavailable, options.verb.missingClientText)
    }
    return try runOwnClient(command)
  }

  private func makeReport() -> CommandReport {
    CommandReport(
      verb: options.verb.name, json: options.json, namesVehicles: options.vehicle == .all, output: writeLine,
      errorOutput: complain)
  }

  private func askRunningClient(_ command: OneCommand) throws(Failure) -> ExitCode? {
    try command.ask { () throws(ControlCaller.Failure) in
      var report = makeReport()
      // The running client keeps the time limit; the margin is for one that hangs.
      try ControlCaller.exchange(
        .command(options), socketPath: place.socketPath, within: options.timeout + .seconds(2),
        on: command.loop
      ) { report.take($0) }
      return report.exitCode ?? .internalError
    }
  }

  private func runOwnClient(_ command: OneCommand) throws -> ExitCode {
    var report = makeReport()
    let isDone = try command.runOwnClient(
      { logger in
        let assembly = try Assembly(place, nil, console: nil, loop: command.loop, logger: logger)
        guard assembly.trust.count > 0 else {
          throw Failure(
            .noVehicle,
            "no vehicle is trusted yet: '\(place.command("pair"))' here and 'drone-navigator pair' there; or '\(place.trustCommand) ID'"
          )
        }
        return assembly
      },
      onSignal: { command.loop.stop() },
      begin: { $0.perform(options) { report.take($0) } },
      isDone: { report.exitCode != nil })
    guard isDone else { return try askRunningClient(command) ?? .serviceUnavailable }
    let code = report.exitCode ?? .noAnswer
    if case .takeoff = options.verb, code == .accepted {
      complain(
        "note: no client stays connected after this command, so the vehicle holds 3 s from now; "
          + "'drone-client run' keeps a link to it")
    }
    return code
  }
}

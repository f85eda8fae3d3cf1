import Configuration
import FlightLog
import Glibc
import NavigatorApp
import PeerAdministration
import PeerLink
import PeerProtocol
import SecureTransport
import SerialLink
import ServiceRuntime
import Sockets
import Systemd
import VehicleLink

/// Relays commands of trusted clients to the flight controller of this vehicle.
@main enum DroneNavigator {
  static func main() {
    SignalWatch.ignoreBrokenPipes()
    exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  private static func run(_ arguments: [String]) -> ExitCode {
    let invocation: NavigatorInvocation
    do throws(UsageError) {
      switch try NavigatorProgram.parse(arguments) {
      case .help(let text), .version(let text):
        return print(text) ? .accepted : .internalError
      case .command(let command): invocation = command
      }
    } catch {
      // It names the program and the subcommand itself.
      complain("\(error)", asIs: true)
      return .usage
    }
    do throws(ConfigurationError) {
      var configuration = try invocation.configuration(file: try file(of: invocation))
      useServiceDirectories(&configuration)
      return perform(invocation, configuration)
    } catch {
      complain("\(error)")
      return .configuration
    }
  }

  private static func perform(_ invocation: NavigatorInvocation, _ configuration: NavigatorConfiguration)
    -> ExitCode
  {
    let state = configuration.stateDirectory
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop() } catch {
      complain("\(error)")
      return .internalError
    }
    switch invocation.command {
    case .run:
      do {
        return try serve(configuration, invocation, loop)
      } catch {
        complain("\(error)")
        return exitCode(of: error)
      }
    case .check(let printsConfiguration):
      if printsConfiguration { return print(configuration.fileText) ? .accepted : .internalError }
      return check(configuration, loop)
    case .status(let json):
      return printStatus(
        json: json, stateDirectory: state, loop: loop, output: { _ = print($0) }, errors: complain)
    case .log(let options):
      return printLog(options, stateDirectory: state, loop: loop, output: print, errors: complain)
    case .pair(let options):
      do {
        return try pair(options, configuration, loop)
      } catch {
        complain("\(error)")
        return exitCode(of: error)
      }
    case .trust(let command):
      return PeerAdministration.run(
        command, stateDirectory: state, commonName: configuration.name, output: { _ = print($0) },
        errorOutput: complain)
    }
  }

  private static func serve(
    _ configuration: NavigatorConfiguration, _ invocation: NavigatorInvocation, _ loop: EventLoop
  ) throws -> ExitCode {
    let level = Logger.Level(name: configuration.logLevel.rawValue) ?? .notice
    let logger = Journal.logger(program: "drone-navigator", level: level)
    // Before any thread exists, so that none is interrupted by the default action.
    var service: NavigatorService?
    let signals = try SignalWatch([SIGTERM, SIGINT, SIGHUP], on: loop) { signal in
      if signal == SIGHUP {
        if let service { service.reconfigure(reload(service.configurationInForce, invocation)) }
      } else if let service {
        service.shutDown()
      } else {
        loop.stop()
      }
    }
    try Files.makeDirectory(configuration.stateDirectory, mode: 0o700)
    let identity = try Identity.loadOrCreate(
      directory: configuration.stateDirectory, commonName: configuration.name)
    let trust = try TrustedPeers(directory: configuration.stateDirectory, loop: loop, logger: logger)
    let transceiver = PeerTransceiver(
      configuration: PeerTransceiver.Configuration(
        name: configuration.name, serviceType: "_drone-control._tcp", browses: true,
        endpoints: configuration.connect.map { PeerEndpoint(host: $0.host, port: $0.port) }),
      identity: identity, trust: trust, loop: loop, logger: logger)
    trust.onChange = { [weak transceiver] in transceiver?.trustChanged() }
    var namesakes = NamesakeWatch(untrustCommand: "drone-navigator untrust")
    transceiver.onFound = { found in
      let warning = namesakes.found(found.id, name: found.name, trusted: trust.list)
      if let warning { logger.warning("\(warning)") }
    }
    if trust.count == 0 {
      logger.notice(
        "no client is trusted yet; this vehicle is \(identity.peerID.hex); to trust one: drone-navigator pair, or trust ID"
      )
    }
    guard let endpoint = configuration.serial else { return .configuration }
    if case .device(let path, _) = endpoint, let stable = SerialPort.stableName(for: path) {
      logger.notice("\(path) may get another number when it is plugged in again; better: --serial \(stable)")
    }
    let signing = try configuration.signingKeyPath.map {
      try SerialSigning.make(keyPath: $0, stateDirectory: configuration.stateDirectory, logger: logger)
    }
    let link = VehicleLink(
      loop: loop, logger: logger, opener: try FlightControllerOpener(endpoint, loop: loop), signing: signing)
    let telemetry = try recordTelemetry(of: link, configuration, loop, logger)
    let log = try FlightLogWriter(
      LogFiles(
        path: "\(configuration.stateDirectory)/\(LogFiles.defaultName)",
        maximumFileBytes: configuration.logFileSizeBytes, maximumFileCount: configuration.logFileCount),
      logger: logger)
    let notifier = ServiceNotifier(logger: logger)
    let running = NavigatorService(
      configuration: configuration, id: identity.peerID, transceiver: transceiver,
      vehicle: VehicleLinkController(link), log: log,
      supervision: NavigatorService.Supervision(
        ready: { notifier.ready(status: $0) }, status: { notifier.status($0) },
        feed: { notifier.feed(at: $0) },
        stopping: { notifier.stopping(status: "holding, then ending") }),
      loop: loop, logger: logger)
    service = running
    try running.start()
    loop.run()
    telemetry?.close()
    withExtendedLifetime(signals) {}
    return .accepted
  }

  private static func recordTelemetry(
    of link: VehicleLink, _ configuration: NavigatorConfiguration, _ loop: EventLoop, _ logger: Logger
  ) throws(SystemError) -> TelemetryLogWriter? {
    guard configuration.telemetryLog != .off else { return nil }
    let writer = try TelemetryLogWriter(
      LogFiles(
        path: "\(configuration.stateDirectory)/\(TelemetryLogWriter.defaultName)",
        maximumFileBytes: configuration.telemetryLogFileSizeBytes,
        maximumFileCount: configuration.telemetryLogFileCount),
      logger: logger)
    _ = TelemetryRecorder(configuration.telemetryLog, of: link, to: writer, loop: loop)
    return writer
  }

  /// Reads `--config`, or the default file when it exists.
  private static func file(
    of invocation: NavigatorInvocation
  ) throws(ConfigurationError) -> (name: String, content: [UInt8])? {
    let path = invocation.configurationFile ?? NavigatorConfiguration.defaultPath
    do throws(SystemError) {
      return (path, try Files.read(path, maximumBytes: 1 << 20))
    } catch {
      if error.code == ENOENT, invocation.configurationFile == nil { return nil }
      let problem = ConfigurationProblem(place: path, key: nil, message: "cannot be read: \(error.reason)")
      throw ConfigurationError(problems: [problem], omittedCount: 0)
    }
  }

  /// Reads the configuration again as at the start.
  private static func reload(
    _ configuration: NavigatorConfiguration, _ invocation: NavigatorInvocation
  ) -> ConfigurationReload {
    do throws(ConfigurationError) {
      return configuration.reload(
        file: try file(of: invocation), overrides: invocation.overrides.map { ($0.key, $0.text) },
        adjust: useServiceDirectories)
    } catch {
      return .refused(error)
    }
  }

  /// systemd names the state directory that it made; an explicit setting wins.
  private static func useServiceDirectories(_ configuration: inout NavigatorConfiguration) {
    guard configuration.stateDirectory == NavigatorConfiguration().stateDirectory,
      let given = getenv("STATE_DIRECTORY")
    else { return }
    configuration.stateDirectory = String(cString: given)
  }

  private static func exitCode(of error: any Error) -> ExitCode {
    switch error {
    case is UnixSocketError: .serviceUnavailable
    case is IdentityError, is TrustError, is SigningKeyError: .configuration
    default: .internalError
    }
  }

  static func print(_ text: String) -> Bool {
    var rest = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
      if written <= 0 { return false }
      rest = rest.dropFirst(written)
    }
    return true
  }

  static func complain(_ text: String) { complain(text, asIs: false) }

  private static func complain(_ text: String, asIs: Bool) {
    var line = asIs ? "\(text)\n" : "drone-navigator: \(text)\n"
    line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
  }
}

import ClientApp
import Configuration
import Glibc
import ServiceRuntime
import Sockets

/// `drone-client run`.
struct ClientRun {
  /// How long goodbyes may take to leave.
  static let goodbyeLimit: Duration = .milliseconds(300)

  private let place: Place
  private let options: ClientRunOptions

  init(_ place: Place, _ options: ClientRunOptions) {
    self.place = place
    self.options = options
  }

  func run() throws -> ExitCode {
    let loop = try EventLoop()
    let logger = Logger.standardError(
      program: "drone-client", level: Logger.Level(name: options.logLevel.rawValue) ?? .notice)
    // Before any other part starts a thread, so that all threads leave the signals to the loop.
    var onSignal: () -> Void = { loop.stop() }
    let signals = try SignalWatch([SIGINT, SIGTERM, SIGHUP], on: loop) { _ in onSignal() }
    defer { withExtendedLifetime(signals) {} }
    let console = try Console()
    defer { console.finish() }
    let assembly = try Assembly(place, options, console: console, loop: loop, logger: logger)
    let service = assembly.service
    onSignal = {
      onSignal = { loop.stop() }
      service.stop()
      loop.schedule(after: ClientRun.goodbyeLimit) { loop.stop() }
    }
    do {
      try service.start()
    } catch UnixSocketError.inUse(let path) {
      let running = StatusQuery.runningClient(place, on: loop) ?? "another program"
      throw Failure(
        .serviceUnavailable,
        "\(running) is running in this state directory already and serves \(path): stop it, or give this one another --state"
      )
    } catch let error as UnixSocketError {
      throw Failure(.configuration, error.description)
    } catch let error as SystemError {
      service.stop()
      throw Failure(.serviceUnavailable, "\(error); another --listen may help")
    }
    loop.run()
    service.stop()
    return .accepted
  }
}

import ClientApp
import Configuration
import Glibc
import ServiceRuntime
import Sockets

/// How a command gets done: by the client that runs in the state directory, else by a client of its own for as long as it takes.
struct OneCommand {
  /// For complaints.
  let name: String
  let place: Place
  let loop: EventLoop

  /// - Parameter exchange: asks the running client and returns what came of it.
  /// - Returns: nil when no client runs.
  func ask(_ exchange: () throws(ControlCaller.Failure) -> ExitCode) throws(Failure) -> ExitCode? {
    do throws(ControlCaller.Failure) { return try exchange() } catch {
      switch error {
      case .notRunning: return nil
      case .noAnswer(let text): throw Failure(.noAnswer, "\(name): \(text)")
      case .unusable(let text): throw Failure(.configuration, text)
      }
    }
  }

  /// Runs a client until the command is done and says goodbye.
  ///
  /// - Parameters:
  ///   - begin: has the client do it.
  ///   - isDone: asked again and again.
  /// - Returns: false when another command was quicker: its client serves this one too.
  func runOwnClient(
    _ assemble: (Logger) throws -> Assembly, onSignal: @escaping () -> Void,
    begin: (ClientService) -> Void, isDone: @escaping () -> Bool
  ) throws -> Bool {
    let logger = Logger.standardError(program: "drone-client", level: .warning)
    // Before any other part starts a thread, so that all threads leave the signals to the loop.
    let signals = try SignalWatch([SIGINT, SIGTERM, SIGHUP], on: loop) { _ in onSignal() }
    defer { withExtendedLifetime(signals) {} }
    let assembly = try assemble(logger)
    let service = assembly.service
    do {
      try service.start()
    } catch UnixSocketError.inUse {
      return false
    } catch let error as UnixSocketError {
      throw Failure(.configuration, error.description)
    } catch let error as SystemError {
      throw Failure(.serviceUnavailable, error.description)
    }
    begin(service)
    // The client may serve commands of other processes meanwhile.
    let check = loop.repeating(every: .milliseconds(20)) { [loop] in
      if isDone(), service.isIdle { loop.stop() }
    }
    loop.run()
    check.cancel()
    service.stop()
    loop.schedule(after: ClientRun.goodbyeLimit) { [loop] in loop.stop() }
    loop.run()
    return true
  }
}

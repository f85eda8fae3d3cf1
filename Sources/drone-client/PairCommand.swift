import ClientApp
import Configuration
import Glibc
import PeerAdministration
import PeerLink
import ServiceRuntime
import Sockets

/// `drone-client pair`: through the running client, or by a client of its own for as long as it takes.
struct PairCommand {
  private let place: Place
  private let options: ClientPairOptions

  init(_ place: Place, _ options: ClientPairOptions) {
    self.place = place
    self.options = options
  }

  func run() throws -> ExitCode {
    guard options.code != nil || PairingTerminal.canAsk else {
      throw Failure(
        .usage,
        "comparing digits needs a person at a terminal; without one: 'drone-navigator pair --accept-for 2m' there, and its code here with --code"
      )
    }
    let loop = try EventLoop()
    return try askRunningClient(loop) ?? runOwnClient(loop)
  }

  /// - Returns: nil when no client runs.
  private func askRunningClient(_ loop: EventLoop) throws(Failure) -> ExitCode? {
    var code = ExitCode.internalError
    do throws(ControlCaller.Failure) {
      // The running client keeps the time limit; the margin is for the last steps and for one that hangs.
      try ControlCaller.converse(
        .pair(options), socketPath: place.socketPath, within: options.timeout + .seconds(20), on: loop
      ) { send in
        let terminal = PairingTerminal(
          loop: loop, output: writeLine, answer: { send(.pairingAnswer(isSame: $0)) })
        return { take($0, terminal, &code) }
      }
      return code
    } catch {
      switch error {
      case .notRunning: return nil
      case .noAnswer(let text): throw Failure(.noAnswer, "pair: \(text)")
      case .unusable(let text): throw Failure(.configuration, text)
      }
    }
  }

  private func runOwnClient(_ loop: EventLoop) throws -> ExitCode {
    let logger = Logger.standardError(program: "drone-client", level: .warning)
    var pairing: ClientPairing?
    let signals = try SignalWatch([SIGINT, SIGTERM, SIGHUP], on: loop) { _ in pairing?.cancel() }
    defer { withExtendedLifetime(signals) {} }
    let assembly = try Assembly(
      place, nil, name: options.name, listen: options.listen, console: nil, loop: loop, logger: logger)
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
    var code: ExitCode?
    let terminal = PairingTerminal(loop: loop, output: writeLine, answer: { pairing?.answer(isSame: $0) })
    pairing = service.pair(options) { reply in
      var ended = ExitCode.internalError
      if take(reply, terminal, &ended) { code = ended }
    }
    // The client may serve commands of other processes meanwhile.
    let check = loop.repeating(every: .milliseconds(20)) {
      if code != nil, service.isIdle { loop.stop() }
    }
    loop.run()
    check.cancel()
    service.stop()
    loop.schedule(after: ClientRun.goodbyeLimit) { loop.stop() }
    loop.run()
    return code ?? .internalError
  }

  /// - Returns: whether it was the last reply.
  @discardableResult
  private func take(_ reply: ControlReply, _ terminal: PairingTerminal, _ code: inout ExitCode) -> Bool {
    switch reply {
    case .pairing(let notice):
      terminal.show(notice)
      return false
    case .end(let end, let error):
      code = end
      if let error { complain(error) }
      return true
    case .started, .outcome, .status: return false
    }
  }
}

import ClientApp
import Configuration
import PeerAdministration
import ServiceRuntime

/// `drone-client pair`.
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
    let command = OneCommand(name: "pair", place: place, loop: try EventLoop())
    return try askRunningClient(command) ?? runOwnClient(command)
  }

  private func askRunningClient(_ command: OneCommand) throws(Failure) -> ExitCode? {
    try command.ask { () throws(ControlCaller.Failure) in
      var code: ExitCode?
      // The running client keeps the time limit; the margin is for the last steps and for one that hangs.
      try ControlCaller.converse(
        .pair(options), socketPath: place.socketPath, within: options.timeout + .seconds(20),
        on: command.loop
      ) { send in
        let terminal = PairingTerminal(
          loop: command.loop, output: writeLine, answer: { send(.pairingAnswer(isSame: $0)) })
        return { code = take($0, terminal) ?? code }
      }
      return code ?? .internalError
    }
  }

  private func runOwnClient(_ command: OneCommand) throws -> ExitCode {
    var pairing: ClientPairing?
    var code: ExitCode?
    let terminal = PairingTerminal(
      loop: command.loop, output: writeLine, answer: { pairing?.answer(isSame: $0) })
    let isDone = try command.runOwnClient(
      {
        try Assembly(
          place, nil, name: options.name, listen: options.listen, console: nil, loop: command.loop, logger: $0
        )
      },
      onSignal: { pairing?.cancel() },
      begin: { pairing = $0.pair(options) { code = take($0, terminal) ?? code } },
      isDone: { code != nil })
    guard isDone else { return try askRunningClient(command) ?? .serviceUnavailable }
    return code ?? .internalError
  }

  /// - Returns: how it ended, with the last reply.
  private func take(_ reply: ControlReply, _ terminal: PairingTerminal) -> ExitCode? {
    switch reply {
    case .pairing(let notice): terminal.show(notice)
    case .end(let end, let error):
      if let error { complain(error) }
      return end
    case .started, .outcome, .status: break
    }
    return nil
  }
}

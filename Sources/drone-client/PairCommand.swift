import ClientApp
import Configuration
import PeerAdministration
import PeerProtocol
import ServiceRuntime

/// `drone-client pair`.
struct PairCommand {
  private let place: Place
  private var options: ClientPairOptions

  init(_ place: Place, _ options: ClientPairOptions) {
    self.place = place
    self.options = options
  }

  mutating func run() throws -> ExitCode {
    if let source = options.codeSource {
      options.code = try code(from: source)
    } else if !PairingTerminal.canAsk {
      throw Failure(
        .usage,
        "comparing digits needs a person at a terminal; without one: 'drone-navigator pair --accept-for 2m' there, and its code here with --code or --code-file"
      )
    }
    let command = OneCommand(name: "pair", place: place, loop: try EventLoop())
    return try askRunningClient(command) ?? runOwnClient(command)
  }

  private func code(from source: PairingCodeSource) throws(Failure) -> String {
    let place: String
    let bytes: [UInt8]?
    switch source {
    case .standardInput:
      place = "standard input"
      if PairingTerminal.canAsk { writeLine("Type the six digits of the vehicle, then Enter.") }
      bytes = PairingTerminal.readLine()
    case .file(let path):
      place = path.escapingControlCharacters
      do throws(SystemError) { bytes = try Files.read(path, maximumBytes: 64) } catch {
        throw Failure(.usage, "pair: \(error)")
      }
    }
    // A line ends with a newline, or with a carriage return as well where it was typed elsewhere.
    let line = bytes.map { $0.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } }
    guard let line, let code = PairingCode(String(decoding: line, as: UTF8.self)) else {
      throw Failure(.usage, "pair: \(place): a code has six digits")
    }
    return code.description
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
    case .started, .outcome, .note, .status: break
    }
    return nil
  }
}

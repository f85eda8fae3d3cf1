import ClientApp
import Configuration
import Glibc
import JSONText
import ServiceRuntime

/// `drone-client status`.
enum StatusQuery {
  /// A running client tells its status twice a second.
  private static let silence: Duration = .seconds(5)

  static func run(_ place: Place, _ options: ClientStatusOptions) throws -> ExitCode {
    let loop = try EventLoop()
    var code = ExitCode.internalError
    var hasReader = true
    // On a terminal the newest takes the place of the one before.
    let repaints = options.follows && !options.json && isatty(1) == 1
    do throws(ControlCaller.Failure) {
      try ControlCaller.exchange(
        .status(options), socketPath: place.socketPath, within: silence, isEndless: options.follows, on: loop
      ) { reply in
        switch reply {
        case .status(let text, let status):
          let shown = options.json ? status.text : text + (options.follows && !repaints ? "\n" : "")
          hasReader = write((repaints ? "\u{1B}[H\u{1B}[J" : "") + shown + "\n", to: 1)
          if !hasReader { loop.stop() }
        case .end(let end, let error):
          code = end
          if let error { complain("status: \(error)") }
        case .started, .outcome, .note, .pairing: break
        }
      }
      return code
    } catch {
      guard hasReader else { return .accepted }
      switch error {
      case .notRunning: throw Failure(.noVehicle, "no client is running here: start 'drone-client run'")
      case .noAnswer where options.follows:
        throw Failure(.noVehicle, "the running client ended or hangs; start 'drone-client run' again")
      case .noAnswer(let text): throw Failure(.noAnswer, text)
      case .unusable(let text): throw Failure(.configuration, text)
      }
    }
  }

  /// Who serves the socket, for the message of a second client; nil when it does not say.
  static func runningClient(_ place: Place, on loop: EventLoop) -> String? {
    var found: String?
    // Whatever goes wrong here, the message is only less exact.
    try? ControlCaller.exchange(
      .status(ClientStatusOptions()), socketPath: place.socketPath, within: .seconds(1), on: loop
    ) {
      reply in
      guard case .status(_, let status) = reply, let name = status["name"]?.string,
        let process = status["processID"]?.integer
      else { return }
      found = "'\(name)' (process \(process))"
    }
    return found
  }
}

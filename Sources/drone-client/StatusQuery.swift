import ClientApp
import JSONText
import ServiceRuntime

/// `drone-client status`.
enum StatusQuery {
  static func run(_ place: Place, json: Bool) throws -> ExitCode {
    let loop = try EventLoop()
    do throws(ControlCaller.Failure) {
      try ControlCaller.exchange(.status, socketPath: place.socketPath, within: .seconds(5), on: loop) {
        reply in
        if case .status(let text, let status) = reply { writeLine(json ? status.text : text) }
      }
      return .accepted
    } catch {
      switch error {
      case .notRunning: throw Failure(.noVehicle, "no client is running here: start 'drone-client run'")
      case .noAnswer(let text): throw Failure(.noAnswer, text)
      case .unusable(let text): throw Failure(.configuration, text)
      }
    }
  }

  /// Who serves the socket, for the message of a second client; nil when it does not say.
  static func runningClient(_ place: Place, on loop: EventLoop) -> String? {
    var found: String?
    // Whatever goes wrong here, the message is only less exact.
    try? ControlCaller.exchange(.status, socketPath: place.socketPath, within: .seconds(1), on: loop) {
      reply in
      guard case .status(_, let status) = reply, let name = status["name"]?.string,
        let process = status["processID"]?.integer
      else { return }
      found = "'\(name)' (process \(process))"
    }
    return found
  }
}

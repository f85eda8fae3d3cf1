import Configuration
import Glibc
import NearbyApp
import PeerAdministration
import PeerConnectivity
import ServiceRuntime
import Terminal

/// From the command line to an exit code.
enum Launcher {
  static func run(_ arguments: [String]) async -> ExitCode {
    do throws(UsageError) {
      switch try NearbyProgram.parse(arguments) {
      case .help(let text), .version(let text):
        PlainOutput.standardOutput.text(text)
        return .accepted
      case .command(let invocation): return await run(invocation)
      }
    } catch {
      complain("\(error)")
      return .usage
    }
  }

  private static func run(_ invocation: NearbyInvocation) async -> ExitCode {
    let directory =
      invocation.stateDirectory
      ?? NearbyProgram.defaultStateDirectory(
        xdgStateHome: environment("XDG_STATE_HOME"), home: environment("HOME"))
    guard let directory else {
      complain("there is no home directory for the state: give one with --state DIR")
      return .configuration
    }
    do {
      switch invocation.command {
      case .list(let options):
        return try await ListProgram.run(options, surroundings(directory, options.logLevel))
      case .chat(let options):
        return try await ChatProgram.run(options, surroundings(directory, options.meeting.logLevel))
      case .send(let options):
        return try await SendProgram.run(options, surroundings(directory, options.meeting.logLevel))
      case .receive(let options):
        return try await ReceiveProgram.run(options, surroundings(directory, options.meeting.logLevel))
      case .tap(let options):
        return try await TapProgram.run(options, surroundings(directory, options.meeting.logLevel))
      case .pair(let options):
        return try await PairProgram.run(options, surroundings(directory, options.meeting.logLevel))
      case .trust(let command):
        return PeerAdministration.run(
          command, stateDirectory: directory, commonName: hostName(),
          output: { PlainOutput.standardOutput.line($0) }, errorOutput: complain)
      }
    } catch let failure as NearbyFailure {
      complain(failure.message)
      return failure.exitCode
    } catch let error as PeerNodeError {
      complain("\(error)")
      switch error {
      case .system: return .serviceUnavailable
      case .invalidDisplayName, .invalidServiceType, .invalidDiscoveryInfo, .state: return .configuration
      case .stopped: return .internalError
      }
    } catch {
      complain("\(error)")
      return .internalError
    }
  }

  private static func surroundings(_ directory: String, _ level: LogLevel) -> Surroundings {
    let level = Logger.Level(name: level.rawValue) ?? .warning
    // Where standard error is another file, that is where the person wants the log.
    guard RawMode.isPossible, isatty(2) == 1 else {
      return Surroundings(
        stateDirectory: directory, hostName: hostName(), hasPerson: RawMode.isPossible,
        logger: Logger.standardError(program: "nearby", level: level))
    }
    let lines = LogLines()
    return Surroundings(
      stateDirectory: directory, hostName: hostName(), hasPerson: true, logger: lines.logger(level: level),
      logLines: lines)
  }
}

/// Writes a line to standard error.
private func complain(_ text: String) { PlainOutput.standardError.line("nearby: \(text)") }

private func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// The name of this host, which is also the name of this peer unless another one is given.
private func hostName() -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard gethostname(&buffer, buffer.count - 1) == 0, buffer[0] != 0 else { return "nearby" }
  let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return String(name.shown(maximumScalars: 60).prefix(60))
}

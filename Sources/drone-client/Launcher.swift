import ClientApp
import Configuration
import Glibc
import PeerAdministration
import ServiceRuntime

/// From the command line to an exit code.
enum Launcher {
  static func run(_ arguments: [String]) -> ExitCode {
    SignalWatch.ignoreBrokenPipes()
    do throws(UsageError) {
      switch try ClientProgram.parse(arguments) {
      case .help(let text), .version(let text):
        writeLine(text)
        return .accepted
      case .command(let invocation): return run(invocation)
      }
    } catch {
      complain("\(error)")
      return .usage
    }
  }

  private static func run(_ invocation: ClientInvocation) -> ExitCode {
    guard
      let directory = invocation.stateDirectory
        ?? ClientProgram.defaultStateDirectory(
          xdgStateHome: environment("XDG_STATE_HOME"), home: environment("HOME"))
    else {
      complain("there is no home directory for the state: give one with --state DIR")
      return .configuration
    }
    let place = Place(directory: directory, isDefault: invocation.stateDirectory == nil)
    do {
      switch invocation.command {
      case .run(let options): return try ClientRun(place, options).run()
      case .send(let options): return try VehicleCommand(place, options).run()
      case .status(let options): return try StatusQuery.run(place, options)
      case .pair(let options):
        var command = PairCommand(place, options)
        return try command.run()
      case .trust(let command):
        return PeerAdministration.run(
          command, stateDirectory: directory, commonName: hostName(), output: writeLine,
          errorOutput: complain)
      }
    } catch let failure as Failure {
      complain(failure.message)
      return failure.exitCode
    } catch {
      complain("\(error)")
      return .internalError
    }
  }
}

/// The state directory, and how it was chosen.
struct Place {
  let directory: String
  let isDefault: Bool

  var socketPath: String { ClientService.socketPath(in: directory) }

  /// What the operator types to trust a peer in this directory.
  var trustCommand: String { command("trust") }
  var untrustCommand: String { command("untrust") }

  var keepCommand: String { command("keep") }

  func command(_ verb: String) -> String {
    isDefault ? "drone-client \(verb)" : "drone-client \(verb) --state \(directory)"
  }
}

/// What ends the program: one line with the cause, then the remedy.
struct Failure: Error {
  let exitCode: ExitCode
  let message: String

  init(_ exitCode: ExitCode, _ message: String) {
    self.exitCode = exitCode
    self.message = message
  }
}

/// Writes a line to standard output at once.
func writeLine(_ text: String) { _ = write(text + "\n", to: 1) }

/// Writes a line to standard error.
func complain(_ text: String) { _ = write("drone-client: \(text.escapingControlCharacters)\n", to: 2) }

/// - Returns: false when nobody reads.
func write(_ text: String, to descriptor: Int32) -> Bool {
  var text = text
  return text.withUTF8 { bytes in
    var offset = 0
    while offset < bytes.count {
      let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
      // Nobody reads: the exit code still tells.
      if count < 0, errno != EINTR { return false }
      offset += max(0, count)
    }
    return true
  }
}

private func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// The name of this host, which is also the name of the client unless another one is given.
func hostName() -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard gethostname(&buffer, buffer.count - 1) == 0 else { return "drone-client" }
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

import Configuration
import Glibc
import ServiceRuntime

func complain(_ text: String) {
  var line = "\(text)\n"
  _ = line.withUTF8 { write(2, $0.baseAddress, $0.count) }
}

func tell(_ text: String) {
  var copy = text
  _ = copy.withUTF8 { write(1, $0.baseAddress, $0.count) }
}

func runProgram() -> ExitCode {
  SignalWatch.ignoreBrokenPipes()
  let invocation: SimulatorInvocation
  do throws(UsageError) {
    switch try SimulatorProgram.parse(Array(CommandLine.arguments.dropFirst())) {
    case .help(let text), .version(let text):
      tell(text)
      return .accepted
    case .command(let parsed): invocation = parsed
    }
  } catch {
    complain(error.description)
    return .usage
  }
  do throws(SystemError) {
    let loop = try EventLoop()
    let simulation = try Simulation(invocation, on: loop)
    try simulation.run(link: invocation.link)
    return .accepted
  } catch {
    complain("drone-simulator: \(error)")
    return error.code == EEXIST || error.code == EADDRINUSE ? .configuration : .internalError
  }
}

exit(runProgram().rawValue)

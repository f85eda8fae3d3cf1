import ClientApp
import Glibc
import JSONText
import PeerProtocol
import RemoteControl
import ServiceRuntime
import TestSupport
import Testing

/// The built `drone-client`, and a navigator in the test that dials it.
final class ClientProcessBench {
  /// Built beside the test bundle, which is the program that runs, or what its arguments name.
  static var program: String {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/drone-client"
  }

  let loop: EventLoop
  let state: TemporaryDirectory
  private var running: ChildProcess?
  private(set) var lines: [String] = []

  init() throws {
    loop = try EventLoop()
    state = try TemporaryDirectory()
  }

  struct Result {
    var lines: [String] = []
    var code: Int32?
  }

  /// Runs a command to its end, standard error included, while the loop serves the navigators.
  func command(_ arguments: String..., limit: Duration = .seconds(20)) throws -> Result {
    let child = try ChildProcess(
      ["sh", "-c", #"exec "$0" "$@" 2>&1"#, Self.program] + arguments + ["--state", state.path])
    child.closeInput()
    let deadline = loop.now.advanced(by: limit)
    var result = Result()
    while loop.now < deadline {
      loop.runOnce(waitingAtMost: .milliseconds(2))
      result.code = child.exitCode(within: .zero)
      if result.code != nil { break }
    }
    while let line = child.readLine(within: .milliseconds(100)) { result.lines.append(line) }
    return result
  }

  /// Starts `run` and returns the port where it listens.
  func startRun(_ arguments: String...) throws -> (child: ChildProcess, port: UInt16) {
    let child = try ChildProcess(
      [Self.program, "run", "--listen", "127.0.0.1:0", "--name", "Ann", "--state", state.path] + arguments)
    running = child
    while let line = child.readLine(within: .seconds(10)) {
      lines.append(line)
      if let text = line.split(separator: " ").last, line.hasPrefix("listening on "),
        let port = text.split(separator: ":").last.flatMap({ UInt16($0) })
      {
        return (child, port)
      }
    }
    throw SystemError("start \(Self.program)", code: ETIMEDOUT)
  }

  /// Serves the navigators until something holds.
  func run(until condition: () -> Bool) -> Bool {
    let deadline = loop.now.advanced(by: .seconds(10))
    while !condition() {
      if loop.now > deadline { return false }
      loop.runOnce(waitingAtMost: .milliseconds(20))
    }
    return true
  }

  /// A navigator that the client trusts and that dials it.
  func navigator(_ port: UInt16) throws -> FakeNavigator {
    let identity = try command("identity").lines.first.flatMap { PeerID(hex: $0) }
    let navigator = try FakeNavigator("Drone", dialling: port, on: loop)
    if let identity { navigator.trust.ids = [identity] }
    #expect(try command("trust", navigator.id.hex, "--name", "Drone").code == 0)
    try navigator.start()
    #expect(run { navigator.isConnected })
    return navigator
  }
}

@Suite(.timeLimit(.minutes(1)), .serialized) struct ClientProcessTests {
  @Test func commandsGoThroughTheRunningClient() throws {
    let bench = try ClientProcessBench()
    let (child, port) = try bench.startRun("--position", "52.5,13.4")
    let navigator = try bench.navigator(port)

    let takeoff = try bench.command("takeoff", "--altitude", "12")
    #expect(takeoff.code == 0)
    #expect(takeoff.lines.first?.hasPrefix("takeoff: accepted by the flight controller in 0.") == true)
    #expect(navigator.frames.contains { $0.takeoff && $0.takeoffAltitudeMeters == 12 })

    navigator.answer = { FakeNavigator.receipts($0, .refused, reason: "Arm: Need Position Estimate") }
    let refused = try bench.command("takeoff", "--vehicle", "Drone")
    #expect(refused.code == 2)
    #expect(refused.lines == ["takeoff: refused: Arm: Need Position Estimate"])
    let json = try bench.command("land", "--json")
    let parsed = try JSON.parse(json.lines.joined())
    #expect(parsed["outcome"] == "refused")

    navigator.answer = { _ in [] }
    let silent = try bench.command("land", "--timeout", "0.5")
    #expect(silent.code == 4 && silent.lines == ["land: no answer in 0.50 s"])
    let unknown = try bench.command("land", "--vehicle", "Kite")
    #expect(unknown.code == 64 && unknown.lines.first?.contains("Drone") == true)

    let status = try JSON.parse(try bench.command("status", "--json").lines.joined())
    #expect(status["name"] == "Ann" && status["position"]?["state"] == "fix")
    #expect(status["vehicles"]?[0]?["connected"] == true)

    let second = try bench.command("run", "--listen", "127.0.0.1:0")
    #expect(second.code == 69)
    #expect(second.lines.last?.contains("'Ann' (process \(child.processID))") == true)

    #expect(try bench.command("untrust", navigator.id.hex).code == 0)
    #expect(bench.run { !navigator.isConnected })
    #expect(try bench.command("stop").code == 3)

    child.signal(SIGTERM)
    #expect(child.exitCode(within: .seconds(5)) == 0)
    #expect(access("\(bench.state.path)/control.socket", F_OK) != 0)
    #expect(try bench.command("status").code == 3)
  }

  @Test func theEndOfTheClientIsAGoodbye() throws {
    let bench = try ClientProcessBench()
    let (child, port) = try bench.startRun("--position", "52.5,13.4")
    let navigator = try bench.navigator(port)
    child.signal(SIGINT)
    #expect(bench.run { !navigator.ends.isEmpty })
    #expect(navigator.ends.first == .left(.shuttingDown, text: ""))
    #expect(child.exitCode(within: .seconds(5)) == 0)
  }

  @Test func aSocketOfADeadClientIsNobody() throws {
    let bench = try ClientProcessBench()
    let (child, _) = try bench.startRun("--position", "52.5,13.4")
    child.signal(SIGKILL)
    _ = child.exitCode(within: .seconds(5))
    #expect(access("\(bench.state.path)/control.socket", F_OK) == 0)
    #expect(try bench.command("status").code == 3)
    // Nobody is trusted, so there is nothing to wait for.
    #expect(try bench.command("stop", "--timeout", "0.5").code == 3)
    let (_, _) = try bench.startRun("--position", "52.5,13.4")
    #expect(try bench.command("status").code == 0)
  }

  @Test func gotoNeedsARunningClient() throws {
    let bench = try ClientProcessBench()
    let result = try bench.command("goto", "52.5,13.4")
    #expect(result.code == 69 && result.lines.first?.contains("drone-client run") == true)
  }

  @Test func nonsenseOnTheLocalSocketHarmsNothing() throws {
    let bench = try ClientProcessBench()
    _ = try bench.startRun("--position", "52.5,13.4")
    for junk in ["\n", "{}\n", "stop\n", String(repeating: "x", count: 5000)] {
      let answer = try answer(to: junk, at: "\(bench.state.path)/control.socket")
      #expect(answer.contains(#""exitCode":64"#))
    }
    #expect(try bench.command("status").code == 0)
  }

  private func answer(to text: String, at path: String) throws -> String {
    let python =
      "import socket,sys; s=socket.socket(socket.AF_UNIX); s.settimeout(5); s.connect(sys.argv[1]); "
      + "s.sendall(sys.argv[2].encode()); print(s.recv(4096).decode().strip())"
    let child = try ChildProcess(["python3", "-c", python, path, text], quiet: false)
    return child.readLine(within: .seconds(10)) ?? ""
  }
}

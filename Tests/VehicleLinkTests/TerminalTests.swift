import Glibc
import MAVLink
import ServiceRuntime
import TestSupport
import Testing
import Vehicle

@testable import VehicleLink

/// Opens whatever pseudo-terminal is there now, as a device that is plugged in and out.
final class TerminalOpener: ChannelOpener {
  let name = "terminal"
  var baud: Int? = 57600
  var path: String?

  func open(
    on loop: EventLoop, completion: @escaping (Result<any ByteChannel, ChannelOpenFailure>) -> Void
  ) {
    guard let path else { return completion(.failure(ChannelOpenFailure("terminal is not there"))) }
    let descriptor = Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    do throws(SystemError) {
      if descriptor < 0 { throw SystemError.current("open \(path)") }
      completion(
        .success(try DescriptorChannel(descriptor, name: name, maximumBacklog: 4096, on: loop)))
    } catch {
      completion(.failure(ChannelOpenFailure("\(error)")))
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct TerminalTests {
  @Test func theDeviceMayVanishAgainAndAgain() throws {
    let loop = try EventLoop()
    let opener = TerminalOpener()
    let link = VehicleLink(loop: loop, logger: .silent, opener: opener)
    defer { link.stop() }
    var autopilot = ScriptedAutopilot()
    var statuses: [LinkStatus] = []
    var found = 0
    link.onLink = { statuses.append($0) }
    link.onState = { old, new in
      if old.heartbeatAt == nil, new.heartbeatAt != nil { found += 1 }
    }
    link.start()
    for round in 1...3 {
      // Several attempts in vain.
      #expect(!loop.runUntil(.milliseconds(700)) { link.status == .up })
      var terminal: PseudoTerminal? = try PseudoTerminal()
      let controller = try #require(terminal).controller
      opener.path = try #require(terminal).path
      #expect(loop.runUntil { link.status == .up })
      let bytes = autopilot.heartbeat(.guided)
      #expect(write(controller, bytes, bytes.count) == bytes.count)
      #expect(loop.runUntil { found == round })
      opener.path = nil
      terminal = nil
      #expect(loop.runUntil { link.status != .up })
      #expect(link.state == VehicleState())
    }
    #expect(statuses.count { $0 == .up } == 3)
  }

  @Test func aStopIsOnTheWireBeforeTheCallReturns() throws {
    let loop = try EventLoop()
    let terminal = try PseudoTerminal()
    let opener = TerminalOpener()
    opener.path = terminal.path
    let link = VehicleLink(loop: loop, logger: .silent, opener: opener)
    defer { link.stop() }
    var autopilot = ScriptedAutopilot()
    link.start()
    let bytes = autopilot.heartbeat(.guided, armed: true) + autopilot.landed(.inAir)
    #expect(write(terminal.controller, bytes, bytes.count) == bytes.count)
    #expect(loop.runUntil { link.state.landed == .inAir })
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(terminal.controller, &buffer, buffer.count) > 0 {}

    link.perform(.hold, ticket: 1)

    var parser = StreamParser()
    let count = read(terminal.controller, &buffer, buffer.count)
    let frames = parser.frames(in: Array(buffer[..<max(0, count)]))
    #expect(frames.contains { $0.decode(CommandLong.self)?.param2 == Float(CopterMode.brake.rawValue) })
  }
}

import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import Sockets

@Suite(.timeLimit(.minutes(1)))
struct AcceptPumpTests {
  @Test func anErrorThatLastsCostsAPauseAndNoSpinning() throws {
    let loop = try EventLoop()
    let descriptor = try SocketDescriptor(family: AF_INET, type: SOCK_STREAM, purpose: "test")
    try descriptor.bind(to: .loopbackV4(port: 0))
    let pump = try AcceptPump(descriptor, name: "test", backlog: 4, on: loop)
    var errors = 0
    pump.onError = { _ in errors += 1 }
    // From now on each accept fails, and the kernel reports the socket as ready all the time.
    shutdown(descriptor.number, Int32(SHUT_RDWR))
    let started = loop.now
    var turns = 0
    while started.duration(to: loop.now) < .milliseconds(500) {
      loop.runOnce(waitingAtMost: .milliseconds(50))
      turns += 1
    }
    #expect((2...3).contains(errors))
    #expect(turns < 20)
  }

  @Test func connectionsAreAcceptedInPortions() throws {
    let loop = try EventLoop()
    let listener = try TCPListener(on: .loopbackV4(port: 0), backlog: 64, loop: loop)
    var accepted: [TCPConnection] = []
    listener.onAccept = { accepted.append($0) }
    let callers = try (0..<40).map { _ in
      let caller = try SocketDescriptor(family: AF_INET, type: SOCK_STREAM, purpose: "test")
      _ = listener.localAddress.withSystemAddress { connect(caller.number, $0, $1) }
      return caller
    }
    loop.runOnce(waitingAtMost: .seconds(1))
    #expect(accepted.count == 16)
    #expect(loop.runUntil { accepted.count == 40 })
    withExtendedLifetime(callers) {}
  }
}

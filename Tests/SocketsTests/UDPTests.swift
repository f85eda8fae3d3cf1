import Glibc
import ServiceRuntime
import Sockets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct UDPTests {
  @Test(arguments: [
    (SocketAddress.loopbackV4(port: 0), SocketAddress.loopbackV4(port: 0)),
    (.loopbackV6(port: 0), .loopbackV6(port: 0)), (.any(port: 0), .loopbackV4(port: 0)),
    (.any(port: 0), .loopbackV6(port: 0)),
  ])
  func datagramsGoBothWays(one: SocketAddress, other: SocketAddress) throws {
    let loop = try EventLoop()
    let a = try UDPSocket(on: one, loop: loop)
    let b = try UDPSocket(on: other, loop: loop)
    var atA: [[UInt8]] = []
    var atB: [[UInt8]] = []
    a.onDatagram = { bytes, sender in
      #expect(sender == b.localAddress)
      atA.append(bytes)
    }
    b.onDatagram = { bytes, sender in
      atB.append(bytes)
      #expect(b.send([9], to: sender) == .sent)
    }
    #expect(a.send([1, 2], to: b.localAddress) == .sent)
    #expect(a.send([], to: b.localAddress) == .sent)
    #expect(loop.runUntil { atA.count == 2 })
    #expect(atB == [[1, 2], []])
  }

  @Test func aConnectedSocketHearsItsPeerAlone() throws {
    let loop = try EventLoop()
    let a = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    let b = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    let stranger = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    try a.connect(to: b.localAddress)
    var atA: [[UInt8]] = []
    a.onDatagram = { bytes, _ in atA.append(bytes) }
    #expect(stranger.send([6, 6, 6], to: a.localAddress) == .sent)
    #expect(b.send([1], to: a.localAddress) == .sent)
    #expect(loop.runUntil { !atA.isEmpty })
    #expect(atA == [[1]])
    var atB: [UInt8] = []
    b.onDatagram = { bytes, _ in atB = bytes }
    #expect(a.send([7]) == .sent)
    #expect(loop.runUntil { atB == [7] })
  }

  @Test func aPeerThatIsGoneIsAnErrorOfThatMomentOnly() throws {
    let loop = try EventLoop()
    let a = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    var b: UDPSocket? = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    let address = try #require(b?.localAddress)
    try a.connect(to: address)
    b?.close()
    var errors: [SystemError] = []
    a.onError = { errors.append($0) }
    a.send([1])
    #expect(loop.runUntil { !errors.isEmpty })
    #expect(errors.map(\.code) == [ECONNREFUSED])
    b = try UDPSocket(on: address, loop: loop)
    var atB: [UInt8] = []
    b?.onDatagram = { bytes, _ in atB = bytes }
    #expect(a.send([2]) == .sent)
    #expect(loop.runUntil { atB == [2] })
  }

  @Test func datagramsAboveTheBoundAreCountedAndDropped() throws {
    let loop = try EventLoop()
    let a = try UDPSocket(on: .loopbackV4(port: 0), maximumDatagramBytes: 100, loop: loop)
    let b = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    var sizes: [Int] = []
    a.onDatagram = { bytes, _ in sizes.append(bytes.count) }
    for size in [100, 101, 5000, 99] { b.send([UInt8](repeating: 0, count: size), to: a.localAddress) }
    #expect(loop.runUntil { sizes.count == 2 })
    #expect(sizes == [100, 99])
    #expect(a.oversizedCount == 2)
  }

  @Test func aFloodLeavesTimersTheirTurn() throws {
    let loop = try EventLoop()
    let a = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    let b = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    for number in 0..<100 { b.send([UInt8(number)], to: a.localAddress) }
    var received = 0
    a.onDatagram = { _, _ in received += 1 }
    loop.runOnce(waitingAtMost: .seconds(1))
    #expect(received == 32)
    #expect(loop.runUntil { received == 100 })
  }

  @Test func aClosedSocketIsSilentAndSendsNothing() throws {
    let loop = try EventLoop()
    let a = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    let b = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    b.send([1], to: a.localAddress)
    var received = 0
    a.onDatagram = { _, _ in received += 1 }
    a.close()
    a.close()
    loop.runOnce(waitingAtMost: .milliseconds(20))
    #expect(received == 0)
    #expect(a.send([1], to: b.localAddress) == .failed(SystemError("send a datagram", code: EBADF)))
  }

  @Test func aDatagramThatIsTooLargeForIPFails() throws {
    let loop = try EventLoop()
    let a = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    let b = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    #expect(
      a.send([UInt8](repeating: 0, count: 70_000), to: b.localAddress)
        == .failed(SystemError("send a datagram to \(b.localAddress)", code: EMSGSIZE)))
  }
}

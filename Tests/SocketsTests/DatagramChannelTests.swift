import ServiceRuntime
import Sockets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct DatagramChannelTests {
  @Test func aChannelToAnAddressMakesItselfKnownAndTalksBothWays() throws {
    let loop = try EventLoop()
    let server = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    var arrived: [[UInt8]] = []
    var senders: [SocketAddress] = []
    server.onDatagram = { bytes, address in
      arrived.append(bytes)
      senders.append(address)
    }
    let channel = try DatagramChannel(to: server.localAddress, on: loop)
    var received: [UInt8] = []
    channel.onBytes = { received += $0 }
    // The first datagram is empty: it only says where the peer is.
    #expect(loop.runUntil { arrived == [[]] })
    #expect(channel.write([1, 2, 3]))
    #expect(loop.runUntil { arrived.last == [1, 2, 3] })
    #expect(server.send([4, 5], to: senders[0]) == .sent)
    #expect(loop.runUntil { received == [4, 5] })
  }

  @Test func aListeningChannelAnswersItsFirstSenderAndHearsNobodyElse() throws {
    let loop = try EventLoop()
    let probe = try UDPSocket(on: .anyV4(port: 0), loop: loop)
    let port = probe.localAddress.port
    probe.close()
    let channel = try DatagramChannel(to: .anyV4(port: port), on: loop)
    var received: [[UInt8]] = []
    channel.onBytes = { received.append($0) }
    #expect(!channel.write([9]), "there is nobody to write to yet")

    let vehicle = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    let stranger = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    var answers: [[UInt8]] = []
    var strayAnswers = 0
    vehicle.onDatagram = { bytes, _ in answers.append(bytes) }
    stranger.onDatagram = { _, _ in strayAnswers += 1 }
    vehicle.send([1], to: .loopbackV4(port: port))
    #expect(loop.runUntil { received == [[1]] })
    stranger.send([2], to: .loopbackV4(port: port))
    vehicle.send([3], to: .loopbackV4(port: port))
    #expect(loop.runUntil { received == [[1], [3]] })
    #expect(channel.write([7]))
    #expect(loop.runUntil { answers == [[7]] })
    #expect(strayAnswers == 0)
  }

  @Test func aClosedChannelSendsNothing() throws {
    let loop = try EventLoop()
    let server = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    let channel = try DatagramChannel(to: server.localAddress, on: loop)
    channel.close()
    #expect(!channel.write([1]))
  }
}

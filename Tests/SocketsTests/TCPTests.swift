import Glibc
import ServiceRuntime
import Sockets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TCPTests {
  @Test(arguments: [
    (SocketAddress.any(port: 0), SocketAddress.loopbackV4(port: 0)), (.any(port: 0), .loopbackV6(port: 0)),
    (.loopbackV4(port: 0), .loopbackV4(port: 0)), (.loopbackV6(port: 0), .loopbackV6(port: 0)),
  ])
  func bytesGoBothWays(listen: SocketAddress, connect: SocketAddress) throws {
    let loop = try EventLoop()
    let listener = try TCPListener(on: listen, loop: loop)
    var server: TCPConnection?
    var atServer: [UInt8] = []
    listener.onAccept = { connection in
      server = connection
      connection.channel.onBytes = { atServer += $0 }
    }
    var client: TCPConnection?
    var atClient: [UInt8] = []
    let connector = TCPConnector(
      to: [connect.with(port: listener.localAddress.port)], within: .seconds(5), on: loop
    ) { result in
      client = try? result.get()
      client?.channel.onBytes = { atClient += $0 }
    }
    #expect(loop.runUntil { client != nil && server != nil })
    #expect(client?.channel.write([1, 2, 3]) == true)
    #expect(server?.channel.write([4, 5]) == true)
    #expect(loop.runUntil { atServer == [1, 2, 3] && atClient == [4, 5] })
    #expect(server?.remote == client?.local)
    #expect(server?.remote.hostDescription == connect.hostDescription)

    var end: ChannelEnd?
    server?.channel.onEnd = { end = $0 }
    client?.channel.close()
    #expect(loop.runUntil { end != nil })
    #expect(end == .endOfFile)
    withExtendedLifetime(connector) {}
  }

  @Test func aRefusedConnectionSaysSo() throws {
    let loop = try EventLoop()
    let listener = try TCPListener(on: .loopbackV4(port: 0), loop: loop)
    let address = listener.localAddress
    listener.close()
    var failure: ConnectError?
    let connector = TCPConnector(to: [address], within: .seconds(5), on: loop) { failure = $0.failure }
    #expect(loop.runUntil { failure != nil })
    #expect(failure == .failed([SystemError("connect to \(address)", code: ECONNREFUSED)]))
    #expect(failure?.description == "connect to \(address): Connection refused")
    withExtendedLifetime(connector) {}
  }

  @Test func theNextAddressIsTriedWhenOneIsRefused() throws {
    let loop = try EventLoop()
    let dead = try TCPListener(on: .loopbackV4(port: 0), loop: loop)
    let deadAddress = dead.localAddress
    dead.close()
    let listener = try TCPListener(on: .loopbackV6(port: 0), loop: loop)
    var client: TCPConnection?
    let started = loop.now
    let connector = TCPConnector(
      to: [deadAddress, listener.localAddress], within: .seconds(5), on: loop
    ) { client = try? $0.get() }
    #expect(loop.runUntil { client != nil })
    #expect(client?.remote == listener.localAddress)
    #expect(started.duration(to: loop.now) < .milliseconds(200))
    withExtendedLifetime(connector) {}
  }

  @Test func anAddressThatNeverAnswersCostsAQuarterOfASecond() throws {
    let loop = try EventLoop()
    let full = try FullListener()
    let listener = try TCPListener(on: .loopbackV4(port: 0), loop: loop)
    var client: TCPConnection?
    let started = loop.now
    let connector = TCPConnector(
      to: [full.address, listener.localAddress], within: .seconds(5), on: loop
    ) { client = try? $0.get() }
    #expect(loop.runUntil { client != nil })
    #expect(client?.remote == listener.localAddress)
    #expect(started.duration(to: loop.now) >= .milliseconds(250))
    withExtendedLifetime(connector) {}
  }

  @Test func theDeadlineEndsAnAttempt() throws {
    let loop = try EventLoop()
    let full = try FullListener()
    var failure: ConnectError?
    let connector = TCPConnector(to: [full.address], within: .milliseconds(100), on: loop) {
      failure = $0.failure
    }
    #expect(loop.runUntil { failure != nil })
    #expect(failure == .timedOut(after: .milliseconds(100)))
    withExtendedLifetime(connector) {}
  }

  @Test func noAddressIsAnErrorAndACancelledAttemptIsSilent() throws {
    let loop = try EventLoop()
    var failure: ConnectError?
    let connector = TCPConnector(to: [], within: .seconds(5), on: loop) { failure = $0.failure }
    #expect(failure == nil)
    #expect(loop.runUntil { failure != nil })
    #expect(failure == .noAddress)

    var called = false
    let cancelled = TCPConnector(to: [], within: .seconds(5), on: loop) { _ in called = true }
    cancelled.cancel()
    loop.runOnce(waitingAtMost: .milliseconds(20))
    #expect(!called)
    withExtendedLifetime(connector) {}
  }

  @Test func aUsedPortIsRefused() throws {
    let loop = try EventLoop()
    let listener = try TCPListener(on: .loopbackV4(port: 0), loop: loop)
    let address = listener.localAddress
    #expect(throws: SystemError("bind to \(address)", code: EADDRINUSE)) {
      try TCPListener(on: address, loop: loop)
    }
  }

  @Test func aSlowReaderIsBoundedByTheBacklog() throws {
    let loop = try EventLoop()
    let options = TCPOptions(maximumBacklog: 100_000)
    let listener = try TCPListener(on: .loopbackV4(port: 0), options: options, loop: loop)
    var server: TCPConnection?
    listener.onAccept = { connection in
      connection.channel.setReading(false)
      server = connection
    }
    var client: TCPConnection?
    let connector = TCPConnector(
      to: [listener.localAddress], within: .seconds(5), options: options, on: loop
    ) { client = try? $0.get() }
    #expect(loop.runUntil { client != nil && server != nil })
    let channel = try #require(client?.channel)
    let block = [UInt8](repeating: 1, count: 50_000)
    var written = 0
    while written < 50_000_000, channel.write(block) { written += block.count }
    #expect(written < 50_000_000)
    #expect(channel.pendingByteCount <= 100_000)
    var received = 0
    server?.channel.onBytes = { received += $0.count }
    server?.channel.setReading(true)
    #expect(loop.runUntil { received == written })
    withExtendedLifetime(connector) {}
  }
}

extension Result {
  var failure: Failure? {
    switch self {
    case .success: nil
    case .failure(let error): error
    }
  }
}

/// A listener whose queue is full: the kernel drops further connection requests, as a host that is switched off would.
private final class FullListener {
  let address: SocketAddress
  private let descriptors: [Int32]

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var storage = sockaddr_in()
    storage.sin_family = sa_family_t(AF_INET)
    storage.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var descriptors = [listener]
    var succeeded = listener >= 0
    withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        succeeded =
          succeeded && bind(listener, address, length) == 0 && listen(listener, 0) == 0
          && getsockname(listener, address, &length) == 0
        for _ in 0..<4 {
          let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
          _ = connect(filler, address, length)
          descriptors.append(filler)
        }
      }
    }
    guard succeeded else { throw SystemError.current("make a full listener") }
    self.descriptors = descriptors
    address = .loopbackV4(port: UInt16(bigEndian: storage.sin_port))
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}

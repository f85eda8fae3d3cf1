import Glibc
import SecureTransport
import TestSupport
import Testing

/// The `openssl` program as the other end.
@Suite(.timeLimit(.minutes(1)))
struct DTLSJudgeTests {
  private static let key = [UInt8](0..<32)
  private static let keyOption = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()

  @Test func theProgramAsClientIsUnderstood() throws {
    let socket = try LoopbackSocket()
    let engine = try DTLSEngine(role: .server, key: DTLSJudgeTests.key)
    let program = try ChildProcess([
      "openssl", "s_client", "-dtls1_2", "-quiet", "-psk_identity", "judge", "-psk", DTLSJudgeTests.keyOption,
      "-cipher", "ECDHE-PSK-CHACHA20-POLY1305", "-connect", "127.0.0.1:\(socket.port)",
    ])
    #expect(socket.converse(with: engine) { _ in engine.isEstablished })
    program.send("land now")
    #expect(socket.converse(with: engine) { $0.contains(Array("land now\n".utf8)) })
    socket.send(try engine.send(Array("landing\n".utf8)))
    #expect(program.readLine(within: .seconds(5)) == "landing")
    for farewell in engine.close() { socket.send(farewell) }
    #expect(program.exitCode(within: .seconds(5)) == 0)
  }

  @Test func theProgramAsServerIsUnderstood() throws {
    let port = try LoopbackSocket().port
    let socket = try LoopbackSocket(peerPort: port)
    let engine = try DTLSEngine(role: .client, key: DTLSJudgeTests.key)
    let program = try ChildProcess([
      "openssl", "s_server", "-dtls1_2", "-quiet", "-nocert", "-psk", DTLSJudgeTests.keyOption,
      "-cipher", "ECDHE-PSK-CHACHA20-POLY1305", "-accept", "127.0.0.1:\(port)",
    ])
    for hello in engine.start() { socket.send(hello) }
    #expect(socket.converse(with: engine) { _ in engine.isEstablished })
    socket.send(try engine.send(Array("take off\n".utf8)))
    #expect(program.readLine(within: .seconds(5)) == "take off")
    program.send("refused")
    #expect(socket.converse(with: engine) { $0.contains(Array("refused\n".utf8)) })
  }

  @Test func anotherCipherIsNotSpoken() throws {
    let socket = try LoopbackSocket()
    let engine = try DTLSEngine(role: .server, key: DTLSJudgeTests.key)
    let program = try ChildProcess([
      "openssl", "s_client", "-dtls1_2", "-quiet", "-psk_identity", "judge", "-psk", DTLSJudgeTests.keyOption,
      "-cipher", "PSK-AES128-CBC-SHA", "-connect", "127.0.0.1:\(socket.port)",
    ])
    #expect(socket.converse(with: engine) { _ in program.exitCode(within: .zero) != nil })
    #expect(!engine.isEstablished && !engine.isClosed)
  }
}

/// A UDP socket that answers whoever it heard last.
private final class LoopbackSocket {
  let port: UInt16
  private let descriptor: Int32
  private var peer: sockaddr_in?

  init(peerPort: UInt16? = nil) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    self.descriptor = descriptor
    try #require(descriptor >= 0)
    var address = LoopbackSocket.address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(result)
    port = UInt16(bigEndian: address.sin_port)
    peer = peerPort.map { LoopbackSocket.address(port: $0) }
  }

  deinit { close(descriptor) }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }

  func send(_ datagram: [UInt8]) {
    guard var peer else { return }
    withUnsafePointer(to: &peer) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        // That nobody listens yet is no matter: the engine repeats.
        _ = sendto(descriptor, datagram, datagram.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// - Returns: whether it was done before ten seconds were over.
  func converse(with engine: DTLSEngine, until isDone: ([[UInt8]]) -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(10)
    var plaintexts: [[UInt8]] = []
    while !isDone(plaintexts) {
      if ContinuousClock.now > deadline { return false }
      for datagram in engine.handleTimeout() { send(datagram) }
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, 20) > 0 else { continue }
      var buffer = [UInt8](repeating: 0, count: 2048)
      var source = LoopbackSocket.address(port: 0)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let count = withUnsafeMutablePointer(to: &source) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
        }
      }
      guard count > 0 else { continue }
      peer = source
      let received = engine.receive(Array(buffer[..<count]))
      plaintexts += received.plaintexts
      for datagram in received.output { send(datagram) }
    }
    return true
  }
}

import CLinux
import Glibc
import JSONText
import PeerProtocol
import SecureTransport
import ServiceRuntime
import TestSupport
import Testing

extension RobustnessTests {
  /// Peers that mean no good, or are broken.
  struct HostilePeerTests {
    /// A TCP connection to the client from a host, or nil when the client refuses it.
    private func connect(from host: PrivateAvahi) throws -> TCPLine? {
      try host.inside { () throws(SystemError) in
        try TCPLine(to: NetworkNamespaces.address(0), port: Field.port)
      }
    }

    @Test func aThousandConnectionsWithoutAHandshakeKeepNobodyOut() throws {
      let field = try Field(hosts: 2)
      try field.startClient()
      let client = try #require(field.client)
      let before = try field.residentBytes(client.processID)
      var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var lines: [TCPLine] = []
      var generator = SplitMix64(seed: 11)
      for number in 0..<1000 {
        guard let line = try connect(from: field.network.hosts[2]) else { continue }
        switch number % 3 {
        case 0: break
        // The beginning of a record that claims more than comes.
        case 1: line.send([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3])
        default: line.send((0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        lines.append(line)
      }
      #expect(lines.count > 500)
      try field.addVehicle()
      try field.requireVehicles(1, within: .seconds(10))
      #expect(try field.run("stop").code == 0)
      let after = try field.residentBytes(client.processID)
      #expect(after - before < 32 << 20, "\(before) \(after)")
      withExtendedLifetime(lines) {}
    }

    @Test func aTrustedPeerThatSendsTooMuchIsRefusedAlone() throws {
      let field = try Field()
      try field.start()
      let directory = try TemporaryDirectory()
      let identity = try Identity.loadOrCreate(directory: directory.path, commonName: "rogue")
      try field.trust(identity.peerID.hex, "Rogue")
      let hello = ControlFrame.hello(Hello(runID: 1, name: "Rogue")).encoded
      // Types of frames with a length that none may have, before and after a hello.
      for type: UInt8 in [0, 1, 5, 7, 12, 16, 24, 255] {
        for prefix in [[], hello] {
          let line = try #require(try connect(from: field.network.hosts[1]))
          let engine = try TLSEngine(identity: identity, role: .client, policy: .any)
          try line.shakeHands(engine)
          line.send(
            try engine.send(prefix + [type, 0xFF, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 4000)))
          #expect(line.ends(within: .seconds(3)), "type \(type)")
        }
      }
      #expect(field.disconnections() == 0, "\(field.story)")
      #expect(try field.run("stop", "--vehicle", "Drone").code == 0)
    }
  }
}

/// A blocking TCP connection.
final class TCPLine {
  private let descriptor: Int32

  init?(to host: String, port: UInt16) throws(SystemError) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError.current("socket") }
    self.descriptor = descriptor
    var limit = timeval(tv_sec: 2, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 { return nil }
  }

  deinit { close(descriptor) }

  func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  private func receive() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? Array(bytes[..<count]) : nil
  }

  func shakeHands(_ engine: TLSEngine) throws {
    send(try engine.start())
    while true {
      let bytes = try #require(receive(), "the other side does not answer")
      let received = try engine.receive(bytes)
      send(received.output)
      if received.handshakeFinished { return }
    }
  }

  /// Whether the other side ends the connection.
  func ends(within limit: Duration) -> Bool {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while ContinuousClock.now < deadline {
      var byte: UInt8 = 0
      let count = recv(descriptor, &byte, 1, 0)
      if count == 0 || (count < 0 && errno == ECONNRESET) { return true }
    }
    return false
  }
}

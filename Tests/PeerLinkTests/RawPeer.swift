import Glibc
import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets
import TestSupport

@testable import PeerLink

/// A peer that speaks TLS and then whatever a test wants: it follows no rule of the session.
final class RawPeer {
  let channel: DescriptorChannel
  private let engine: TLSEngine
  private var decoder = ControlFrameDecoder()
  /// Everything that was said inside TLS.
  private(set) var plaintext: [UInt8] = []
  private(set) var frames: [ControlFrame] = []
  private var messageCount: UInt64 = 0
  private(set) var isSecure = false
  private(set) var saidFarewell = false
  private(set) var isGone = false

  private init(_ connection: TCPConnection, identity: Identity, role: TLSEngine.Role) throws {
    channel = connection.channel
    engine = try TLSEngine(identity: identity, role: role, policy: .any)
    decoder.maximumPayloadBytes = ControlFrame.maximumMessageBytes
    channel.onBytes = { [weak self] in self?.received($0) }
    channel.onEnd = { [weak self] _ in self?.isGone = true }
    _ = channel.write(try engine.start())
  }

  /// Dials a host and shakes hands.
  static func dial(_ host: Node, identity: Identity, on loop: EventLoop) throws -> RawPeer {
    let peer = try RawPeer(try tcp(to: host.port, on: loop), identity: identity, role: .client)
    guard loop.runUntil(.seconds(10), { peer.isSecure || peer.isGone }) else {
      throw SystemError("shake hands", code: ETIMEDOUT)
    }
    return peer
  }

  /// Dials a host that trusts it and has itself accepted.
  static func connect(_ host: Node, identity: Identity, on loop: EventLoop) throws -> RawPeer {
    let peer = try dial(host, identity: identity, on: loop)
    peer.send(.hello(Hello(runID: 99, name: "raw")))
    peer.send(.invitation(timeLimitSeconds: 30, context: []))
    guard loop.runUntil(.seconds(10), { peer.frames.contains(.accept) }) else {
      throw SystemError("be accepted", code: ETIMEDOUT)
    }
    return peer
  }

  /// Answers those who dial.
  static func listen(
    identity: Identity, on loop: EventLoop, onPeer: @escaping (RawPeer) -> Void
  ) throws -> TCPListener {
    let listener = try TCPListener(on: .loopbackV4(port: 0), loop: loop)
    listener.onAccept = { connection in
      guard let peer = try? RawPeer(connection, identity: identity, role: .server) else { return }
      onPeer(peer)
    }
    return listener
  }

  /// A bare connection.
  static func tcp(to port: UInt16, on loop: EventLoop) throws -> TCPConnection {
    var result: Result<TCPConnection, ConnectError>?
    let connector = TCPConnector(to: [.loopbackV4(port: port)], within: .seconds(5), on: loop) { result = $0 }
    _ = withExtendedLifetime(connector) { loop.runUntil { result != nil } }
    guard let result else { throw SystemError("connect", code: ETIMEDOUT) }
    return try result.get()
  }

  /// What the session that this connection began gives its transfers.
  func transferKeys() throws -> TransferSessionKeys {
    TransferSessionKeys(
      isInviter: true,
      sessionID: try engine.export(label: "EXPORTER-drone-control session", context: [], length: 16),
      secret: try engine.export(label: "EXPORTER-drone-control secret", context: [], length: 32))
  }

  /// The identifier of the session that is accepted on this connection.
  func sessionID() throws -> [UInt8] {
    try engine.export(label: "EXPORTER-drone-control session", context: [], length: 16)
  }

  func send(_ frame: ControlFrame) { send(frame.encoded) }

  func send(_ bytes: [UInt8]) {
    guard let record = try? engine.send(bytes) else { return }
    _ = channel.write(record)
  }

  private func received(_ bytes: [UInt8]) {
    guard let received = try? engine.receive(bytes) else { return }
    _ = channel.write(received.output)
    if received.handshakeFinished { isSecure = true }
    plaintext += received.plaintext
    decoder.append(received.plaintext)
    while let frame = try? decoder.next() {
      frames.append(frame)
      guard case .message = frame else { continue }
      messageCount += 1
      if messageCount % 8 == 0 { send(.acknowledge(count: messageCount)) }
    }
    if received.closed { saidFarewell = true }
  }
}

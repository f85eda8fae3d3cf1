import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// A peer with an identity that follows no rule.
final class Attacker {
  private(set) var isSecure = false
  private(set) var isGone = false
  private(set) var frames: [ControlFrame] = []
  private let channel: DescriptorChannel
  private let engine: TLSEngine
  private var decoder = ControlFrameDecoder()

  init(_ connection: TCPConnection, identity: Identity) throws {
    channel = connection.channel
    engine = try TLSEngine(identity: identity, role: .client, policy: .any)
    decoder.maximumPayloadBytes = ControlFrame.maximumMessageBytes
    channel.onBytes = { [weak self] in self?.received($0) }
    channel.onEnd = { [weak self] _ in self?.isGone = true }
  }

  deinit { channel.close() }

  /// The first bytes of the handshake.
  func opening() throws -> [UInt8] { try engine.start() }

  func sendRaw(_ bytes: [UInt8]) { _ = channel.write(bytes) }

  func send(_ bytes: [UInt8]) {
    guard let record = try? engine.send(bytes) else { return }
    _ = channel.write(record)
  }

  private func received(_ bytes: [UInt8]) {
    guard let received = try? engine.receive(bytes) else { return }
    _ = channel.write(received.output)
    if received.handshakeFinished { isSecure = true }
    decoder.append(received.plaintext)
    while let frame = try? decoder.next() { frames.append(frame) }
    if received.closed { isGone = true }
    // Enough to see what it was answered.
    if frames.count > 64 { frames.removeFirst(frames.count - 64) }
  }
}

import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// A peer with an identity that follows no rule.
final class Attacker {
  private(set) var isSecure = false
  private(set) var isGone = false
  private(set) var frames: [ControlFrame] = []
  /// Whether datagrams reach the host, and how many came from it.
  var hasDatagrams: Bool { datagrams?.isEstablished ?? false }
  private(set) var datagramsReceived = 0
  private let channel: DescriptorChannel
  private let remote: SocketAddress
  private let loop: EventLoop
  private var socket: UDPSocket?
  private var datagrams: DTLSEngine?
  private let engine: TLSEngine
  private var decoder = ControlFrameDecoder()

  init(_ connection: TCPConnection, identity: Identity, on loop: EventLoop) throws {
    channel = connection.channel
    remote = connection.remote
    self.loop = loop
    engine = try TLSEngine(identity: identity, role: .client, policy: .any)
    decoder.maximumPayloadBytes = ControlFrame.maximumMessageBytes
    channel.onBytes = { [weak self] in self?.received($0) }
    channel.onEnd = { [weak self] _ in self?.isGone = true }
  }

  deinit {
    channel.close()
    socket?.close()
  }

  /// The first bytes of the handshake.
  func opening() throws -> [UInt8] { try engine.start() }

  func sendRaw(_ bytes: [UInt8]) { _ = channel.write(bytes) }

  func send(_ bytes: [UInt8]) {
    guard let record = try? engine.send(bytes) else { return }
    _ = channel.write(record)
  }

  /// The session's name, as RESUME says it.
  var sessionID: [UInt8]? {
    try? engine.export(
      label: "EXPORTER-drone-control session", context: [], length: ControlFrame.sessionIDBytes)
  }

  /// Begins an association as an inviter does (PROTOCOL.md, "DATAGRAM_OFFER"); the host's answer brings it about.
  func offerDatagrams() throws {
    let secret = try engine.export(label: "EXPORTER-drone-control secret", context: [], length: 32)
    let socket = try UDPSocket(on: .loopbackV4(port: 0), loop: loop)
    let key = MessageAuthentication.code(key: secret, message: Array("datagrams".utf8) + [0, 0, 0, 1])
    let datagrams = try DTLSEngine(role: .client, key: key)
    socket.onDatagram = { [weak self] bytes, _ in self?.receivedDatagram(bytes) }
    self.socket = socket
    self.datagrams = datagrams
    send(ControlFrame.datagramOffer(DatagramOffer(association: 1, port: socket.localAddress.port)).encoded)
  }

  /// Protected as it should be.
  func sendDatagram(_ plaintext: [UInt8]) {
    guard let datagram = try? datagrams?.send(plaintext) else { return }
    sendRawDatagram(datagram)
  }

  func sendRawDatagram(_ bytes: [UInt8]) { _ = socket?.send(bytes) }

  /// What this side would send for a payload, to be damaged.
  func datagram(of plaintext: [UInt8]) -> [UInt8] { (try? datagrams?.send(plaintext)) ?? [] }

  private func receivedDatagram(_ bytes: [UInt8]) {
    guard let received = datagrams?.receive(bytes) else { return }
    datagramsReceived += received.plaintexts.count
    for datagram in received.output { sendRawDatagram(datagram) }
  }

  private func answered(_ offer: DatagramOffer) {
    guard let socket, let datagrams, !datagrams.isEstablished, offer.port != 0 else { return }
    guard (try? socket.connect(to: remote.with(port: offer.port))) != nil else { return }
    for datagram in datagrams.start() { sendRawDatagram(datagram) }
  }

  private func received(_ bytes: [UInt8]) {
    guard let received = try? engine.receive(bytes) else { return }
    _ = channel.write(received.output)
    if received.handshakeFinished { isSecure = true }
    decoder.append(received.plaintext)
    while let frame = try? decoder.next() {
      frames.append(frame)
      if case .datagramOffer(let offer) = frame { answered(offer) }
    }
    if received.closed { isGone = true }
    // Enough to see what it was answered.
    if frames.count > 64 { frames.removeFirst(frames.count - 64) }
  }
}

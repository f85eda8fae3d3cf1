import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// One attempt at an association for the datagrams of a session: a UDP socket tied to the peer, and DTLS on it.
final class DatagramPlane {
  enum Event {
    /// The handshake is finished.
    case associated
    /// What the peer sent, proven to be from it.
    case datagram([UInt8])
    /// The peer ended the association.
    case closed
  }

  let association: UInt32
  let begun: ContinuousClock.Instant
  var onEvent: ((Event) -> Void)?

  private let socket: UDPSocket
  private let engine: DTLSEngine
  private let filter: DatagramFilter?
  private var isTied = false

  /// - Parameters:
  ///   - secret: the session's; each association has a key of its own.
  ///   - local: this side's address of the control connection: its way is a way for datagrams too.
  init(
    _ association: UInt32, role: DTLSEngine.Role, secret: [UInt8], local: SocketAddress,
    filter: DatagramFilter?, loop: EventLoop
  ) throws {
    self.association = association
    self.filter = filter
    begun = loop.now
    var label = Array("datagrams".utf8)
    label.appendBigEndian(association)
    engine = try DTLSEngine(
      role: role, key: MessageAuthentication.code(key: secret, message: label))
    socket = try UDPSocket(on: local.with(port: 0), loop: loop)
    socket.onDatagram = { [weak self] bytes, _ in self?.received(bytes) }
  }

  deinit { socket.close() }

  /// To be told to the peer.
  var port: UInt16 { socket.localAddress.port }
  var isEstablished: Bool { engine.isEstablished }

  /// Ties the socket to the peer and begins the handshake, or waits for it.
  func begin(with remote: SocketAddress) throws(SystemError) {
    try socket.connect(to: remote)
    isTied = true
    transmit(engine.start())
  }

  /// When `handleTimeout` is to be called.
  func nextTimeout(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    isTied ? engine.nextTimeout().map { now.advanced(by: $0) } : nil
  }

  func handleTimeout() { transmit(engine.handleTimeout()) }

  func send(_ frame: DatagramFrame) {
    // Too long or too early: as good as lost.
    guard let datagram = try? engine.send(frame.encoded) else { return }
    transmit([datagram])
  }

  /// Says farewell; nothing is told afterwards. Idempotent.
  func close() {
    onEvent = nil
    transmit(engine.close())
    socket.close()
  }

  private func received(_ bytes: [UInt8]) {
    // Before the socket is tied anybody could have sent this.
    guard isTied, filter?(bytes) ?? true else { return }
    let received = engine.receive(bytes)
    transmit(received.output)
    if received.handshakeFinished { onEvent?(.associated) }
    for plaintext in received.plaintexts { onEvent?(.datagram(plaintext)) }
    if received.closed { onEvent?(.closed) }
  }

  private func transmit(_ datagrams: [[UInt8]]) {
    guard isTied else { return }
    for datagram in datagrams where filter?(datagram) ?? true { socket.send(datagram) }
  }
}

/// Lets a test lose datagrams, in both directions.
typealias DatagramFilter = ([UInt8]) -> Bool

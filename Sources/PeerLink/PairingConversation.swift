import PeerProtocol
import SecureTransport
import ServiceRuntime

/// One pairing attempt on one connection: the state machine, its frames, and the trust file at the end.
final class PairingConversation {
  enum Event {
    case compare(PairingCode, PairingPeer)
    /// The last event.
    case ended(PairingEnd, PairingPeer?, counts: Bool)
  }

  /// What both roles need to know about this side.
  struct Own {
    let id: PeerID
    let name: String
    let key: PairingKey
    let store: PairingStore
  }

  private let connection: FramedConnection
  private let peerID: PeerID
  private let loop: EventLoop
  private let store: PairingStore
  private let onEvent: (Event) -> Void
  private var machine: PairingStateMachine
  private var peer: PairingPeer?

  /// - Parameters:
  ///   - connection: open; its events are taken over.
  ///   - deadline: when the operator's window closes.
  init(
    on connection: FramedConnection, with peerID: PeerID, own: Own, deadline: ContinuousClock.Instant,
    loop: EventLoop, onEvent: @escaping (Event) -> Void
  ) throws(TLSError) {
    self.connection = connection
    self.peerID = peerID
    self.loop = loop
    self.onEvent = onEvent
    store = own.store
    let isInviter = connection.isOutgoing
    let (inviter, host) = isInviter ? (own.id, peerID) : (peerID, own.id)
    let exporter = try connection.export(
      label: PairingMaterial.exporterLabel, length: PairingMaterial.exporterBytes)
    let secret: PairingMaterial.Secret =
      switch own.key {
      case .compare: .compare(nonce: randomBytes(PairingFrame.nonceBytes))
      case .code(let code):
        .code(
          try SPAKE2(
            role: isInviter ? .first : .second, code: code, inviter: inviter, host: host, exporter: exporter))
      }
    machine = PairingStateMachine(
      role: isInviter ? .inviter : .host, name: own.name,
      material: PairingMaterial(
        inviter: inviter, host: host, exporter: exporter, functions: .openSSL, secret: secret),
      deadline: deadline, at: loop.now)
    connection.onEvent = { [weak self] event in self?.handle(event) }
  }

  /// The inviter speaks first.
  func start() { perform(machine.opening()) }

  func received(_ frame: ControlFrame) {
    switch frame {
    case .purpose(let type, let payload):
      do throws(ControlFrameError) {
        let frame = try PairingFrame(type: type, payload: payload)
        if case .hello(let hello) = frame, peer == nil { peer = PairingPeer(id: peerID, name: hello.name) }
        perform(machine.received(frame, at: loop.now))
      } catch {
        perform(machine.breakOff(error.description))
      }
    case .decline(let reason, let text), .goodbye(let reason, let text):
      // A peer without an open window turns strangers away before it looks at what they want.
      perform(machine.received(.abort(PairingReason(reason), text: text), at: loop.now))
    case .hello, .invitation, .accept, .ping, .pong, .message, .acknowledge, .resume, .resumed,
      .datagramOffer, .relayed:
      perform(machine.breakOff("a frame that has no place here"))
    }
  }

  func answer(isSame: Bool) { perform(isSame ? machine.confirm(at: loop.now) : machine.reject()) }
  func cancel() { perform(machine.cancel()) }
  func tick() { perform(machine.tick(at: loop.now)) }

  private func handle(_ event: FramedConnection.Event) {
    switch event {
    case .frame(let frame): received(frame)
    case .malformed(let error): perform(machine.breakOff(error.description))
    case .lost(.handshakeTimedOut): perform(machine.connectionLost("no handshake in time"))
    case .lost(.failed(let text)): perform(machine.connectionLost(text))
    case .authenticated, .drained: break
    }
  }

  private func perform(_ outputs: [PairingStateMachine.Output]) {
    for output in outputs {
      switch output {
      case .send(let frame): connection.send(.purpose(type: frame.type, payload: frame.payload[...]))
      case .compare(let code, _):
        if let peer { onEvent(.compare(code, peer)) }
      case .store:
        guard let peer else { continue }
        do {
          try store(peer.id, peer.name)
          perform(machine.stored(at: loop.now))
        } catch {
          perform(machine.notStored("\(error)"))
        }
      case .ended(let end):
        connection.onEvent = nil
        connection.finish()
        onEvent(.ended(end, peer, counts: machine.countsAsAttempt))
      }
    }
  }
}

extension PairingReason {
  fileprivate init(_ reason: PeerReason) {
    self =
      switch reason {
      case .untrusted, .protocolError: .closed
      case .busy: .busy
      case .shuttingDown: .cancelled
      case .declined, .versionMismatch, .replaced, .disconnected, .unknownSession, .other: .other
      }
  }
}

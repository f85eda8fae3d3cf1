import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// One TCP connection with TLS and the session on top; tells its owner what happens and decides nothing about trust.
final class SecureConnection {
  enum Event {
    /// The peer proved who it is. The owner answers with `admit` or `refuse`.
    case authenticated(PeerID)
    case invited(Hello, context: [UInt8])
    case connected(Hello)
    case message(MessageFrame)
    /// The last event.
    case ended(SessionEnd)
  }

  private enum Stage {
    case handshaking(deadline: ContinuousClock.Instant)
    /// The session and its framing.
    case session(SessionStateMachine)
    /// The last bytes are on their way; what still arrives is dropped.
    case draining(until: ContinuousClock.Instant)
    case ended
  }

  let remote: SocketAddress
  let isOutgoing: Bool
  private(set) var peerID: PeerID?
  /// The owner has admitted the peer to a session, whatever became of it.
  private(set) var isAdmitted = false
  var onEvent: ((Event) -> Void)?

  private let loop: EventLoop
  private let channel: DescriptorChannel
  private let engine: TLSEngine
  private var stage: Stage
  private var decoder = ControlFrameDecoder()
  private var delays = DelayEstimator()

  /// How long a refused or leaving peer has to read the reason.
  private static let drainTime: Duration = .milliseconds(500)
  /// Half of what the channel queues: a peer that is behind is told nothing new, but answers and the goodbye still fit.
  private static let maximumPendingBytes = TCPOptions().maximumBacklog / 2

  init(
    _ connection: TCPConnection, identity: Identity, isOutgoing: Bool, policy: PeerPolicy,
    handshakeLimit: Duration,
    loop: EventLoop
  ) throws(TLSError) {
    self.loop = loop
    self.isOutgoing = isOutgoing
    channel = connection.channel
    remote = connection.remote
    engine = try TLSEngine(identity: identity, role: isOutgoing ? .client : .server, policy: policy)
    stage = .handshaking(deadline: loop.now.advanced(by: handshakeLimit))
    channel.onBytes = { [weak self] bytes in self?.received(bytes) }
    channel.onEnd = { [weak self] end in self?.channelEnded(end) }
    write(try engine.start())
  }

  deinit { channel.close() }

  var isEnded: Bool {
    if case .ended = stage { true } else { false }
  }
  var isInSession: Bool {
    if case .session = stage { true } else { false }
  }
  var isConnected: Bool {
    if case .session(let session) = stage { session.isConnected } else { false }
  }
  var pendingByteCount: Int { channel.pendingByteCount }

  /// The owner trusts the peer: the session begins.
  func admit(role: SessionStateMachine.Role, own: Hello, limits: SessionStateMachine.Limits) {
    guard case .handshaking = stage else { return }
    isAdmitted = true
    let session = SessionStateMachine(role: role, own: own, limits: limits, at: loop.now)
    stage = .session(session)
    perform(session.opening())
  }

  /// The owner does not want the peer: it learns why and nothing else.
  func refuse(_ reason: PeerReason, text: String) {
    guard case .handshaking = stage else { return }
    sendFrame(.decline(reason, text: text))
    finish(.disconnected(reason))
  }

  func accept() { withSession { $0.accept(at: loop.now) } }
  func decline(_ reason: PeerReason, text: String) { withSession { $0.decline(reason, text: text) } }

  func disconnect(_ reason: PeerReason, text: String = "") {
    switch stage {
    case .handshaking: finish(.disconnected(reason))
    case .session: withSession { $0.disconnect(reason, text: text) }
    case .draining, .ended: break
    }
  }

  func send(_ messageClass: UInt8, _ payload: [UInt8]) -> SendResult {
    guard case .session(var session) = stage, session.isConnected else { return .notConnected }
    guard payload.count <= ControlFrame.maximumMessageBytes else { return .tooLarge }
    // Before anything is encrypted: a record that is left out breaks all that follow.
    guard channel.pendingByteCount + payload.count <= SecureConnection.maximumPendingBytes else {
      return .congested
    }
    guard let message = session.message(messageClass, payload, at: loop.now) else { return .notConnected }
    stage = .session(session)
    if sendFrame(.message(message)) { return .sent }
    finish(.connectionLost("it takes no more bytes"))
    return .notConnected
  }

  func delay(of message: MessageFrame) -> Duration {
    delays.delay(senderClockMilliseconds: message.senderClockMilliseconds, receivedAt: loop.now)
  }

  func tick() {
    let now = loop.now
    switch stage {
    case .handshaking(let deadline):
      if now >= deadline { finish(.timedOut(.introduction)) }
    case .session:
      withSession { $0.tick(at: now) }
    case .draining(let until):
      if now >= until || channel.pendingByteCount == 0 && engine.wasClosedCleanly { close() }
    case .ended:
      break
    }
  }

  /// Ends at once, without a word.
  func close() {
    stage = .ended
    channel.close()
  }

  private func received(_ bytes: [UInt8]) {
    do throws(TLSError) {
      let received = try engine.receive(bytes)
      write(received.output)
      if received.handshakeFinished, let id = engine.peerID {
        peerID = id
        onEvent?(.authenticated(id))
      }
      if !received.plaintext.isEmpty { receivedPlaintext(received.plaintext) }
      if let failure = received.failure { return broken(failure) }
      if received.closed { connectionLost("closed by the other side") }
    } catch {
      broken(error)
    }
  }

  private func broken(_ error: TLSError) {
    // The alert tells the peer why, if it still listens.
    write(engine.takeOutput())
    connectionLost(error.description)
  }

  private func receivedPlaintext(_ bytes: [UInt8]) {
    guard case .session = stage else { return }
    decoder.append(bytes)
    while case .session(var session) = stage {
      do throws(ControlFrameError) {
        guard let frame = try decoder.next() else { return }
        let outputs = session.received(frame, at: loop.now)
        stage = .session(session)
        perform(outputs)
      } catch {
        withSession { $0.breakOff(error.description) }
        return
      }
    }
  }

  private func channelEnded(_ end: ChannelEnd) { connectionLost(end.description) }

  private func connectionLost(_ text: String) {
    switch stage {
    case .handshaking:
      finish(.connectionLost(text))
      close()
    case .session:
      withSession { $0.connectionLost(text) }
      close()
    case .draining: close()
    case .ended: break
    }
  }

  private func withSession(_ body: (inout SessionStateMachine) -> [SessionStateMachine.Output]) {
    guard case .session(var session) = stage else { return }
    let outputs = body(&session)
    stage = .session(session)
    perform(outputs)
  }

  private func perform(_ outputs: [SessionStateMachine.Output]) {
    for output in outputs {
      switch output {
      case .send(let frame):
        if !sendFrame(frame) { return finish(.connectionLost("it takes no more bytes")) }
      case .invited(let hello, let context): onEvent?(.invited(hello, context: context))
      case .connected(let hello):
        decoder.maximumPayloadBytes = ControlFrame.maximumMessageBytes
        onEvent?(.connected(hello))
      case .message(let message): onEvent?(.message(message))
      case .ended(let reason): finish(reason)
      }
    }
  }

  @discardableResult
  private func sendFrame(_ frame: ControlFrame) -> Bool {
    do throws(TLSError) {
      let bytes = try engine.send(frame.encoded)
      return write(bytes)
    } catch { return false }
  }

  /// False when the backlog is full. TLS records cannot be left out, so the connection is of no use then.
  @discardableResult
  private func write(_ bytes: [UInt8]) -> Bool { bytes.isEmpty || channel.write(bytes) }

  private func finish(_ reason: SessionEnd) {
    switch stage {
    case .draining, .ended: return
    case .handshaking, .session: break
    }
    write(engine.close())
    if peerID == nil {
      // Nothing was said that the peer could still have to read.
      close()
    } else {
      stage = .draining(until: loop.now.advanced(by: SecureConnection.drainTime))
    }
    onEvent?(.ended(reason))
  }
}

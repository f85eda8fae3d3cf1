import PeerProtocol
import ServiceRuntime

/// A session on its control connection; tells its owner what happens.
final class SessionConnection {
  enum Event {
    case invited(Hello, context: [UInt8], timeLimit: Duration)
    case connected(Hello)
    case message(MessageFrame)
    /// What waited for the kernel is written out.
    case drained
    /// The last event.
    case ended(SessionEnd)
  }

  let connection: FramedConnection
  let peerID: PeerID
  var onEvent: ((Event) -> Void)?

  private let loop: EventLoop
  private var session: SessionStateMachine
  private var isOver = false
  private var isReading = true
  private var delays = DelayEstimator()

  /// Half of what the channel queues: a peer that is behind is told nothing new, but answers and the goodbye still fit.
  private static let maximumPendingBytes = 1 << 19

  /// Takes over an open connection whose peer is welcome.
  init(
    _ connection: FramedConnection, with peerID: PeerID, role: SessionStateMachine.Role, own: Hello,
    limits: SessionStateMachine.Limits, loop: EventLoop
  ) {
    self.connection = connection
    self.peerID = peerID
    self.loop = loop
    session = SessionStateMachine(role: role, own: own, limits: limits, at: loop.now)
    connection.onEvent = { [weak self] event in self?.handle(event) }
  }

  var isConnected: Bool { session.isConnected }
  var isEnded: Bool { isOver }
  var pendingByteCount: Int { connection.pendingByteCount }

  func start() { perform(session.opening()) }
  /// A frame that arrived before this object took over.
  func received(_ frame: ControlFrame) { perform(session.received(frame, at: loop.now)) }
  func accept() { perform(session.accept(at: loop.now)) }
  func decline(_ reason: PeerReason, text: String) { perform(session.decline(reason, text: text)) }
  func disconnect(_ reason: PeerReason, text: String = "") {
    perform(session.disconnect(reason, text: text))
  }
  func tick() {
    // Who is not read cannot be heard.
    if !isReading { session.heard(at: loop.now) }
    perform(session.tick(at: loop.now))
  }

  func setReading(_ enabled: Bool) {
    isReading = enabled
    connection.setReading(enabled)
  }

  func send(_ messageClass: UInt8, _ payload: [UInt8]) -> SendResult {
    guard session.isConnected else { return .notConnected }
    guard payload.count <= ControlFrame.maximumMessageBytes else { return .tooLarge }
    // Before anything is encrypted: a record that is left out breaks all that follow.
    guard connection.pendingByteCount + payload.count <= SessionConnection.maximumPendingBytes else {
      return .congested
    }
    guard let message = session.message(messageClass, payload, at: loop.now) else { return .notConnected }
    if connection.send(.message(message)) { return .sent }
    end(.connectionLost("it takes no more bytes"))
    return .notConnected
  }

  func delay(of message: MessageFrame) -> Duration {
    delays.delay(senderClockMilliseconds: message.senderClockMilliseconds, receivedAt: loop.now)
  }

  private func handle(_ event: FramedConnection.Event) {
    switch event {
    case .authenticated: break
    case .drained: if session.isConnected { onEvent?(.drained) }
    case .frame(let frame): received(frame)
    case .malformed(let error): perform(session.breakOff(error.description))
    case .lost(.failed(let text)): perform(session.connectionLost(text))
    case .lost(.handshakeTimedOut): perform(session.connectionLost("no TLS handshake in time"))
    }
  }

  private func perform(_ outputs: [SessionStateMachine.Output]) {
    for output in outputs {
      switch output {
      case .send(let frame):
        if !connection.send(frame) { return end(.connectionLost("it takes no more bytes")) }
      case .invited(let hello, let context, let limit):
        onEvent?(.invited(hello, context: context, timeLimit: limit))
      case .connected(let hello):
        connection.isAdmitted = true
        connection.maximumPayloadBytes = ControlFrame.maximumMessageBytes
        onEvent?(.connected(hello))
      case .message(let message): onEvent?(.message(message))
      case .ended(let reason): end(reason)
      }
    }
  }

  private func end(_ reason: SessionEnd) {
    guard !isOver else { return }
    isOver = true
    connection.finish()
    onEvent?(.ended(reason))
  }
}

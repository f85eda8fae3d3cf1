import PeerProtocol
import ServiceRuntime

/// The inviter takes a session up again on a new connection: RESUME, and the host's answer.
final class Resumption {
  enum Outcome {
    /// The host knows the session and has received this many messages.
    case resumed(received: UInt64)
    /// The host does not know it; the connection is open, and a new session may begin on it.
    case unknown
    case failed(SessionEnd)
  }

  let connection: FramedConnection
  let session: Session
  private let deadline: ContinuousClock.Instant
  private let loop: EventLoop
  private var onOutcome: ((Outcome) -> Void)?

  init(
    of session: Session, on connection: FramedConnection, within limit: Duration, loop: EventLoop,
    onOutcome: @escaping (Outcome) -> Void
  ) {
    self.session = session
    self.connection = connection
    self.loop = loop
    self.onOutcome = onOutcome
    deadline = loop.now.advanced(by: limit)
    connection.onEvent = { [weak self] event in self?.handle(event) }
    // The old connection must not bring a message after its count was told.
    session.releaseControl()
    connection.send(.resume(sessionID: session.id, received: session.receivedCount))
  }

  var isOver: Bool { onOutcome == nil }

  func tick() {
    if !isOver, loop.now >= deadline { fail(.timedOut(.introduction)) }
  }

  /// Ends the attempt; nothing is told. Idempotent.
  func cancel() {
    guard !isOver else { return }
    onOutcome = nil
    connection.onEvent = nil
    connection.finish()
  }

  private func handle(_ event: FramedConnection.Event) {
    switch event {
    case .authenticated, .drained: break
    case .frame(.resumed(let received)): finish(.resumed(received: received))
    case .frame(.decline(.unknownSession, _)): finish(.unknown)
    case .frame(.decline(let reason, let text)): fail(.declined(reason, text: text))
    case .frame(.goodbye(let reason, let text)): fail(.left(reason, text: text))
    case .frame, .malformed: fail(.brokeProtocol("no answer to RESUME"))
    case .lost(.failed(let text)): fail(.connectionLost(text))
    case .lost(.handshakeTimedOut): fail(.timedOut(.introduction))
    }
  }

  private func fail(_ end: SessionEnd) {
    connection.finish()
    finish(.failed(end))
  }

  private func finish(_ outcome: Outcome) {
    let handler = onOutcome
    onOutcome = nil
    connection.onEvent = nil
    handler?(outcome)
  }
}

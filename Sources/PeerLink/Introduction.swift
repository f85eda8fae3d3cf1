import PeerProtocol
import ServiceRuntime

/// How a session begins on a connection: from HELLO to ACCEPT. Then a `Session` takes the connection over.
final class Introduction {
  enum Event {
    case invited(Hello, context: [UInt8], timeLimit: Duration)
    /// The last event of one that led to a session: `connection.onEvent` is free.
    case connected(Hello)
    /// The last event of one that did not.
    case ended(SessionEnd)
  }

  let connection: FramedConnection
  let peerID: PeerID
  var onEvent: ((Event) -> Void)?

  private let loop: EventLoop
  private var machine: SessionStateMachine
  private(set) var isOver = false

  /// Takes over an open connection whose peer is welcome.
  init(
    _ connection: FramedConnection, with peerID: PeerID, role: SessionStateMachine.Role, own: Hello,
    limits: SessionStateMachine.Limits, loop: EventLoop
  ) {
    self.connection = connection
    self.peerID = peerID
    self.loop = loop
    machine = SessionStateMachine(role: role, own: own, limits: limits, at: loop.now)
    connection.onEvent = { [weak self] event in self?.handle(event) }
  }

  func start() { perform(machine.opening()) }
  /// A frame that arrived before this object took over.
  func received(_ frame: ControlFrame) { perform(machine.received(frame, at: loop.now)) }
  func accept() { perform(machine.accept()) }
  func decline(_ reason: PeerReason, text: String) { perform(machine.decline(reason, text: text)) }
  func disconnect(_ reason: PeerReason, text: String = "") {
    perform(machine.disconnect(reason, text: text))
  }
  func tick() { perform(machine.tick(at: loop.now)) }

  private func handle(_ event: FramedConnection.Event) {
    switch event {
    case .authenticated, .drained: break
    case .frame(let frame): received(frame)
    case .malformed(let error): perform(machine.breakOff(error.description))
    case .lost(.failed(let text)): perform(machine.connectionLost(text))
    case .lost(.handshakeTimedOut): perform(machine.connectionLost("no TLS handshake in time"))
    }
  }

  private func perform(_ outputs: [SessionStateMachine.Output]) {
    for output in outputs {
      if isOver { return }
      switch output {
      case .send(let frame):
        if !connection.send(frame) { return end(.connectionLost("it takes no more bytes")) }
      case .invited(let hello, let context, let limit):
        onEvent?(.invited(hello, context: context, timeLimit: limit))
      case .connected(let hello):
        isOver = true
        connection.onEvent = nil
        onEvent?(.connected(hello))
      case .ended(let reason): end(reason)
      }
    }
  }

  private func end(_ reason: SessionEnd) {
    guard !isOver else { return }
    isOver = true
    connection.onEvent = nil
    connection.finish()
    onEvent?(.ended(reason))
  }
}

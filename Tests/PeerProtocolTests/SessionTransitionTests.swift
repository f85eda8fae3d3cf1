import PeerProtocol
import Testing

private typealias Output = SessionStateMachine.Output

/// Every state with every input, written down from PROTOCOL.md section 6.
@Suite struct SessionTransitionTests {
  enum Stage: String, CaseIterable, Sendable {
    case awaitingHello, awaitingAnswer, awaitingInvitation, deciding, connected, ended
  }

  enum Side: String, CaseIterable, Sendable {
    case inviter, host

    var stages: [Stage] {
      switch self {
      case .inviter: [.awaitingHello, .awaitingAnswer, .connected, .ended]
      case .host: [.awaitingHello, .awaitingInvitation, .deciding, .connected, .ended]
      }
    }
  }

  enum Input: String, CaseIterable, Sendable {
    case hello, helloOfAnotherVersion, invitation, accept, decline, ping, pong, message, goodbye
    case applicationAccepts, applicationDeclines, disconnect, unreadable, lost, tick
  }

  struct Step: Sendable, CustomTestStringConvertible {
    let side: Side
    let stage: Stage
    let input: Input
    var testDescription: String { "\(side) \(stage): \(input)" }
  }

  static let steps = Side.allCases.flatMap { side in
    side.stages.flatMap { stage in Input.allCases.map { Step(side: side, stage: stage, input: $0) } }
  }

  static let own = Hello(runID: 1, name: "own")
  static let peer = Hello(runID: 2, name: "peer")
  static let other = Hello(version: 2, runID: 2, name: "later")
  static let message = MessageFrame(
    messageClass: 1, sequence: 1, senderClockMilliseconds: 0, payload: [1, 2])

  private let now = ContinuousClock.now

  /// What the step answers, and where it leads.
  private func expected(_ step: Step) -> (outputs: [Output], stage: Stage) {
    let brokenText = "a frame that has no place here"
    let broken: ([Output], Stage) = (
      [.send(.goodbye(.protocolError, text: brokenText)), .ended(.brokeProtocol(brokenText))], .ended
    )
    let stays: ([Output], Stage) = ([], step.stage)
    // Behind `connected` the session is in other hands.
    if step.stage == .ended || step.stage == .connected { return stays }
    switch step.input {
    case .hello:
      guard step.stage == .awaitingHello else { return broken }
      return step.side == .inviter
        ? ([], .awaitingAnswer) : ([.send(.hello(Self.own))], .awaitingInvitation)
    case .helloOfAnotherVersion:
      guard step.stage == .awaitingHello else { return broken }
      let text = "protocol version 1 here, 2 there: install the same release on both sides"
      return ([.send(.decline(.versionMismatch, text: text)), .ended(.versionMismatch(theirs: 2))], .ended)
    case .invitation:
      guard step.stage == .awaitingInvitation else { return broken }
      return ([.invited(Self.peer, context: [7], timeLimit: .seconds(20))], .deciding)
    case .accept:
      guard step.stage == .awaitingAnswer else { return broken }
      return ([.connected(Self.peer)], .connected)
    case .decline:
      guard step.stage == .awaitingHello || step.stage == .awaitingAnswer else { return broken }
      return ([.ended(.declined(.untrusted, text: "no"))], .ended)
    case .ping:
      guard [.awaitingAnswer, .deciding].contains(step.stage) else { return broken }
      return ([.send(.pong(number: 9))], step.stage)
    case .pong, .message: return broken
    case .goodbye: return ([.ended(.left(.shuttingDown, text: "bye"))], .ended)
    case .applicationAccepts:
      guard step.stage == .deciding else { return stays }
      return ([.send(.accept), .connected(Self.peer)], .connected)
    case .applicationDeclines:
      guard step.stage == .deciding else { return stays }
      return ([.send(.decline(.busy, text: "later")), .ended(.disconnected(.busy))], .ended)
    case .disconnect:
      return ([.send(.goodbye(.replaced, text: "why")), .ended(.disconnected(.replaced))], .ended)
    case .unreadable:
      return ([.send(.goodbye(.protocolError, text: "noise")), .ended(.brokeProtocol("noise"))], .ended)
    case .lost: return ([.ended(.connectionLost("gone"))], .ended)
    case .tick: return stays
    }
  }

  @Test(arguments: steps) func everyStepIsTheDocumentedOne(step: Step) {
    var session = session(step.side, step.stage)
    let (outputs, stage) = expected(step)
    #expect(apply(step.input, to: &session) == outputs)
    #expect(self.stage(of: session) == stage)
    #expect(session.isConnected == (stage == .connected))
  }

  /// After the end nothing may come out any more, whatever came before.
  @Test(arguments: steps) func whatEndedStaysSilent(step: Step) {
    var session = session(step.side, step.stage)
    _ = apply(step.input, to: &session)
    _ = session.disconnect(.disconnected)
    for input in Input.allCases { #expect(apply(input, to: &session) == [], "\(input)") }
    #expect(session.tick(at: now.advanced(by: .seconds(3600))) == [])
  }

  private func session(_ side: Side, _ stage: Stage) -> SessionStateMachine {
    let role: SessionStateMachine.Role =
      side == .inviter ? .inviter(timeLimitSeconds: 30, context: [7]) : .host
    var session = SessionStateMachine(role: role, own: Self.own, at: now)
    var inputs: [Input] = []
    switch stage {
    case .awaitingHello: break
    case .awaitingAnswer, .awaitingInvitation: inputs = [.hello]
    case .deciding: inputs = [.hello, .invitation]
    case .connected:
      inputs = side == .inviter ? [.hello, .accept] : [.hello, .invitation, .applicationAccepts]
    case .ended: inputs = [.disconnect]
    }
    for input in inputs { _ = apply(input, to: &session) }
    return session
  }

  private func apply(_ input: Input, to session: inout SessionStateMachine) -> [Output] {
    switch input {
    case .hello: return session.received(.hello(Self.peer), at: now)
    case .helloOfAnotherVersion: return session.received(.hello(Self.other), at: now)
    case .invitation: return session.received(.invitation(timeLimitSeconds: 20, context: [7]), at: now)
    case .accept: return session.received(.accept, at: now)
    case .decline: return session.received(.decline(.untrusted, text: "no"), at: now)
    case .ping: return session.received(.ping(number: 9), at: now)
    case .pong: return session.received(.pong(number: 9), at: now)
    case .message: return session.received(.message(Self.message), at: now)
    case .goodbye: return session.received(.goodbye(.shuttingDown, text: "bye"), at: now)
    case .applicationAccepts: return session.accept()
    case .applicationDeclines: return session.decline(.busy, text: "later")
    case .disconnect: return session.disconnect(.replaced, text: "why")
    case .unreadable: return session.breakOff("noise")
    case .lost: return session.connectionLost("gone")
    case .tick: return session.tick(at: now)
    }
  }

  /// Found out by asking copies: the state itself is private.
  private func stage(of session: SessionStateMachine) -> Stage {
    func answers(_ input: Input, _ isIt: (Output) -> Bool) -> Bool {
      var copy = session
      return apply(input, to: &copy).contains(where: isIt)
    }
    if session.isConnected { return .connected }
    if answers(.applicationAccepts, { _ in true }) { return .deciding }
    if answers(.accept, { $0 == .connected(Self.peer) }) { return .awaitingAnswer }
    if answers(.invitation, { $0 == .invited(Self.peer, context: [7], timeLimit: .seconds(20)) }) {
      return .awaitingInvitation
    }
    if answers(.helloOfAnotherVersion, { $0 == .ended(.versionMismatch(theirs: 2)) }) {
      return .awaitingHello
    }
    return .ended
  }
}

import PeerProtocol
import Testing

private typealias Output = SessionStateMachine.Output

@Suite struct SessionTimeTests {
  private let start = ContinuousClock.now
  private let peer = Hello(runID: 2, name: "peer")

  private func at(_ milliseconds: Int64) -> ContinuousClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  private func inviter(seconds: UInt16 = 30) -> SessionStateMachine {
    SessionStateMachine(
      role: .inviter(timeLimitSeconds: seconds, context: []), own: Hello(runID: 1, name: "own"), at: start)
  }

  private func host() -> SessionStateMachine {
    SessionStateMachine(role: .host, own: Hello(runID: 1, name: "own"), at: start)
  }

  private func timedOut(_ limit: SessionEnd.Limit) -> [Output] {
    let reason = SessionEnd.timedOut(limit)
    return [.send(.goodbye(.other, text: reason.description)), .ended(reason)]
  }

  /// The inviter says all at once, which saves a round trip; the host speaks when it was spoken to.
  @Test func onlyTheInviterOpens() {
    let hello = ControlFrame.hello(Hello(runID: 1, name: "own"))
    #expect(
      inviter().opening() == [.send(hello), .send(.invitation(timeLimitSeconds: 30, context: []))])
    #expect(host().opening() == [])
    var host = host()
    #expect(host.received(.hello(peer), at: start) == [.send(hello)])
  }

  @Test func twoSessionsConnect() {
    var (inviter, host) = (inviter(), host())
    var toHost = inviter.opening()
    var toInviter = host.opening()
    var events: [String] = []
    while !toHost.isEmpty || !toInviter.isEmpty {
      var (nextToHost, nextToInviter): ([Output], [Output]) = ([], [])
      for output in toHost {
        if case .send(let frame) = output { nextToInviter += host.received(frame, at: start) }
        if case .connected = output { events.append("inviter") }
      }
      for output in toInviter {
        switch output {
        case .send(let frame): nextToHost += inviter.received(frame, at: start)
        case .invited: nextToInviter += host.accept()
        case .connected: events.append("host")
        case .ended: Issue.record("\(output)")
        }
      }
      (toHost, toInviter) = (nextToHost, nextToInviter)
    }
    // The host decides, so it is connected first.
    #expect(events == ["host", "inviter"])
    #expect(inviter.isConnected && host.isConnected)
  }

  @Test func anIntroductionThatDoesNotComeEndsIt() {
    for session in [inviter(), host()] {
      var session = session
      #expect(session.tick(at: at(4999)) == [])
      #expect(session.tick(at: at(5000)) == timedOut(.introduction))
    }
  }

  @Test func anInvitationThatDoesNotComeEndsIt() {
    var session = host()
    _ = session.received(.hello(peer), at: at(4000))
    #expect(session.tick(at: at(8999)) == [])
    #expect(session.tick(at: at(9000)) == timedOut(.introduction))
  }

  @Test func anAnswerThatDoesNotComeEndsIt() {
    var session = inviter(seconds: 20)
    _ = session.received(.hello(peer), at: at(1000))
    #expect(session.tick(at: at(20_999)) == [])
    #expect(session.tick(at: at(21_000)) == timedOut(.invitation))
  }

  @Test(arguments: [(0, 1), (1, 1), (20, 20), (300, 300), (301, 300), (.max, 300)] as [(UInt16, Int64)])
  func aDecisionThatDoesNotComeEndsIt(seconds: UInt16, limit: Int64) {
    var session = host()
    _ = session.received(.hello(peer), at: start)
    _ = session.received(.invitation(timeLimitSeconds: seconds, context: []), at: start)
    #expect(session.tick(at: at(limit * 1000 - 1)) == [])
    #expect(session.tick(at: at(limit * 1000)) == timedOut(.invitation))
  }

  @Test(arguments: [(0, 1), (.max, 300)] as [(UInt16, Int64)])
  func theInviterWaitsNoLongerThanTheHostDecides(seconds: UInt16, limit: Int64) {
    var session = inviter(seconds: seconds)
    _ = session.received(.hello(peer), at: start)
    #expect(session.tick(at: at(limit * 1000 - 1)) == [])
    #expect(session.tick(at: at(limit * 1000)) == timedOut(.invitation))
  }
}

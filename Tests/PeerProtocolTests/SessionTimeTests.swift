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

  private func connectedHost() -> SessionStateMachine {
    var session = host()
    _ = session.received(.hello(peer), at: start)
    _ = session.received(.invitation(timeLimitSeconds: 30, context: []), at: start)
    _ = session.accept(at: start)
    return session
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
        case .invited: nextToInviter += host.accept(at: start)
        case .connected: events.append("host")
        case .message, .ended: Issue.record("\(output)")
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

  @Test func silenceEndsASessionWithoutAWord() {
    var session = connectedHost()
    #expect(session.tick(at: at(7999)) == [.send(.ping(number: 1))])
    #expect(session.tick(at: at(8000)) == [.ended(.timedOut(.silence))])
  }

  /// Nobody pings while the host's operator thinks; that quiet is no silence.
  @Test func aLateDecisionIsNotTakenForSilence() {
    var session = host()
    _ = session.received(.hello(peer), at: start)
    _ = session.received(.invitation(timeLimitSeconds: 60, context: []), at: start)
    #expect(session.tick(at: at(20_000)) == [])
    #expect(session.accept(at: at(20_000)) == [.send(.accept), .connected(peer)])
    #expect(session.tick(at: at(20_100)) == [])
    #expect(session.isConnected)
    #expect(session.tick(at: at(28_000)) == [.ended(.timedOut(.silence))])
  }

  @Test func anAnswerAfterALongWaitStartsTheSilenceAnew() {
    var session = inviter()
    _ = session.received(.hello(peer), at: start)
    #expect(session.received(.accept, at: at(29_000)) == [.connected(peer)])
    #expect(session.tick(at: at(29_100)) == [.send(.ping(number: 1))])
    #expect(session.tick(at: at(37_000)) == [.ended(.timedOut(.silence))])
  }

  @Test func aPingGoesOutEachSecond() {
    var session = connectedHost()
    var pings: [Output] = []
    for time in stride(from: Int64(100), through: 5000, by: 100) { pings += session.tick(at: at(time)) }
    #expect(pings == (1...5).map { .send(.ping(number: $0)) })
  }

  @Test(arguments: [
    ControlFrame.ping(number: 1), .pong(number: 1),
    .message(MessageFrame(messageClass: 1, sequence: 1, senderClockMilliseconds: 0, payload: [])),
  ]) func everyFrameIsLife(frame: ControlFrame) {
    var session = connectedHost()
    _ = session.received(frame, at: at(7000))
    #expect(session.tick(at: at(14_999)) == [.send(.ping(number: 1))])
    #expect(session.tick(at: at(15_000)) == [.ended(.timedOut(.silence))])
  }

  @Test func lifeOnAnotherPlaneKeepsASessionWhoseConnectionStalls() {
    var session = connectedHost()
    for second in 1...60 {
      session.heard(at: at(Int64(second) * 1000))
      #expect(session.tick(at: at(Int64(second) * 1000)) == [.send(.ping(number: UInt32(second)))])
    }
    // An older instant takes nothing back.
    session.heard(at: at(1000))
    #expect(session.tick(at: at(67_999)) == [.send(.ping(number: 61))])
    #expect(session.tick(at: at(68_000)) == [.ended(.timedOut(.silence))])
  }

  @Test func messagesAreNumberedForEachClassAndStamped() {
    var session = connectedHost()
    let first = session.message(1, [1], at: at(250))
    let second = session.message(1, [2], at: at(500))
    let other = session.message(2, [3], at: at(750))
    #expect([first, second, other].map { $0?.sequence } == [1, 2, 1])
    #expect([first, second, other].map { $0?.senderClockMilliseconds } == [250, 500, 750])
    #expect([first, second, other].map { $0.map { Array($0.payload) } } == [[1], [2], [3]])
    #expect(session.message(1, [UInt8](repeating: 0, count: 65_537), at: at(800)) == nil)
    // What was too long used no number.
    let longest = session.message(1, [UInt8](repeating: 0, count: 65_536), at: at(900))
    #expect(longest?.sequence == 3)
  }
}

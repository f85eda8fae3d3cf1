import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets
import TestSupport
import Testing

@testable import PeerLink

/// Datagrams beside the control connection, and a control connection that breaks.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PlanesTests {
  private func state(_ node: Node, _ other: Node) -> DatagramState? {
    node.transceiver.status(of: other.id)?.datagrams
  }

  /// So that a test does not wait five seconds to see that UDP is blocked.
  private var impatient: AdmissionLimits {
    var limits = AdmissionLimits()
    limits.planes.datagramsCountAsBlocked = .milliseconds(500)
    return limits
  }

  private func areUp(_ pair: NodePair) -> Bool {
    state(pair.host, pair.inviter) == .up && state(pair.inviter, pair.host) == .up
  }

  @Test func datagramsComeUpByThemselvesAndStayUp() throws {
    var limits = AdmissionLimits()
    limits.planes.datagramsCountAsUp = .seconds(1)
    let pair = try NodePair(limits: limits)
    #expect(pair.loop.runUntil { areUp(pair) })
    // Longer than they count as up without a ping.
    pair.loop.run(for: .milliseconds(1500))
    #expect(areUp(pair) && pair.host.ends.isEmpty && pair.inviter.ends.isEmpty)
  }

  @Test(arguments: [DeliveryMode.reliable, .unreliable, .urgent(), .urgent(replacing: 1)])
  func everyModeArrivesOnceInBothDirections(mode: DeliveryMode) throws {
    let pair = try NodePair.connected()
    #expect(pair.loop.runUntil(.seconds(3)) { areUp(pair) })
    for number in UInt8(1)...20 {
      #expect(pair.host.transceiver.send(1, [number], to: pair.inviter.id, mode: mode) == .sent)
      #expect(pair.inviter.transceiver.send(1, [number], to: pair.host.id, mode: mode) == .sent)
      #expect(
        pair.loop.runUntil(.seconds(2)) {
          pair.host.payloads.last == [number] && pair.inviter.payloads.last == [number]
        })
    }
    pair.loop.run(for: .milliseconds(200))
    let expected = (UInt8(1)...20).map { [$0] }
    #expect(pair.host.payloads == expected && pair.inviter.payloads == expected)
  }

  @Test func withUDPBlockedEverythingGoesOverControlAndTheStatusSaysSo() throws {
    let pair = try NodePair(limits: impatient)
    for node in [pair.host, pair.inviter] { node.transceiver.datagramFilter = { _ in false } }
    #expect(pair.loop.runUntil { pair.areConnected })
    #expect(state(pair.inviter, pair.host) == .connecting)
    for (number, mode) in [DeliveryMode.reliable, .unreliable, .urgent()].enumerated() {
      #expect(pair.host.transceiver.send(1, [UInt8(number)], to: pair.inviter.id, mode: mode) == .sent)
      #expect(pair.loop.runUntil(.seconds(2)) { pair.inviter.payloads.last == [UInt8(number)] })
    }
    #expect(
      pair.loop.runUntil(.seconds(8)) {
        state(pair.inviter, pair.host) == .blocked && state(pair.host, pair.inviter) == .blocked
      })
    #expect(pair.host.ends.isEmpty && pair.inviter.ends.isEmpty)
  }

  @Test func aBlockedWayIsUsedOnceItIsOpen() throws {
    let pair = try NodePair(limits: impatient)
    var isOpen = false
    for node in [pair.host, pair.inviter] { node.transceiver.datagramFilter = { _ in isOpen } }
    #expect(pair.loop.runUntil { pair.areConnected })
    #expect(pair.loop.runUntil(.seconds(8)) { state(pair.inviter, pair.host) == .blocked })
    isOpen = true
    #expect(pair.loop.runUntil(.seconds(5)) { areUp(pair) })
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func aBadRadioDoesNotKeepDatagramsDown(seed: UInt64) throws {
    let pair = try NodePair()
    var random = SplitMix64(seed: seed)
    // Three in ten are lost, at the one end or at the other.
    for node in [pair.host, pair.inviter] {
      node.transceiver.datagramFilter = { _ in Int.random(in: 0..<100, using: &random) < 84 }
    }
    #expect(pair.loop.runUntil(.seconds(20)) { areUp(pair) })
    #expect(pair.host.ends.isEmpty && pair.inviter.ends.isEmpty)
  }

  @Test(arguments: [true, false]) func aBrokenControlConnectionIsReopenedAndNobodyIsTold(
    withDatagrams: Bool
  ) throws {
    let pair = try NodePair()
    if !withDatagrams {
      for node in [pair.host, pair.inviter] { node.transceiver.datagramFilter = { _ in false } }
    }
    #expect(pair.loop.runUntil { pair.areConnected })
    var sent = 0
    for round in 0..<4 {
      for _ in 0..<50 {
        let payload = [UInt8(truncatingIfNeeded: sent)]
        #expect(pair.host.transceiver.send(1, payload, to: pair.inviter.id, mode: .reliable) == .sent)
        #expect(pair.inviter.transceiver.send(1, payload, to: pair.host.id, mode: .reliable) == .sent)
        sent += 1
      }
      // In the middle of it, at one end or the other.
      for _ in 0..<round * 3 { pair.loop.runOnce(waitingAtMost: .milliseconds(1)) }
      (round % 2 == 0 ? pair.host : pair.inviter).breakConnections()
      #expect(
        pair.loop.runUntil(.seconds(5)) {
          pair.host.transceiver.status(of: pair.inviter.id)?.hasControl == true
            && pair.inviter.transceiver.status(of: pair.host.id)?.hasControl == true
        })
    }
    #expect(
      pair.loop.runUntil(.seconds(5)) {
        pair.host.payloads.count >= sent && pair.inviter.payloads.count >= sent
      })
    let expected = (0..<sent).map { [UInt8(truncatingIfNeeded: $0)] }
    #expect(pair.host.payloads == expected && pair.inviter.payloads == expected)
    #expect(pair.host.connections == 1 && pair.inviter.connections == 1)
    #expect(pair.host.ends.isEmpty && pair.inviter.ends.isEmpty)
    #expect(pair.loop.runUntil(.seconds(2)) { pair.host.transceiver.pendingBytes(to: pair.inviter.id) == 0 })
  }

  /// Datagrams bring the session back while its control connection is still being dialled.
  @Test func aSessionThatIsBackStillGetsItsControlConnection() throws {
    let pair = try NodePair.connected()
    #expect(pair.loop.runUntil(.seconds(3)) { areUp(pair) })
    let peer = try #require(pair.inviter.transceiver.connectedPeer(pair.host.id))
    pair.host.breakConnections()
    #expect(
      pair.loop.runUntil(.seconds(3)) {
        pair.inviter.transceiver.status(of: pair.host.id)?.hasControl == false
          && pair.inviter.transceiver.connections.contains { !$0.isEnded && !$0.isOpen }
      })
    pair.inviter.transceiver.dialler.connected(peer)
    #expect(
      pair.loop.runUntil(.seconds(5)) {
        pair.inviter.transceiver.status(of: pair.host.id)?.hasControl == true
      })
    #expect(pair.inviter.ends.isEmpty && pair.host.ends.isEmpty)
  }

  @Test(arguments: [1, 2] as [UInt64]) func urgentMessagesArriveOnceOverABadRadio(seed: UInt64) throws {
    let pair = try NodePair()
    var random = SplitMix64(seed: seed)
    // Good until the datagrams are there; then three in four are lost, at the one end or at the other.
    var isBad = false
    for node in [pair.host, pair.inviter] {
      node.transceiver.datagramFilter = { _ in !isBad || Bool.random(using: &random) }
    }
    #expect(pair.loop.runUntil { areUp(pair) })
    isBad = true
    for number in UInt8(0)..<60 {
      #expect(pair.host.transceiver.send(1, [number], to: pair.inviter.id, mode: .urgent()) == .sent)
      if number % 20 == 10 { pair.host.breakConnections() }
      pair.loop.run(for: .milliseconds(10))
    }
    #expect(pair.loop.runUntil(.seconds(5)) { pair.inviter.payloads.count >= 60 })
    pair.loop.run(for: .milliseconds(500))
    #expect(pair.inviter.payloads.map { $0[0] }.sorted() == Array(0..<60))
    #expect(pair.inviter.ends.isEmpty)
  }

  // MARK: Sessions taken up again

  private func silentPeer(_ loop: EventLoop) throws -> (host: Node, friend: Identity, raw: RawPeer) {
    let friend = try Node.freshIdentity("friend")
    var limits = AdmissionLimits()
    limits.planes.silence = .milliseconds(300)
    let host = try Node("host", trusting: [friend.peerID], port: 0, limits: limits, on: loop)
    let raw = try RawPeer.connect(host, identity: friend, on: loop)
    return (host, friend, raw)
  }

  @Test func aDormantSessionIsTakenUpAgain() throws {
    let loop = try EventLoop()
    let (host, friend, raw) = try silentPeer(loop)
    let id = try raw.sessionID()
    #expect(host.transceiver.send(1, [1], to: friend.peerID) == .sent)
    #expect(loop.runUntil(.seconds(2)) { host.ends == [.timedOut(.silence)] })
    #expect(host.transceiver.send(1, [2], to: friend.peerID) == .notConnected)
    let again = try RawPeer.dial(host, identity: friend, on: loop)
    again.send(.resume(sessionID: id, received: 0))
    #expect(loop.runUntil(.seconds(2)) { host.peers == [friend.peerID] })
    #expect(host.transceiver.connectedPeers.first?.isResumed == true)
    #expect(loop.runUntil(.seconds(2)) { again.frames.count >= 2 })
    #expect(again.frames.first == .resumed(received: 0))
    // What was not acknowledged comes again.
    let messages = again.frames.compactMap {
      if case .message(let message) = $0 { Array(message.payload) } else { nil }
    }
    #expect(messages == [[1]])
    #expect(raw.isGone)
  }

  @Test func anUnknownSessionMakesRoomForANewOneOnTheSameConnection() throws {
    let loop = try EventLoop()
    let (host, friend, _) = try silentPeer(loop)
    let again = try RawPeer.dial(host, identity: friend, on: loop)
    again.send(.resume(sessionID: [UInt8](repeating: 7, count: 16), received: 0))
    again.send(.hello(Hello(runID: 5, name: "raw")))
    again.send(.invitation(timeLimitSeconds: 30, context: []))
    #expect(loop.runUntil(.seconds(2)) { again.frames.contains(.accept) })
    guard case .decline(.unknownSession, _)? = again.frames.first else {
      Issue.record("\(again.frames)")
      return
    }
    #expect(host.ends == [.restarted], "the run of the program is another one")
  }

  @Test func nobodyTakesUpTheSessionOfAnother() throws {
    let loop = try EventLoop()
    let (host, friend, raw) = try silentPeer(loop)
    let other = try Node.freshIdentity("other")
    host.trust.ids.insert(other.peerID)
    let thief = try RawPeer.dial(host, identity: other, on: loop)
    thief.send(.resume(sessionID: try raw.sessionID(), received: 0))
    #expect(loop.runUntil(.seconds(2)) { !thief.frames.isEmpty })
    guard case .decline(.unknownSession, _)? = thief.frames.first else {
      Issue.record("\(thief.frames)")
      return
    }
    #expect(!raw.isGone && friend.peerID != other.peerID)
  }

  @Test func anImpossibleCountEndsTheSession() throws {
    let loop = try EventLoop()
    let (host, friend, raw) = try silentPeer(loop)
    let again = try RawPeer.dial(host, identity: friend, on: loop)
    again.send(.resume(sessionID: try raw.sessionID(), received: 9))
    #expect(loop.runUntil(.seconds(2)) { !host.ends.isEmpty })
    guard case .brokeProtocol? = host.ends.first else {
      Issue.record("\(host.events)")
      return
    }
  }
}

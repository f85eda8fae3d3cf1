import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets
import TestSupport
import Testing

@testable import PeerLink

/// Two transceivers over loopback TCP, without discovery.
@Suite(.serialized, .timeLimit(.minutes(1))) struct SessionTests {
  @Test func twoPeersConnectAndExchangeMessagesInOrder() throws {
    let pair = try NodePair.connected()
    #expect(pair.host.transceiver.connectedPeers.map(\.name) == ["inviter"])
    #expect(pair.inviter.transceiver.connectedPeers.map(\.name) == ["host"])
    let texts = (0..<200).map { [UInt8](repeating: UInt8($0), count: $0 * 7) }
    for text in texts {
      #expect(pair.host.transceiver.send(1, text, to: pair.inviter.id) == .sent)
      #expect(pair.inviter.transceiver.send(2, text, to: pair.host.id) == .sent)
    }
    #expect(
      pair.loop.runUntil { pair.host.payloads.count == 200 && pair.inviter.payloads.count == 200 })
    #expect(pair.host.payloads == texts && pair.inviter.payloads == texts)
    #expect(pair.host.events.contains(.message(2, texts[9])))
    #expect(pair.inviter.events.contains(.message(1, texts[9])))
  }

  @Test func aNameIsLookedUp() throws {
    let loop = try EventLoop()
    let other = try Node.freshIdentity()
    let host = try Node("host", trusting: [other.peerID], port: 0, on: loop)
    let inviter = try Node(
      "inviter", identity: other, trusting: [host.id],
      endpoints: [PeerEndpoint(host: "localhost", port: host.port)], on: loop)
    #expect(loop.runUntil { inviter.peers == [host.id] })
  }

  /// Not at the next look at the clock: a client that runs for one command waits for this.
  @Test func aPeerIsDialledAtOnce() throws {
    let times = try (0..<5).map { _ in
      let clock = ContinuousClock()
      let start = clock.now
      _ = try NodePair.connected()
      return start.duration(to: clock.now)
    }
    #expect(try #require(times.min()) < .milliseconds(90), "\(times)")
  }

  @Test func theLongestMessageArrivesAndALongerOneIsRefused() throws {
    let pair = try NodePair.connected()
    let longest = [UInt8](repeating: 7, count: ControlFrame.maximumMessageBytes)
    #expect(pair.host.transceiver.send(1, longest + [1], to: pair.inviter.id) == .tooLarge)
    #expect(pair.host.transceiver.send(1, longest, to: pair.inviter.id) == .sent)
    #expect(pair.inviter.transceiver.send(1, longest, to: pair.host.id) == .sent)
    #expect(pair.loop.runUntil { pair.inviter.payloads == [longest] && pair.host.payloads == [longest] })
    #expect(pair.host.ends.isEmpty && pair.inviter.ends.isEmpty)
  }

  @Test func nothingIsSentToWhoIsNotConnected() throws {
    let loop = try EventLoop()
    let host = try Node("host", port: 0, on: loop)
    #expect(host.transceiver.send(1, [1], to: try Node.freshIdentity().peerID) == .notConnected)
  }

  @Test func anInvitationWaitsForTheAnswer() throws {
    let pair = try NodePair()
    var invitation: Invitation?
    pair.host.transceiver.onInvitation = { invitation = $0 }
    #expect(pair.loop.runUntil { invitation != nil })
    pair.loop.run(for: .milliseconds(200))
    #expect(pair.host.peers.isEmpty && pair.inviter.peers.isEmpty)
    #expect(invitation?.peer.id == pair.inviter.id)
    invitation?.accept()
    invitation?.accept()
    invitation?.decline(.declined, "too late")
    #expect(pair.loop.runUntil { pair.areConnected })
    #expect(pair.host.connections == 1 && pair.inviter.connections == 1)
  }

  @Test func aDeclinedInviterLearnsWhyAndComesBackSlowly() throws {
    let pair = try NodePair()
    var invitations = 0
    pair.host.transceiver.onInvitation = {
      invitations += 1
      $0.decline(.declined, "not now")
    }
    #expect(pair.loop.runUntil { !pair.inviter.failures.isEmpty })
    #expect(pair.inviter.failures == [.declined(.declined, text: "not now")])
    pair.loop.run(for: .milliseconds(900))
    #expect(invitations == 1)
    #expect(pair.inviter.connections == 0 && pair.host.connections == 0)
  }

  @Test func aHostThatStopsSaysGoodbyeAndIsFoundAgain() throws {
    let loop = try EventLoop()
    let (one, other) = (try Node.freshIdentity(), try Node.freshIdentity())
    var host: Node? = try Node("host", identity: one, trusting: [other.peerID], port: 0, on: loop)
    let port = try #require(host?.port)
    let inviter = try Node(
      "inviter", identity: other, trusting: [one.peerID],
      endpoints: [PeerEndpoint(host: "127.0.0.1", port: port)], on: loop)
    #expect(loop.runUntil { inviter.peers == [one.peerID] })
    host?.transceiver.stop()
    #expect(loop.runUntil { inviter.peers.isEmpty })
    #expect(inviter.ends == [.left(.shuttingDown, text: "")])
    host = nil
    let second = try Node("host", identity: one, trusting: [other.peerID], port: port, on: loop)
    #expect(loop.runUntil(.seconds(5)) { inviter.peers == [one.peerID] && !second.peers.isEmpty })
    #expect(inviter.connections == 2)
    let runs = inviter.events.compactMap { if case .connected(let peer) = $0 { peer.runID } else { nil } }
    #expect(Set(runs).count == 2, "a restart shows")
  }

  @Test func aHostThatVanishesIsFoundAgain() throws {
    let loop = try EventLoop()
    let (one, other) = (try Node.freshIdentity(), try Node.freshIdentity())
    var host: Node? = try Node("host", identity: one, trusting: [other.peerID], port: 0, on: loop)
    let port = try #require(host?.port)
    let inviter = try Node(
      "inviter", identity: other, trusting: [one.peerID],
      endpoints: [PeerEndpoint(host: "127.0.0.1", port: port)], on: loop)
    #expect(loop.runUntil { inviter.peers == [one.peerID] })
    host = nil
    loop.run(for: .milliseconds(500))
    // It may be only the connection.
    #expect(inviter.ends.isEmpty)
    host = try Node("host", identity: one, trusting: [other.peerID], port: port, on: loop)
    #expect(loop.runUntil(.seconds(5)) { inviter.connections == 2 })
    #expect(inviter.ends == [.connectionLost("the other side does not know the session any more")])
    #expect(host?.peers == [other.peerID])
  }

  @Test func anInviterThatVanishesIsWelcomeAgain() throws {
    let loop = try EventLoop()
    let other = try Node.freshIdentity()
    let host = try Node("host", trusting: [other.peerID], port: 0, on: loop)
    var inviter: Node? = try Node(
      "inviter", identity: other, trusting: [host.id], endpoints: [host.endpoint], on: loop)
    #expect(loop.runUntil { inviter?.peers == [host.id] })
    inviter = nil
    loop.run(for: .milliseconds(200))
    #expect(host.ends.isEmpty)
    inviter = try Node("inviter", identity: other, trusting: [host.id], endpoints: [host.endpoint], on: loop)
    #expect(loop.runUntil(.seconds(2)) { inviter?.peers == [host.id] })
    #expect(host.ends == [.restarted] && host.peers == [other.peerID])
  }

  /// The old connection is still open as far as the host can see.
  @Test func anInviterThatRestartedTakesThePlaceOfItsOldSelf() throws {
    let loop = try EventLoop()
    let other = try Node.freshIdentity()
    let host = try Node("host", trusting: [other.peerID], port: 0, on: loop)
    let old = try RawPeer.connect(host, identity: other, on: loop)
    let new = try RawPeer.connect(host, identity: other, on: loop)
    #expect(loop.runUntil { old.isGone || old.saidFarewell })
    #expect(host.ends == [.disconnected(.replaced)])
    #expect(host.connections == 2 && host.peers == [other.peerID])
    #expect(old.frames.contains(.goodbye(.replaced, text: "")))
    #expect(host.transceiver.send(1, [1], to: other.peerID) == .sent)
    #expect(loop.runUntil { new.frames.contains { if case .message = $0 { true } else { false } } })
  }

  /// They race: the host may prove both before it hears that the inviter drops one.
  @Test func twoWaysToOnePeerGiveOneSession() throws {
    let attempts = try (1...5).map { _ in try connectedByTwoWays() }
    EventLoop.run(attempts.map(\.loop), for: .milliseconds(700))
    for (_, host, inviter) in attempts {
      #expect(host.connections == 1 && inviter.connections == 1)
      #expect(host.ends.isEmpty && inviter.ends.isEmpty)
      #expect(inviter.failures.isEmpty)
    }
  }

  private func connectedByTwoWays() throws -> (loop: EventLoop, host: Node, inviter: Node) {
    let loop = try EventLoop()
    let other = try Node.freshIdentity()
    let host = try Node("host", trusting: [other.peerID], port: 0, on: loop)
    let inviter = try Node(
      "inviter", identity: other, trusting: [host.id],
      endpoints: [
        host.endpoint, PeerEndpoint(host: "localhost", port: host.port),
        PeerEndpoint(host: "127.0.0.1", port: host.port),
        PeerEndpoint(host: "::ffff:127.0.0.1", port: host.port),
      ], on: loop)
    #expect(loop.runUntil { inviter.peers == [host.id] })
    return (loop, host, inviter)
  }

  /// The way that lost the first race is the only one that leads there later.
  @Test func eachOfTwoWaysToOnePeerIsTriedAgain() throws {
    let loop = try EventLoop()
    let (one, other) = (try Node.freshIdentity(), try Node.freshIdentity())
    var host: Node? = try Node("host", identity: one, trusting: [other.peerID], port: 0, on: loop)
    let port = try #require(host?.port)
    let inviter = try Node(
      "inviter", identity: other, trusting: [one.peerID],
      endpoints: [PeerEndpoint(host: "127.0.0.1", port: port)], on: loop)
    inviter.transceiver.introduce(one.peerID, at: [.loopbackV4(port: port)])
    #expect(loop.runUntil { inviter.peers == [one.peerID] })
    loop.run(for: .milliseconds(300))
    // It is started anew and announces another port.
    host?.transceiver.stop()
    #expect(loop.runUntil { inviter.peers.isEmpty })
    host = nil
    let second = try Node("host", identity: one, trusting: [other.peerID], port: 0, on: loop)
    inviter.transceiver.introduce(one.peerID, at: [.loopbackV4(port: second.port)])
    #expect(loop.runUntil(.seconds(8)) { inviter.peers == [one.peerID] && !second.peers.isEmpty })
  }

  @Test func aSilentPeerIsGivenUp() throws {
    let loop = try EventLoop()
    let other = try Node.freshIdentity()
    var limits = AdmissionLimits()
    limits.planes.silence = .milliseconds(400)
    let host = try Node("host", trusting: [other.peerID], port: 0, limits: limits, on: loop)
    let silent = try RawPeer.connect(host, identity: other, on: loop)
    #expect(loop.runUntil(.seconds(3)) { host.ends == [.timedOut(.silence)] })
    #expect(host.peers.isEmpty && !silent.isGone, "it may come back")
  }

  @Test func withoutABusDiscoveryIsQuietAndSessionsWork() throws {
    let pair = try NodePair.connected()
    pair.loop.run(for: .seconds(2))
    #expect(pair.areConnected)
    #expect(pair.host.log.messages.count <= 4, "\(pair.host.log.messages)")
    #expect(pair.inviter.log.messages.isEmpty, "\(pair.inviter.log.messages)")
  }

  @Test func nothingIsLeftBehind() throws {
    var pair: NodePair? = try NodePair.connected()
    let loop = try #require(pair?.loop)
    weak let host = pair?.host.transceiver
    weak let inviter = pair?.inviter.transceiver
    pair?.host.transceiver.stop()
    pair?.inviter.transceiver.stop()
    loop.run(for: .milliseconds(800))
    pair = nil
    #expect(host == nil && inviter == nil)
  }
}

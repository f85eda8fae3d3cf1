import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets
import TestSupport
import Testing

@testable import PeerLink

@Suite(.serialized, .timeLimit(.minutes(1))) struct TrustTests {
  @Test func aStrangerLearnsOnlyThatItIsOne() throws {
    let loop = try EventLoop()
    let host = try Node("secret name", port: 0, on: loop)
    let stranger = try Node.freshIdentity()
    let raw = try RawPeer.dial(host, identity: stranger, on: loop)
    raw.send(.hello(Hello(runID: 1, name: "let me in")))
    #expect(loop.runUntil { raw.isGone })
    #expect(raw.frames == [.decline(.untrusted, text: "unknown identity \(stranger.peerID.hex)")])
    #expect(raw.saidFarewell)
    #expect(host.events == [.stranger(stranger.peerID)])
  }

  @Test func anInviterTellsAStrangerNothing() throws {
    let loop = try EventLoop()
    var raw: RawPeer?
    let stranger = try Node.freshIdentity()
    let listener = try RawPeer.listen(identity: stranger, on: loop) { raw = $0 }
    let inviter = try Node(
      "secret name", endpoints: [PeerEndpoint(host: "127.0.0.1", port: listener.localAddress.port)], on: loop)
    #expect(loop.runUntil { raw?.saidFarewell == true })
    #expect(raw?.frames == [.decline(.untrusted, text: "unknown identity \(stranger.peerID.hex)")])
    #expect(inviter.events == [.stranger(stranger.peerID), .dialFailure(.disconnected(.untrusted))])
  }

  @Test func trustGivenByTheHostConnectsWithinSeconds() throws {
    let pair = try NodePair()
    pair.host.trust.ids = []
    #expect(pair.loop.runUntil { !pair.inviter.failures.isEmpty })
    #expect(
      pair.inviter.failures == [
        .declined(.untrusted, text: "unknown identity \(pair.inviter.id.hex)")
      ])
    #expect(pair.host.connections == 0 && pair.inviter.connections == 0)
    pair.host.trust.ids = [pair.inviter.id]
    pair.host.transceiver.trustChanged()
    #expect(pair.loop.runUntil(.seconds(5)) { pair.areConnected })
  }

  @Test func trustGivenByTheInviterConnectsAtOnce() throws {
    let pair = try NodePair()
    pair.inviter.trust.ids = []
    #expect(pair.loop.runUntil { !pair.inviter.failures.isEmpty })
    #expect(pair.inviter.failures == [.disconnected(.untrusted)])
    #expect(pair.inviter.connections == 0 && pair.host.connections == 0)
    pair.inviter.trust.ids = [pair.host.id]
    pair.inviter.transceiver.trustChanged()
    #expect(pair.loop.runUntil(.seconds(2)) { pair.areConnected })
  }

  @Test(arguments: [true, false]) func lostTrustEndsALiveSession(atHost: Bool) throws {
    let pair = try NodePair.connected()
    let (loser, other) = atHost ? (pair.host, pair.inviter) : (pair.inviter, pair.host)
    loser.trust.ids = []
    loser.transceiver.trustChanged()
    #expect(loser.peers.isEmpty)
    #expect(loser.ends == [.disconnected(.untrusted)])
    #expect(pair.loop.runUntil(.seconds(2)) { other.peers.isEmpty })
    #expect(other.ends == [.left(.untrusted, text: "")])
    pair.loop.run(for: .milliseconds(1500))
    #expect(pair.host.connections == 1 && pair.inviter.connections == 1)
  }

  /// The peer was trusted when it came, and is not any more when the operator answers.
  @Test func lostTrustEndsAnInvitationToo() throws {
    let pair = try NodePair()
    var invitation: Invitation?
    pair.host.transceiver.onInvitation = { invitation = $0 }
    #expect(pair.loop.runUntil { invitation != nil })
    pair.host.trust.ids = []
    pair.host.transceiver.trustChanged()
    invitation?.accept()
    pair.loop.run(for: .milliseconds(500))
    #expect(pair.host.connections == 0 && pair.inviter.connections == 0)
    #expect(pair.inviter.failures.first == .left(.untrusted, text: ""))
  }

  @Test func theSameIdentityIsRefusedUntilItIsAnother() throws {
    let loop = try EventLoop()
    let shared = try Node.freshIdentity()
    let other = try Node.freshIdentity()
    var host: Node? = try Node("host", identity: shared, trusting: [shared.peerID], port: 0, on: loop)
    let port = try #require(host?.port)
    let inviter = try Node(
      "inviter", identity: shared, trusting: [shared.peerID, other.peerID],
      endpoints: [PeerEndpoint(host: "127.0.0.1", port: port)], on: loop)
    #expect(loop.runUntil { !inviter.failures.isEmpty })
    #expect(inviter.connections == 0 && host?.connections == 0)
    // The operator mends it: the endpoint must not be given up for ever.
    host?.transceiver.stop()
    host = nil
    host = try Node("host", identity: other, trusting: [shared.peerID], port: port, on: loop)
    #expect(loop.runUntil(.seconds(8)) { inviter.peers == [other.peerID] })
  }
}

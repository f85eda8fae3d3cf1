import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets
import TestSupport
import Testing

@testable import PeerLink

/// Invitations on request, and what becomes of them.
@Suite(.serialized, .timeLimit(.minutes(1))) struct InvitationTests {
  private let loop: EventLoop
  /// Two peers that invite nobody by themselves; the identity of `first` is the smaller one.
  private let first: Node
  private let second: Node

  init() throws {
    loop = try EventLoop()
    let identities = try [Node.freshIdentity("one"), Node.freshIdentity("two")].sorted {
      $0.peerID < $1.peerID
    }
    first = try Node(
      "first", identity: identities[0], trusting: [identities[1].peerID], port: 0, invitesTrustedPeers: false,
      on: loop)
    second = try Node(
      "second", identity: identities[1], trusting: [identities[0].peerID], port: 0,
      invitesTrustedPeers: false,
      on: loop)
  }

  private final class Outcome {
    var results: [Result<Peer, InvitationError>] = []
    var error: InvitationError? { if case .failure(let error) = results.first { error } else { nil } }
    var peer: Peer? { if case .success(let peer) = results.first { peer } else { nil } }
  }

  /// As if the one had found the other.
  private func introduce(_ node: Node, _ other: Node) {
    node.transceiver.introduce(other.id, at: [.loopbackV4(port: other.port)])
  }

  private func invite(
    _ node: Node, _ other: Node, context: [UInt8] = [], within limit: Duration = .seconds(10)
  ) -> Outcome {
    let outcome = Outcome()
    node.transceiver.invite(other.id, context: context, timeLimit: limit) { outcome.results.append($0) }
    return outcome
  }

  private func invite(_ node: Node, port: UInt16, within limit: Duration = .seconds(10)) -> Outcome {
    let outcome = Outcome()
    node.transceiver.invite(PeerEndpoint(host: "127.0.0.1", port: port), timeLimit: limit) {
      outcome.results.append($0)
    }
    return outcome
  }

  @Test func nobodyIsInvitedUnasked() throws {
    introduce(first, second)
    introduce(second, first)
    loop.run(for: .milliseconds(500))
    #expect(first.events.isEmpty && second.events.isEmpty)
  }

  @Test func anInvitationWithContextLeadsToASession() throws {
    introduce(first, second)
    var contexts: [[UInt8]] = []
    second.transceiver.onInvitation = {
      contexts.append($0.context)
      #expect($0.isTrusted && $0.peer.name == "first")
      $0.accept()
    }
    let outcome = invite(first, second, context: [1, 2, 3])
    #expect(loop.runUntil { outcome.peer != nil && second.peers == [first.id] })
    #expect(contexts == [[1, 2, 3]])
    #expect(outcome.peer?.name == "second" && outcome.results.count == 1)
    #expect(first.peers == [second.id])
    let again = invite(first, second)
    #expect(again.error == .alreadyConnected(try #require(outcome.peer)))
    loop.run(for: .milliseconds(300))
    #expect(outcome.results.count == 1)
  }

  @Test func anEndpointIsInvited() throws {
    let outcome = invite(first, port: second.port)
    #expect(loop.runUntil { outcome.peer?.id == second.id && second.peers == [first.id] })
    // Once: an endpoint that was asked for is not dialled for ever.
    second.transceiver.disconnect(first.id)
    #expect(loop.runUntil { first.peers.isEmpty })
    loop.run(for: .milliseconds(1500))
    #expect(first.connections == 1)
  }

  @Test func aPeerThatIsFoundLaterIsWaitedFor() throws {
    let outcome = invite(first, second)
    loop.run(for: .milliseconds(300))
    #expect(outcome.results.isEmpty)
    introduce(first, second)
    #expect(loop.runUntil { outcome.peer?.id == second.id })
  }

  @Test func declinedIsToldWithItsReasonAndNotTriedAgain() throws {
    introduce(first, second)
    var invitations = 0
    second.transceiver.onInvitation = {
      invitations += 1
      $0.decline(.declined, "not now")
    }
    let outcome = invite(first, second)
    #expect(loop.runUntil { outcome.error != nil })
    #expect(outcome.error == .declined("not now"))
    loop.run(for: .seconds(3))
    #expect(invitations == 1 && outcome.results.count == 1)
  }

  /// However often the application asks.
  @Test func aPeerThatRefusedIsNotHammered() throws {
    introduce(first, second)
    var invitations = 0
    second.transceiver.onInvitation = {
      invitations += 1
      $0.decline(.declined, "")
    }
    var isOver = false
    func ask() {
      first.transceiver.invite(second.id) { _ in if !isOver { ask() } }
    }
    ask()
    loop.run(for: .milliseconds(2500))
    #expect((2...4).contains(invitations), "\(invitations)")
    isOver = true
  }

  @Test func noAnswerIsATimeOut() throws {
    introduce(first, second)
    var invitation: Invitation?
    second.transceiver.onInvitation = { invitation = $0 }
    let outcome = invite(first, second, within: .milliseconds(700))
    #expect(loop.runUntil { outcome.error != nil })
    #expect(outcome.error == .timedOut && invitation != nil)
    loop.run(for: .milliseconds(200))
    invitation?.accept()
    loop.run(for: .milliseconds(300))
    #expect(first.connections == 0 && second.connections == 0, "an answer that comes too late starts nothing")
  }

  @Test func nobodyThereIsUnreachable() throws {
    let outcome = invite(first, second, within: .milliseconds(300))
    #expect(loop.runUntil { outcome.error != nil })
    #expect(outcome.error == .unreachable("not found"))
    let port = second.port
    second.transceiver.stop()
    let refused = invite(first, port: port, within: .milliseconds(600))
    #expect(loop.runUntil { refused.error != nil })
    guard case .unreachable(let text)? = refused.error else {
      Issue.record("\(refused.results)")
      return
    }
    #expect(text.contains("refused"), "\(text)")
  }

  @Test func missingTrustSaysOnWhichSide() throws {
    introduce(first, second)
    first.trust.ids = []
    #expect(invite(first, second).error == .untrusted(by: .thisSide))
    first.trust.ids = [second.id]
    second.trust.ids = []
    let outcome = invite(first, second)
    #expect(loop.runUntil { outcome.error != nil })
    #expect(outcome.error == .untrusted(by: .otherSide))
    first.trust.ids = []
    let endpoint = invite(first, port: second.port)
    #expect(loop.runUntil { endpoint.error != nil })
    #expect(endpoint.error == .untrusted(by: .thisSide))
  }

  @Test func somebodyElseAtTheAddressIsUnreachable() throws {
    let other = try Node("other", trusting: [first.id], port: 0, on: loop)
    first.transceiver.introduce(second.id, at: [.loopbackV4(port: other.port)])
    let outcome = invite(first, second, within: .milliseconds(700))
    #expect(loop.runUntil { outcome.error != nil })
    guard case .unreachable? = outcome.error else {
      Issue.record("\(outcome.results)")
      return
    }
    #expect(other.connections == 0)
  }

  @Test func anInvitationCanBeCancelled() throws {
    introduce(first, second)
    var invitation: Invitation?
    second.transceiver.onInvitation = { invitation = $0 }
    let outcome = Outcome()
    let token = first.transceiver.invite(second.id) { outcome.results.append($0) }
    #expect(loop.runUntil { invitation != nil })
    first.transceiver.cancelInvitation(try #require(token))
    #expect(outcome.error == .cancelled)
    loop.run(for: .milliseconds(300))
    invitation?.accept()
    loop.run(for: .milliseconds(300))
    #expect(first.connections == 0 && second.connections == 0 && outcome.results.count == 1)
  }

  /// Cancelled while it was being dialled, or while it was being asked.
  @Test(arguments: [true, false]) func whoWasInvitedInVainCanBeInvitedAgain(wasReached: Bool) throws {
    introduce(first, second)
    var invitations: [Invitation] = []
    second.transceiver.onInvitation = { invitations.append($0) }
    let outcome = Outcome()
    let token = first.transceiver.invite(second.id) { outcome.results.append($0) }
    if wasReached { #expect(loop.runUntil { !invitations.isEmpty }) }
    first.transceiver.cancelInvitation(try #require(token))
    #expect(outcome.error == .cancelled)
    second.transceiver.onInvitation = { $0.accept() }
    let again = invite(first, second)
    #expect(loop.runUntil(.seconds(5)) { again.peer?.id == second.id })
  }

  @Test func stoppingEndsWhatIsWaitedFor() throws {
    let outcome = invite(first, second)
    first.transceiver.stop()
    #expect(outcome.error == .ended("stopped"))
    #expect(invite(first, second).error == .ended("stopped"))
  }

  @Test func severalInvitationsOfOnePeerGetTheSameSession() throws {
    introduce(first, second)
    let outcomes = (0..<3).map { _ in invite(first, second) }
    #expect(loop.runUntil { outcomes.allSatisfy { $0.peer?.id == second.id } })
    #expect(first.connections == 1 && second.connections == 1)
  }

  // MARK: Both at once

  @Test func twoThatInviteEachOtherGetOneSession() throws {
    // The one is ahead by some turns of the loop, so that they meet in different states.
    let pairs = try (0..<6).map { head in
      let pair = try InvitationTests()
      return (pair: pair, outcomes: try pair.inviteEachOther(ahead: head))
    }
    EventLoop.run(pairs.map(\.pair.loop), for: .milliseconds(600))
    for (pair, outcomes) in pairs {
      #expect(pair.first.connections == 1 && pair.second.connections == 1)
      #expect(pair.first.ends.isEmpty && pair.second.ends.isEmpty)
      #expect(outcomes.allSatisfy { $0.results.count == 1 })
    }
  }

  private func inviteEachOther(ahead head: Int) throws -> [Outcome] {
    introduce(first, second)
    introduce(second, first)
    // The programs of the two would ask; who has invited itself is not asked.
    for node in [first, second] { node.transceiver.onInvitation = { $0.decline(.declined, "asked") } }
    let (earlier, later) = head % 2 == 0 ? (first, second) : (second, first)
    let outcome = invite(earlier, later)
    for _ in 0..<head { loop.runOnce(waitingAtMost: .milliseconds(1)) }
    let other = invite(later, earlier)
    #expect(loop.runUntil { outcome.results.count == 1 && other.results.count == 1 })
    #expect(
      outcome.peer?.id == later.id && other.peer?.id == earlier.id,
      "\(head) ahead: \(outcome.results) \(other.results)")
    return [outcome, other]
  }

  @Test(arguments: [true, false]) func invitingWhoHasInvitedIsAnAnswer(firstInvites: Bool) throws {
    let (inviter, host) = firstInvites ? (first, second) : (second, first)
    introduce(inviter, host)
    introduce(host, inviter)
    var invitation: Invitation?
    host.transceiver.onInvitation = { invitation = $0 }
    let outcome = invite(inviter, host)
    #expect(loop.runUntil { invitation != nil })
    let answer = invite(host, inviter)
    #expect(loop.runUntil { outcome.peer != nil && answer.peer != nil })
    loop.run(for: .milliseconds(300))
    #expect(first.connections == 1 && second.connections == 1 && first.ends.isEmpty && second.ends.isEmpty)
  }

  // MARK: Strangers that may ask

  @Test func whoMayAskIsShownAsAStranger() throws {
    second.trust.ids = []
    second.trust.stranger = .ask
    introduce(first, second)
    var isTrusted: Bool?
    second.transceiver.onInvitation = {
      isTrusted = $0.isTrusted
      $0.accept()
    }
    let outcome = invite(first, second)
    #expect(loop.runUntil { outcome.peer != nil && second.peers == [first.id] })
    #expect(isTrusted == false)
    // The session was agreed on; a change of trust that still lets it ask does not end it.
    second.transceiver.trustChanged()
    #expect(second.peers == [first.id])
    second.trust.stranger = .refuse
    second.transceiver.trustChanged()
    #expect(second.ends == [.disconnected(.untrusted)])
  }

  @Test func whoMayAskIsDeclinedWhenNobodyDecides() throws {
    second.trust.ids = []
    second.trust.stranger = .ask
    introduce(first, second)
    let outcome = invite(first, second)
    #expect(loop.runUntil { outcome.error != nil })
    #expect(outcome.error == .untrusted(by: .otherSide))
    #expect(second.connections == 0)
  }

  @Test func anUntrustedPeerIsInvitedOnRequestOnly() throws {
    first.trust.ids = []
    first.trust.stranger = .ask
    introduce(first, second)
    loop.run(for: .milliseconds(300))
    #expect(first.events.isEmpty)
    let outcome = invite(first, second)
    #expect(loop.runUntil { outcome.peer?.id == second.id })
  }
}

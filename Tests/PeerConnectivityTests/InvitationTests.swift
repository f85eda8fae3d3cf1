import PeerConnectivity
import Testing

@Suite(.timeLimit(.minutes(1))) struct InvitationTests {
  @Test func anEndpointIsInvitedAndBothSidesAreConnected() async throws {
    let host = try TestNode("host")
    let guest = try TestNode("guest")
    let peer = try await guest.session.connect(to: host.endpoint, context: Array("hello".utf8))
    #expect(peer == host.peer)
    #expect(peer.displayName == "host")
    #expect(guest.session.connectedPeers == [host.peer])
    #expect(await eventually { host.session.connectedPeers == [guest.peer] })
    let invitation = try #require(host.log.invitations.first)
    #expect(invitation.peer == guest.peer)
    #expect(invitation.context == Array("hello".utf8))
    #expect(!invitation.peer.isTrusted)
    #expect(await eventually { host.log.states(of: guest.peer).last?.isConnected == true })
    #expect(host.log.states(of: guest.peer).allSatisfy { $0 == .connecting || $0.isConnected })
  }

  @Test func aConnectedPeerIsNotInvitedAgain() async throws {
    let host = try TestNode("host")
    let guest = try TestNode("guest")
    let peer = try await guest.session.connect(to: host.endpoint)
    #expect(try await guest.session.connect(to: host.endpoint) == peer)
    #expect(try await guest.session.invite(peer) == peer)
    #expect(host.log.invitations.count == 1)
  }

  @Test func aDeclinedInvitationSaysWhy() async throws {
    let host = try TestNode("host", door: .declining("not now"))
    let guest = try TestNode("guest")
    await #expect(throws: InvitationError.declined("not now")) {
      try await guest.session.connect(to: host.endpoint)
    }
    #expect(guest.session.connectedPeers.isEmpty)
    #expect(host.session.connectedPeers.isEmpty)
  }

  @Test func anInvitationThatIsReleasedWithoutAnAnswerIsDeclined() async throws {
    let host = try TestNode("host", door: .closed)
    let guest = try TestNode("guest")
    // Its invitations are taken and let go.
    host.advertiser.start()
    await #expect(throws: InvitationError.declined("")) {
      try await guest.session.connect(to: host.endpoint)
    }
  }

  @Test func whoTakesNoInvitationsIsBusy() async throws {
    let host = try TestNode("host", door: .closed)
    let guest = try TestNode("guest")
    await #expect {
      try await guest.session.connect(to: host.endpoint)
    } throws: { error in
      if case .busy? = error as? InvitationError { true } else { false }
    }
  }

  @Test func anInvitationWithoutAnAnswerTimesOut() async throws {
    let host = try TestNode("host", door: .silent)
    let guest = try TestNode("guest")
    let begun = ContinuousClock.now
    await #expect(throws: InvitationError.timedOut) {
      try await guest.session.connect(to: host.endpoint, timeLimit: .seconds(1))
    }
    #expect(begun.duration(to: .now) < .seconds(5))
    let invitation = try #require(host.log.invitations.first)
    // The limit travels with the invitation.
    #expect(begun.duration(to: invitation.deadline) < .seconds(5))
  }

  @Test func nobodyThereIsUnreachable() async throws {
    let guest = try TestNode("guest")
    let gone = try TestNode("gone")
    let endpoint = gone.endpoint
    await gone.node.stop()
    await #expect {
      try await guest.session.connect(to: endpoint, timeLimit: .seconds(1))
    } throws: { error in
      if case .unreachable? = error as? InvitationError { true } else { false }
    }
    await #expect {
      try await guest.session.invite(gone.peer, timeLimit: .seconds(1))
    } throws: { error in
      if case .unreachable? = error as? InvitationError { true } else { false }
    }
    #expect(
      await eventually {
        if case .notConnected(.invitation(.unreachable))? = guest.log.states(of: gone.peer).last {
          true
        } else {
          false
        }
      })
  }

  @Test func theTrustOfBothSidesCounts() async throws {
    let strict = try TestNode("strict", trust: .pairedOnly)
    let open = try TestNode("open")
    await #expect(throws: InvitationError.untrusted(by: .otherSide)) {
      try await open.session.connect(to: strict.endpoint)
    }
    await #expect(throws: InvitationError.untrusted(by: .thisSide)) {
      try await strict.session.connect(to: open.endpoint)
    }
    #expect(open.log.invitations.isEmpty)
    try await strict.node.trust(open.node.id, name: "open")
    #expect(await strict.node.pairedPeers() == [open.peer])
    _ = try await open.session.connect(to: strict.endpoint)
    #expect(await eventually { strict.session.connectedPeers.first?.isTrusted == true })
    // Trust that ends, ends the session.
    try await strict.node.untrust(open.node.id)
    #expect(await eventually { open.session.connectedPeers.isEmpty && strict.session.connectedPeers.isEmpty })
    #expect(await eventually { open.log.states(of: strict.peer).last == .notConnected(.untrusted) })
  }

  @Test func aHandlerJudgesEachIdentity() async throws {
    let guest = try TestNode("guest")
    let other = try TestNode("other")
    let welcome = guest.node.id
    let host = try TestNode("host", trust: .handler { id, _ in id == welcome ? .trust : .refuse })
    let peer = try await guest.session.connect(to: host.endpoint)
    #expect(peer == host.peer)
    #expect(host.log.invitations.first?.peer.isTrusted == true)
    await #expect(throws: InvitationError.untrusted(by: .otherSide)) {
      try await other.session.connect(to: host.endpoint)
    }
  }

  @Test func whoIsExpectedHasToBeThere() async throws {
    let host = try TestNode("host")
    let guest = try TestNode("guest")
    let other = try TestNode("other")
    await #expect {
      try await guest.session.connect(to: host.endpoint, expecting: other.node.id)
    } throws: { error in
      if case .unreachable? = error as? InvitationError { true } else { false }
    }
    #expect(try await guest.session.connect(to: host.endpoint, expecting: host.node.id) == host.peer)
  }

  @Test func aCancelledInvitationEndsAtOnce() async throws {
    let host = try TestNode("host", door: .silent)
    let guest = try TestNode("guest")
    let task = Task { try await guest.session.connect(to: host.endpoint) }
    #expect(await eventually { host.log.invitations.count == 1 })
    task.cancel()
    await #expect(throws: InvitationError.cancelled) { try await task.value }
    #expect(guest.session.connectedPeers.isEmpty)
  }

  @Test(arguments: 0..<5) func twoThatInviteEachOtherAtOnceEndWithOneSession(_ round: Int) async throws {
    let one = try TestNode("one")
    let other = try TestNode("other")
    async let first = one.session.connect(to: other.endpoint, timeLimit: .seconds(10))
    async let second = other.session.connect(to: one.endpoint, timeLimit: .seconds(10))
    #expect(try await first == other.peer)
    #expect(try await second == one.peer)
    #expect(one.session.connectedPeers == [other.peer])
    #expect(other.session.connectedPeers == [one.peer])
    try await one.session.send(Array("a".utf8), to: [other.peer])
    try await other.session.send(Array("b".utf8), to: [one.peer])
    #expect(await eventually { one.log.texts == ["b"] && other.log.texts == ["a"] })
    #expect(one.log.states(of: other.peer).count(where: \.isConnected) == 1)
    #expect(other.log.states(of: one.peer).count(where: \.isConnected) == 1)
  }

  @Test func aPeerIsInOneSessionOfANode() async throws {
    let host = try TestNode("host")
    let guest = try TestNode("guest")
    let second = PeerSession(node: guest.node)
    let peer = try await guest.session.connect(to: host.endpoint)
    await #expect(throws: InvitationError.inAnotherSession) { try await second.invite(peer) }
    await #expect(throws: InvitationError.inAnotherSession) { try await second.connect(to: host.endpoint) }
    #expect(second.connectedPeers.isEmpty)
    guest.session.disconnect(peer)
    #expect(try await second.connect(to: host.endpoint) == peer)
    #expect(second.connectedPeers == [peer])
  }
}

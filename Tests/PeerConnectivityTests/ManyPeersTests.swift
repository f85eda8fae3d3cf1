import PeerConnectivity
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct ManyPeersTests {
  @Test func sixtyFourPeersAreInOneSession() async throws {
    let hub = try TestNode("hub")
    let guests = try (0..<PeerSession.maximumPeers).map { try TestNode("guest \($0)") }
    // A few at a time: all of them come from one address, from which only so many may knock at once.
    for start in stride(from: 0, to: guests.count, by: 8) {
      try await withThrowingTaskGroup { group in
        for guest in guests[start..<start + 8] {
          group.addTask { _ = try await guest.session.connect(to: hub.endpoint) }
        }
        try await group.waitForAll()
      }
    }
    #expect(await eventually { hub.session.connectedPeers.count == 64 })
    let peers = hub.session.connectedPeers
    #expect(peers.map(\.id) == guests.map(\.node.id).sorted())
    // One more finds no place, and learns so.
    let late = try TestNode("late")
    await #expect {
      try await late.session.connect(to: hub.endpoint)
    } throws: { error in
      if case .busy? = error as? InvitationError { true } else { false }
    }
    for number in 0..<20 { try await hub.session.send(Array("\(number)".utf8), to: peers) }
    for (number, guest) in guests.enumerated() {
      try await guest.session.send(Array("guest \(number)".utf8), to: [hub.peer])
    }
    let expected = (0..<20).map { "\($0)" }
    #expect(await eventually { guests.allSatisfy { $0.log.texts == expected } })
    #expect(
      await eventually { Set(hub.log.texts) == Set((0..<64).map { "guest \($0)" }) })
    // The place of one that leaves is free again.
    await guests[0].node.stop()
    #expect(await eventually { hub.session.connectedPeers.count == 63 })
    _ = try await late.session.connect(to: hub.endpoint)
    await hub.node.stop()
    #expect(await eventually { guests.allSatisfy { $0.session.connectedPeers.isEmpty } })
  }

  @Test func aPeerThatIsStartedAnewIsSeenAsRestarted() async throws {
    let directory = try TemporaryDirectory()
    let hub = try TestNode("hub")
    var guest: TestNode? = try TestNode("guest", stateDirectory: directory.path)
    _ = try await guest?.session.connect(to: hub.endpoint)
    let peer = try #require(guest?.peer)
    #expect(await eventually { hub.session.connectedPeers == [peer] })
    // Without a goodbye, as a crash does, the old connection may still be there when the new one comes.
    let old = guest
    guest = try TestNode("guest", stateDirectory: directory.path)
    #expect(guest?.peer == peer)
    _ = try await guest?.session.connect(to: hub.endpoint)
    #expect(
      await eventually {
        if case .connected(isRestarted: true, isResumed: false)? = hub.log.states(of: peer).last {
          true
        } else {
          false
        }
      })
    #expect(hub.log.states(of: peer).contains(.notConnected(.restarted)))
    #expect(hub.session.connectedPeers == [peer])
    try await guest?.session.send([1], to: [hub.peer])
    #expect(await eventually { hub.log.messages.count == 1 })
    withExtendedLifetime(old) {}
  }
}

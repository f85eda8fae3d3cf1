import PeerConnectivity
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct PairingTests {
  @Test func bothSidesShowTheSameDigitsAndTrustEachOtherAfterwards() async throws {
    let host = try TestNode("host", trust: .pairedOnly)
    let guest = try TestNode("guest", trust: .pairedOnly)
    host.node.acceptPairing(for: .seconds(30))
    let (attempts, id) = (host.node.pairingAttempts, guest.node.id)
    let other = Task { () -> (code: String, peer: Peer)? in
      for await attempt in attempts {
        #expect(attempt.peer.id == id)
        #expect(!attempt.peer.isTrusted)
        return (attempt.code, try await attempt.confirm())
      }
      return nil
    }
    let attempt = try await guest.node.startPairing(with: host.endpoint)
    #expect(attempt.peer == host.peer)
    #expect(attempt.code.count == 6)
    let peer = try await attempt.confirm()
    #expect(peer.isTrusted)
    let hosts = try #require(try await other.value)
    #expect(hosts.code == attempt.code)
    #expect(hosts.peer == guest.peer)
    #expect(await host.node.pairedPeers() == [guest.peer])
    #expect(await guest.node.pairedPeers() == [host.peer])
    _ = try await guest.session.connect(to: host.endpoint)
    #expect(host.log.invitations.first?.peer.isTrusted == true)
  }

  @Test func differentDigitsTrustNobody() async throws {
    let host = try TestNode("host", trust: .pairedOnly)
    let guest = try TestNode("guest", trust: .pairedOnly)
    host.node.acceptPairing(for: .seconds(30))
    let attempts = host.node.pairingAttempts
    let other = Task {
      // Released without an answer: no.
      for await _ in attempts { return }
    }
    let attempt = try await guest.node.startPairing(with: host.endpoint)
    await #expect(throws: PairingError.self) { try await attempt.confirm() }
    await other.value
    #expect(await host.node.pairedPeers().isEmpty)
    #expect(await guest.node.pairedPeers().isEmpty)
  }

  @Test func aCodePairsWithoutAnybodyAtTheOtherSide() async throws {
    let directory = try TemporaryDirectory()
    let code = PeerNode.makePairingCode()
    let guest = try TestNode("guest", trust: .pairedOnly)
    do {
      let host = try TestNode("host", trust: .pairedOnly, stateDirectory: "\(directory.path)/host")
      try host.node.acceptPairing(for: .seconds(30), code: code)
      #expect(try await guest.node.pair(with: host.endpoint, code: code) == host.peer)
      #expect(await eventually { await host.node.pairedPeers() == [guest.peer] })
      await host.node.stop()
    }
    // It is stored: the same peer, with the same trust, after a restart.
    let host = try TestNode("host", trust: .pairedOnly, stateDirectory: "\(directory.path)/host")
    #expect(await host.node.pairedPeers() == [guest.peer])
    #expect(try await guest.session.connect(to: host.endpoint).isTrusted)
  }

  @Test func aWrongCodeIsNoPairing() async throws {
    let host = try TestNode("host", trust: .pairedOnly)
    let guest = try TestNode("guest", trust: .pairedOnly)
    try host.node.acceptPairing(for: .seconds(30), code: "123456")
    await #expect {
      try await guest.node.pair(with: host.endpoint, code: "654321")
    } throws: { error in
      if case .mismatch? = error as? PairingError { true } else { false }
    }
    await #expect(throws: PairingError.invalidCode) {
      try await guest.node.pair(with: host.endpoint, code: "12345")
    }
    #expect(await host.node.pairedPeers().isEmpty)
  }

  @Test func withoutAWindowItIsRefusedWhenTheTimeIsOver() async throws {
    let host = try TestNode("host", trust: .pairedOnly)
    let guest = try TestNode("guest", trust: .pairedOnly)
    await #expect {
      try await guest.node.startPairing(with: host.endpoint, timeLimit: .seconds(1))
    } throws: { error in
      if case .refused? = error as? PairingError { true } else { false }
    }
  }

  @Test func anAttemptThatIsGivenUpEndsAtOnce() async throws {
    let host = try TestNode("host", trust: .pairedOnly)
    let guest = try TestNode("guest", trust: .pairedOnly)
    let attempt = Task { try await guest.node.startPairing(with: host.endpoint) }
    attempt.cancel()
    await #expect(throws: PairingError.rejected) { try await attempt.value }
  }
}

import PeerConnectivity
import Testing

@Suite(.timeLimit(.minutes(1))) struct MessageTests {
  @Test func reliableMessagesArriveInOrder() async throws {
    let (host, guest) = try await connectedPair()
    for number in 0..<500 { try await guest.session.send(Array("\(number)".utf8), to: [host.peer]) }
    #expect(await eventually { host.log.texts.count == 500 })
    #expect(host.log.texts == (0..<500).map { "\($0)" })
    #expect(host.log.messages.allSatisfy { $0.mode == .reliable && $0.channel == 0 && $0.peer == guest.peer })
  }

  @Test func unreliableAndUrgentMessagesArriveAndSayWhatTheyAre() async throws {
    let (host, guest) = try await connectedPair()
    try await guest.session.send([1], to: [host.peer], channel: 3, mode: .unreliable)
    try await guest.session.send([2], to: [host.peer], channel: 239, mode: .urgent(replacing: 1))
    #expect(await eventually { host.log.messages.count == 2 })
    let byChannel = host.log.messages.sorted { $0.channel < $1.channel }
    #expect(byChannel.map(\.bytes) == [[1], [2]])
    #expect(byChannel.map(\.channel) == [3, 239])
    #expect(byChannel.map(\.mode) == [.unreliable, .urgent])
  }

  @Test func theLargestMessagesArriveAndLargerOnesAreRefused() async throws {
    let (host, guest) = try await connectedPair()
    let largest = [UInt8](repeating: 7, count: PeerMessage.maximumBytes)
    try await guest.session.send(largest, to: [host.peer])
    await #expect(throws: SendError.tooLarge(bytes: largest.count + 1, maximum: largest.count)) {
      try await guest.session.send(largest + [1], to: [host.peer])
    }
    let maximum = PeerMessage.maximumUnreliableBytes
    try await guest.session.send(Array(largest[..<maximum]), to: [host.peer], mode: .unreliable)
    await #expect(throws: SendError.tooLarge(bytes: maximum + 1, maximum: maximum)) {
      try await guest.session.send(Array(largest[...maximum]), to: [host.peer], mode: .unreliable)
    }
    #expect(await eventually { host.log.messages.first?.bytes == largest })
  }

  @Test func whoIsNotConnectedIsNamedAndTheOthersGetTheMessage() async throws {
    let (host, guest) = try await connectedPair()
    let stranger = try TestNode("stranger")
    await #expect(throws: SendError.notConnected([stranger.peer])) {
      try await guest.session.send([1], to: [stranger.peer, host.peer])
    }
    #expect(await eventually { host.log.messages.map(\.bytes) == [[1]] })
    await host.node.stop()
    #expect(await eventually { guest.session.connectedPeers.isEmpty })
    await #expect(throws: SendError.notConnected([host.peer])) {
      try await guest.session.send([1], to: [host.peer])
    }
    // To nobody is no error.
    try await guest.session.send([1], to: [])
  }

  @Test func aGoodbyeIsSeenOnBothSides() async throws {
    let (host, guest) = try await connectedPair()
    guest.session.disconnect(host.peer)
    #expect(
      await eventually {
        host.log.states(of: guest.peer).last == .notConnected(.left(""))
          && guest.log.states(of: host.peer).last == .notConnected(.disconnected)
      })
    #expect(host.session.connectedPeers.isEmpty)
    // The session can be used again.
    #expect(try await guest.session.connect(to: host.endpoint) == host.peer)
  }

  /// Two connected nodes.
  static func connectedPair(hostReads: Bool = true) async throws -> (TestNode, TestNode) {
    let host = try TestNode("host", readsEvents: hostReads)
    let guest = try TestNode("guest")
    _ = try await guest.session.connect(to: host.endpoint)
    return (host, guest)
  }

  private func connectedPair() async throws -> (TestNode, TestNode) { try await MessageTests.connectedPair() }
}

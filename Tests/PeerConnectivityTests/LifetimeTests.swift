import Glibc
import PeerConnectivity
import ServiceRuntime
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct LifetimeTests {
  @Test func stoppingANodeEndsEverythingAndTellsTheOthers() async throws {
    let (host, guest) = try await MessageTests.connectedPair()
    let events = Task { [events = guest.session.events] in
      for await _ in events {}
    }
    let browser = PeerBrowser(node: guest.node)
    browser.start()
    await guest.node.stop()
    await guest.node.stop()
    // All sequences end.
    await events.value
    for await _ in guest.advertiser.invitations {}
    for await _ in guest.advertiser.states {}
    for await _ in browser.events {}
    for await _ in guest.node.pairingAttempts {}
    #expect(guest.session.connectedPeers.isEmpty)
    #expect(await eventually { host.session.connectedPeers.isEmpty })
    #expect(
      await eventually {
        if case .notConnected(.left)? = host.log.states(of: guest.peer).last { true } else { false }
      })
    // What is called afterwards throws or does nothing.
    await #expect(throws: InvitationError.self) { try await guest.session.connect(to: host.endpoint) }
    await #expect(throws: SendError.notConnected([host.peer])) {
      try await guest.session.send([1], to: [host.peer])
    }
    await #expect(throws: PeerNodeError.stopped) { try await guest.node.trust(host.node.id, name: "x") }
    guest.advertiser.start()
    guest.advertiser.stop()
    browser.start()
    browser.stop()
    guest.session.disconnect()
    _ = PeerSession(node: guest.node)
  }

  @Test func aReleasedSessionSaysGoodbye() async throws {
    let host = try TestNode("host")
    let node = try PeerNode(
      displayName: "guest", serviceType: ServiceType("peer-test"), trust: .askAlways, listen: .loopback)
    var session: PeerSession? = PeerSession(node: node)
    weak let released = session
    let events = try #require(session?.events)
    _ = try await session?.connect(to: host.endpoint)
    #expect(await eventually { host.session.connectedPeers == [node.peer] })
    session = nil
    #expect(released == nil)
    #expect(await eventually { host.session.connectedPeers.isEmpty })
    var last: PeerSession.Event?
    for await event in events { last = event }
    guard case .state(host.peer, .connected)? = last else {
      Issue.record("the events do not end with what was said before: \(String(describing: last))")
      return
    }
    // The node itself lives on.
    let second = PeerSession(node: node)
    #expect(try await second.connect(to: host.endpoint) == host.peer)
  }

  @Test func aReleasedNodeLeavesNothingBehind() async throws {
    let host = try TestNode("host")
    #expect(await eventually { threadCount() == 1 })
    for _ in 0..<5 {
      var node: PeerNode? = try PeerNode(
        displayName: "guest", serviceType: ServiceType("peer-test"), trust: .askAlways, listen: .loopback)
      weak let releasedNode = node
      var session: PeerSession? = PeerSession(node: try #require(node))
      weak let releasedSession = session
      var advertiser: PeerAdvertiser? = PeerAdvertiser(node: try #require(node))
      weak let releasedAdvertiser = advertiser
      advertiser?.start()
      var browser: PeerBrowser? = PeerBrowser(node: try #require(node))
      weak let releasedBrowser = browser
      browser?.start()
      _ = try await session?.connect(to: host.endpoint)
      #expect(await eventually { host.session.connectedPeers.count == 1 })
      node = nil
      // Its parts keep it.
      #expect(releasedNode != nil)
      (session, advertiser, browser) = (nil, nil, nil)
      #expect(releasedSession == nil && releasedAdvertiser == nil && releasedBrowser == nil)
      #expect(releasedNode == nil)
      #expect(await eventually { host.session.connectedPeers.isEmpty })
    }
    // Threads, with their loops, sockets and descriptors, follow when the goodbyes have left.
    #expect(await eventually { threadCount() == 1 })
    await host.node.stop()
  }

  @Test func anythingMayStartAndStopAtAnyTime() async throws {
    let host = try TestNode("host")
    let guest = try TestNode("guest")
    let browser = PeerBrowser(node: host.node)
    let other = PeerAdvertiser(node: host.node, visibility: .nearby)
    for _ in 0..<20 {
      browser.start()
      other.start()
      browser.stop()
      host.advertiser.start()
      other.stop()
      browser.start()
      browser.start()
      host.advertiser.stop()
      host.advertiser.stop()
    }
    await #expect {
      try await guest.session.connect(to: host.endpoint)
    } throws: { error in
      if case .busy? = error as? InvitationError { true } else { false }
    }
    host.advertiser.start()
    #expect(try await guest.session.connect(to: host.endpoint) == host.peer)
    // A session lives on without an advertiser.
    host.advertiser.stop()
    try await guest.session.send([1], to: [host.peer])
    #expect(await eventually { host.log.messages.count == 1 })
  }

  @Test func stoppingANodeEndsWhatIsAwaited() async throws {
    let host = try TestNode("host", door: .silent)
    let guest = try TestNode("guest")
    let invitation = Task { try await guest.session.connect(to: host.endpoint) }
    #expect(await eventually { host.log.invitations.count == 1 })
    await guest.node.stop()
    await #expect(throws: InvitationError.self) { try await invitation.value }
  }

  @Test(arguments: ["", String(repeating: "x", count: 64), "a\nb", "a\u{7}"])
  func anImpossibleNameIsRefused(_ name: String) throws {
    let type = try ServiceType("peer-test")
    #expect(throws: PeerNodeError.invalidDisplayName(name)) {
      try PeerNode(displayName: name, serviceType: type)
    }
  }

  @Test func anAddressThatIsTakenIsAnError() async throws {
    let host = try TestNode("host")
    let type = try ServiceType("peer-test")
    #expect {
      try PeerNode(
        displayName: "other", serviceType: type,
        listen: PeerNode.ListenAddress(host: "127.0.0.1", port: host.node.port))
    } throws: { error in
      if case .system? = error as? PeerNodeError { true } else { false }
    }
    #expect(throws: PeerNodeError.self) {
      try PeerNode(
        displayName: "other", serviceType: type, listen: PeerNode.ListenAddress(host: "nowhere.example"))
    }
  }

  /// Threads of nodes in this process.
  private func threadCount() -> Int {
    guard let directory = opendir("/proc/self/task") else { return -1 }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
      let task = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let bytes = try? Files.read("/proc/self/task/\(task)/comm", maximumBytes: 100) else { continue }
      if String(decoding: bytes, as: UTF8.self) == "peer-node\n" { count += 1 }
    }
    return count
  }
}

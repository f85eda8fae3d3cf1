import PeerConnectivity
import Synchronization
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct StreamTests {
  @Test func bytesFlowBothWaysUntilBothSidesHaveFinished() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let stream = try await guest.session.openStream(named: "numbers", to: host.peer)
    let other = try #require(await opened(at: host))
    #expect(other.name == "numbers" && other.peer == guest.peer && stream.peer == host.peer)
    let total = 5_000_000
    let echo = Task {
      var count = 0
      while let bytes = try await other.read() {
        count += bytes.count
        try await other.write(bytes)
      }
      other.finishWriting()
      return count
    }
    let writer = Task {
      let block = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
      for _ in 0..<total / block.count { try await stream.write(block) }
      stream.finishWriting()
    }
    var received = 0
    while let bytes = try await stream.read(upTo: 10_000) {
      #expect(bytes.count <= 10_000)
      #expect(bytes[0] == UInt8(truncatingIfNeeded: received % 100_000 % 251))
      received += bytes.count
    }
    #expect(received == total)
    #expect(try await echo.value == total)
    try await writer.value
    // Nothing may follow.
    await #expect(throws: StreamError.self) { try await stream.write([1]) }
    #expect(try await stream.read() == nil)
  }

  @Test func aSlowReaderSlowsTheWriter() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let stream = try await guest.session.openStream(named: "fast", to: host.peer)
    let other = try #require(await opened(at: host))
    let written = Counter()
    let writer = Task {
      for _ in 0..<300 {
        try await stream.write([UInt8](repeating: 1, count: 100_000))
        written.value.add(100_000, ordering: .relaxed)
      }
      stream.finishWriting()
    }
    #expect(try await written.stops(while: host, talksTo: guest))
    #expect(written.value.load(ordering: .relaxed) < 20_000_000)
    var received = 0
    while let bytes = try await other.read() { received += bytes.count }
    #expect(received == 30_000_000)
    try await writer.value
  }

  @Test func aReleasedStreamDeliversWhatWasFinished() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let stream = try await guest.session.openStream(named: "x", to: host.peer)
    stream.finishWriting()
    try await answerAndRelease(at: host)
    #expect(try await stream.read() == [1, 2, 3])
    #expect(try await stream.read() == nil)
  }

  private func answerAndRelease(at host: TestNode) async throws {
    let other = try #require(await opened(at: host))
    #expect(try await other.read() == nil)
    try await other.write([1, 2, 3])
    other.finishWriting()
  }

  @Test func aReleasedStreamThatWasNotFinishedEndsAtOnce() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let stream = try await guest.session.openStream(named: "x", to: host.peer)
    // Released at once.
    #expect(await opened(at: host)?.name == "x")
    await #expect(throws: StreamError.self) {
      while try await stream.read() != nil {}
    }
  }

  @Test func whoWaitsIsToldOfTheEnd() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let stream = try await guest.session.openStream(named: "x", to: host.peer)
    let other = try #require(await opened(at: host))
    let reader = Task { try await stream.read() }
    let cancelled = Task { try await other.read() }
    cancelled.cancel()
    await #expect(throws: StreamError.closed) { try await cancelled.value }
    other.close()
    await #expect(throws: StreamError.self) { try await reader.value }
    let second = try await guest.session.openStream(named: "y", to: host.peer)
    let waiting = Task { try await second.read() }
    await guest.node.stop()
    await #expect(throws: StreamError.self) { try await waiting.value }
    await #expect(throws: StreamError.notConnected) {
      try await guest.session.openStream(named: "z", to: host.peer)
    }
  }

  @Test func theExampleSendsBackCapitalLetters() throws {
    let environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere/bus"]
    // A port that was free a moment ago.
    let port = try { try TestNode("x", readsEvents: false).node.port }()
    let echo = try ChildProcess(
      ["stdbuf", "-oL", example("stream"), "listen", "\(port)"], environment: environment, quiet: false)
    let caller = try ChildProcess(
      ["stdbuf", "-oL", example("stream"), "127.0.0.1", "\(port)"], environment: environment, quiet: false)
    caller.send("hello")
    caller.send("world")
    #expect(caller.readLine(within: .seconds(20)) == "HELLO")
    #expect(caller.readLine(within: .seconds(20)) == "WORLD")
    caller.closeInput()
    #expect(caller.exitCode(within: .seconds(10)) == 0)
    echo.stop()
  }

  /// The stream that a peer opened. The session's events have no other reader.
  private func opened(at node: TestNode) async -> PeerStream? {
    for await event in node.session.events {
      if case .streamOpened(let stream) = event { return stream }
    }
    return nil
  }
}

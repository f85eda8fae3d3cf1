import Glibc
import PeerConnectivity
import ServiceRuntime
import Synchronization
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct BackPressureTests {
  private let message = [UInt8](repeating: 7, count: 16_384)

  @Test func aSlowReaderSlowsTheWriterAndNothingIsLost() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let total = 1500
    let sent = Counter()
    let message = message
    try await withThrowingTaskGroup { group in
      group.addTask {
        for number in 0..<total {
          var message = message
          message[0] = UInt8(truncatingIfNeeded: number)
          try await guest.session.send(message, to: [host.peer])
          sent.value.add(1, ordering: .relaxed)
        }
      }
      // The writer stops by itself, after what fits into the queues on both sides: 24 MB are far more.
      #expect(try await sent.stops(while: host, talksTo: guest))
      #expect(sent.value.load(ordering: .relaxed) < total / 2)
      var received = 0
      for await event in host.session.events {
        guard case .message(let message) = event else { continue }
        #expect(message.bytes[0] == UInt8(truncatingIfNeeded: received))
        received += 1
        if received == total { break }
      }
      try await group.waitForAll()
    }
    #expect(host.session.connectedPeers == [guest.peer])
  }

  /// Both sides are full of messages of the other, and each has to hear that its own arrived.
  @Test func aReaderThatAnswersEachMessageDoesNotStandStill() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let total = 600
    let message = message
    let echo = Task { [session = host.session, peer = guest.peer] in
      var count = 0
      for await event in session.events {
        guard case .message(let message) = event else { continue }
        try await session.send(message.bytes, to: [peer])
        count += 1
        if count == total { break }
      }
    }
    for _ in 0..<total { try await guest.session.send(message, to: [host.peer]) }
    try await echo.value
    #expect(await eventually { guest.log.messages.count == total })
  }

  @Test func urgentMessagesThatNobodyReadsAreBoundedToo() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    for number in 0..<1000 {
      try await guest.session.send(
        [UInt8(truncatingIfNeeded: number)], to: [host.peer], channel: 1, mode: .urgent())
    }
    try await guest.session.send([255], to: [host.peer], channel: 2)
    var (urgent, dropped) = (0, 0)
    for await event in host.session.events {
      guard case .message(let message) = event else { continue }
      dropped += message.droppedBefore
      if message.mode == .urgent { urgent += 1 }
      if urgent + dropped == 1000 { break }
    }
    #expect(urgent <= 256 + 64 && urgent > 0)
  }

  @Test func memoryStaysBoundedWhileNobodyReads() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let before = residentBytes()
    let message = message
    let writer = Task {
      for _ in 0..<20_000 { try await guest.session.send(message, to: [host.peer]) }
    }
    // 320 MB are on offer; unreliable ones on top.
    for _ in 0..<60 {
      for _ in 0..<100 {
        try await guest.session.send(Array(message[..<1000]), to: [host.peer], channel: 1, mode: .unreliable)
      }
      try await host.say(to: guest)
    }
    #expect(residentBytes() - before < 30_000_000)
    writer.cancel()
    await #expect(throws: SendError.cancelled) { try await writer.value }
  }

  @Test func aDisconnectEndsAWriterThatWaits() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let message = message
    let writer = Task {
      while true { try await guest.session.send(message, to: [host.peer]) }
    }
    #expect(await eventually { (await guest.session.linkStatus(of: host.peer)?.pendingBytes ?? 0) > 100_000 })
    guest.session.disconnect(host.peer)
    await #expect(throws: SendError.notConnected([host.peer])) { try await writer.value }
  }

  @Test func onePeerThatDoesNotReadKeepsNothingFromTheOthers() async throws {
    let guest = try TestNode("guest")
    let slow = try TestNode("slow", readsEvents: false)
    let fast = try TestNode("fast")
    _ = try await guest.session.connect(to: slow.endpoint)
    _ = try await guest.session.connect(to: fast.endpoint)
    let message = message
    let writer = Task {
      while true { try await guest.session.send(message, to: [slow.peer]) }
    }
    #expect(await eventually { (await guest.session.linkStatus(of: slow.peer)?.pendingBytes ?? 0) > 100_000 })
    let both = Task { try await guest.session.send([1], to: [slow.peer, fast.peer]) }
    #expect(await eventually { fast.log.messages.map(\.bytes) == [[1]] })
    both.cancel()
    writer.cancel()
    _ = await both.result
    _ = await writer.result
  }

  /// Memory of this process.
  private func residentBytes() -> Int {
    guard let bytes = try? Files.read("/proc/self/statm", maximumBytes: 200) else { return 0 }
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}

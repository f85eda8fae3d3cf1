import Glibc
import PeerConnectivity
import ServiceRuntime
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct ResourceTests {
  private let directory: TemporaryDirectory
  private var inbox: String { "\(directory.path)/inbox" }

  init() throws { directory = try TemporaryDirectory() }

  @Test func aFileArrivesUnderASafeNameWithProgressOnBothSides() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let path = try file("report.txt", bytes: 3_000_000)
    let offers = self.offers(of: host)
    let sending = guest.session.sendResource(at: path, named: "../../etc/report.txt", to: host.peer)
    let offer = try #require(await offers.next())
    #expect(offer.name == "../../etc/report.txt")
    #expect(offer.kind == .file && offer.byteCount == 3_000_000 && offer.peer == guest.peer)
    let receiving = offer.accept(into: inbox)
    async let seen = last(sending.progress)
    async let received = last(receiving.progress)
    let summary = try await receiving.value
    let sent = try await sending.value
    #expect(sent.byteCount == 3_000_000 && summary.byteCount == 3_000_000)
    #expect(summary.resumedBytes == 0 && sent.path == nil)
    let stored = try #require(summary.path)
    #expect(stored.hasPrefix("\(inbox)/") && !stored.dropFirst(inbox.count + 1).contains("/"))
    #expect(stored.contains("report") && stored.contains("guest"))
    #expect(try Files.read(stored, maximumBytes: 10_000_000) == Files.read(path, maximumBytes: 10_000_000))
    #expect(await seen?.fraction == 1)
    #expect(await received?.totalBytes == 3_000_000)
    // The same once more takes another name.
    let again = guest.session.sendResource(at: path, to: host.peer)
    let second = try #require(await offers.next())
    let other = try await second.accept(into: inbox).value
    _ = try await again.value
    #expect(other.path != summary.path)
    #expect(try Files.read(stored, maximumBytes: 10_000_000).count == 3_000_000)
  }

  @Test func aFolderArrives() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let folder = "\(directory.path)/photos"
    try Files.makeDirectory("\(folder)/inner", mode: 0o755)
    try Files.replace("\(folder)/one", with: [1, 2, 3], mode: 0o644)
    try Files.replace("\(folder)/inner/two", with: [4], mode: 0o644)
    let offers = self.offers(of: host)
    let sending = guest.session.sendResource(at: folder, to: host.peer)
    let offer = try #require(await offers.next())
    #expect(offer.kind == .folder(entries: 3) && offer.byteCount == 4)
    let summary = try await offer.accept(into: inbox).value
    let path = try #require(summary.path)
    _ = try await sending.value
    #expect(try Files.read("\(path)/inner/two", maximumBytes: 10) == [4])
    #expect(try Files.read("\(path)/one", maximumBytes: 10) == [1, 2, 3])
  }

  @Test func whatIsDeclinedOrReleasedOrCannotBeReadIsNotSent() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let path = try file("x", bytes: 100)
    let offers = self.offers(of: host)
    let declined = guest.session.sendResource(at: path, to: host.peer)
    try #require(await offers.next()).decline("no room on the desk")
    await #expect(throws: TransferError.declined("no room on the desk")) { try await declined.value }
    let released = guest.session.sendResource(at: path, to: host.peer)
    #expect(await offers.next() != nil)
    await #expect(throws: TransferError.declined("")) { try await released.value }
    await #expect {
      try await guest.session.sendResource(at: "\(directory.path)/nothing", to: host.peer).value
    } throws: { error in
      if case .file(let text)? = error as? TransferError { text.contains("nothing") } else { false }
    }
    let stranger = try TestNode("stranger")
    await #expect(throws: TransferError.notConnected) {
      try await guest.session.sendResource(at: path, to: stranger.peer).value
    }
    #expect((try? Files.read(inbox, maximumBytes: 1)) == nil)
  }

  @Test func aFolderThatCannotBeWrittenIsAnErrorOnBothSides() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let path = try file("x", bytes: 100)
    let offers = self.offers(of: host)
    let sending = guest.session.sendResource(at: path, to: host.peer)
    // A file lies where the folder should be.
    let receiving = try #require(await offers.next()).accept(into: "\(path)/inbox")
    await #expect {
      try await receiving.value
    } throws: { error in
      if case .file? = error as? TransferError { true } else { false }
    }
    await #expect(throws: TransferError.self) { try await sending.value }
  }

  @Test(arguments: [true, false]) func eitherSideCancels(_ isSender: Bool) async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let path = try file("large", bytes: 400_000_000)
    let offers = self.offers(of: host)
    let sending = guest.session.sendResource(at: path, to: host.peer)
    let receiving = try #require(await offers.next()).accept(into: inbox)
    var progress = receiving.progress.makeAsyncIterator()
    #expect(await progress.next() != nil)
    (isSender ? sending : receiving).cancel()
    await #expect(throws: TransferError.cancelled) { try await (isSender ? sending : receiving).value }
    await #expect {
      try await (isSender ? receiving : sending).value
    } throws: { error in
      if case .cancelledByPeer? = error as? TransferError { true } else { false }
    }
    // The session goes on.
    try await guest.session.send([1], to: [host.peer])
  }

  @Test func aBrokenTransferIsGoneOnWithLater() async throws {
    let path = try file("large", bytes: 300_000_000)
    let guest = try TestNode("guest")
    let host = try TestNode("host", stateDirectory: "\(directory.path)/state", readsEvents: false)
    _ = try await guest.session.connect(to: host.endpoint)
    let first = guest.session.sendResource(at: path, to: host.peer)
    let receiving = try #require(await offers(of: host).next()).accept(into: inbox)
    for await progress in receiving.progress where progress.completedBytes > 10_000_000 { break }
    await host.node.stop()
    await #expect(throws: TransferError.self) { try await first.value }
    await #expect(throws: TransferError.self) { try await receiving.value }
    let again = try TestNode("host", stateDirectory: "\(directory.path)/state", readsEvents: false)
    _ = try await guest.session.connect(to: again.endpoint)
    let second = guest.session.sendResource(at: path, to: again.peer)
    let offer = try #require(await offers(of: again).next())
    let summary = try await offer.accept(into: inbox).value
    _ = try await second.value
    #expect(summary.resumedBytes > 10_000_000)
    #expect(summary.byteCount == 300_000_000)
    let stored = try #require(summary.path)
    #expect(try same(path, stored))
  }

  @Test func aTransferEndsWithTheSessionAndTheNode() async throws {
    let (host, guest) = try await MessageTests.connectedPair(hostReads: false)
    let path = try file("x", bytes: 100)
    let waiting = guest.session.sendResource(at: path, to: host.peer)
    let offer = try #require(await offers(of: host).next())
    guest.session.disconnect(host.peer)
    await #expect(throws: TransferError.self) { try await waiting.value }
    let late = offer.accept(into: inbox)
    await #expect(throws: TransferError.self) { try await late.value }
    _ = try await guest.session.connect(to: host.endpoint)
    let other = guest.session.sendResource(at: path, to: host.peer)
    await guest.node.stop()
    await #expect(throws: TransferError.self) { try await other.value }
  }

  @Test func theExampleSendsAFile() throws {
    let path = try file("holiday.jpg", bytes: 1_000_000)
    let receiver = try ChildProcess(
      ["stdbuf", "-oL", example("files"), "receive", inbox, "0"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere/bus"], quiet: false)
    let line = try #require(receiver.line(where: { $0.contains("listens on port") }))
    let port = try #require(line.split(separator: " ").last)
    let sender = try ChildProcess(
      ["stdbuf", "-oL", example("files"), "send", path, "127.0.0.1", String(port)], quiet: false)
    #expect(receiver.line(where: { $0.contains("offers \"holiday.jpg\", 1000000 bytes") }) != nil)
    #expect(receiver.line(where: { $0.hasPrefix(inbox) && $0.contains("1000000 bytes in") }) != nil)
    #expect(sender.line(where: { $0.hasPrefix("holiday.jpg: 1000000 bytes in") }) != nil)
    #expect(sender.exitCode(within: .seconds(10)) == 0)
  }

  /// What a peer is offered. The session's events have no other reader.
  private func offers(of node: TestNode) -> Offers { Offers(events: node.session.events) }

  private struct Offers {
    let events: PeerEvents<PeerSession.Event>

    func next() async -> IncomingResource? {
      for await event in events {
        if case .resourceOffered(let resource) = event { return resource }
      }
      return nil
    }
  }

  /// A file of bytes that are not all the same.
  private func file(_ name: String, bytes count: Int) throws -> String {
    let path = "\(directory.path)/\(name)"
    var generator = SplitMix64(seed: UInt64(count))
    let block = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else { throw SystemError.current("create \(path)") }
    defer { close(descriptor) }
    var left = count
    while left > 0 {
      let written = block.withUnsafeBytes { write(descriptor, $0.baseAddress, min(left, $0.count)) }
      guard written > 0 else { throw SystemError.current("write \(path)") }
      left -= written
    }
    return path
  }

  private func same(_ one: String, _ other: String) throws -> Bool {
    try ChildProcess(["cmp", one, other]).exitCode(within: .seconds(30)) == 0
  }
}

/// The last that a sequence tells.
private func last(_ progress: PeerEvents<TransferProgress>) async -> TransferProgress? {
  var last: TransferProgress?
  for await next in progress { last = next }
  return last
}

import FileTransfer
import Glibc
import PeerProtocol
import SecureTransport
import ServiceRuntime
import TestSupport
import Testing

@testable import PeerLink

/// Files and folders from disk to disk, over real connections.
@Suite(.timeLimit(.minutes(1))) struct DiskTransferTests {
  let origin: TemporaryDirectory
  let destination: TemporaryDirectory
  /// What the folder `trip` holds.
  let contents: [String: [UInt8]] = [
    "a.bin": randomContent(700_000, seed: 1), "empty": [], "sub/b.bin": randomContent(900_001, seed: 2),
    "sub/deep/c.bin": randomContent(300_000, seed: 3), "z": [1, 2, 3],
  ]

  init() throws {
    origin = try TemporaryDirectory()
    destination = try TemporaryDirectory()
    for folder in ["trip", "trip/sub", "trip/sub/deep", "trip/nothing"] {
      mkdir("\(origin.path)/\(folder)", 0o755)
    }
    for (name, bytes) in contents {
      try Files.replace("\(origin.path)/trip/\(name)", with: bytes, mode: 0o644)
    }
  }

  private func accept(
    _ pair: TransferPair, _ change: (inout ReceivingPolicy) -> Void = { _ in },
    _ watch: @escaping (Transfer) -> Void = { _ in }
  ) throws -> () -> TransferWitness? {
    var policy = ReceivingPolicy()
    policy.reserveBytes = 0
    change(&policy)
    let folder = try ReceivedFolder(path: destination.path, policy: policy)
    final class Box { var witness: TransferWitness? }
    let box = Box()
    let sender = pair.sender.id
    pair.receiver.transceiver.onOffer = { transfer in
      box.witness = TransferWitness(transfer)
      guard let terms = ReceivingTerms(transfer.offer, from: sender, named: "Anna") else {
        return transfer.decline(.notSupported)
      }
      do throws(ReceivingError) {
        transfer.accept(into: try folder.sink(for: terms))
        watch(transfer)
      } catch {
        transfer.decline(.other, error.description)
      }
    }
    return { box.witness }
  }

  private func offer(_ path: String, _ pair: TransferPair) throws -> TransferWitness {
    let resource = try OutgoingResource(path: path)
    return TransferWitness(
      try pair.sender.transceiver.offer(resource.offer, to: pair.receiver.id, source: resource.source).get())
  }

  private func expectTheTrip() throws {
    for (name, bytes) in contents {
      let arrived = try Files.read("\(destination.path)/trip from Anna/\(name)", maximumBytes: 1 << 22)
      #expect(arrived.elementsEqual(bytes), "\(name)")
    }
    #expect(access("\(destination.path)/trip from Anna/nothing", F_OK) == 0)
    #expect(try partials().isEmpty)
  }

  private func partials() throws -> [String] { try namesOnDisk("\(destination.path)/.partial") }

  @Test(arguments: Direction.allCases) func aFolderArrivesWhole(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    let incoming = try accept(pair)
    let outgoing = try offer("\(origin.path)/trip", pair)
    #expect(pair.loop.runUntil(.seconds(20)) { outgoing.isOver && incoming()?.isOver == true })
    #expect(outgoing.failure == nil)
    #expect(incoming()?.failure == nil)
    #expect(incoming()?.progress.last == 1_900_004)
    try expectTheTrip()
  }

  @Test(arguments: Direction.allCases) func aCancelledFolderGoesOnWithTheNextOffer(_ direction: Direction)
    throws
  {
    let pair = try TransferPair(direction)
    // Slow enough to be stopped in the middle: the receiver's program looks at each report.
    final class Box { var hasCancelled = false }
    let box = Box()
    let incoming = try accept(pair) { _ in
    } _: { transfer in
      transfer.onProgress = { progress in
        guard progress.bytes > 0, progress.bytes < 1_900_004, !box.hasCancelled else { return }
        box.hasCancelled = true
        transfer.cancel("later", keepsPartial: true)
      }
    }
    var attempts = 0
    var outgoing = try offer("\(origin.path)/trip", pair)
    while attempts < 5 {
      attempts += 1
      #expect(pair.loop.runUntil(.seconds(20)) { outgoing.isOver && incoming()?.transfer.state == .ended })
      if outgoing.failure == nil { break }
      #expect(outgoing.failure == .cancelled(byPeer: true, "later"))
      #expect(
        pair.loop.runUntil(.seconds(5)) { (try? partials().contains { $0.hasSuffix(".record") }) == true })
      outgoing = try offer("\(origin.path)/trip", pair)
    }
    #expect(outgoing.failure == nil)
    try expectTheTrip()
  }

  @Test func aSessionThatEndsLeavesAPartForTheNext() throws {
    let first = try TransferPair(.inviterSends)
    final class Box { var bytes: UInt64 = 0 }
    let box = Box()
    let firstIncoming = try accept(first) { _ in
    } _: { transfer in
      transfer.onProgress = { box.bytes = $0.bytes }
    }
    // A source that stops in the middle of the second file: nothing ends, until the session does.
    let path = "\(origin.path)/trip"
    let resource = try OutgoingResource(path: path)
    let stalling = StallingSource(resource.source, after: 1_000_000)
    let outgoing = TransferWitness(
      try first.sender.transceiver.offer(resource.offer, to: first.receiver.id, source: stalling).get())
    #expect(first.loop.runUntil(.seconds(10)) { stalling.isStalling && box.bytes > 700_000 })
    first.sender.trust.ids = []
    first.sender.transceiver.trustChanged()
    stalling.goOn()
    #expect(first.loop.runUntil(.seconds(10)) { outgoing.isOver })
    #expect(
      first.loop.runUntil(.seconds(10)) { (try? partials().contains { $0.hasSuffix(".tree") }) == true })
    let inode = try firstFileInode()

    let identities = (first.nodes.host.identity, first.nodes.inviter.identity)
    first.nodes.host.transceiver.stop()
    first.nodes.inviter.transceiver.stop()
    let loop = first.loop
    #expect(loop.runUntil(.seconds(3)) { firstIncoming()?.isOver == true })
    #expect(firstIncoming()?.failure == .sessionEnded)
    let host = try Node("host", identity: identities.0, trusting: [identities.1.peerID], port: 0, on: loop)
    let inviter = try Node(
      "inviter", identity: identities.1, trusting: [identities.0.peerID], endpoints: [host.endpoint], on: loop
    )
    #expect(loop.runUntil(.seconds(10)) { host.peers == [inviter.id] && inviter.peers == [host.id] })
    let second = TransferPair(first.nodes, sender: inviter, receiver: host)
    let incoming = try accept(second)
    let again = try offer(path, second)
    #expect(loop.runUntil(.seconds(20)) { again.isOver && incoming()?.isOver == true })
    #expect(again.failure == nil)
    try expectTheTrip()
    var information = stat()
    #expect(stat("\(destination.path)/trip from Anna/a.bin", &information) == 0)
    #expect(information.st_ino == inode, "the first file was sent again")
  }

  private func firstFileInode() throws -> ino_t {
    let tree = try #require(try partials().first { $0.hasSuffix(".tree") })
    var information = stat()
    #expect(stat("\(destination.path)/.partial/\(tree)/a.bin", &information) == 0)
    return information.st_ino
  }

  @Test func aPathThatLeavesTheFolderEndsTheTransferOnBothSides() throws {
    let pair = try TransferPair(.inviterSends)
    let incoming = try accept(pair)
    let source = MemorySource(folder: [(["ok"], [1]), (["..", "..", "evil"], [2])], name: "trip")
    let outgoing = TransferWitness(
      try pair.sender.transceiver.offer(source.offer, to: pair.receiver.id, source: source).get())
    #expect(pair.loop.runUntil(.seconds(10)) { outgoing.isOver && incoming()?.isOver == true })
    guard case .failed(.unsafeName, _, byPeer: true) = outgoing.failure else {
      Issue.record("\(String(describing: outgoing.failure))")
      return
    }
    #expect(pair.loop.runUntil(.seconds(5)) { (try? partials().isEmpty) == true })
    #expect(try namesOnDisk(destination.path) == [".partial"])
  }

  @Test func aFileThatChangesOnTheWayEndsTheTransfer() throws {
    let pair = try TransferPair(.inviterSends)
    let incoming = try accept(pair)
    let path = "\(origin.path)/trip/sub/b.bin"
    let resource = try OutgoingResource(path: path)
    let stalling = StallingSource(resource.source, after: 300_000)
    let outgoing = TransferWitness(
      try pair.sender.transceiver.offer(resource.offer, to: pair.receiver.id, source: stalling).get())
    #expect(pair.loop.runUntil(.seconds(10)) { stalling.isStalling })
    truncate(path, 10)
    stalling.goOn()
    #expect(pair.loop.runUntil(.seconds(10)) { outgoing.isOver && incoming()?.isOver == true })
    guard case .failed(.changed, _, byPeer: false) = outgoing.failure else {
      Issue.record("\(String(describing: outgoing.failure))")
      return
    }
    #expect(try namesOnDisk(destination.path) == [".partial"])
  }
}

extension TransferPair {
  fileprivate init(_ nodes: NodePair, sender: Node, receiver: Node) {
    (self.nodes, self.sender, self.receiver) = (nodes, sender, receiver)
  }
}

private func namesOnDisk(_ path: String) throws -> [String] {
  guard let directory = opendir(path) else { throw SystemError.current("list \(path)") }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}

import FileTransfer
import Glibc
import PeerProtocol
import ServiceRuntime
import TestSupport
import Testing

@testable import PeerLink
@testable import Sockets

/// Notes what a transfer tells.
final class TransferWitness {
  let transfer: Transfer
  private(set) var isOver = false
  private(set) var failure: TransferFailure?
  private(set) var progress: [UInt64] = []
  private(set) var states: [Transfer.State] = []

  init(_ transfer: Transfer) {
    self.transfer = transfer
    transfer.onState = { [weak self] in self?.states.append($0) }
    transfer.onProgress = { [weak self] in self?.progress.append($0.bytes) }
    transfer.onEnd = { [weak self] failure in
      self?.isOver = true
      self?.failure = failure
    }
  }
}

enum Direction: CaseIterable, CustomTestStringConvertible {
  case hostSends
  case inviterSends

  var testDescription: String {
    switch self {
    case .hostSends: "host to inviter"
    case .inviterSends: "inviter to host"
    }
  }
}

/// One side sends to the other.
struct TransferPair {
  let nodes: NodePair
  let sender: Node
  let receiver: Node
  var loop: EventLoop { nodes.loop }

  init(_ direction: Direction) throws {
    nodes = try NodePair.connected()
    switch direction {
    case .hostSends: (sender, receiver) = (nodes.host, nodes.inviter)
    case .inviterSends: (sender, receiver) = (nodes.inviter, nodes.host)
    }
  }

  func offer(_ source: MemorySource) throws -> TransferWitness {
    TransferWitness(try sender.transceiver.offer(source.offer, to: receiver.id, source: source).get())
  }

  /// Accepts the next offer into a sink.
  func acceptNext(into sink: MemorySink) -> () -> TransferWitness? {
    final class Box { var witness: TransferWitness? }
    let box = Box()
    receiver.transceiver.onOffer = { transfer in
      box.witness = TransferWitness(transfer)
      transfer.accept(into: sink)
    }
    return { box.witness }
  }
}

extension EventLoop {
  /// Shuts down every bulk connection of this process, as a broken network does; control connections stay.
  func cutBulkConnections() -> Int {
    (3..<1024 as Range<Int32>).count { descriptor in
      var value: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &value, &length) == 0,
        value == BulkTraffic.unsentBytes
      else { return false }
      return shutdown(descriptor, Int32(SHUT_RDWR)) == 0
    }
  }
}

func randomContent(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var random = SplitMix64(seed: seed)
  return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
}

@Suite(.timeLimit(.minutes(1))) struct TransferTests {
  @Test(arguments: Direction.allCases) func fileArrivesWhole(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    let content = randomContent(3_000_001)
    let source = MemorySource(content, name: "map.bin")
    let sink = MemorySink()
    let incoming = pair.acceptNext(into: sink)
    let outgoing = try pair.offer(source)
    #expect(pair.loop.runUntil(.seconds(20)) { outgoing.isOver && incoming()?.isOver == true })
    #expect(outgoing.failure == nil)
    #expect(incoming()?.failure == nil)
    #expect(sink.has([content]))
    #expect(sink.snapshot.verdicts == [.finished])
    #expect(outgoing.progress.last == 3_000_001)
    #expect(incoming()?.progress.last == 3_000_001)
    #expect(incoming()?.transfer.offer.name == "map.bin")
    #expect(pair.loop.runUntil { source.closeCount == 1 })
  }

  @Test(arguments: Direction.allCases) func emptyFileArrives(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    let sink = MemorySink()
    _ = pair.acceptNext(into: sink)
    let outgoing = try pair.offer(MemorySource([]))
    #expect(pair.loop.runUntil { outgoing.isOver })
    #expect(outgoing.failure == nil)
    #expect(sink.has([[]]))
  }

  @Test(arguments: Direction.allCases) func folderArrivesEntryByEntry(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    let files = (0..<300).map { index in
      (path: ["sub", "file \(index)"], content: Optional(randomContent(index * 7, seed: UInt64(index))))
    }
    let source = MemorySource(
      folder: [(path: ["sub"], content: nil)] + files + [(path: ["big"], content: randomContent(700_000))])
    let sink = MemorySink()
    let incoming = pair.acceptNext(into: sink)
    let outgoing = try pair.offer(source)
    #expect(pair.loop.runUntil(.seconds(20)) { outgoing.isOver && incoming()?.isOver == true })
    #expect(outgoing.failure == nil)
    #expect(sink.snapshot.entries == source.items.map(\.entry))
    #expect(sink.has(source.items.map(\.content)))
    #expect(sink.snapshot.verdicts == [.finished])
  }

  @Test(arguments: Direction.allCases) func nothingFlowsBeforeAcceptance(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    var incoming: Transfer?
    pair.receiver.transceiver.onOffer = { incoming = $0 }
    let source = MemorySource(randomContent(100_000))
    let outgoing = try pair.offer(source)
    #expect(pair.loop.runUntil { incoming != nil })
    pair.loop.run(for: .milliseconds(500))
    #expect(source.readBytes == 0)
    #expect(outgoing.transfer.state == .offered)
    let sink = MemorySink()
    incoming?.accept(into: sink)
    #expect(pair.loop.runUntil { outgoing.isOver })
    #expect(outgoing.failure == nil)
  }

  @Test(arguments: Direction.allCases) func declinedOfferTellsTheReason(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    pair.receiver.transceiver.onOffer = { $0.decline(.noSpace, "no room for 3 bytes") }
    let source = MemorySource([1, 2, 3])
    let outgoing = try pair.offer(source)
    #expect(pair.loop.runUntil { outgoing.isOver })
    #expect(outgoing.failure == .declined(.noSpace, "no room for 3 bytes"))
    #expect(pair.loop.runUntil { source.closeCount == 1 })
    #expect(source.readBytes == 0)
  }

  @Test func offerIsDeclinedWhenNobodyTakesTransfers() throws {
    let pair = try TransferPair(.inviterSends)
    let outgoing = try pair.offer(MemorySource([1]))
    #expect(pair.loop.runUntil { outgoing.isOver })
    guard case .declined(.declined, _) = outgoing.failure else {
      Issue.record("\(String(describing: outgoing.failure))")
      return
    }
  }

  @Test(arguments: Direction.allCases) func senderCancelsInTheMiddle(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    let source = MemorySource(randomContent(8_000_000))
    let sink = MemorySink(pause: .milliseconds(2))
    let incoming = pair.acceptNext(into: sink)
    let outgoing = try pair.offer(source)
    #expect(pair.loop.runUntil { sink.snapshot.written > 0 })
    outgoing.transfer.cancel("changed my mind")
    #expect(outgoing.failure == .cancelled(byPeer: false, "changed my mind"))
    #expect(pair.loop.runUntil { incoming()?.isOver == true })
    #expect(incoming()?.failure == .cancelled(byPeer: true, "changed my mind"))
    #expect(pair.loop.runUntil { sink.snapshot.verdicts == [.abandoned(isResumable: false)] })
    #expect(pair.loop.runUntil { source.closeCount == 1 })
  }

  @Test(arguments: Direction.allCases) func receiverCancelsInTheMiddleAndKeepsItsPart(_ direction: Direction)
    throws
  {
    let pair = try TransferPair(direction)
    let source = MemorySource(randomContent(8_000_000))
    let sink = MemorySink(pause: .milliseconds(2))
    let incoming = pair.acceptNext(into: sink)
    let outgoing = try pair.offer(source)
    #expect(pair.loop.runUntil { sink.snapshot.written > 0 })
    incoming()?.transfer.cancel(keepsPartial: true)
    #expect(pair.loop.runUntil { outgoing.isOver })
    #expect(outgoing.failure == .cancelled(byPeer: true, ""))
    #expect(pair.loop.runUntil { sink.snapshot.verdicts == [.abandoned(isResumable: true)] })
    #expect(pair.loop.runUntil { source.closeCount == 1 })
  }

  @Test(arguments: Direction.allCases) func offerIsCancelledBeforeItsAnswer(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    var witness: TransferWitness?
    pair.receiver.transceiver.onOffer = { witness = TransferWitness($0) }
    let outgoing = try pair.offer(MemorySource([1]))
    #expect(pair.loop.runUntil { witness != nil })
    outgoing.transfer.cancel()
    #expect(pair.loop.runUntil { witness?.isOver == true })
    // Too late: the sink hears so.
    let sink = MemorySink()
    witness?.transfer.accept(into: sink)
    #expect(pair.loop.runUntil { sink.snapshot.verdicts == [.abandoned(isResumable: true)] })
  }

  @Test(arguments: Direction.allCases) func brokenConnectionIsDialledAgainAndGoesOn(_ direction: Direction)
    throws
  {
    let pair = try TransferPair(direction)
    let content = randomContent(12_000_000)
    let sink = MemorySink(pause: .milliseconds(3))
    let incoming = pair.acceptNext(into: sink)
    let outgoing = try pair.offer(MemorySource(content))
    for round in 1...2 {
      #expect(
        pair.loop.runUntil {
          sink.snapshot.begins.count == round && sink.snapshot.written > round * 1_500_000
        })
      #expect(pair.loop.cutBulkConnections() > 0)
    }
    #expect(pair.loop.runUntil(.seconds(20)) { outgoing.isOver && incoming()?.isOver == true })
    #expect(outgoing.failure == nil)
    #expect(sink.has([content]))
    let begins = sink.snapshot.begins
    #expect(begins.count == 3 && begins[0] == 0 && begins[1] > 0 && begins[2] > begins[1])
    #expect(sink.snapshot.written < content.count + 2)
    #expect(outgoing.states.filter { $0 == .connecting }.count == 3)
  }

  @Test(arguments: Direction.allCases) func keptPartIsContinued(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    let content = randomContent(2_000_000)
    let sink = MemorySink(partial: Array(content.prefix(1_234_567)))
    _ = pair.acceptNext(into: sink)
    let outgoing = try pair.offer(MemorySource(content))
    #expect(pair.loop.runUntil { outgoing.isOver })
    #expect(outgoing.failure == nil)
    #expect(sink.has([content]))
    #expect(sink.snapshot.written == 2_000_000 - 1_234_567)
  }

  @Test(arguments: Direction.allCases) func partOfAnotherContentIsSentAnew(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    let content = randomContent(2_000_000)
    var other = Array(content.prefix(1_000_000))
    other[500_000] ^= 1
    let sink = MemorySink(partial: other)
    _ = pair.acceptNext(into: sink)
    let outgoing = try pair.offer(MemorySource(content))
    #expect(pair.loop.runUntil { outgoing.isOver })
    #expect(outgoing.failure == nil)
    #expect(sink.has([content]))
    #expect(sink.snapshot.begins == [0])
  }

  @Test(arguments: Direction.allCases) func fullDiskIsToldToTheSender(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    let sink = MemorySink(capacity: 1_000_000)
    let incoming = pair.acceptNext(into: sink)
    let outgoing = try pair.offer(MemorySource(randomContent(3_000_000)))
    #expect(pair.loop.runUntil { outgoing.isOver && incoming()?.isOver == true })
    #expect(outgoing.failure == .failed(.noSpace, "the disk is full", byPeer: true))
    #expect(incoming()?.failure == .failed(.noSpace, "the disk is full", byPeer: false))
    #expect(pair.loop.runUntil { sink.snapshot.verdicts == [.abandoned(isResumable: true)] })
  }

  @Test(arguments: Direction.allCases) func fileThatBecameShorterFails(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    let sink = MemorySink()
    let incoming = pair.acceptNext(into: sink)
    let outgoing = try pair.offer(MemorySource(randomContent(1000), claiming: 2000))
    #expect(pair.loop.runUntil { outgoing.isOver && incoming()?.isOver == true })
    guard case .failed(.changed, _, byPeer: false) = outgoing.failure,
      case .failed(.changed, _, byPeer: true) = incoming()?.failure
    else {
      Issue.record("\(String(describing: outgoing.failure))")
      return
    }
    #expect(pair.loop.runUntil { sink.snapshot.verdicts == [.abandoned(isResumable: false)] })
  }

  @Test func silentTransferEnds() throws {
    var limits = AdmissionLimits()
    limits.transferSilence = .seconds(1)
    let nodes = try NodePair(limits: limits)
    #expect(nodes.loop.runUntil { nodes.areConnected })
    // A disk that takes 3 s for one portion.
    let sink = MemorySink(pause: .milliseconds(900), pauses: 3)
    nodes.host.transceiver.onOffer = { $0.accept(into: sink) }
    let source = MemorySource(randomContent(4_000_000))
    let outgoing = TransferWitness(
      try nodes.inviter.transceiver.offer(source.offer, to: nodes.host.id, source: source).get())
    #expect(nodes.loop.runUntil { outgoing.isOver })
    guard case .failed(.stalled, _, _) = outgoing.failure else {
      Issue.record("\(String(describing: outgoing.failure))")
      return
    }
  }

  @Test(arguments: Direction.allCases) func endOfTheSessionEndsTransfers(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    let source = MemorySource(randomContent(8_000_000))
    let sink = MemorySink(pause: .milliseconds(2))
    let incoming = pair.acceptNext(into: sink)
    let outgoing = try pair.offer(source)
    #expect(pair.loop.runUntil { sink.snapshot.written > 0 })
    pair.sender.transceiver.disconnect(pair.receiver.id)
    #expect(pair.loop.runUntil { outgoing.isOver && incoming()?.isOver == true })
    #expect(outgoing.failure == .sessionEnded)
    #expect(incoming()?.failure == .sessionEnded)
    #expect(pair.loop.runUntil { sink.snapshot.verdicts == [.abandoned(isResumable: true)] })
    #expect(pair.loop.runUntil { source.closeCount == 1 })
  }

  @Test func notConnectedPeerGetsNoOffer() throws {
    let pair = try NodePair.connected()
    let source = MemorySource([1])
    let nobody = PeerID(bytes: [UInt8](repeating: 1, count: 32))!
    #expect(throws: TransferFailure.notConnected) {
      try pair.host.transceiver.offer(source.offer, to: nobody, source: source).get()
    }
    #expect(pair.loop.runUntil { source.closeCount == 1 })
  }

  @Test(arguments: Direction.allCases) func eightRunAtOnceAndOthersWait(_ direction: Direction) throws {
    let pair = try TransferPair(direction)
    let content = randomContent(300_000)
    var sinks: [MemorySink] = []
    var open = 0
    var mostOpen = 0
    pair.receiver.transceiver.onOffer = { transfer in
      let sink = MemorySink(pause: .milliseconds(5))
      sinks.append(sink)
      open += 1
      mostOpen = max(mostOpen, open)
      transfer.onEnd = { _ in open -= 1 }
      transfer.accept(into: sink)
    }
    let outgoing = try (0..<20).map { try pair.offer(MemorySource(content, name: "file \($0)")) }
    #expect(outgoing[8].transfer.state == .queued)
    #expect(pair.loop.runUntil(.seconds(30)) { outgoing.allSatisfy(\.isOver) && open == 0 })
    #expect(outgoing.allSatisfy { $0.failure == nil })
    #expect(sinks.count == 20 && sinks.allSatisfy { $0.has([content]) })
    #expect(mostOpen == 8)
  }

  @Test func queueIsBounded() throws {
    let pair = try TransferPair(.inviterSends)
    pair.receiver.transceiver.onOffer = { _ in }
    for _ in 0..<8 + 256 { _ = try pair.offer(MemorySource([1])) }
    #expect(throws: TransferFailure.tooMany) { try pair.offer(MemorySource([1])) }
  }
}

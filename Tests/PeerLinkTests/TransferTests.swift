import FileTransfer
import PeerProtocol
import ServiceRuntime
import TestSupport
import Testing

@testable import PeerLink

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
}

import PeerProtocol
import ServiceRuntime
import TestSupport
import Testing

@testable import PeerLink

/// Both ends of one stream.
private final class StreamPair {
  let pair: TransferPair
  let near: TransferWitness
  private(set) var far: TransferWitness?
  var loop: EventLoop { pair.loop }

  init(_ direction: Direction, writers: TransferOffer.StreamWriters = .both) throws {
    pair = try TransferPair(direction)
    near = TransferWitness(
      try pair.sender.transceiver.openStream("telemetry", writers: writers, to: pair.receiver.id).get())
    pair.receiver.transceiver.onOffer = { [unowned self] transfer in
      far = TransferWitness(transfer)
      _ = transfer.acceptStream()
    }
    #expect(loop.runUntil { far != nil })
  }

  var nearStream: TransferStream { near.transfer.stream! }
  var farStream: TransferStream { far!.transfer.stream! }
}

extension TransferStream {
  /// Writes all of it as fast as there is room, then ends this direction if wanted.
  fileprivate func writeAll(_ bytes: [UInt8], thenEnd: Bool) {
    var rest = bytes[...]
    let pump = { [weak self] in
      guard let self, !rest.isEmpty else { return }
      rest = rest.dropFirst(write(rest))
      if rest.isEmpty, thenEnd { endWriting() }
    }
    onWritable = pump
    pump()
    if bytes.isEmpty, thenEnd { endWriting() }
  }

  /// Collects what arrives.
  fileprivate func collect(into sink: @escaping ([UInt8]) -> Void) {
    let take = { [weak self] in
      while let bytes = self?.read(), !bytes.isEmpty { sink(bytes) }
    }
    onReadable = take
    take()
  }
}

@Suite(.timeLimit(.minutes(1))) struct TransferStreamTests {
  @Test(arguments: Direction.allCases) func bytesFlowBothWaysAndHalvesClose(_ direction: Direction) throws {
    let streams = try StreamPair(direction)
    #expect(streams.far?.transfer.offer.name == "telemetry")
    let there = randomContent(2_000_000, seed: 1)
    let back = randomContent(1_000_000, seed: 2)
    var atFar: [UInt8] = []
    var atNear: [UInt8] = []
    streams.farStream.collect { atFar += $0 }
    streams.nearStream.collect { atNear += $0 }
    streams.nearStream.writeAll(there, thenEnd: true)
    #expect(streams.loop.runUntil(.seconds(20)) { streams.farStream.isAtEnd })
    #expect(atFar == there)
    // The other half is still open.
    #expect(!streams.near.isOver)
    streams.farStream.writeAll(back, thenEnd: true)
    #expect(streams.loop.runUntil(.seconds(20)) { streams.near.isOver && streams.far?.isOver == true })
    #expect(atNear == back)
    #expect(streams.near.failure == nil && streams.far?.failure == nil)
  }

  @Test(arguments: Direction.allCases, [TransferOffer.StreamWriters.offerer, .acceptor])
  func oneDirectionalStreamEndsWithItsWriter(_ direction: Direction, writers: TransferOffer.StreamWriters)
    throws
  {
    let streams = try StreamPair(direction, writers: writers)
    let isNearWriter = writers == .offerer
    let writer = isNearWriter ? streams.nearStream : streams.farStream
    let reader = isNearWriter ? streams.farStream : streams.nearStream
    #expect(writer.canWrite && !writer.canRead && reader.canRead && !reader.canWrite)
    #expect(reader.write([1]) == 0)
    var received: [UInt8] = []
    reader.collect { received += $0 }
    writer.writeAll([1, 2, 3], thenEnd: true)
    #expect(streams.loop.runUntil { streams.near.isOver && streams.far?.isOver == true })
    #expect(received == [1, 2, 3])
    #expect(streams.near.failure == nil)
  }

  @Test func whatIsWrittenBeforeAcceptanceArrives() throws {
    let pair = try TransferPair(.hostSends)
    let near = try pair.sender.transceiver.openStream("early", to: pair.receiver.id).get()
    #expect(near.stream?.write([7, 8, 9]) == 3)
    var received: [UInt8] = []
    pair.receiver.transceiver.onOffer = { $0.acceptStream()?.collect { received += $0 } }
    #expect(pair.loop.runUntil { received == [7, 8, 9] })
  }

  @Test(arguments: Direction.allCases) func slowReaderSlowsTheWriter(_ direction: Direction) throws {
    let streams = try StreamPair(direction)
    var written = 0
    let portion = [UInt8](repeating: 5, count: 65_536)
    let fill = { while case let count = streams.nearStream.write(portion), count > 0 { written += count } }
    streams.nearStream.onWritable = fill
    fill()
    // Until nothing moves.
    var before = -1
    while before != written {
      before = written
      streams.loop.run(for: .milliseconds(300))
    }
    // Both pipes, both buffers, and what the kernel keeps for a connection on this machine.
    #expect(written < 16_000_000)
    #expect(streams.near.transfer.state == .running)
    // The reader takes a little, and so much more can be written.
    var read = 0
    let hasBytes = { streams.farStream.incoming.roomOrWakeUp() < TransferPipe.capacity }
    while read < 4_000_000, streams.loop.runUntil(.seconds(10), hasBytes) {
      read += streams.farStream.read().count
    }
    #expect(streams.loop.runUntil { written > before })
  }

  @Test(arguments: Direction.allCases) func cancelledStreamEndsOnBothSides(_ direction: Direction) throws {
    let streams = try StreamPair(direction)
    var ends: [TransferFailure?] = []
    streams.farStream.onEnd = { ends.append($0) }
    #expect(streams.loop.runUntil { streams.near.transfer.state == .running })
    streams.near.transfer.cancel("enough")
    #expect(streams.loop.runUntil { streams.far?.isOver == true })
    #expect(streams.far?.failure == .cancelled(byPeer: true, "enough"))
    #expect(ends == [.cancelled(byPeer: true, "enough")])
    #expect(streams.nearStream.write([1]) == 0)
  }

  @Test(arguments: Direction.allCases) func brokenStreamFailsOnBothSides(_ direction: Direction) throws {
    let streams = try StreamPair(direction)
    #expect(
      streams.loop.runUntil {
        streams.near.transfer.state == .running && streams.far?.transfer.state == .running
      })
    #expect(streams.loop.cutBulkConnections() > 0)
    #expect(streams.loop.runUntil { streams.near.isOver && streams.far?.isOver == true })
    for failure in [streams.near.failure, streams.far?.failure] {
      guard case .failed(.connectionLost, _, _) = failure else {
        Issue.record("\(String(describing: failure))")
        continue
      }
    }
  }

  @Test func eightStreamsAndEightFilesRunBesideEachOther() throws {
    let pair = try TransferPair(.inviterSends)
    var received = 0
    pair.receiver.transceiver.onOffer = { $0.acceptStream()?.collect { received += $0.count } }
    for _ in 0..<8 {
      let stream = try pair.sender.transceiver.openStream("s", to: pair.receiver.id).get().stream
      stream?.writeAll([UInt8](repeating: 1, count: 500_000), thenEnd: false)
    }
    let content = randomContent(500_000)
    let sinks = (0..<8).map { _ in MemorySink() }
    var taken = 0
    pair.sender.transceiver.onOffer = {
      $0.accept(into: sinks[taken])
      taken += 1
    }
    for _ in 0..<8 {
      let source = MemorySource(content)
      _ = try pair.receiver.transceiver.offer(source.offer, to: pair.sender.id, source: source).get()
    }
    #expect(
      pair.loop.runUntil(.seconds(30)) { received == 4_000_000 && sinks.allSatisfy { $0.has([content]) } })
  }
}

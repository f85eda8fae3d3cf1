import PeerProtocol
import Testing

/// The state machines as objects, which expectations can change.
private final class Receiver {
  private var receiver: TransferReceiver
  init(offer: TransferOffer, awaitsReady: Bool) {
    receiver = TransferReceiver(offer: offer, awaitsReady: awaitsReady)
  }
  var receivedBytes: UInt64 { receiver.receivedBytes }
  func positioned(at position: TransferPosition) { receiver.positioned(at: position) }
  func receivedData(byteCount: Int) throws { try receiver.receivedData(byteCount: byteCount) }
  func received(_ record: TransferRecord) throws -> TransferReceiver.OnRecord {
    try receiver.received(record)
  }
}

private final class Sender {
  private var sender: TransferSender
  init(offer: TransferOffer, awaitsReady: Bool) {
    sender = TransferSender(offer: offer, awaitsReady: awaitsReady)
  }
  var sentBytes: UInt64 { sender.sentBytes }
  var remainingBytes: UInt64 { sender.remainingBytes }
  func received(_ record: TransferRecord) throws -> TransferSender.OnRecord { try sender.received(record) }
  func skip(_ entry: TransferEntry) -> Bool { sender.skip(entry) }
  func next(_ entry: TransferEntry?, from offset: UInt64) -> TransferSender.OnEntry {
    sender.next(entry, from: offset)
  }
  func sent(byteCount: Int) { sender.sent(byteCount: byteCount) }
  func fileEnded(hash: [UInt8]) -> TransferRecord { sender.fileEnded(hash: hash) }
}

private final class Stream {
  private var stream: TransferStreamState
  init(writers: TransferOffer.StreamWriters, isOfferer: Bool, awaitsReady: Bool) {
    stream = TransferStreamState(writers: writers, isOfferer: isOfferer, awaitsReady: awaitsReady)
  }
  var isReady: Bool { stream.isReady }
  var isIncomingOpen: Bool { stream.isIncomingOpen }
  var isOutgoingOpen: Bool { stream.isOutgoingOpen }
  func received(_ record: TransferRecord) throws -> TransferStreamState.OnRecord {
    try stream.received(record)
  }
  func receivedData(byteCount: Int) throws { try stream.receivedData(byteCount: byteCount) }
  func sent(byteCount: Int) { stream.sent(byteCount: byteCount) }
  func endOutgoing() -> TransferRecord { stream.endOutgoing() }
}

/// What sender and receiver of one bulk connection take from each other.
@Suite struct TransferOrderTests {
  private let fileOffer = TransferOffer(kind: .file(sizeBytes: 10), name: "f")!
  private let folderOffer = TransferOffer(kind: .folder(entryCount: 3, sizeBytes: 7), name: "d")!
  private let hash = [UInt8](repeating: 7, count: 32)

  private func file(_ path: [String], _ size: UInt64) -> TransferEntry {
    TransferEntry(path: path, kind: .file(sizeBytes: size, isExecutable: false))!
  }

  private func entry(
    _ index: UInt32, _ preceding: UInt64, _ offset: UInt64, _ entry: TransferEntry
  ) -> TransferRecord {
    .entry(
      TransferRecord.EntryHeader(index: index, precedingBytes: preceding, offset: offset, entry: entry))
  }

  private func receiver(
    of offer: TransferOffer, at position: TransferPosition = .start
  ) -> Receiver {
    let receiver = Receiver(offer: offer, awaitsReady: false)
    receiver.positioned(at: position)
    return receiver
  }

  @Test func folderArrivesEntryByEntry() throws {
    let receiver = Receiver(offer: folderOffer, awaitsReady: true)
    #expect(try receiver.received(.ready) == .findPosition)
    receiver.positioned(at: .start)
    let folder = TransferEntry(path: ["s"], kind: .folder)!
    guard case .folder = try receiver.received(entry(0, 0, 0, folder)) else {
      Issue.record("no folder")
      return
    }
    guard case .file = try receiver.received(entry(1, 0, 0, file(["s", "a"], 5))) else {
      Issue.record("no file")
      return
    }
    try receiver.receivedData(byteCount: 2)
    try receiver.receivedData(byteCount: 3)
    #expect(receiver.receivedBytes == 5)
    #expect(try receiver.received(.entryEnd(hash: hash)) == .fileEnded(hash: hash))
    _ = try receiver.received(entry(2, 5, 0, file(["b"], 2)))
    #expect(try receiver.received(.alive) == .nothing)
    try receiver.receivedData(byteCount: 2)
    _ = try receiver.received(.entryEnd(hash: hash))
    #expect(try receiver.received(.end(entryCount: 3, byteCount: 7)) == .ended)
    #expect(receiver.receivedBytes == 7)
  }

  @Test func resumedFileGoesOnWhereItWasOrBeginsAnew() throws {
    for offset: UInt64 in [4, 0] {
      let receiver = receiver(of: fileOffer, at: TransferPosition(entryIndex: 0, offsetBytes: 4))
      _ = try receiver.received(entry(0, 0, offset, file([], 10)))
      #expect(receiver.receivedBytes == offset)
      try receiver.receivedData(byteCount: Int(10 - offset))
      _ = try receiver.received(.entryEnd(hash: hash))
      #expect(try receiver.received(.end(entryCount: 1, byteCount: 10)) == .ended)
    }
  }

  struct Illegal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isCount: Bool
    let body: @Sendable (TransferOrderTests) throws -> Void

    init(
      _ text: String, isCount: Bool = false, _ body: @escaping @Sendable (TransferOrderTests) throws -> Void
    ) {
      testDescription = text
      self.isCount = isCount
      self.body = body
    }
  }

  private static let illegal = [
    Illegal("READY at the inviter") { _ = try $0.oneFile(.ready) },
    Illegal("DATA before an entry") { test in
      let receiver = test.receiver(of: test.fileOffer)
      try receiver.receivedData(byteCount: 1)
    },
    Illegal("entry before READY") { test in
      let receiver = Receiver(offer: test.fileOffer, awaitsReady: true)
      _ = try receiver.received(test.entry(0, 0, 0, test.file([], 10)))
    },
    Illegal("ALIVE before READY") { test in
      let receiver = Receiver(offer: test.fileOffer, awaitsReady: true)
      _ = try receiver.received(.alive)
    },
    Illegal("POSITION from the sender") { _ = try $0.oneFile(.position(.start, prefixHash: [])) },
    Illegal("the second entry first") { _ = try $0.oneFile($0.entry(1, 0, 0, $0.file([], 10))) },
    Illegal("an offset that was not asked for") { _ = try $0.oneFile($0.entry(0, 0, 3, $0.file([], 10))) },
    Illegal("a path in a file transfer") { _ = try $0.oneFile($0.entry(0, 0, 0, $0.file(["a"], 10))) },
    Illegal("another size than offered") { _ = try $0.oneFile($0.entry(0, 0, 0, $0.file([], 9))) },
    Illegal("a larger size than offered", isCount: true) {
      _ = try $0.oneFile($0.entry(0, 0, 0, $0.file([], 11)))
    },
    Illegal("a size that overflows", isCount: true) {
      _ = try $0.oneFile($0.entry(0, .max, 0, $0.file([], 2)))
    },
    Illegal("more bytes than the entry has", isCount: true) { test in
      let receiver = test.receiver(of: test.fileOffer)
      _ = try receiver.received(test.entry(0, 0, 0, test.file([], 10)))
      try receiver.receivedData(byteCount: 11)
    },
    Illegal("an entry that ends early", isCount: true) { test in
      let receiver = test.receiver(of: test.fileOffer)
      _ = try receiver.received(test.entry(0, 0, 0, test.file([], 10)))
      try receiver.receivedData(byteCount: 9)
      _ = try receiver.received(.entryEnd(hash: test.hash))
    },
    Illegal("an end before the last entry", isCount: true) {
      _ = try $0.oneFile(.end(entryCount: 1, byteCount: 10))
    },
    Illegal("an entry too many", isCount: true) { test in
      let receiver = test.receiver(of: test.folderOffer)
      for index: UInt32 in 0...3 {
        _ = try receiver.received(test.entry(index, 0, 0, TransferEntry(path: ["d\(index)"], kind: .folder)!))
      }
    },
    Illegal("preceding bytes that do not add up", isCount: true) { test in
      let receiver = test.receiver(of: test.folderOffer)
      _ = try receiver.received(test.entry(0, 1, 0, test.file(["a"], 2)))
    },
  ]

  private func oneFile(_ record: TransferRecord) throws -> TransferReceiver.OnRecord {
    let receiver = receiver(of: fileOffer)
    return try receiver.received(record)
  }

  @Test(arguments: illegal) func receiverRefuses(_ illegal: Illegal) {
    let error = #expect(throws: TransferProtocolError.self) { try illegal.body(self) }
    #expect(error?.reason == (illegal.isCount ? .wrongByteCount : .protocolError))
  }

  @Test func senderSendsFromThePositionOn() throws {
    let sender = Sender(offer: folderOffer, awaitsReady: true)
    #expect(try sender.received(.ready) == .nothing)
    let position = TransferPosition(entryIndex: 1, offsetBytes: 2)
    #expect(
      try sender.received(.position(position, prefixHash: hash)) == .goOn(at: position, prefixHash: hash))
    #expect(sender.skip(file(["a"], 3)))
    let second = file(["b"], 4)
    #expect(sender.next(second, from: 2) == .send(entry(1, 3, 2, second), contentBytes: 2))
    #expect(sender.sentBytes == 5)
    #expect(sender.remainingBytes == 2)
    sender.sent(byteCount: 2)
    #expect(sender.fileEnded(hash: hash) == .entryEnd(hash: hash))
    let third = TransferEntry(path: ["c"], kind: .folder)!
    #expect(sender.next(third, from: 0) == .send(entry(2, 7, 0, third), contentBytes: 0))
    #expect(sender.next(nil, from: 0) == .end(.end(entryCount: 3, byteCount: 7)))
  }

  @Test func senderNoticesASourceThatChanged() throws {
    func positioned(_ offer: TransferOffer) throws -> Sender {
      let sender = Sender(offer: offer, awaitsReady: false)
      _ = try sender.received(.position(.start, prefixHash: []))
      return sender
    }
    var sender = try positioned(fileOffer)
    for entry in [file([], 9), file([], 11), file(["a"], 10), nil] {
      guard case .changed = sender.next(entry, from: 0) else {
        Issue.record("not noticed: \(String(describing: entry))")
        continue
      }
    }
    sender = try positioned(folderOffer)
    #expect(!sender.skip(file(["a"], 8)))
  }

  @Test(
    arguments: [
      .entryEnd(hash: []), .end(entryCount: 0, byteCount: 0), .ready,
      .position(TransferPosition(entryIndex: 2, offsetBytes: 0), prefixHash: []),
      .position(TransferPosition(entryIndex: 1, offsetBytes: 1), prefixHash: []),
    ] as [TransferRecord]) func senderRefuses(_ record: TransferRecord)
  {
    let sender = Sender(offer: fileOffer, awaitsReady: false)
    #expect(throws: TransferProtocolError.self) { try sender.received(record) }
  }

  @Test func senderTakesOnePosition() throws {
    let sender = Sender(offer: fileOffer, awaitsReady: false)
    _ = try sender.received(.position(.start, prefixHash: []))
    #expect(throws: TransferProtocolError.self) { try sender.received(.position(.start, prefixHash: [])) }
  }

  @Test func streamHalvesCloseOneByOne() throws {
    let offerer = Stream(writers: .both, isOfferer: true, awaitsReady: false)
    let acceptor = Stream(writers: .both, isOfferer: false, awaitsReady: true)
    #expect(!acceptor.isReady)
    #expect(try acceptor.received(.ready) == .nothing)
    offerer.sent(byteCount: 5)
    try acceptor.receivedData(byteCount: 5)
    #expect(try acceptor.received(offerer.endOutgoing()) == .incomingEnded)
    #expect(!acceptor.isIncomingOpen && acceptor.isOutgoingOpen)
    #expect(offerer.isIncomingOpen && !offerer.isOutgoingOpen)
    acceptor.sent(byteCount: 1)
    try offerer.receivedData(byteCount: 1)
    #expect(try offerer.received(acceptor.endOutgoing()) == .incomingEnded)
  }

  @Test func streamRefusesWhatIsOutOfTurn() throws {
    let reader = Stream(writers: .acceptor, isOfferer: false, awaitsReady: false)
    // The other side does not write.
    #expect(throws: TransferProtocolError.self) { try reader.receivedData(byteCount: 1) }
    #expect(throws: TransferProtocolError.self) { try reader.received(.end(entryCount: 0, byteCount: 0)) }
    let early = Stream(writers: .both, isOfferer: true, awaitsReady: true)
    #expect(throws: TransferProtocolError.self) { try early.receivedData(byteCount: 1) }
    let short = Stream(writers: .both, isOfferer: true, awaitsReady: false)
    try short.receivedData(byteCount: 2)
    #expect(throws: TransferProtocolError.wrongByteCount("2 bytes of the stream arrived of 3")) {
      try short.received(.end(entryCount: 0, byteCount: 3))
    }
  }
}

import PeerProtocol
import TestSupport
import Testing

@Suite struct TransferMessageTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let message: TransferMessage
    let bytes: [UInt8]
  }

  private static let id = TransferID(rawValue: 0x8000_0002)
  private static let vectors = [
    Vector(
      testDescription: "file",
      message: TransferMessage(
        id,
        .offer(
          TransferOffer(
            kind: .file(sizeBytes: 258), name: "ab", modifiedAtUnixSeconds: -1, contentKey: [9, 8]))),
      bytes: [1, 1, 1, 2, 4, 0x80, 0, 0, 2, 3, 1, 1, 5, 8, 0, 0, 0, 0, 0, 0, 1, 2, 4, 2, 97, 98]
        + [7, 8, 255, 255, 255, 255, 255, 255, 255, 255, 8, 2, 9, 8]),
    Vector(
      testDescription: "folder",
      message: TransferMessage(
        TransferID(rawValue: 1),
        .offer(TransferOffer(kind: .folder(entryCount: 3, sizeBytes: 1), name: "é"))),
      bytes: [1, 1, 1, 2, 4, 0, 0, 0, 1, 3, 1, 2, 5, 8, 0, 0, 0, 0, 0, 0, 0, 1, 6, 4, 0, 0, 0, 3]
        + [4, 2, 0xC3, 0xA9]),
    Vector(
      testDescription: "stream",
      message: TransferMessage(id, .offer(TransferOffer(kind: .stream(.acceptor), name: "s"))),
      bytes: [1, 1, 1, 2, 4, 0x80, 0, 0, 2, 3, 1, 3, 9, 1, 2, 4, 1, 115]),
    Vector(
      testDescription: "accept", message: TransferMessage(id, .accept),
      bytes: [1, 1, 2, 2, 4, 0x80, 0, 0, 2]),
    Vector(
      testDescription: "decline", message: TransferMessage(id, .decline(.busy, text: "x")),
      bytes: [1, 1, 3, 2, 4, 0x80, 0, 0, 2, 10, 1, 2, 11, 1, 120]),
    Vector(
      testDescription: "cancel", message: TransferMessage(id, .cancel(.other, text: "")),
      bytes: [1, 1, 4, 2, 4, 0x80, 0, 0, 2, 10, 1, 255, 11, 0]),
    Vector(
      testDescription: "finished", message: TransferMessage(id, .finished(byteCount: 7)),
      bytes: [1, 1, 5, 2, 4, 0x80, 0, 0, 2, 12, 8, 0, 0, 0, 0, 0, 0, 0, 7]),
  ]

  @Test(arguments: vectors) func bytesAreAsDescribed(_ vector: Vector) throws {
    #expect(vector.message.encoded == vector.bytes)
    #expect(try TransferMessage.decode(vector.bytes[...]) == vector.message)
  }

  @Test func verbOfALaterVersionIsIgnored() throws {
    #expect(try TransferMessage.decode([1, 1, 6, 2, 4, 0, 0, 0, 1]) == nil)
  }

  @Test func kindOfALaterVersionHasNoOffer() throws {
    let message = try TransferMessage.decode([1, 1, 1, 2, 4, 0, 0, 0, 1, 3, 1, 4])
    #expect(message?.content == .offer(nil))
  }

  @Test func unknownReasonIsOther() throws {
    let message = try TransferMessage.decode([1, 1, 4, 2, 4, 0, 0, 0, 1, 10, 1, 99])
    #expect(message?.content == .cancel(.other, text: ""))
  }

  @Test(arguments: [
    [] as [UInt8],
    [1, 1, 2],
    [2, 4, 0, 0, 0, 1],
    [1, 1, 4, 2, 4, 0, 0, 0, 1],
    [1, 1, 5, 2, 4, 0, 0, 0, 1],
    // An offer without name, with an empty one, with one that is no UTF-8, without size, with a key of 33 bytes.
    [1, 1, 1, 2, 4, 0, 0, 0, 1, 3, 1, 1, 5, 8, 0, 0, 0, 0, 0, 0, 0, 1],
    [1, 1, 1, 2, 4, 0, 0, 0, 1, 3, 1, 1, 5, 8, 0, 0, 0, 0, 0, 0, 0, 1, 4, 0],
    [1, 1, 1, 2, 4, 0, 0, 0, 1, 3, 1, 1, 5, 8, 0, 0, 0, 0, 0, 0, 0, 1, 4, 1, 255],
    [1, 1, 1, 2, 4, 0, 0, 0, 1, 3, 1, 1, 4, 1, 97],
    [1, 1, 1, 2, 4, 0, 0, 0, 1, 3, 1, 3, 9, 1, 4, 4, 1, 97],
    [1, 1, 1, 2, 4, 0, 0, 0, 1, 3, 1, 1, 5, 8, 0, 0, 0, 0, 0, 0, 0, 1, 4, 1, 97, 8, 33]
      + [UInt8](repeating: 1, count: 33),
    [UInt8](repeating: 0, count: 3000),
  ]) func malformedMessageIsRefused(_ bytes: [UInt8]) {
    #expect(throws: TransferProtocolError.self) { try TransferMessage.decode(bytes[...]) }
  }

  @Test func damagedMessagesNeverCrash() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<20_000 {
      var bytes = TransferMessageTests.vectors.randomElement(using: &random)!.bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: bytes.count / 2)
        default: if bytes.count > 1 { bytes.removeLast() }
        }
      }
      if let message = try? TransferMessage.decode(bytes[...]) {
        // What is read can be said again and means the same.
        #expect(throws: Never.self) {
          let again = try TransferMessage.decode(message.encoded[...])
          if again != message { throw TransferProtocolError.malformed("\(message)") }
        }
      }
    }
  }
}

/// A ledger that expectations can change.
private final class Ledger {
  private var ledger: TransferLedger
  init(isInviter: Bool) { ledger = TransferLedger(isInviter: isInviter) }
  func offer(_ offer: TransferOffer) -> TransferID? { ledger.offer(offer) }
  func accept(_ id: TransferID) -> Bool { ledger.accept(id) }
  func end(_ id: TransferID) -> Bool { ledger.end(id) }
  func isAccepted(_ id: TransferID) -> Bool { ledger.isAccepted(id) }
  func received(_ message: TransferMessage) throws -> TransferLedger.OnMessage {
    try ledger.received(message)
  }
}

@Suite struct TransferLedgerTests {
  private static let file = TransferOffer(kind: .file(sizeBytes: 10), name: "f")!
  private let file = Self.file

  private func id(_ number: UInt32, byInviter: Bool) -> TransferID {
    TransferID(rawValue: byInviter ? number : number | 0x8000_0000)
  }

  @Test func offerIsAcceptedAndFinished() throws {
    let inviter = Ledger(isInviter: true)
    let host = Ledger(isInviter: false)
    let id = try #require(inviter.offer(file))
    #expect(id.rawValue == 1)
    #expect(try host.received(TransferMessage(id, .offer(file))) == .offered(file))
    #expect(!host.isAccepted(id))
    #expect(host.accept(id))
    #expect(host.isAccepted(id))
    #expect(try inviter.received(TransferMessage(id, .accept)) == .accepted)
    #expect(inviter.isAccepted(id))
    #expect(host.end(id))
    #expect(try inviter.received(TransferMessage(id, .finished(byteCount: 10))) == .finished(byteCount: 10))
    #expect(!inviter.end(id))
  }

  @Test func hostsOffersHaveTheHighestBit() throws {
    let host = Ledger(isInviter: false)
    #expect(host.offer(file)?.rawValue == 0x8000_0001)
  }

  @Test func secondUseOfAnIDBreaksTheProtocol() throws {
    let host = Ledger(isInviter: false)
    for number: UInt32 in [1, 2, 5] {
      _ = try host.received(TransferMessage(id(number, byInviter: true), .offer(file)))
    }
    _ = host.end(id(5, byInviter: true))
    for number: UInt32 in [5, 3, 1, 0] {
      #expect(throws: TransferProtocolError.self) {
        try host.received(TransferMessage(id(number, byInviter: true), .offer(file)))
      }
    }
  }

  @Test func offerWithTheOtherSidesBitBreaksTheProtocol() {
    let host = Ledger(isInviter: false)
    #expect(throws: TransferProtocolError.self) {
      try host.received(TransferMessage(id(1, byInviter: false), .offer(file)))
    }
  }

  @Test func ninthOpenTransferIsRefusedAndNotOffered() throws {
    let host = Ledger(isInviter: false)
    let inviter = Ledger(isInviter: true)
    for _ in 0..<8 {
      let id = try #require(inviter.offer(file))
      #expect(try host.received(TransferMessage(id, .offer(file))) == .offered(file))
    }
    #expect(inviter.offer(file) == nil)
    #expect(
      try host.received(TransferMessage(id(9, byInviter: true), .offer(file))) == .refuse(.busy))
    _ = host.end(id(3, byInviter: true))
    #expect(
      try host.received(TransferMessage(id(10, byInviter: true), .offer(file))) == .offered(file))
  }

  @Test func unknownKindIsRefused() throws {
    let host = Ledger(isInviter: false)
    #expect(
      try host.received(TransferMessage(id(1, byInviter: true), .offer(nil))) == .refuse(.notSupported))
  }

  @Test func whatCrossesTheEndIsIgnored() throws {
    let inviter = Ledger(isInviter: true)
    let id = try #require(inviter.offer(file))
    _ = inviter.end(id)
    for content: TransferMessage.Content in [
      .accept, .decline(.declined, text: ""), .cancel(.cancelled, text: ""), .finished(byteCount: 10),
    ] {
      #expect(try inviter.received(TransferMessage(id, content)) == .ignored)
    }
  }

  fileprivate struct Illegal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let prepare: @Sendable (Ledger) throws -> Void
    let message: TransferMessage
  }

  private static let own = TransferID(rawValue: 1)
  private static let theirs = TransferID(rawValue: 0x8000_0001)
  /// An inviter that has offered one transfer and was offered one.
  private static let illegal = [
    Illegal(
      testDescription: "ACCEPT by the side that offered", prepare: { _ in },
      message: TransferMessage(theirs, .accept)),
    Illegal(
      testDescription: "DECLINE by the side that offered", prepare: { _ in },
      message: TransferMessage(theirs, .decline(.declined, text: ""))),
    Illegal(
      testDescription: "FINISHED by the sender", prepare: { _ in },
      message: TransferMessage(theirs, .finished(byteCount: 10))),
    Illegal(
      testDescription: "FINISHED before ACCEPT", prepare: { _ in },
      message: TransferMessage(own, .finished(byteCount: 10))),
    Illegal(
      testDescription: "FINISHED with another count",
      prepare: { _ = try $0.received(TransferMessage(own, .accept)) },
      message: TransferMessage(own, .finished(byteCount: 9))),
    Illegal(
      testDescription: "second ACCEPT", prepare: { _ = try $0.received(TransferMessage(own, .accept)) },
      message: TransferMessage(own, .accept)),
    Illegal(
      testDescription: "DECLINE after ACCEPT",
      prepare: { _ = try $0.received(TransferMessage(own, .accept)) },
      message: TransferMessage(own, .decline(.declined, text: ""))),
    Illegal(
      testDescription: "ACCEPT of what was never offered", prepare: { _ in },
      message: TransferMessage(TransferID(rawValue: 2), .accept)),
    Illegal(
      testDescription: "CANCEL of what was never offered", prepare: { _ in },
      message: TransferMessage(TransferID(rawValue: 0x8000_0002), .cancel(.cancelled, text: ""))),
  ]

  @Test(arguments: illegal) fileprivate func messageOutOfTurnBreaksTheProtocol(_ illegal: Illegal) throws {
    let inviter = Ledger(isInviter: true)
    #expect(inviter.offer(file) == Self.own)
    _ = try inviter.received(TransferMessage(Self.theirs, .offer(file)))
    try illegal.prepare(inviter)
    #expect(throws: TransferProtocolError.self) { try inviter.received(illegal.message) }
  }

  @Test func onlyAnOfferThatWaitsCanBeAccepted() throws {
    let host = Ledger(isInviter: false)
    let id = id(1, byInviter: true)
    #expect(!host.accept(id))
    _ = try host.received(TransferMessage(id, .offer(file)))
    #expect(host.accept(id))
    #expect(!host.accept(id))
    let own = try #require(host.offer(file))
    #expect(!host.accept(own))
  }
}

import PeerProtocol
import SecureTransport
import ServiceRuntime
import TestSupport
import Testing

@testable import PeerLink

/// A trusted inviter that offers one transfer to a host and follows no rule of the bulk connection.
private final class RawSender {
  let loop: EventLoop
  let host: Node
  let identity: Identity
  let control: RawPeer
  let sink = MemorySink()
  var incoming: TransferWitness?
  private var sequence: UInt32 = 0

  init(others: [PeerID] = []) throws {
    loop = try EventLoop()
    identity = try Node.freshIdentity("raw")
    host = try Node("host", trusting: [identity.peerID] + others, port: 0, on: loop)
    control = try RawPeer.connect(host, identity: identity, on: loop)
  }

  func say(_ message: TransferMessage) {
    sequence += 1
    control.send(
      .message(
        MessageFrame(
          messageClass: TransferMessage.messageClass, sequence: sequence, senderClockMilliseconds: 0,
          payload: message.encoded[...])))
  }

  /// Offers a file of 10 bytes, which the host accepts.
  func offer(_ id: UInt32 = 1, accepts: Bool = true) throws -> TransferID {
    let id = TransferID(rawValue: id)
    host.transceiver.onOffer = { [unowned self] transfer in
      incoming = TransferWitness(transfer)
      if accepts { transfer.accept(into: sink) }
    }
    say(TransferMessage(id, .offer(TransferOffer(kind: .file(sizeBytes: 10), name: "f"))))
    #expect(loop.runUntil { incoming != nil })
    return id
  }

  /// Opens a bulk connection; `change` damages its first frame.
  func open(
    _ id: TransferID, as other: Identity? = nil, change: (TransferOpening) -> TransferOpening = { $0 }
  ) throws -> RawPeer {
    let bulk = try RawPeer.dial(host, identity: other ?? identity, on: loop)
    bulk.send(change(try control.transferKeys().opening(of: id)).frame)
    #expect(loop.runUntil { !bulk.frames.isEmpty || bulk.isGone })
    return bulk
  }

  func entry(size: UInt64 = 10) -> [UInt8] {
    TransferRecord.entry(
      TransferRecord.EntryHeader(
        index: 0, precedingBytes: 0, offset: 0,
        entry: TransferEntry(path: [], kind: .file(sizeBytes: size, isExecutable: false))!)
    ).encoded
  }

  func data(_ bytes: [UInt8]) -> [UInt8] { TransferRecord.dataHeader(byteCount: bytes.count) + bytes }
}

@Suite(.timeLimit(.minutes(1))) struct TransferHostileTests {
  private let content: [UInt8] = Array(1...10)
  private var ready: [UInt8] { TransferRecord.ready.encoded }

  @Test func wellBehavedRawSenderSucceeds() throws {
    let raw = try RawSender()
    let bulk = try raw.open(try raw.offer())
    #expect(bulk.frames == [TransferOpening.ok])
    bulk.send(
      ready + raw.entry() + raw.data(content) + TransferRecord.entryEnd(hash: sha256(content)).encoded
        + TransferRecord.end(entryCount: 1, byteCount: 10).encoded)
    #expect(raw.loop.runUntil { raw.incoming?.isOver == true })
    #expect(raw.incoming?.failure == nil)
    #expect(raw.sink.has([content]))
    let finished = TransferMessage(TransferID(rawValue: 1), .finished(byteCount: 10)).encoded
    #expect(
      raw.loop.runUntil {
        raw.control.frames.contains {
          if case .message(let message) = $0 { Array(message.payload) == finished } else { false }
        }
      })
  }

  private func expectDeclined(_ bulk: RawPeer, _ raw: RawSender) {
    guard case .decline(.declined, let text) = bulk.frames.first else {
      Issue.record("\(bulk.frames)")
      return
    }
    // One text for every reason.
    #expect(text == "no such transfer")
    #expect(raw.incoming?.transfer.state != .running)
    #expect(raw.loop.runUntil { bulk.saidFarewell || bulk.isGone })
  }

  @Test func wrongTokenIsDeclined() throws {
    let raw = try RawSender()
    let bulk = try raw.open(try raw.offer()) { opening in
      var token = opening.token
      token[31] ^= 1
      return TransferOpening(sessionID: opening.sessionID, id: opening.id, token: token)
    }
    expectDeclined(bulk, raw)
  }

  @Test func otherSessionIDIsDeclined() throws {
    let raw = try RawSender()
    let bulk = try raw.open(try raw.offer()) {
      TransferOpening(sessionID: [UInt8](repeating: 0, count: 16), id: $0.id, token: $0.token)
    }
    expectDeclined(bulk, raw)
  }

  @Test func tokenOfAnotherTransferIsDeclined() throws {
    let raw = try RawSender()
    let id = try raw.offer()
    let other = try raw.control.transferKeys().opening(of: TransferID(rawValue: 2))
    let bulk = try raw.open(id) { TransferOpening(sessionID: $0.sessionID, id: $0.id, token: other.token) }
    expectDeclined(bulk, raw)
  }

  @Test func rightTokenFromAnotherTrustedPeerIsDeclined() throws {
    let thief = try Node.freshIdentity("thief")
    let raw = try RawSender(others: [thief.peerID])
    expectDeclined(try raw.open(try raw.offer(), as: thief), raw)
  }

  @Test func rightTokenFromAStrangerIsRefused() throws {
    let raw = try RawSender()
    let bulk = try raw.open(try raw.offer(), as: try Node.freshIdentity("stranger"))
    guard case .decline(.untrusted, _) = bulk.frames.first else {
      Issue.record("\(bulk.frames)")
      return
    }
    #expect(raw.incoming?.transfer.state == .connecting)
  }

  @Test func connectionBeforeAcceptanceIsDeclined() throws {
    let raw = try RawSender()
    let bulk = try raw.open(try raw.offer(accepts: false))
    guard case .decline(.declined, _) = bulk.frames.first else {
      Issue.record("\(bulk.frames)")
      return
    }
    #expect(raw.incoming?.transfer.state == .offered)
  }

  @Test func openingOfAnotherLengthIsDeclined() throws {
    let raw = try RawSender()
    _ = try raw.offer()
    let bulk = try RawPeer.dial(raw.host, identity: raw.identity, on: raw.loop)
    bulk.send(.purpose(type: 16, payload: [UInt8](repeating: 1, count: 51)[...]))
    #expect(raw.loop.runUntil { !bulk.frames.isEmpty })
    expectDeclined(bulk, raw)
  }

  struct Attack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: TransferReason
    let bytes: @Sendable (TransferHostileTests) -> [UInt8]
  }

  private static let entry = TransferRecord.entry(
    TransferRecord.EntryHeader(
      index: 0, precedingBytes: 0, offset: 0,
      entry: TransferEntry(path: [], kind: .file(sizeBytes: 10, isExecutable: false))!)
  ).encoded
  private static func data(_ count: Int) -> [UInt8] {
    TransferRecord.dataHeader(byteCount: count) + [UInt8](repeating: 1, count: count)
  }
  private static let attacks = [
    Attack(testDescription: "wrong hash", reason: .wrongHash) {
      $0.ready + entry + data(10) + TransferRecord.entryEnd(hash: sha256([1])).encoded
    },
    Attack(testDescription: "too many bytes", reason: .wrongByteCount) { $0.ready + entry + data(11) },
    Attack(testDescription: "too few bytes", reason: .wrongByteCount) {
      $0.ready + entry + data(9) + TransferRecord.entryEnd(hash: sha256([1])).encoded
    },
    Attack(testDescription: "end without the entry", reason: .wrongByteCount) {
      $0.ready + TransferRecord.end(entryCount: 1, byteCount: 10).encoded
    },
    Attack(testDescription: "no READY", reason: .protocolError) { _ in entry },
    Attack(testDescription: "unknown record", reason: .protocolError) { $0.ready + [200, 0, 0, 0] },
    Attack(testDescription: "DATA of 16 MB", reason: .protocolError) {
      $0.ready + entry + [4, 255, 255, 255]
    },
    Attack(testDescription: "frames instead of records", reason: .protocolError) { _ in
      ControlFrame.hello(Hello(runID: 1, name: "x")).encoded
    },
  ]

  @Test(arguments: attacks) func brokenRuleEndsTheTransferAndNotTheSession(_ attack: Attack) throws {
    let raw = try RawSender()
    let bulk = try raw.open(try raw.offer())
    #expect(bulk.frames == [TransferOpening.ok])
    bulk.send(attack.bytes(self))
    #expect(raw.loop.runUntil { raw.incoming?.isOver == true })
    guard case .failed(attack.reason, _, byPeer: false) = raw.incoming?.failure else {
      Issue.record("\(String(describing: raw.incoming?.failure))")
      return
    }
    #expect(raw.loop.runUntil { raw.sink.snapshot.verdicts == [.abandoned(isResumable: false)] })
    #expect(raw.host.peers == [raw.identity.peerID])
  }

  @Test func senderThatGoesAwayLeavesTheTransferWaiting() throws {
    let raw = try RawSender()
    let id = try raw.offer()
    let bulk = try raw.open(id)
    bulk.send(ready + raw.entry() + raw.data([1, 2, 3]))
    #expect(raw.loop.runUntil { raw.sink.snapshot.written == 3 })
    bulk.channel.close()
    #expect(raw.loop.runUntil { raw.incoming?.transfer.state == .connecting })
    // A second connection begins with what is there.
    let second = try raw.open(id)
    second.send(ready)
    let position = TransferRecord.position(
      TransferPosition(entryIndex: 0, offsetBytes: 3), prefixHash: sha256([1, 2, 3])
    ).encoded
    #expect(raw.loop.runUntil { Array(second.plaintext.suffix(position.count)) == position })
  }

  @Test func newerConnectionTakesThePlaceOfTheOlderOne() throws {
    let raw = try RawSender()
    let id = try raw.offer()
    let first = try raw.open(id)
    first.send(ready)
    #expect(raw.loop.runUntil { raw.incoming?.transfer.state == .running })
    let second = try raw.open(id)
    #expect(second.frames == [TransferOpening.ok])
    #expect(raw.loop.runUntil { first.isGone || first.saidFarewell })
    second.send(
      ready + raw.entry() + raw.data(content) + TransferRecord.entryEnd(hash: sha256(content)).encoded
        + TransferRecord.end(entryCount: 1, byteCount: 10).encoded)
    #expect(raw.loop.runUntil { raw.incoming?.isOver == true })
    #expect(raw.incoming?.failure == nil)
  }

  @Test func secondUseOfATransferIDEndsTheSession() throws {
    let raw = try RawSender()
    let id = try raw.offer()
    raw.say(TransferMessage(id, .cancel(.cancelled, text: "")))
    #expect(raw.loop.runUntil { raw.incoming?.isOver == true })
    raw.say(TransferMessage(id, .offer(TransferOffer(kind: .file(sizeBytes: 1), name: "again"))))
    #expect(raw.loop.runUntil { raw.host.peers.isEmpty })
    #expect(
      raw.loop.runUntil {
        raw.control.frames.contains { if case .goodbye(.protocolError, _) = $0 { true } else { false } }
      })
  }

  @Test func malformedTransferMessageEndsTheSession() throws {
    let raw = try RawSender()
    raw.control.send(
      .message(
        MessageFrame(messageClass: 240, sequence: 1, senderClockMilliseconds: 0, payload: [1, 9, 9])))
    #expect(raw.loop.runUntil { raw.host.peers.isEmpty })
  }

  @Test func ninthOpenOfferIsDeclined() throws {
    let raw = try RawSender()
    raw.host.transceiver.onOffer = { _ in }
    for number: UInt32 in 1...9 {
      raw.say(
        TransferMessage(
          TransferID(rawValue: number), .offer(TransferOffer(kind: .file(sizeBytes: 1), name: "f"))))
    }
    let busy = TransferMessage(TransferID(rawValue: 9), .decline(.busy, text: "")).encoded
    #expect(
      raw.loop.runUntil {
        raw.control.frames.contains {
          if case .message(let message) = $0 { Array(message.payload) == busy } else { false }
        }
      })
    #expect(raw.host.peers == [raw.identity.peerID])
  }

  /// Each answer would wait for room for ever.
  @Test func whoOffersOnAndTakesNoAnswerBreaksTheProtocol() throws {
    let loop = try EventLoop()
    // Nobody is connected: no answer can be sent, as with a peer that acknowledges nothing.
    let host = try Node("host", port: 0, on: loop)
    let plane = TransferPlane(owner: host.transceiver)
    let session = SessionTransfers(
      with: host.id,
      keys: TransferSessionKeys(
        isInviter: false, sessionID: [UInt8](repeating: 1, count: 16),
        secret: [UInt8](repeating: 2, count: 32)),
      remote: nil, plane: plane)
    #expect(throws: TransferProtocolError.unexpected("messages that leave no room for answers")) {
      for number: UInt32 in 1...10_000 {
        try session.received(TransferMessage(TransferID(rawValue: number), .offer(nil)).encoded[...])
      }
    }
    withExtendedLifetime(plane) {}
  }
}

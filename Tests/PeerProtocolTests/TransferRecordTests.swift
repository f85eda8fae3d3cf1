import PeerProtocol
import TestSupport
import Testing

@Suite struct TransferRecordTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let record: TransferRecord
    let bytes: [UInt8]
  }

  private static let hash = [UInt8](1...32)
  private static let vectors = [
    Vector(testDescription: "READY", record: .ready, bytes: [1, 0, 0, 0]),
    Vector(
      testDescription: "POSITION at the start", record: .position(.start, prefixHash: []),
      bytes: [2, 0, 0, 12] + [UInt8](repeating: 0, count: 12)),
    Vector(
      testDescription: "POSITION",
      record: .position(TransferPosition(entryIndex: 2, offsetBytes: 258), prefixHash: hash),
      bytes: [2, 0, 0, 44, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 2] + hash),
    Vector(
      testDescription: "ENTRY of a file",
      record: .entry(
        TransferRecord.EntryHeader(
          index: 1, precedingBytes: 5, offset: 3,
          entry: TransferEntry(
            path: ["a", "bc"], kind: .file(sizeBytes: 9, isExecutable: true), modifiedAtUnixSeconds: 1)!)),
      bytes: [3, 0, 0, 43, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 3]
        + [0, 0, 0, 0, 0, 0, 0, 9, 6, 2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 97, 2, 98, 99]),
    Vector(
      testDescription: "ENTRY of a folder",
      record: .entry(
        TransferRecord.EntryHeader(
          index: 0, precedingBytes: 0, offset: 0, entry: TransferEntry(path: ["a"], kind: .folder)!)),
      bytes: [3, 0, 0, 32] + [UInt8](repeating: 0, count: 28) + [1, 1, 1, 97]),
    Vector(testDescription: "ENTRY_END", record: .entryEnd(hash: hash), bytes: [5, 0, 0, 32] + hash),
    Vector(
      testDescription: "END", record: .end(entryCount: 3, byteCount: 4),
      bytes: [6, 0, 0, 12, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4]),
    Vector(testDescription: "ALIVE", record: .alive, bytes: [7, 0, 0, 0]),
  ]

  enum Part: Equatable {
    case record(TransferRecord)
    case data([UInt8])
  }

  /// Feeds pieces; content of DATA is put together again.
  private func decode(_ pieces: [[UInt8]]) throws -> [Part] {
    var decoder = TransferRecordDecoder()
    var parts: [Part] = []
    for piece in pieces {
      try piece.withUnsafeBytes { bytes in
        var position = 0
        while let item = try decoder.next(in: bytes, from: &position) {
          switch item {
          case .record(let record): parts.append(.record(record))
          case .data(let range):
            if case .data(let before) = parts.last {
              parts[parts.count - 1] = .data(before + bytes[range])
            } else {
              parts.append(.data(Array(bytes[range])))
            }
          }
        }
        #expect(position == bytes.count)
      }
    }
    return parts
  }

  @Test(arguments: vectors) func bytesAreAsDescribed(_ vector: Vector) throws {
    #expect(vector.record.encoded == vector.bytes)
    #expect(try decode([vector.bytes]) == [.record(vector.record)])
  }

  @Test(arguments: [1, 2, 3, 7, 1000]) func piecesOfAnySizeGiveTheSame(_ size: Int) throws {
    let content: [UInt8] = Array(0..<200)
    let stream =
      Self.vectors.flatMap(\.bytes) + TransferRecord.dataHeader(byteCount: content.count) + content
      + TransferRecord.alive.encoded
    let pieces = stride(from: 0, to: stream.count, by: size).map {
      Array(stream[$0..<min($0 + size, stream.count)])
    }
    let expected = Self.vectors.map { Part.record($0.record) } + [.data(content), .record(.alive)]
    #expect(try decode(pieces) == expected)
  }

  @Test(
    arguments: [
      [0, 0, 0, 0], [8, 0, 0, 0], [255, 255, 255, 255], [1, 0, 0, 1], [2, 0, 0, 11], [2, 0, 0, 45],
      [3, 0, 0, 29], [3, 0, 16, 103], [4, 0, 0, 0], [4, 4, 0, 1], [5, 0, 0, 31], [6, 0, 0, 13],
    ] as [[UInt8]]) func typeOrLengthOutsideItsBoundsIsRefusedByTheHeader(_ header: [UInt8])
  {
    #expect(throws: TransferProtocolError.self) { try decode([header]) }
  }

  @Test(
    arguments: [
      // A position with a hash that is missing or too much.
      [2, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      [2, 0, 0, 44] + [UInt8](repeating: 0, count: 44),
      // A folder with a size; a depth without names; a name of no bytes; bytes behind the last name; unknown flags.
      [3, 0, 0, 32] + [UInt8](repeating: 0, count: 27) + [1, 1, 1, 1, 97],
      [3, 0, 0, 30] + [UInt8](repeating: 0, count: 29) + [1],
      [3, 0, 0, 31] + [UInt8](repeating: 0, count: 29) + [1, 0],
      [3, 0, 0, 33] + [UInt8](repeating: 0, count: 29) + [1, 1, 97, 0],
      [3, 0, 0, 32] + [UInt8](repeating: 0, count: 28) + [8, 1, 1, 97],
      // A name that is no UTF-8, and 65 names.
      [3, 0, 0, 32] + [UInt8](repeating: 0, count: 29) + [1, 1, 255],
      [3, 0, 0, 160] + [UInt8](repeating: 0, count: 29) + [65] + [UInt8](repeating: 1, count: 130),
    ] as [[UInt8]]) func malformedRecordIsRefused(_ bytes: [UInt8])
  {
    #expect(throws: TransferProtocolError.self) { try decode([bytes]) }
  }

  @Test func damagedStreamsNeverCrash() {
    var random = SplitMix64(seed: 6)
    for _ in 0..<20_000 {
      var stream = (0..<3).flatMap { _ in Self.vectors.randomElement(using: &random)!.bytes }
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        stream[Int.random(in: 0..<stream.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let cut = Int.random(in: 0...stream.count, using: &random)
      _ = try? decode([Array(stream[..<cut]), Array(stream[cut...])])
    }
  }

  @Test func openingIsAsDescribed() throws {
    let opening = TransferOpening(
      sessionID: [UInt8](repeating: 1, count: 16), id: TransferID(rawValue: 0x0102_0304),
      token: [UInt8](repeating: 2, count: 32))
    let payload = [UInt8](repeating: 1, count: 16) + [1, 2, 3, 4] + [UInt8](repeating: 2, count: 32)
    #expect(opening.frame == .purpose(type: 16, payload: payload[...]))
    #expect(TransferOpening(opening.frame) == opening)
    #expect(TransferOpening(.purpose(type: 16, payload: payload.dropLast())) == nil)
    #expect(TransferOpening(.purpose(type: 16, payload: (payload + [0])[...])) == nil)
    #expect(TransferOpening(.purpose(type: 17, payload: payload[...])) == nil)
    #expect(TransferOpening.tokenText(of: opening.id) == Array("transfer".utf8) + [1, 2, 3, 4])
  }
}

import PeerProtocol
import TestSupport
import Testing

/// One frame with its exact bytes, written down from PROTOCOL.md sections 4 and 5, not from the code's output.
struct FrameVector: Sendable, CustomTestStringConvertible {
  let name: String
  let frame: ControlFrame
  let bytes: [UInt8]

  var testDescription: String { name }

  static let all: [FrameVector] = [
    FrameVector(
      name: "HELLO",
      frame: .hello(Hello(version: 1, runID: 0x0102_0304_0506_0708, features: 0x8000_0001, name: "Drone")),
      bytes: [
        1, 0, 0, 20, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0x80, 0, 0, 1, 5, 0x44, 0x72, 0x6F, 0x6E, 0x65,
      ]),
    FrameVector(
      name: "HELLO of one letter",
      frame: .hello(Hello(version: .max, runID: .max, features: 0, name: "é")),
      bytes: [1, 0, 0, 17] + [UInt8](repeating: 255, count: 10) + [0, 0, 0, 0, 2, 0xC3, 0xA9]),
    FrameVector(
      name: "HELLO with the longest name",
      frame: .hello(Hello(runID: 0, name: String(repeating: "n", count: 63))),
      bytes: [1, 0, 0, 78, 0, 1] + [UInt8](repeating: 0, count: 12) + [63]
        + [UInt8](repeating: 0x6E, count: 63)),
    FrameVector(
      name: "INVITATION without context", frame: .invitation(timeLimitSeconds: 30, context: []),
      bytes: [2, 0, 0, 2, 0, 30]),
    FrameVector(
      name: "INVITATION with context", frame: .invitation(timeLimitSeconds: 0xABCD, context: [0, 255, 7]),
      bytes: [2, 0, 0, 5, 0xAB, 0xCD, 0, 255, 7]),
    FrameVector(
      name: "INVITATION with the longest context",
      frame: .invitation(timeLimitSeconds: 0, context: [UInt8](repeating: 9, count: 1000)),
      bytes: [2, 0, 0x03, 0xEA, 0, 0] + [UInt8](repeating: 9, count: 1000)),
    FrameVector(name: "ACCEPT", frame: .accept, bytes: [3, 0, 0, 0]),
    FrameVector(
      name: "DECLINE", frame: .decline(.untrusted, text: "no"), bytes: [4, 0, 0, 3, 2, 0x6E, 0x6F]),
    FrameVector(name: "DECLINE without text", frame: .decline(.other, text: ""), bytes: [4, 0, 0, 1, 255]),
    FrameVector(name: "PING", frame: .ping(number: 0x0102_0304), bytes: [5, 0, 0, 4, 1, 2, 3, 4]),
    FrameVector(name: "PONG", frame: .pong(number: .max), bytes: [6, 0, 0, 4, 255, 255, 255, 255]),
    FrameVector(
      name: "MESSAGE",
      frame: .message(
        MessageFrame(
          messageClass: 3, sequence: 1, senderClockMilliseconds: 0xFFFF_FFFE, payload: [0xCA, 0xFE])),
      bytes: [7, 0, 0, 11, 3, 0, 0, 0, 1, 255, 255, 255, 254, 0xCA, 0xFE]),
    FrameVector(
      name: "MESSAGE without payload",
      frame: .message(
        MessageFrame(messageClass: 0, sequence: .max, senderClockMilliseconds: 0, payload: [])),
      bytes: [7, 0, 0, 9, 0, 255, 255, 255, 255, 0, 0, 0, 0]),
    FrameVector(
      name: "GOODBYE", frame: .goodbye(.shuttingDown, text: "bye"),
      bytes: [8, 0, 0, 4, 6, 0x62, 0x79, 0x65]),
    FrameVector(
      name: "GOODBYE with the longest text",
      frame: .goodbye(.disconnected, text: String(repeating: "x", count: 200)),
      bytes: [8, 0, 0, 201, 8] + [UInt8](repeating: 0x78, count: 200)),
    FrameVector(
      name: "ACKNOWLEDGE", frame: .acknowledge(count: 0x0102_0304_0506_0708),
      bytes: [9, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]),
    FrameVector(
      name: "RESUME", frame: .resume(sessionID: Array(0...15), received: 9),
      bytes: [10, 0, 0, 24] + Array(0...15) + [0, 0, 0, 0, 0, 0, 0, 9]),
    FrameVector(
      name: "RESUMED", frame: .resumed(received: .max),
      bytes: [11, 0, 0, 8] + [UInt8](repeating: 255, count: 8)),
    FrameVector(
      name: "DATAGRAM_OFFER", frame: .datagramOffer(DatagramOffer(association: 0x0A0B_0C0D, port: 0x1234)),
      bytes: [12, 0, 0, 6, 10, 11, 12, 13, 0x12, 0x34]),
    FrameVector(name: "RELAYED", frame: .relayed([3, 2, 1]), bytes: [13, 0, 0, 3, 3, 2, 1]),
    FrameVector(
      name: "a frame of bulk", frame: .purpose(type: 16, payload: [5]), bytes: [16, 0, 0, 1, 5]),
    FrameVector(
      name: "a frame of pairing", frame: .purpose(type: 31, payload: []), bytes: [31, 0, 0, 0]),
  ]

  static let joined = all.flatMap(\.bytes)
}

@Suite struct ControlFrameTests {
  @Test(arguments: FrameVector.all) func aFrameIsWrittenAsDocumented(vector: FrameVector) {
    #expect(vector.frame.encoded == vector.bytes)
  }

  @Test(arguments: FrameVector.all) func aFrameIsReadAsDocumented(vector: FrameVector) throws {
    #expect(try frames(in: [vector.bytes]) == [vector.frame])
  }

  @Test func framesThatArriveTogetherAreToldApart() throws {
    #expect(try frames(in: [FrameVector.joined]) == FrameVector.all.map(\.frame))
  }

  @Test func framesThatArriveByteByByteAreWhole() throws {
    #expect(try frames(in: FrameVector.joined.map { [$0] }) == FrameVector.all.map(\.frame))
  }

  @Test(arguments: 1...64) func framesThatArriveInPiecesAreWhole(size: Int) throws {
    let bytes = FrameVector.joined
    let pieces = stride(from: 0, to: bytes.count, by: size).map {
      Array(bytes[$0..<min($0 + size, bytes.count)])
    }
    #expect(try frames(in: pieces) == FrameVector.all.map(\.frame))
  }

  @Test(arguments: FrameVector.all) func everyTruncationWaitsForMore(vector: FrameVector) throws {
    for count in 0..<vector.bytes.count {
      var decoder = ControlFrameDecoder()
      decoder.append(Array(vector.bytes[..<count]))
      #expect(try decoder.next() == nil, "\(count) bytes")
      decoder.append(Array(vector.bytes[count...]))
      #expect(try decoder.next() == vector.frame, "\(count) bytes and the rest")
      #expect(try decoder.next() == nil)
    }
  }

  /// Payload sizes of PROTOCOL.md section 4, before and after acceptance.
  static let bounds: [(type: UInt8, before: ClosedRange<Int>, after: ClosedRange<Int>)] = [
    (1, 16...128, 16...128), (2, 2...1002, 2...1002), (3, 0...0, 0...0), (4, 1...201, 1...201),
    (5, 4...4, 4...4), (6, 4...4, 4...4), (7, 9...1109, 9...65_545), (8, 1...201, 1...201),
    (9, 8...8, 8...8), (10, 24...24, 24...24), (11, 8...8, 8...8), (12, 6...64, 6...64),
    (13, 1...1109, 1...65_545), (16, 0...1100, 0...1100), (23, 0...1100, 0...1100),
    (24, 0...1100, 0...1100), (31, 0...1100, 0...1100),
  ]

  @Test(arguments: bounds.indices) func aLengthIsJudgedByTheHeaderAlone(index: Int) {
    let bounds = Self.bounds[index]
    let lengths =
      Array(0...1300) + [1302, 4096, 65_535, 65_536, 65_544, 65_545, 65_546, 65_547, 1 << 20, 0xFF_FFFF]
    for (isAccepted, legal) in [(false, bounds.before), (true, bounds.after)] {
      for length in lengths {
        var decoder = ControlFrameDecoder()
        if isAccepted { decoder.maximumPayloadBytes = ControlFrame.maximumMessageBytes }
        decoder.append([bounds.type, UInt8(length >> 16), UInt8(length >> 8 & 255), UInt8(length & 255)])
        let refusal = error { () throws(ControlFrameError) in _ = try decoder.next() }
        let expected =
          legal.contains(length) ? nil : ControlFrameError.length(type: bounds.type, bytes: length)
        #expect(refusal == expected, "type \(bounds.type), \(length) bytes, accepted \(isAccepted)")
      }
    }
  }

  @Test func unknownTypesAreRefusedFromTheHeader() {
    for type in [0] + Array(14...15) + Array(32...255) {
      var decoder = ControlFrameDecoder()
      decoder.append([UInt8(type), 0, 0, 4])
      #expect(throws: ControlFrameError.unknownType(UInt8(type))) { try decoder.next() }
    }
  }

  static let malformedHellos: [(String, [UInt8])] = [
    ("name of no bytes", [0, 0x41, 0x41]),
    ("name past the end", [3, 0x41, 0x41]),
    ("name of 64 bytes", [64] + [UInt8](repeating: 0x41, count: 64)),
    ("name of half a character", [1, 0xC3]),
    ("name of a surrogate", [3, 0xED, 0xA0, 0x80]),
    ("name of overlong zero", [2, 0xC0, 0x80]),
  ]

  @Test(arguments: malformedHellos) func aHelloWithAnImpossibleNameIsMalformed(what: String, tail: [UInt8]) {
    let payload = [UInt8](repeating: 0, count: 14) + tail
    var decoder = ControlFrameDecoder()
    decoder.append([1, 0, 0, UInt8(payload.count)] + payload)
    #expect(throws: ControlFrameError.malformed("HELLO"), "\(what)") { try decoder.next() }
  }

  @Test func fieldsBehindTheNameBelongToLaterVersions() throws {
    let vector = FrameVector.all[0]
    let longer = [1, 0, 0, UInt8(vector.bytes.count - 4 + 3)] + vector.bytes[4...] + [9, 9, 9]
    #expect(try frames(in: [longer]) == [vector.frame])
  }

  @Test(arguments: [0, 10, 100, 254]) func anUnknownReasonIsReadAsOther(code: Int) throws {
    #expect(try frames(in: [[4, 0, 0, 1, UInt8(code)]]) == [.decline(.other, text: "")])
    #expect(try frames(in: [[8, 0, 0, 2, UInt8(code), 0x41]]) == [.goodbye(.other, text: "A")])
  }

  @Test func aReasonTextThatIsNoUTF8IsRepaired() throws {
    #expect(try frames(in: [[4, 0, 0, 4, 1, 0x41, 0xFF, 0x42]]) == [.decline(.declined, text: "A\u{FFFD}B")])
  }

  @Test func whatIsTooLongIsShortenedToWholeCharacters() throws {
    let hello = Hello(runID: 1, name: String(repeating: "é", count: 40))
    #expect(hello.name == String(repeating: "é", count: 31))
    #expect(try frames(in: [ControlFrame.hello(hello).encoded]) == [.hello(hello)])
    let text = String(repeating: "€", count: 100)
    #expect(
      try frames(in: [ControlFrame.goodbye(.other, text: text).encoded])
        == [.goodbye(.other, text: String(repeating: "€", count: 66))])
    #expect(
      try frames(in: [
        ControlFrame.invitation(timeLimitSeconds: 1, context: Array(repeating: 1, count: 1001)).encoded
      ])
        == [.invitation(timeLimitSeconds: 1, context: Array(repeating: 1, count: 1000))])
  }

  @Test(arguments: ["", "e" + String(repeating: "\u{301}", count: 40)])
  func aNameThatCannotBeSentBecomesOneThatCan(name: String) throws {
    let hello = Hello(runID: 1, name: name)
    #expect(try frames(in: [ControlFrame.hello(hello).encoded]) == [.hello(hello)])
  }

  @Test func theLongestMessageNeedsAcceptance() throws {
    let frame = ControlFrame.message(
      MessageFrame(
        messageClass: 1, sequence: 1, senderClockMilliseconds: 1,
        payload: [UInt8](repeating: 5, count: ControlFrame.maximumMessageBytes)[...]))
    var decoder = ControlFrameDecoder()
    decoder.append(frame.encoded)
    #expect(throws: ControlFrameError.length(type: 7, bytes: 65_545)) { try decoder.next() }
    decoder = ControlFrameDecoder()
    decoder.maximumPayloadBytes = ControlFrame.maximumMessageBytes
    decoder.append(frame.encoded)
    #expect(try decoder.next() == frame)
  }

  @Test func randomFramesReadBackAsWritten() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      let sent = (0..<3).map { _ in Self.randomFrame(&random) }
      #expect(try frames(in: [sent.flatMap(\.encoded)]) == sent)
    }
  }

  /// Damaged streams end in an error or in waiting; nothing that is read can be larger than what came.
  @Test func noDamageCrashesOrInvents() {
    var random = SplitMix64(seed: 2)
    let seeds = FrameVector.all.map(\.bytes) + [FrameVector.joined]
    var (refused, read) = (0, 0)
    for _ in 0..<100_000 {
      var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        default: if bytes.count > 1 { bytes.remove(at: place) }
        }
      }
      var decoder = ControlFrameDecoder()
      if Bool.random(using: &random) { decoder.maximumPayloadBytes = ControlFrame.maximumMessageBytes }
      let cut = Int.random(in: 0...bytes.count, using: &random)
      let failure = error { () throws(ControlFrameError) in
        for piece in [bytes[..<cut], bytes[cut...]] {
          decoder.append(Array(piece))
          while let frame = try decoder.next() {
            read += 1
            if frame.encoded.count > bytes.count * 3 { Issue.record("\(frame) from \(bytes)") }
          }
        }
      }
      if failure != nil { refused += 1 }
    }
    #expect(refused > 10_000 && read > 10_000, "\(refused) refused, \(read) frames read")
  }

  /// One read of the network can carry thousands of the smallest frames; taking one must not move all that follow.
  @Test(.timeLimit(.minutes(1))) func manySmallFramesInOneReadCostNoMoreEachThanFew() throws {
    let frame = ControlFrame.ping(number: 7)
    func time(_ count: Int) throws -> Duration {
      var decoder = ControlFrameDecoder()
      decoder.append((0..<count).flatMap { _ in frame.encoded })
      var read = 0
      let time = try ContinuousClock().measure { while try decoder.next() != nil { read += 1 } }
      #expect(read == count)
      return time
    }
    // Ten times as many take ten times as long, and would take a hundred times if each moved the rest.
    #expect(try time(400_000) < time(40_000) * 40)
  }

  static func randomFrame(_ random: inout SplitMix64) -> ControlFrame {
    let number = UInt32.random(in: 0...(.max), using: &random)
    let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let letters: [Character] = ["a", "é", "€", "🚁", " ", "\n", "\u{1B}"]
    let text = String(
      (0..<Int.random(in: 1...15, using: &random)).map { _ in letters.randomElement(using: &random)! })
    let reason = PeerReason(rawValue: UInt8.random(in: 1...9, using: &random)) ?? .other
    switch Int.random(in: 0..<14, using: &random) {
    case 0:
      return .hello(
        Hello(
          version: UInt16.random(in: 0...(.max), using: &random), runID: random.next(), features: number,
          name: text))
    case 1:
      return .invitation(timeLimitSeconds: UInt16.random(in: 0...(.max), using: &random), context: bytes)
    case 2: return .accept
    case 3: return .decline(reason, text: text)
    case 4: return .ping(number: number)
    case 5: return .pong(number: number)
    case 6:
      return .message(
        MessageFrame(
          messageClass: UInt8.random(in: 0...255, using: &random), sequence: number,
          senderClockMilliseconds: UInt32.random(in: 0...(.max), using: &random), payload: bytes[...]))
    case 7: return .acknowledge(count: random.next())
    case 8:
      return .resume(
        sessionID: (0..<16).map { UInt8($0) ^ UInt8(truncatingIfNeeded: number) }, received: random.next())
    case 9: return .resumed(received: random.next())
    case 10:
      return .datagramOffer(
        DatagramOffer(association: number, port: UInt16.random(in: 0...(.max), using: &random)))
    case 11: return .relayed([1] + bytes[...])
    case 12: return .purpose(type: UInt8.random(in: 16...31, using: &random), payload: bytes[...])
    default: return .goodbye(reason, text: text)
    }
  }

  private func frames(in pieces: [[UInt8]]) throws(ControlFrameError) -> [ControlFrame] {
    var decoder = ControlFrameDecoder()
    var frames: [ControlFrame] = []
    for piece in pieces {
      decoder.append(piece)
      while let frame = try decoder.next() { frames.append(frame) }
    }
    return frames
  }

  private func error(_ body: () throws(ControlFrameError) -> Void) -> ControlFrameError? {
    do throws(ControlFrameError) {
      try body()
      return nil
    } catch { return error }
  }
}

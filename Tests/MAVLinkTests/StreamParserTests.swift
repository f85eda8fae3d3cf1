import MAVLink
import TestSupport
import Testing

struct StreamParserTests {
  /// A frame of every message type, and as MAVLink 1, signed and unknown frames.
  static let frames: [[UInt8]] = {
    var generator = SplitMix64(seed: 1)
    var encoder = FrameEncoder(systemID: 1, componentID: 1)
    func encode<M: Message>(_ type: M.Type) -> [UInt8] {
      let bytes = (0..<M.maximumPayloadLength).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      return encoder.encode(M(zeroExtending: bytes))
    }
    var frames = Dialect.messageTypes.map { encode($0) }
    // pymavlink 2.4.50: HEARTBEAT as MAVLink 1, and signed with link ID 5 and the key 0, 1, … 31.
    frames.append(bytes(fromHex: "fe090dffbe00040000000203510403086d"))
    frames.append(
      bytes(fromHex: "fd0901000dffbe000000030000000608c00403dc090515cd5b070000c1d7001cf637"))
    return frames
  }()

  @Test func framesComeOutOfAnyPortions() {
    let stream = Self.frames.flatMap { $0 }
    for size in [1, 2, 3, 7, 64, 255, 1_000, stream.count] {
      var parser = StreamParser()
      var found: [[UInt8]] = []
      for start in stride(from: 0, to: stream.count, by: size) {
        found += parser.frames(in: Array(stream[start..<min(start + size, stream.count)])).map(\.bytes)
      }
      #expect(found == Self.frames, "portions of \(size)")
      #expect(parser.counters.skippedBytes == 0)
      #expect(parser.counters.checksumErrors == 0)
      #expect(parser.counters.bytes == UInt64(stream.count))
      #expect(parser.counters.frames == UInt64(Self.frames.count))
    }
  }

  @Test func framesStayWhatTheyWereWhenMoreIsPushed() {
    var parser = StreamParser()
    var kept: [Frame] = []
    for frame in Self.frames {
      parser.push(frame + frame.prefix(5))
      while let found = parser.next() { kept.append(found) }
      parser.push(Array(frame.dropFirst(5)))
      while let found = parser.next() { kept.append(found) }
    }
    #expect(kept.map(\.bytes) == Self.frames.flatMap { [$0, $0] })
  }

  @Test func noFrameIsLostInNoise() {
    // Noise full of start bytes, which announce frames that would swallow what follows.
    var generator = SplitMix64(seed: 2)
    let favourites: [UInt8] = [0xFD, 0xFE, 0, 1, 0xFF, 9]
    var stream: [UInt8] = []
    for frame in Self.frames {
      for _ in 0..<Int.random(in: 0...60, using: &generator) {
        stream.append(
          Bool.random(using: &generator)
            ? favourites.randomElement(using: &generator)! : .random(in: 0...255, using: &generator))
      }
      stream += frame
    }
    // What is still awaited in the end settles with the bytes that follow.
    stream += [UInt8](repeating: 0, count: 600)
    for size in [1, 13, 4_096] {
      var parser = StreamParser()
      var found: [[UInt8]] = []
      for start in stride(from: 0, to: stream.count, by: size) {
        found += parser.frames(in: Array(stream[start..<min(start + size, stream.count)]))
          .filter { $0.integrity == .verified }.map(\.bytes)
      }
      #expect(found == Self.frames, "portions of \(size)")
    }
  }

  @Test func searchGoesOnRightAfterAFalseStart() {
    let frame = Self.frames[0]
    var parser = StreamParser()
    // Announces 40 bytes of a HEARTBEAT; the real frame lies inside them.
    let falseStart: [UInt8] = [0xFD, 40, 0, 0, 0, 1, 1, 0, 0, 0]
    var found = parser.frames(in: falseStart + frame + frame)
    found += parser.frames(in: [UInt8](repeating: 0, count: 40))
    #expect(found.map(\.bytes) == [frame, frame])
    #expect(parser.counters.checksumErrors == 1)
  }

  @Test func unknownIncompatibilityFlagsStartNoFrame() {
    var frame = Self.frames[0]
    frame[2] = 2
    var parser = StreamParser()
    #expect(parser.frames(in: frame).isEmpty)
    #expect(parser.counters.skippedBytes == UInt64(frame.count))
  }

  @Test func everyTruncationYieldsNothingAndThenTheNextFrames() {
    for frame in Self.frames {
      for length in 0..<frame.count {
        var parser = StreamParser()
        #expect(parser.frames(in: Array(frame[..<length])).allSatisfy { $0.integrity == .unknown })
        let following = Self.frames[0] + [UInt8](repeating: 0, count: 600)
        let found = parser.frames(in: following).filter { $0.integrity == .verified }
        #expect(found.map(\.bytes) == [Self.frames[0]], "\(hex(frame)) cut at \(length)")
      }
    }
  }

  @Test func everyFlippedBitIsNoticed() {
    let frame = Self.frames[0]
    for bit in 0..<(frame.count * 8) {
      var damaged = frame
      damaged[bit / 8] ^= 1 << (bit % 8)
      var parser = StreamParser()
      let found = parser.frames(in: damaged + [UInt8](repeating: 0, count: 600))
      #expect(found.allSatisfy { $0.integrity == .unknown }, "bit \(bit)")
    }
  }

  @Test func mutatedStreamsNeverCrash() {
    var generator = SplitMix64(seed: 3)
    var verified = 0
    for _ in 0..<100_000 {
      var bytes = Self.frames.randomElement(using: &generator)!
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        guard !bytes.isEmpty else { break }
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = .random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(.random(in: 0...255, using: &generator), at: index)
        default: bytes.removeLast(bytes.count - index)
        }
      }
      var parser = StreamParser()
      for frame in parser.frames(in: bytes) {
        verified += frame.integrity == .verified ? 1 : 0
        for type in Dialect.messageTypes where type.messageID == frame.messageID {
          #expect(frame.integrity == .unknown || decodes(frame, type))
        }
      }
    }
    // Some mutations hit themselves, and a 16-bit sum lets one in 65,536 through.
    #expect(verified < 2_000)
  }

  private func decodes<M: Message>(_ frame: Frame, _ type: M.Type) -> Bool {
    frame.decode(M.self) != nil
  }

  @Test func unknownMessagesAreForwardedUnchanged() throws {
    // Message 0x123456 is in no dialect; the checksum is arbitrary.
    let unknown: [UInt8] = [0xFD, 3, 0, 0, 9, 7, 8, 0x56, 0x34, 0x12, 1, 2, 3, 0xAA, 0xBB]
    var parser = StreamParser()
    let found = parser.frames(in: Self.frames[0] + unknown + Self.frames[1])
    #expect(found.map(\.bytes) == [Self.frames[0], unknown, Self.frames[1]])
    #expect(found.map(\.integrity) == [.verified, .unknown, .verified])
    #expect(found[1].messageID == 0x12_3456)
    #expect(found[1].decode(Heartbeat.self) == nil)
    #expect(parser.counters.unknownFrames == 1)
  }

  @Test func aKnownFrameInsideAnUnknownOneWins() {
    // An unknown message that announces exactly the bytes of the frame that follows it.
    let inner = Self.frames[0]
    let header: [UInt8] = [0xFD, UInt8(inner.count - 2), 0, 0, 9, 7, 8, 0x56, 0x34, 0x12]
    for size in [1, 1_000] {
      var parser = StreamParser()
      var found: [Frame] = []
      let stream = header + inner + inner
      for start in stride(from: 0, to: stream.count, by: size) {
        found += parser.frames(in: Array(stream[start..<min(start + size, stream.count)]))
      }
      #expect(found.map(\.bytes) == [inner, inner])
    }
  }

  @Test func unknownMavlink1FrameWaitsForTheNextStart() {
    // 240 is no message of the dialects.
    let unknown: [UInt8] = [0xFE, 2, 0, 1, 1, 240, 5, 6, 0xAA, 0xBB]
    var parser = StreamParser()
    #expect(parser.frames(in: unknown).isEmpty)
    #expect(parser.frames(in: Self.frames[0]).map(\.bytes) == [unknown, Self.frames[0]])
  }

  @Test func sequenceGapsAreCountedForEachComponent() {
    var parser = StreamParser()
    func push(_ component: UInt8, _ sequence: UInt8) {
      var encoder = FrameEncoder(systemID: 1, componentID: component, sequence: sequence)
      parser.push(encoder.encode(Heartbeat()))
      #expect(parser.next() != nil)
    }
    push(1, 254)
    push(2, 10)
    push(1, 255)
    push(1, 2)  // 0 and 1 are missing
    push(2, 11)
    push(2, 11)  // a repeated frame is no loss
    #expect(parser.counters.lostFrames == 2)
    #expect(parser.sources[systemID: 1, componentID: 1]?.lostFrames == 2)
    #expect(parser.sources[systemID: 1, componentID: 2]?.lostFrames == 0)
    #expect(parser.sources[systemID: 1, componentID: 2]?.frames == 3)
  }

  @Test func watchedSourcesAreBounded() {
    var parser = StreamParser()
    for component in UInt8.min...UInt8.max {
      var encoder = FrameEncoder(systemID: 1, componentID: component)
      parser.push(encoder.encode(Heartbeat()))
      #expect(parser.next() != nil)
    }
    #expect(parser.sources.entries.count == SourceTable.maximumCount)
    #expect(parser.counters.frames == 256)
  }

  @Test func bytesThatNobodyPullsAreBounded() {
    var parser = StreamParser()
    let chunk = [UInt8](repeating: 0x55, count: 10_000)
    for _ in 0..<100 { parser.push(chunk) }
    parser.push(Self.frames[0])
    #expect(parser.next()?.bytes == Self.frames[0])
    #expect(parser.counters.skippedBytes == 1_000_000)
    #expect(parser.counters.bytes == UInt64(1_000_000 + Self.frames[0].count))
  }

  @Test(.timeLimit(.minutes(1))) func hostileStreamsCostLinearTime() {
    // Every byte starts an unknown frame of the greatest length.
    var parser = StreamParser()
    var pattern: [UInt8] = []
    for index in 0..<200_000 { pattern.append(index % 2 == 0 ? 0xFD : 1) }
    #expect(parser.frames(in: pattern).allSatisfy { $0.integrity == .unknown })
    #expect(
      parser.frames(in: Self.frames[0] + [UInt8](repeating: 0, count: 600))
        .contains { $0.bytes == Self.frames[0] })
  }
}

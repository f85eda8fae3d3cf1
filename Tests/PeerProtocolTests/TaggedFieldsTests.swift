import PeerProtocol
import TestSupport
import Testing

@Suite struct TaggedFieldsTests {
  private func written(_ body: (inout TaggedFieldWriter) -> Void) -> [UInt8] {
    var writer = TaggedFieldWriter()
    body(&writer)
    return writer.bytes
  }

  @Test func fieldsAreWrittenAsDocumented() {
    let bytes = written {
      $0.set(1, UInt32(0x0102_0304))
      $0.set(2, UInt8(7))
      $0.set(3, "hé", maximumBytes: 16)
      $0.set(4, true)
      $0.set(5, 1.5)
      $0.set(6, UInt16?.none)
      $0.set(7, String?.none, maximumBytes: 3)
      $0.set(8, false)
      $0.set(9, "", maximumBytes: 3)
    }
    #expect(
      bytes == [
        1, 4, 1, 2, 3, 4, 2, 1, 7, 3, 3, 0x68, 0xC3, 0xA9, 4, 1, 1, 5, 8, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0, 8, 1,
        0, 9, 0,
      ])
  }

  @Test func everyKindReadsBackAsWritten() throws {
    let doubles = [0, -0.0, 1.5, -273.15, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
    for value in doubles {
      let reader = try #require(TaggedFieldReader(written { $0.set(9, value) }[...]))
      #expect(reader.double(9)?.bitPattern == value.bitPattern)
    }
    for value in [UInt64.min, 1, 0x8000_0000_0000_0000, .max] {
      let reader = try #require(
        TaggedFieldReader(
          written {
            $0.set(1, value)
            $0.set(2, UInt32(truncatingIfNeeded: value))
            $0.set(3, UInt16(truncatingIfNeeded: value))
            $0.set(4, UInt8(truncatingIfNeeded: value))
          }[...]))
      #expect(reader.integer(1, UInt64.self) == value)
      #expect(reader.integer(2, UInt32.self) == UInt32(truncatingIfNeeded: value))
      #expect(reader.integer(3, UInt16.self) == UInt16(truncatingIfNeeded: value))
      #expect(reader.integer(4, UInt8.self) == UInt8(truncatingIfNeeded: value))
    }
    for value in ["", "a", "äöü€🚁", String(repeating: "x", count: 255)] {
      let reader = try #require(TaggedFieldReader(written { $0.set(0, value, maximumBytes: 255) }[...]))
      #expect(reader.string(0) == value)
    }
    for value in [true, false] {
      #expect(TaggedFieldReader(written { $0.set(255, value) }[...])?.boolean(255) == value)
    }
  }

  @Test func aTextIsShortenedToWholeCharacters() {
    #expect(written { $0.set(1, "ab€", maximumBytes: 4) } == [1, 2, 0x61, 0x62])
    #expect(written { $0.set(1, "ab€", maximumBytes: 5) } == [1, 5, 0x61, 0x62, 0xE2, 0x82, 0xAC])
    let family = "👨‍👩‍👧"
    #expect(written { $0.set(1, family, maximumBytes: family.utf8.count - 1) } == [1, 0])
    let long = written { $0.set(1, String(repeating: "y", count: 1000), maximumBytes: 1000) }
    #expect(long.count == 257 && long[1] == 255)
  }

  @Test func unknownTagsAreSkipped() throws {
    let bytes = [200, 3, 9, 9, 9] + written { $0.set(1, UInt8(5)) } + [201, 0]
    let reader = try #require(TaggedFieldReader(bytes[...]))
    #expect(reader.integer(1, UInt8.self) == 5)
    #expect(reader.integer(2, UInt8.self) == nil)
  }

  @Test(arguments: [[1, 1, 5, 1, 1, 5], [9, 0, 1, 1, 5, 9, 0]] as [[UInt8]])
  func aTagThatComesTwiceIsRefused(bytes: [UInt8]) {
    #expect(TaggedFieldReader(bytes[...]) == nil)
  }

  @Test func aTruncatedFieldIsRefused() {
    let fields: [[UInt8]] = [
      [1, 1, 5], [2, 4, 0, 0, 0, 1], [3, 0], [4, 255] + Array(repeating: 1, count: 255),
    ]
    let bytes = fields.flatMap(\.self)
    let whole = fields.indices.map { fields[...$0].reduce(0) { $0 + $1.count } }
    for count in 0...bytes.count {
      let isWhole = count == 0 || whole.contains(count)
      #expect((TaggedFieldReader(bytes[..<count]) != nil) == isWhole, "\(count) bytes")
    }
  }

  @Test func aFieldOfAnotherSizeIsMissing() throws {
    let reader = try #require(TaggedFieldReader([1, 3, 0, 0, 5, 2, 0, 3, 8, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]))
    #expect(reader.integer(1, UInt32.self) == nil)
    #expect(reader.integer(1, UInt16.self) == nil)
    #expect(reader.boolean(2) == nil)
    #expect(reader.double(1) == nil)
    // Infinity.
    #expect(reader.double(3) == nil)
    #expect(reader.integer(3, UInt64.self) == 0x7FF0_0000_0000_0000)
  }

  @Test func aTextThatIsNoUTF8IsRepaired() {
    #expect(TaggedFieldReader([1, 3, 0x41, 0xFF, 0x42])?.string(1) == "A\u{FFFD}B")
  }

  @Test func aPayloadThatIsASliceIsReadFromItsOwnStart() {
    let bytes: [UInt8] = [9, 9, 9, 1, 1, 5, 9]
    #expect(TaggedFieldReader(bytes[3..<6])?.integer(1, UInt8.self) == 5)
  }

  @Test func randomBytesNeverCrash() {
    var random = SplitMix64(seed: 3)
    var read = 0
    for _ in 0..<50_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...9, using: &random)
      }
      guard let reader = TaggedFieldReader(bytes[...]) else { continue }
      read += 1
      for tag in UInt8(0)...9 {
        let text = reader.string(tag)
        if let value = reader.integer(tag, UInt8.self) {
          #expect(text == String(decoding: [value], as: UTF8.self))
        }
      }
    }
    #expect(read > 1000)
  }
}

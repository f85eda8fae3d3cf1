import KeyedArchive
import Testing

@Suite struct KeyedArchiveTests {
  private static func archive(_ fill: (inout KeyedArchiveWriter) -> Void) throws -> KeyedArchiveReader {
    var writer = KeyedArchiveWriter(rootKey: "root", className: "Sample")
    fill(&writer)
    return try KeyedArchiveReader(
      writer.encoded(), rootKey: "root", classNames: ["Sample"],
      limits: KeyedArchiveLimits(maximumBytes: 65_536, maximumObjects: 1024))
  }

  @Test(arguments: [0, 1, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, -1, .min, .max])
  func integersReadBack(value: Int64) throws {
    #expect(try Self.archive { $0.set(value, forKey: "n") }.integer(forKey: "n") == value)
  }

  @Test(arguments: [
    0, -0.0, 1.5, .pi, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .nan,
  ])
  func doublesReadBackBitByBit(value: Double) throws {
    let read = try Self.archive { $0.set(value, forKey: "n") }.double(forKey: "n")
    #expect(read?.bitPattern == value.bitPattern)
  }

  @Test(arguments: [
    "", "a", "fourteen bytes", "fifteen bytes..", "Zürich", "🛩", String(repeating: "x", count: 300),
  ])
  func stringsReadBack(value: String) throws {
    #expect(try Self.archive { $0.set(value, forKey: value + "!") }.string(forKey: value + "!") == value)
  }

  @Test func missingMistypedAndPresentAreToldApart() throws {
    let archive = try Self.archive { $0.set(false, forKey: "there") }
    #expect(try archive.boolean(forKey: "there") == false)
    #expect(try archive.boolean(forKey: "elsewhere") == nil)
    #expect(throws: KeyedArchiveError.mistyped(key: "there", expected: .double, found: .boolean)) {
      try archive.double(forKey: "there")
    }
  }

  @Test func manyValuesNeedLargerReferences() throws {
    let archive = try Self.archive { writer in
      for number in 0..<300 { writer.set(Int64(number), forKey: "key\(number)") }
    }
    for number in 0..<300 { #expect(try archive.integer(forKey: "key\(number)") == Int64(number)) }
  }

  @Test func keysKeepTheirOrder() throws {
    let archive = try Self.archive { writer in
      for key in ["z", "a", "m"] { writer.set(true, forKey: key) }
    }
    #expect(archive.keys == ["z", "a", "m"])
  }
}

import KeyedArchive
import Testing

@Suite struct HostileArchiveTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let archive: HandMadeArchive
    let error: KeyedArchiveError

    init(_ testDescription: String, _ archive: HandMadeArchive, _ error: KeyedArchiveError) {
      self.testDescription = testDescription
      self.archive = archive
      self.error = error
    }
  }

  private static let valid = HandMadeArchive.valid

  private static func trailer(_ change: (inout HandMadeArchive) -> Void) -> HandMadeArchive {
    var archive = valid
    change(&archive)
    return archive
  }

  static let cases: [Case] = [
    // Foundation ends the process or expands these (its decoder force-unwraps, recurses and copies shared objects).
    Case("class reference out of range", valid.replacing(15, [0x80, 99]), .badClassDescription),
    Case("class that is a string", valid.replacing(15, [0x80, 0]), .badClassDescription),
    Case("class that is the object itself", valid.replacing(15, [0x80, 1]), .badClassDescription),
    Case("class that is no reference", valid.replacing(15, [0x10, 2]), .badClassDescription),
    Case(
      "disallowed class", valid.replacing(20, HandMadeArchive.text("NSArray")), .classNotAllowed("NSArray")),
    Case("value that is the object itself", valid.replacing(16, [0x80, 1]), .nestedObject(key: "on")),
    Case("value that is the class", valid.replacing(16, [0x80, 2]), .nestedObject(key: "on")),
    Case("value that does not exist", valid.replacing(16, [0x80, 9]), .referenceOutOfRange(object: 12)),
    Case(
      "huge reference", valid.replacing(16, [0x87] + [UInt8](repeating: 0xFF, count: 8)),
      .referenceOutOfRange(object: 12)),
    Case(
      "containers that share a container",
      valid.replacing(16, [0xA2, 23, 23]).appending([0xA2, 24, 24], [0xA2, 25, 25], [0xA1, 11]),
      .sharedContainer(object: 23)),
    Case("container in itself", valid.replacing(16, [0xA1, 16]), .sharedContainer(object: 16)),
    Case("top dictionary in itself", valid.replacing(16, [0xA1, 0]), .cyclicContainer(object: 0)),
    Case(
      "chain of containers",
      valid.replacing(16, [0xA1, 23]).appending([0xA1, 24], [0xA1, 25], [0xA1, 11]),
      .nestedObject(key: "on")),
    Case(
      "array of huge count", valid.replacing(16, [0xAF, 0x13] + [UInt8](repeating: 0x7F, count: 8)),
      .objectRunsOverTheEnd(16)),
    Case(
      "text of huge count", valid.replacing(16, [0x6F, 0x13] + [UInt8](repeating: 0xFF, count: 8)),
      .objectRunsOverTheEnd(16)),
    Case(
      "count that is no integer", valid.replacing(16, [0x5F, 0x50]),
      .unsupportedMarker(object: 16, marker: 0x50)),
    Case("huge object count", trailer { $0.count = .max }, .tooManyObjects(count: .max, limit: 256)),
    Case("no objects", trailer { $0.count = 0 }, .badTrailer(.noObjects)),
    Case("wrong object count", trailer { $0.count = 22 }, .badTrailer(.offsetTable)),
    Case("top object out of range", trailer { $0.top = 23 }, .badTrailer(.topObject)),
    Case("odd size of offsets", trailer { $0.offsetSize = 3 }, .badTrailer(.offsetSize)),
    Case("no size of references", trailer { $0.referenceSize = 0 }, .badTrailer(.referenceSize)),
    Case("trailer in use", trailer { $0.unused[5] = 1 }, .badTrailer(.unusedBytesNotZero)),
    Case("set", valid.replacing(16, [0xC1, 11]), .unsupportedMarker(object: 16, marker: 0xC1)),
    Case("null marker", valid.replacing(16, [0x00]), .unsupportedMarker(object: 16, marker: 0x00)),
    Case("byte over 127 in text", valid.replacing(14, [0x52, 0x6F, 0xEE]), .badText(object: 14)),
    Case("lone surrogate", valid.replacing(16, [0x61, 0xD8, 0x00]), .badText(object: 16)),
    Case("second spelling of a key", valid.replacing(14, [0x62, 0, 0x6F, 0, 0x6E]), .badText(object: 14)),
    Case("key that is an integer", valid.replacing(14, [0x10, 1]), .keyIsNotAString(object: 12)),
    Case("key twice", valid.replacing(12, [0xD3, 13, 14, 14, 15, 16, 16]), .repeatedKey("on")),
    Case("class twice", valid.replacing(12, [0xD3, 13, 14, 13, 15, 16, 15]), .repeatedKey("$class")),
    Case("other version", valid.replacing(5, [0x10, 1]), .badHeader(.version)),
    Case("other archiver", valid.replacing(6, HandMadeArchive.text("NSArchiver")), .badHeader(.archiver)),
    Case("other root key", valid.replacing(8, HandMadeArchive.text("boot")), .missingRoot(key: "root")),
    Case("root that is no reference", valid.replacing(9, [0x09]), .badHeader(.top)),
    Case("root that is null", valid.replacing(9, [0x80, 0]), .missingRoot(key: "root")),
    Case(
      "fifth key at the top", valid.replacing(0, [0xD5, 1, 2, 3, 4, 8, 5, 6, 7, 10, 16]), .badHeader(.shape)),
    Case("objects without null", valid.replacing(11, HandMadeArchive.text("null")), .badHeader(.objects)),
    Case(
      "stray object", valid.replacing(10, [0xA4, 11, 12, 17, 23]).appending([0xA1, 11]),
      .badHeader(.strayObject)),
    Case("class list without names", valid.replacing(21, [0xA2, 20, 16]), .badClassDescription),
    Case("class list of another class", valid.replacing(21, [0xA2, 22, 20]), .badClassDescription),
  ]

  @Test func theHandMadeArchiveIsReadBeforeItIsDamaged() throws {
    let reader = try KeyedArchiveReader(Self.valid.bytes, rootKey: "root", classNames: ["Sample"])
    #expect(try reader.boolean(forKey: "on") == true)
    #expect(reader.keys == ["on"])
  }

  @Test(arguments: cases) func aDamagedArchiveIsRefusedWithItsReason(hostile: Case) {
    #expect(throws: hostile.error) {
      try KeyedArchiveReader(hostile.archive.bytes, rootKey: "root", classNames: ["Sample"])
    }
  }

  @Test func nullCountsAsMissing() throws {
    let reader = try KeyedArchiveReader(
      Self.valid.replacing(16, [0x80, 0]).bytes, rootKey: "root", classNames: ["Sample"])
    #expect(try reader.boolean(forKey: "on") == nil)
    #expect(reader.kind(forKey: "on") == .null)
  }

  @Test(arguments: [
    "A.Sample": true, "my_App2.Sample": true, ".Sample": false, "A.B.Sample": false, "ASample": false,
  ])
  func aModuleNameMayStandBeforeTheClass(name: String, isAllowed: Bool) {
    let bytes = Self.valid.replacing(20, HandMadeArchive.text(name)).bytes
    #expect(((try? KeyedArchiveReader(bytes, rootKey: "root", classNames: ["Sample"])) != nil) == isAllowed)
  }

  @Test func limitsAreCheckedFirst() {
    let bytes = Self.valid.bytes
    #expect(throws: KeyedArchiveError.tooLarge(bytes: bytes.count, limit: bytes.count - 1)) {
      try KeyedArchiveReader(
        bytes, rootKey: "root", classNames: ["Sample"],
        limits: KeyedArchiveLimits(maximumBytes: bytes.count - 1))
    }
    #expect(throws: KeyedArchiveError.tooManyObjects(count: 23, limit: 22)) {
      try KeyedArchiveReader(
        bytes, rootKey: "root", classNames: ["Sample"], limits: KeyedArchiveLimits(maximumObjects: 22))
    }
  }

  @Test(.timeLimit(.minutes(1))) func mutationsNeitherCrashNorHang() throws {
    // 200,000 inputs from one seed; the program `archive-fuzz` runs the same idea for longer, in a release build.
    var state: UInt64 = 2026
    func random(_ bound: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((value ^ (value >> 31)) % UInt64(bound))
    }
    let seed = Self.valid.bytes
    var read = 0
    for _ in 0..<200_000 {
      var bytes = seed
      for _ in 0...random(3) { bytes[random(bytes.count)] = UInt8(random(256)) }
      if (try? KeyedArchiveReader(bytes, rootKey: "root", classNames: ["Sample"])) != nil { read += 1 }
    }
    // Some mutations only rename a key or turn the boolean; if nearly all were read, the reader would check nothing.
    #expect((1..<20_000).contains(read), "\(read) read")
  }
}

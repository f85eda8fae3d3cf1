import Terminal
import TestSupport
import Testing

struct KeyDecoderTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let keys: [Key]

    init(_ name: String, _ text: String, _ keys: [Key]) {
      self.init(name, Array(text.utf8), keys)
    }

    init(_ name: String, _ bytes: [UInt8], _ keys: [Key]) {
      testDescription = name
      self.bytes = bytes
      self.keys = keys
    }
  }

  static let vectors = [
    Vector("letters", "aZ ~", [.character("a"), .character("Z"), .character(" "), .character("~")]),
    Vector("UTF-8 of 2, 3 and 4 bytes", "é世🚁", [.character("é"), .character("世"), .character("🚁")]),
    Vector("enter, also as a line feed", "\r\n", [.enter, .enter]),
    Vector("tab and both kinds of backspace", "\t\u{8}\u{7F}", [.tab, .backspace, .backspace]),
    Vector("control keys", [1, 3, 26], [.control("a"), .control("c"), .control("z")]),
    Vector("arrows", "\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
    Vector("arrows in application mode", "\u{1B}OA\u{1B}OD", [.up, .left]),
    Vector("arrows with modifiers", "\u{1B}[1;5C", [.right]),
    Vector(
      "home and end, three ways", "\u{1B}[H\u{1B}[1~\u{1B}OH\u{1B}[F\u{1B}[4~",
      [.home, .home, .home, .end, .end]),
    Vector(
      "page and editing keys", "\u{1B}[5~\u{1B}[6~\u{1B}[3~\u{1B}[2~\u{1B}[Z",
      [.pageUp, .pageDown, .delete, .insert, .backTab]),
    Vector("function keys mean nothing", "\u{1B}[15~\u{1B}OP\u{1B}[[A", [.unknown, .unknown, .unknown]),
    Vector("alt with a letter", "\u{1B}x\u{1B}é", [.alt("x"), .alt("é")]),
    Vector("escape twice, then an arrow", "\u{1B}\u{1B}[A", [.escape, .up]),
    Vector(
      "paste", "\u{1B}[200~one\r\ntwo\u{1B}[3~\u{1B}[201~x",
      [.pasted("one\r\ntwo\u{1B}[3~"), .character("x")]),
    Vector("paste with an end that is none", "\u{1B}[200~a\u{1B}[20\u{1B}[201~", [.pasted("a\u{1B}[20")]),
    Vector("stray continuation", [0x80, 0x61], [.unknown, .character("a")]),
    Vector("UTF-8 that breaks off", [0xE4, 0x61], [.unknown, .character("a")]),
    Vector(
      "overlong and surrogate", [0xC0, 0xE0, 0x80, 0x80, 0xED, 0xA0, 0x80], [.unknown, .unknown, .unknown]),
    Vector("a sequence that breaks off", [0x1B, 0x5B, 0x31, 0x0D], [.unknown, .enter]),
  ]

  @Test(arguments: vectors) func bytesBecomeKeys(_ vector: Vector) {
    var whole = KeyDecoder()
    #expect(whole.decode(vector.bytes) == vector.keys)
    #expect(!whole.isPending)
    var single = KeyDecoder()
    #expect(vector.bytes.flatMap { single.decode([$0]) } == vector.keys)
  }

  @Test func aLoneEscapeIsTheKeyWhenTimeIsUp() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0x1B]).isEmpty)
    #expect(decoder.isPending)
    #expect(decoder.flush() == [.escape])
    #expect(!decoder.isPending)
    #expect(decoder.decode("[A".utf8) == [.character("["), .character("A")])
  }

  @Test func anUnfinishedPasteIsNotCutByTime() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1B}[200~one".utf8).isEmpty)
    #expect(!decoder.isPending)
    #expect(decoder.flush().isEmpty)
    #expect(decoder.decode(" two\u{1B}[201~".utf8) == [.pasted("one two")])
  }

  @Test func pastesAndSequencesAreBounded() {
    var decoder = KeyDecoder()
    _ = decoder.decode("\u{1B}[200~".utf8)
    _ = decoder.decode(repeatElement(UInt8(ascii: "x"), count: 200_000))
    let keys = decoder.decode("\u{1B}[201~".utf8)
    guard case .pasted(let text)? = keys.first else {
      Issue.record("\(keys)")
      return
    }
    #expect(text.utf8.count == KeyDecoder.maximumPasteBytes)
    #expect(decoder.decode("\u{1B}[".utf8).isEmpty)
    #expect(decoder.decode(repeatElement(UInt8(ascii: "1"), count: 100)).first == .unknown)
  }

  @Test func noiseNeverEndsIt() {
    var random = SplitMix64(seed: 1)
    var decoder = KeyDecoder()
    for _ in 0..<50_000 {
      _ = decoder.decode([UInt8.random(in: 0...255, using: &random)])
      if random.next() % 50 == 0 { _ = decoder.flush() }
    }
    // A paste may be open.
    _ = decoder.decode("\u{1B}[201~".utf8)
    _ = decoder.flush()
    #expect(decoder.decode("a".utf8) == [.character("a")])
  }
}

import JSONText
import Testing

struct JSONWriting {
  struct Vector: Sendable, CustomTestStringConvertible {
    var value: JSON
    var text: String
    var testDescription: String { text }
  }

  static let vectors: [Vector] = [
    Vector(value: nil, text: "null"),
    Vector(value: true, text: "true"),
    Vector(value: false, text: "false"),
    Vector(value: .integer(.min), text: "-9223372036854775808"),
    Vector(value: .integer(.max), text: "9223372036854775807"),
    Vector(value: 0.1, text: "0.1"),
    Vector(value: 5.0, text: "5.0"),
    Vector(value: -0.0, text: "-0.0"),
    Vector(value: .number(.leastNonzeroMagnitude), text: "5e-324"),
    Vector(value: .number(.greatestFiniteMagnitude), text: "1.7976931348623157e+308"),
    Vector(value: "", text: #""""#),
    Vector(value: "a\"b\\c/", text: #""a\"b\\c/""#),
    Vector(value: "\u{0}\u{8}\t\n\u{C}\r\u{1B}", text: #""\u0000\b\t\n\f\r\u001b""#),
    Vector(value: "\u{7F}\u{9B}\u{2028}", text: #""\u007f\u009b\u2028""#),
    Vector(value: "é€😀", text: #""é€😀""#),
    Vector(value: [], text: "[]"),
    Vector(value: [:], text: "{}"),
    Vector(value: [1, [nil], "x"], text: #"[1,[null],"x"]"#),
    Vector(value: ["z": 1, "a": ["b": false]], text: #"{"z":1,"a":{"b":false}}"#),
  ]

  @Test(arguments: vectors) func writesOneLineAndReadsItBack(_ vector: Vector) throws {
    #expect(vector.value.text == vector.text)
    #expect(try JSON.parse(vector.text) == vector.value)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
  func writesNumbersThatAreNotFiniteAsNull(_ value: Double) {
    #expect(JSON.array([.number(value)]).text == "[null]")
  }

  @Test func everyDoubleReadsBackAsItself() throws {
    var state: UInt64 = 42
    for _ in 0..<20000 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
      let value = Double(bitPattern: bits ^ bits >> 31)
      guard value.isFinite else { continue }
      #expect(try JSON.parse(JSON.number(value).text).double == value)
    }
  }

  @Test func everyScalarReadsBackAsItself() throws {
    for value in UInt32(0)...0x10FFFF where value < 0x3000 || value % 97 == 0 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let string = String(Character(scalar))
      let text = JSON.string(string).text
      #expect(try JSON.parse(text).string?.unicodeScalars.first == scalar)
      #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }
  }
}

struct JSONReading {
  @Test func readsWhiteSpaceEscapesAndSurrogatePairs() throws {
    let value = try JSON.parse(" {\r\n\t\"a\\/\" : [ 1e3 , -0 , 12 , \"\\ud83d\\uDE00\" ] } ")
    #expect(value == ["a/": [1000.0, .number(-0.0), 12, "😀"]])
    #expect(value["a/"]?[2]?.integer == 12)
    #expect(value["a/"]?[2]?.double == 12)
    #expect(value["a/"]?[9] == nil)
    #expect(value["b"] == nil)
    #expect(value.string == nil)
  }

  @Test func keepsLargeWholeNumbersAsDoubles() throws {
    #expect(try JSON.parse("9223372036854775808") == .number(9_223_372_036_854_775_808))
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    var text: [UInt8]
    var reason: JSONError.Reason
    var offset: Int
    init(_ text: String, _ reason: JSONError.Reason, _ offset: Int) {
      self.init(bytes: Array(text.utf8), reason, offset)
    }
    init(bytes: [UInt8], _ reason: JSONError.Reason, _ offset: Int) {
      self.text = bytes
      self.reason = reason
      self.offset = offset
    }
    var testDescription: String { String(decoding: text, as: UTF8.self) }
  }

  static let refusals: [Refusal] = [
    Refusal("", .truncated, 0),
    Refusal("  ", .truncated, 2),
    Refusal("{", .truncated, 1),
    Refusal("[1,", .truncated, 3),
    Refusal("[1,]", .unexpectedByte(UInt8(ascii: "]")), 3),
    Refusal("[1 2]", .unexpectedByte(UInt8(ascii: "2")), 3),
    Refusal(#"{"a":1,}"#, .unexpectedByte(UInt8(ascii: "}")), 7),
    Refusal(#"{"a" 1}"#, .unexpectedByte(UInt8(ascii: "1")), 5),
    Refusal(#"{a:1}"#, .unexpectedByte(UInt8(ascii: "a")), 1),
    Refusal(#"{"a":1,"a":2}"#, .duplicateKey, 7),
    Refusal("nul", .truncated, 3),
    Refusal("nulL", .unexpectedByte(UInt8(ascii: "L")), 3),
    Refusal("NaN", .unexpectedByte(UInt8(ascii: "N")), 0),
    Refusal("-Infinity", .invalidNumber, 1),
    Refusal("01", .invalidNumber, 0),
    Refusal("-01", .invalidNumber, 0),
    Refusal("1.", .truncated, 2),
    Refusal(".5", .unexpectedByte(UInt8(ascii: ".")), 0),
    Refusal("1e", .truncated, 2),
    Refusal("1e+x", .invalidNumber, 3),
    Refusal("+1", .unexpectedByte(UInt8(ascii: "+")), 0),
    Refusal("1e999", .numberOutOfRange, 0),
    Refusal(String(repeating: "1", count: 1025), .numberOutOfRange, 0),
    Refusal("1 1", .textAfterValue, 2),
    Refusal("\"abc", .truncated, 4),
    Refusal("\"a\nb\"", .controlCharacterInString, 2),
    Refusal(#""\x""#, .invalidEscape, 1),
    Refusal(#""\u12g4""#, .invalidEscape, 5),
    Refusal(#""\ud800""#, .loneSurrogate, 1),
    Refusal(#""\ud800\u0041""#, .loneSurrogate, 1),
    Refusal(#""\udc00""#, .loneSurrogate, 1),
    Refusal(bytes: [0x22, 0xC0, 0x80, 0x22], .invalidUTF8, 0),
    Refusal(bytes: [0xEF, 0xBB, 0xBF, 0x31], .unexpectedByte(0xEF), 0),
    Refusal("[[[[[1]]]]]", .tooDeep(maximumDepth: 4), 4),
    Refusal("[1,2,3,4,5,6,7,8,9,10]", .tooManyValues(maximumValues: 10), 19),
    Refusal(String(repeating: " ", count: 2001), .tooLong(maximumBytes: 2000), 2000),
  ]

  @Test(arguments: refusals) func refusesWithReasonAndOffset(_ refusal: Refusal) {
    let limits = JSON.Limits(maximumBytes: 2000, maximumDepth: 4, maximumValues: 10)
    #expect(throws: JSONError(reason: refusal.reason, offset: refusal.offset)) {
      try JSON.parse(refusal.text, limits: limits)
    }
  }

  @Test func survivesEveryTruncationAndSeededDamage() throws {
    let text = Array(
      #"{"time":"2026-01-01T00:00:00.000Z","n":-12.5e-3,"l":[true,null,"\u00e9\\"],"o":{"a":{}}}"#.utf8)
    for length in 0..<text.count {
      #expect(throws: JSONError.self) { try JSON.parse(text[..<length]) }
    }
    var state: UInt64 = 7
    for _ in 0..<20000 {
      var damaged = text
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      damaged[Int(state >> 33) % text.count] = UInt8(truncatingIfNeeded: state >> 20)
      // What is still accepted must be stable: written and read again it is the same.
      if let value = try? JSON.parse(damaged) { #expect(try JSON.parse(value.utf8) == value) }
    }
  }
}

struct JSONObjects {
  @Test func keepOrderReplaceInPlaceAndRemove() {
    var object: JSON.Object = ["b": 1, "a": 2]
    object["b"] = 3
    object["c"] = "x"
    #expect(JSON.object(object).text == #"{"b":3,"a":2,"c":"x"}"#)
    object["b"] = Optional<JSON>.none
    object["missing"] = Optional<JSON>.none
    #expect(JSON.object(object).text == #"{"a":2,"c":"x"}"#)
  }
}

import MAVLink
import Testing

struct FieldTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var bytes: [UInt8]
    var text: String
    var testDescription: String { text }
  }

  @Test(arguments: [
    Vector(bytes: Array("PreArm: GPS".utf8), text: "PreArm: GPS"),
    Vector(bytes: Array("ab\0cd".utf8), text: "ab"),
    Vector(bytes: [0], text: ""),
    Vector(bytes: [0x61, 0xFF, 0x62], text: "a\u{FFFD}b"),
    Vector(bytes: [0x1B, 0x5B, 0x32, 0x4A, 0x0A], text: "\u{FFFD}[2J\u{FFFD}"),
    Vector(bytes: [0xC2, 0x9B], text: "\u{FFFD}"),
    Vector(bytes: Array("a\u{202E}b".utf8), text: "a\u{FFFD}b"),
    Vector(bytes: Array("höher".utf8), text: "höher"),
  ])
  func textIsSafeToPrint(_ vector: Vector) {
    #expect(safeText(vector.bytes) == vector.text)
    #expect(FixedText<50>(bytes: FixedArray(vector.bytes, padding: 0)).text == vector.text)
  }

  @Test func textIsCutBetweenCharacters() {
    #expect(FixedText<4>("abcdef").text == "abcd")
    #expect(FixedText<4>("abcö").text == "abc")
    #expect(FixedText<5>("abcö").text == "abcö")
    #expect(FixedText<16>("MAV_GCS_SYSID").bytes.elements.suffix(3) == [0, 0, 0])
  }

  @Test func unknownConstantsSurvive() throws {
    var encoder = FrameEncoder(systemID: 1, componentID: 1)
    let sent = CommandAck(command: CommandID(rawValue: 64_321), result: CommandResult(rawValue: 99))
    let frame = try #require(StreamParser.first(in: encoder.encode(sent)))
    #expect(frame.decode(CommandAck.self) == sent)
  }

  @Test func extensionsThatWereNotSentAreZero() {
    // A COMMAND_ACK of three bytes, as a sender without extensions makes it.
    let ack = CommandAck(zeroExtending: [0x90, 0x01, 4])
    #expect(ack == CommandAck(command: .componentArmDisarm, result: .failed))
    #expect(ack.targetSystem == 0)
  }

  @Test func payloadLongerThanTheDialectKnowsIsRead() {
    // A frame as a later dialect with more extensions would make it.
    let long = [UInt8](repeating: 1, count: 255)
    #expect(Heartbeat(zeroExtending: long).type == .fixedWing)
  }

  @Test func sequenceCountsUpAndWrapsAround() {
    var encoder = FrameEncoder(systemID: 1, componentID: 1, sequence: 255)
    #expect(encoder.frame(Heartbeat()).sequence == 255)
    #expect(encoder.frame(Heartbeat()).sequence == 0)
    var output: [UInt8] = [1, 2]
    encoder.encode(Heartbeat(), appendingTo: &output)
    #expect(output.count == 2 + 21)
    #expect(output[2 + 4] == 1)
  }
}

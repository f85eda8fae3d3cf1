import MAVLink
import Testing

/// Frames made by pymavlink 2.4.50 (dialect ardupilotmega, source system 255, component 190).
struct GoldenFrameTests {
  @Test func heartbeatIsMadeAndReadAsByTheReference() throws {
    try check(
      Heartbeat(
        type: .groundControlStation, autopilot: .invalid,
        baseMode: [.safetyArmed, .manualInputEnabled], customMode: 3, systemStatus: .active),
      sequence: 7, "fd09000007ffbe000000030000000608c00403ceb5")
  }

  @Test func commandKeepsNaNParameters() throws {
    let command = CommandLong(
      targetSystem: 1, targetComponent: 1, command: .navTakeoff, param4: .nan, param7: 20)
    let reference = bytes(
      fromHex: "fd20000008ffbe4c00000000000000000000000000000000c07f00000000000000000000a04116"
        + "000101d0cb")
    var encoder = FrameEncoder(systemID: 255, componentID: 190, sequence: 8)
    #expect(encoder.encode(command) == reference)
    let frame = try #require(StreamParser.first(in: reference))
    let decoded = try #require(frame.decode(CommandLong.self))
    #expect(decoded.param4.isNaN)
    #expect(decoded.param7 == 20)
    #expect(decoded.command == .navTakeoff)
  }

  @Test func positionTargetIsMadeAndReadAsByTheReference() throws {
    try check(
      SetPositionTargetGlobalInt(
        timeBootMs: 1234, targetSystem: 1, targetComponent: 1,
        coordinateFrame: .globalRelativeAltInt, typeMask: .init(rawValue: 0x0DF8),
        latInt: 473_977_418, lonInt: -85_455_939, alt: 40.5),
      sequence: 9,
      "fd35000009ffbe560000d20400004a52401cbd0be8fa000022420000000000000000000000000000"
        + "000000000000000000000000000000000000f80d0101064b09")
  }

  @Test func statusTextIsTruncatedAsByTheReference() throws {
    try check(
      StatusText(severity: .error, text: "Arm: Need Position Estimate"), sequence: 10,
      "fd1c00000affbefd00000341726d3a204e65656420506f736974696f6e20457374696d6174653cc1")
  }

  @Test func parameterIsMadeAndReadAsByTheReference() throws {
    try check(
      ParamSet(
        targetSystem: 1, targetComponent: 1, paramId: "MAV_GCS_SYSID", paramValue: 254,
        paramType: .int8),
      sequence: 11, "fd1700000bffbe17000000007e4301014d41565f4743535f535953494400000002ccd8")
  }

  @Test func payloadOfZerosKeepsOneByte() throws {
    try check(
      Ping(targetSystem: 0, targetComponent: 0), sequence: 12, "fd0100000cffbe0400000056fa")
  }

  @Test func mavlink1IsReadAndForwardedUnchanged() throws {
    let bytes = bytes(fromHex: "fe090dffbe00040000000203510403086d")
    let frame = try #require(StreamParser.first(in: bytes))
    #expect(frame.version == .one)
    #expect(frame.bytes == bytes)
    #expect(frame.decode(Heartbeat.self)?.customMode == 4)
  }

  @Test func signedFrameKeepsItsSignature() throws {
    let bytes = bytes(
      fromHex: "fd0901000dffbe000000030000000608c00403dc090515cd5b070000c1d7001cf637")
    let frame = try #require(StreamParser.first(in: bytes))
    #expect(frame.signature?[0] == 5)
    #expect(frame.bytes == bytes)
    #expect(frame.decode(Heartbeat.self)?.type == .groundControlStation)
  }

  private func check<M: Message>(_ message: M, sequence: UInt8, _ hex: String) throws {
    var encoder = FrameEncoder(systemID: 255, componentID: 190, sequence: sequence)
    let reference = bytes(fromHex: hex)
    #expect(encoder.encode(message) == reference)
    let frame = try #require(StreamParser.first(in: reference))
    #expect(frame.decode(M.self) == message)
    #expect(frame.integrity == .verified)
    #expect(frame.bytes == reference)
  }
}

extension StreamParser {
  static func first(in bytes: [UInt8]) -> Frame? {
    var parser = StreamParser()
    parser.push(bytes)
    return parser.next()
  }
}

func bytes(fromHex text: String) -> [UInt8] {
  let digits = text.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

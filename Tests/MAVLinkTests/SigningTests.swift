import Foundation
import MAVLink
import TestSupport
import Testing

/// Stands in for SHA-256 where only the rules are tried: enough to tell inputs apart.
@Sendable private func mixer(_ bytes: [UInt8]) -> [UInt8] {
  var state: UInt64 = 0xCBF2_9CE4_8422_2325
  for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  return (0..<32).map { UInt8(truncatingIfNeeded: state >> (8 * UInt64($0 % 8))) &+ UInt8($0) }
}

@Suite struct SigningTests {
  private let now = SigningTimestamp(unixMicroseconds: 1_796_000_000_000_000)

  private func signing(
    _ byte: UInt8 = 7, link: UInt8 = 3, from timestamp: SigningTimestamp = SigningTimestamp(0)
  ) throws -> FrameSigning {
    FrameSigning(
      key: try #require(SigningKey([UInt8](repeating: byte, count: 32))), linkID: link, timestamp: timestamp,
      sha256: mixer)
  }

  private func signed(_ signing: inout FrameSigning, at time: SigningTimestamp) throws -> Frame {
    var encoder = FrameEncoder(systemID: 1, componentID: 191, announcesSignature: true)
    var bytes = encoder.encode(SystemTime(timeUnixUsec: 5, timeBootMs: 6))
    signing.sign(&bytes, at: time)
    return try #require(StreamParser.first(in: bytes))
  }

  @Test func aKeyHas32Bytes() {
    #expect(SigningKey([UInt8](repeating: 1, count: 31)) == nil)
    #expect(SigningKey([UInt8](repeating: 1, count: 33)) == nil)
  }

  @Test func timeIsCountedFrom2015AndBounded() {
    #expect(SigningTimestamp(unixMicroseconds: 1_420_070_400_000_020).value == 2)
    #expect(SigningTimestamp(unixMicroseconds: 0).value == 0)
    #expect(SigningTimestamp(.max).next == SigningTimestamp(1 << 48 - 1))
  }

  @Test func theOtherEndAcceptsEachFrameOnce() throws {
    var sender = try signing()
    var receiver = try signing()
    let frame = try signed(&sender, at: now)
    #expect(frame.length == frame.bytes.count)
    try receiver.verify(frame, at: now)
    #expect(throws: FrameSigning.Refusal.replayed) { try receiver.verify(frame, at: now) }
    // The wall clock stands still or goes back: the time of signatures rises all the same.
    let later = try signed(&sender, at: SigningTimestamp(0))
    try receiver.verify(later, at: now)
    #expect(receiver.timestamp > now)
  }

  @Test func whatIsNotSignedWithTheKeyIsRefused() throws {
    var sender = try signing(8)
    var receiver = try signing(7)
    let foreign = try signed(&sender, at: now)
    #expect(throws: FrameSigning.Refusal.wrongSignature) { try receiver.verify(foreign, at: now) }
    let plain = Frame(SystemTime(timeUnixUsec: 5, timeBootMs: 6), systemID: 1, componentID: 1, sequence: 0)
    #expect(throws: FrameSigning.Refusal.unsigned) { try receiver.verify(plain, at: now) }
    let radio = Frame(
      RadioStatus(rssi: 9, remrssi: 9, txbuf: 9), systemID: 51,
      componentID: 68, sequence: 0)
    try receiver.verify(radio, at: now)
  }

  @Test func eachByteIsCoveredBySignature() throws {
    var sender = try signing()
    let bytes = try signed(&sender, at: now).bytes
    // The signature's own bytes: others break the checksum before.
    for index in (bytes.count - 13)..<bytes.count {
      var receiver = try signing()
      var damaged = bytes
      damaged[index] ^= 1
      let frame = try #require(StreamParser.first(in: damaged))
      #expect(throws: FrameSigning.Refusal.wrongSignature) { try receiver.verify(frame, at: now) }
    }
  }

  @Test func aSenderHeardForTheFirstTimeMayLagAMinute() throws {
    let minute: UInt64 = 60 * 100_000
    for (lag, isAccepted) in [(minute, true), (minute + 1, false)] {
      var sender = try signing()
      var receiver = try signing(from: now)
      let frame = try signed(&sender, at: SigningTimestamp(now.value - lag))
      #expect(((try? receiver.verify(frame, at: SigningTimestamp(0))) != nil) == isAccepted)
    }
  }

  @Test func logsGetTheFrameWithoutItsSignature() throws {
    var sender = try signing()
    let frame = try signed(&sender, at: now)
    let bare = try #require(frame.withoutSignature)
    #expect(bare.signature == nil)
    #expect(
      bare.bytes
        == Frame(SystemTime(timeUnixUsec: 5, timeBootMs: 6), systemID: 1, componentID: 191, sequence: 0).bytes
    )
  }

  @Test(.enabled(if: PythonJudgeTests.isInstalled), .timeLimit(.minutes(1)))
  func theReferenceAcceptsOurSignatureAndWeItsOwn() throws {
    // pymavlink signs a heartbeat and tells whether it accepts ours; SHA-256 is Python's in both cases.
    let script = """
      import hashlib, sys
      from pymavlink.dialects.v20 import ardupilotmega as m
      key = bytes(range(32))
      out = m.MAVLink(None, srcSystem=1, srcComponent=1)
      out.signing.secret_key = key; out.signing.link_id = 4; out.signing.sign_outgoing = True
      out.signing.timestamp = \(now.value)
      print(m.MAVLink_heartbeat_message(2, 3, 81, 4, 4, 3).pack(out).hex())
      ours = m.MAVLink(None); ours.signing.secret_key = key; ours.signing.timestamp = \(now.value)
      frame = bytes.fromhex(sys.argv[1])
      digest = hashlib.sha256(key + frame).digest()[:6]
      message = ours.parse_buffer(frame + digest)[0]
      print(message.get_type(), message.get_signed(), message.time_boot_ms)
      tampered = bytearray(frame + digest); tampered[-1] ^= 1
      other = m.MAVLink(None); other.signing.secret_key = key; other.robust_parsing = True
      print(other.parse_buffer(bytes(tampered))[0].get_type())
      """
    var signer = FrameSigning(
      key: try #require(SigningKey(Array(0..<32))), linkID: 3, timestamp: now,
      sha256: { _ in
        [UInt8](repeating: 0, count: 32)
      })
    var encoder = FrameEncoder(systemID: 1, componentID: 191, announcesSignature: true)
    var ours = encoder.encode(SystemTime(timeUnixUsec: 5, timeBootMs: 6))
    signer.sign(&ours, at: now)
    let text = MAVLinkTests.hex(Array(ours.dropLast(6)))
    let (output, success) = try PythonJudgeTests.run(["-c", script, text])
    #expect(success)
    let lines = output.split(separator: "\n")
    try #require(lines.count == 3, "\(output)")
    #expect(lines[1] == "SYSTEM_TIME True 6")
    #expect(lines[2] == "BAD_DATA")
    let theirs = bytes(fromHex: String(lines[0]))
    let frame = try #require(StreamParser.first(in: theirs))
    let (digest, hashed) = try PythonJudgeTests.run([
      "-c",
      "import hashlib, sys; print(hashlib.sha256(bytes(range(32)) + bytes.fromhex(sys.argv[1])).hexdigest())",
      MAVLinkTests.hex(Array(theirs.dropLast(6))),
    ])
    #expect(hashed)
    let known = bytes(fromHex: String(digest.filter(\.isHexDigit)))
    var receiver = FrameSigning(
      key: try #require(SigningKey(Array(0..<32))), linkID: 0, timestamp: now,
      sha256: { input in
        // Only the very bytes of the specification have the digest that Python found.
        input == Array(0..<32) + theirs.dropLast(6) ? known : [UInt8](repeating: 0, count: 32)
      })
    try receiver.verify(frame, at: now)
  }
}

import PeerProtocol
import TestSupport
import Testing

@Suite struct DatagramFrameTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let frame: DatagramFrame
    let bytes: [UInt8]
    var testDescription: String { name }
  }

  static let message = MessageFrame(
    messageClass: 3, sequence: 0x0102_0304, senderClockMilliseconds: 0x0A0B_0C0D, payload: [0xCA, 0xFE])

  /// Written down from PROTOCOL.md, section 15.
  static let vectors: [Vector] = [
    Vector(
      name: "PING", frame: .ping(number: 0x0102_0304, received: 5), bytes: [1, 1, 2, 3, 4, 0, 0, 0, 5]),
    Vector(
      name: "PONG", frame: .pong(number: .max, received: 0), bytes: [2, 255, 255, 255, 255, 0, 0, 0, 0]),
    Vector(
      name: "unreliable MESSAGE", frame: .message(message, .unreliable),
      bytes: [3, 0, 3, 1, 2, 3, 4, 10, 11, 12, 13, 0xCA, 0xFE]),
    Vector(
      name: "urgent MESSAGE", frame: .message(message, .urgent(key: nil)),
      bytes: [3, 1, 3, 1, 2, 3, 4, 10, 11, 12, 13, 0xCA, 0xFE]),
    Vector(
      name: "urgent MESSAGE with a key", frame: .message(message, .urgent(key: 0x0102_0304_0506_0708)),
      bytes: [3, 3, 3, 1, 2, 3, 4, 10, 11, 12, 13, 1, 2, 3, 4, 5, 6, 7, 8, 0xCA, 0xFE]),
    Vector(
      name: "RECEIVED",
      frame: .received([.init(messageClass: 1, sequence: 2), .init(messageClass: 255, sequence: .max)]),
      bytes: [4, 1, 0, 0, 0, 2, 255, 255, 255, 255, 255]),
    Vector(name: "CLOSE", frame: .close(.shuttingDown), bytes: [5, 6]),
  ]

  @Test(arguments: vectors) func aFrameIsWrittenAndReadAsDocumented(vector: Vector) {
    #expect(vector.frame.encoded == vector.bytes)
    #expect(DatagramFrame(vector.bytes[...]) == vector.frame)
  }

  @Test(arguments: vectors) func whatIsCutOffIsNotUnderstood(vector: Vector) {
    // A message's payload may have any length; its header may not.
    let whole =
      if case .message = vector.frame { vector.bytes.count - 2 } else { vector.bytes.count }
    for count in 0..<whole {
      let frame = DatagramFrame(vector.bytes[..<count])
      if case .received = vector.frame, count % 5 == 1, count > 1 { continue }
      #expect(frame == nil, "\(count) bytes")
    }
  }

  @Test func unknownTypesAreLost() {
    for type in [0] + Array(UInt8(6)...255) {
      #expect(DatagramFrame([type, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    }
  }

  @Test func receiptsAreBounded() {
    let many = (0..<40).map { DatagramFrame.Receipt(messageClass: 1, sequence: $0) }
    #expect(DatagramFrame(DatagramFrame.received(many).encoded[...]) == .received(Array(many.prefix(32))))
    #expect(DatagramFrame([4] + [UInt8](repeating: 1, count: 33 * 5)) == nil)
  }

  @Test func unknownFlagsAreIgnored() {
    #expect(
      DatagramFrame([3, 0xFC, 3, 1, 2, 3, 4, 10, 11, 12, 13, 0xCA, 0xFE])
        == .message(Self.message, .unreliable))
  }

  @Test func noBytesCrash() {
    var random = SplitMix64(seed: 5)
    var read = 0
    for _ in 0..<100_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { index in
        index == 0 ? UInt8.random(in: 0...7, using: &random) : UInt8.random(in: 0...255, using: &random)
      }
      if let frame = DatagramFrame(bytes[...]) {
        read += 1
        #expect(DatagramFrame(frame.encoded[...]) == frame)
      }
    }
    #expect(read > 10_000)
  }
}

@Suite struct ReceiveWindowTests {
  @Test func eachNumberActsOnceInAnyOrder() {
    for start in [1, 500, UInt32.max - 300] {
      var random = SplitMix64(seed: UInt64(start))
      var window = ReceiveWindow()
      var seen: Set<UInt32> = []
      // Each number comes three times, shuffled within reach of the window.
      let arrivals = (0..<5000).flatMap { number in
        (0..<3).map { _ in (number + Int.random(in: 0..<900, using: &random), UInt32(number)) }
      }.sorted { $0.0 < $1.0 }
      for (_, offset) in arrivals {
        let sequence = start &+ offset
        #expect(window.receive(sequence) == (seen.insert(sequence).inserted ? .first : .repeated))
      }
      #expect(seen.count == 5000)
    }
  }

  @Test func whatIsTooOldNeverActs() {
    var window = ReceiveWindow()
    #expect(window.receive(5000) == .first)
    #expect(window.receive(5000 - 1023) == .first)
    #expect(window.receive(5000 - 1024) == .tooOld)
    #expect(window.receive(5000 &+ UInt32(Int32.max)) == .first)
    #expect(window.receive(5000) == .tooOld)
  }

  @Test(arguments: [1, 63, 64, 65, 1023, 1024, 1025, 100_000] as [UInt32])
  func aJumpForgetsNoNumberWithinTheWindow(jump: UInt32) {
    var window = ReceiveWindow()
    for sequence in UInt32(1)...1100 { #expect(window.receive(sequence) == .first) }
    #expect(window.receive(1100 + jump) == .first)
    for back in UInt32(0)..<1024 {
      let sequence = 1100 + jump - back
      #expect(window.receive(sequence) == (sequence <= 1100 || back == 0 ? .repeated : .first))
    }
  }

  private func message(_ sequence: UInt32, class messageClass: UInt8 = 1) -> MessageFrame {
    MessageFrame(messageClass: messageClass, sequence: sequence, senderClockMilliseconds: 0, payload: [])
  }

  @Test func ofUnreliableMessagesTheNewestOfAClassCounts() {
    var inbox = DatagramInbox()
    let verdicts = [3, 2, 3, 5, 4, 6].map { inbox.receive(message($0), .unreliable) }
    #expect(verdicts == [.deliver, .drop, .drop, .deliver, .drop, .deliver])
    #expect(inbox.receive(message(1, class: 2), .unreliable) == .deliver)
    // Numbers of urgent messages are others.
    #expect(inbox.receive(message(1), .urgent(key: nil)) == .deliver)
  }

  @Test func ofReplacedMessagesTheNewestCounts() {
    var inbox = DatagramInbox()
    #expect(inbox.receive(message(2), .urgent(key: 9)) == .deliver)
    #expect(inbox.receive(message(1), .urgent(key: 9)) == .drop, "a late copy of what was replaced")
    #expect(inbox.receive(message(3), .urgent(key: 8)) == .deliver)
    #expect(inbox.receive(message(4), .urgent(key: 9)) == .deliver)
    #expect(inbox.receive(message(5, class: 2), .urgent(key: 9)) == .deliver)
  }
}

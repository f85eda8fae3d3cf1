import Testing

@testable import PeerProtocol

struct PairingWindowTests {
  private let start = ContinuousClock.now
  private func after(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

  @Test func `one attempt at a time`() {
    var window = PairingWindow(at: start)
    #expect(window.begin(at: start) == nil)
    #expect(window.begin(at: start) == .busy)
    window.ended(.failed(.cancelled, peerMayTrust: false), counts: false, at: start)
    #expect(window.begin(at: start) == nil)
  }

  @Test func `the third counted failure closes it, uncounted ones do not`() {
    var window = PairingWindow(at: start)
    for counts in [true, false, true, false, true] {
      #expect(window.begin(at: start) == nil)
      window.ended(.failed(.mismatch, peerMayTrust: false), counts: counts, at: start)
    }
    #expect(window.state == .closed(.exhausted))
    #expect(window.begin(at: start) == .closed)
  }

  @Test func `success closes it`() {
    var window = PairingWindow(at: start)
    _ = window.begin(at: start)
    window.ended(.paired, counts: true, at: start)
    #expect(window.state == .closed(.paired))
    #expect(window.begin(at: start) == .closed)
  }

  @Test func `it closes in time, but an attempt under way has its own end`() {
    var window = PairingWindow(duration: .seconds(10), at: start)
    window.tick(at: after(9))
    #expect(window.state == .open)
    _ = window.begin(at: after(9))
    window.tick(at: after(11))
    #expect(window.state == .attempting)
    window.ended(.failed(.mismatch, peerMayTrust: false), counts: true, at: after(11))
    #expect(window.state == .closed(.timedOut))
    #expect(window.begin(at: after(11)) == .closed)
  }
}

struct PairingCodeTests {
  @Test(arguments: [
    ("000000", "000000"), ("123456", "123456"), ("999 999", "999999"), ("012-345", "012345"),
  ])
  func `six digits are read and written`(_ text: String, _ expected: String) throws {
    #expect(try #require(PairingCode(text)).description == expected)
  }

  @Test(arguments: ["", "12345", "1234567", "12345a", "12 3456", "123  456", "１２３４５６", "-12345", "123.456"])
  func `anything else is no code`(_ text: String) { #expect(PairingCode(text) == nil) }

  /// Words of 4,294,000,000 and above would make small codes likelier.
  @Test func `words above the bound are passed over`() {
    let over: [UInt8] = [0xFF, 0xF1, 0x3D, 0x80]
    let under: [UInt8] = [0xFF, 0xF1, 0x3D, 0x7F]
    #expect(UInt32(4_294_000_000) == 0xFFF1_3D80)
    #expect(PairingCode(truncating: under + over).description == "999999")
    #expect(PairingCode(truncating: over + [0, 0, 0, 42]).description == "000042")
    #expect(PairingCode(truncating: over + over + [0, 0x0F, 0x42, 0x41]).description == "000001")
  }
}

struct PairingFrameTests {
  @Test(arguments: PairingStateMachineTests.frames + [.abort(.mismatch, text: "why")])
  func `a frame survives its bytes`(_ frame: PairingFrame) throws {
    #expect((24...30).contains(frame.type))
    #expect(try PairingFrame(type: frame.type, payload: frame.payload[...]) == frame)
  }

  @Test func `an unknown reason is other, an unknown method is malformed`() throws {
    #expect(try PairingFrame(type: 30, payload: [99, 65]) == .abort(.other, text: "A"))
    #expect(throws: ControlFrameError.malformed("PAIR_HELLO")) {
      try PairingFrame(type: 24, payload: [0, 1, 9, 1, 65])
    }
    #expect(throws: ControlFrameError.malformed("PAIR_CONFIRM")) {
      try PairingFrame(type: 28, payload: [0, 1, 9, 1, 65])
    }
  }

  /// Bounds are checked before a byte of the payload is looked at.
  @Test(arguments: [(24, 4), (24, 129), (25, 31), (26, 33), (27, 64), (28, 33), (29, 1), (30, 0), (30, 202)])
  func `a payload outside its bounds is refused`(_ type: UInt8, _ count: Int) {
    #expect(throws: ControlFrameError.length(type: type, bytes: count)) {
      try PairingFrame(type: type, payload: [UInt8](repeating: 1, count: count)[...])
    }
  }

  @Test func `a type that is not there is refused`() {
    #expect(throws: ControlFrameError.unknownType(31)) { try PairingFrame(type: 31, payload: []) }
  }
}

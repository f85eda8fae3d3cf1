import Glibc
import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets
import TestSupport
import Testing

@testable import PeerLink

/// What strangers and ill-behaved peers may cost.
@Suite(.serialized, .timeLimit(.minutes(1))) struct HostileTests {
  private let loop: EventLoop
  private let friend: Identity

  init() throws {
    loop = try EventLoop()
    friend = try Node.freshIdentity("friend")
  }

  private func host(_ limits: AdmissionLimits = AdmissionLimits()) throws -> Node {
    try Node("host", trusting: [friend.peerID], port: 0, limits: limits, on: loop)
  }

  /// Bare connections that say nothing, closed with the test.
  private final class Crowd {
    private(set) var descriptors: [Int32] = []

    deinit { for descriptor in descriptors { Glibc.close(descriptor) } }

    /// - Parameter source: last byte of the loopback address to come from.
    func join(_ port: UInt16, from source: UInt8 = 1) throws {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = (UInt32(0x7F00_0000) + UInt32(source)).bigEndian
      func call(_ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        }
      }
      _ = call { bind($0, $1, $2) }
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      if call({ connect($0, $1, $2) }) != 0 { throw SystemError("connect", code: errno) }
      descriptors.append(descriptor)
    }

    /// Connections that the other side has not closed.
    func countOpen() -> Int { descriptors.count(where: Crowd.isOpen) }

    /// Lets go of those that the other side closed.
    func forgetClosed() {
      let open = descriptors.filter(Crowd.isOpen)
      for descriptor in Set(descriptors).subtracting(open) { Glibc.close(descriptor) }
      descriptors = open
    }

    private static func isOpen(_ descriptor: Int32) -> Bool {
      var byte: UInt8 = 0
      return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) < 0 && errno == EAGAIN
    }
  }

  @Test func aThousandSilentConnectionsKeepNobodyOut() throws {
    let host = try host()
    let crowd = Crowd()
    for number in 0..<1000 {
      try crowd.join(host.port)
      loop.runOnce(waitingAtMost: .zero)
      if number % 50 == 49 { crowd.forgetClosed() }
    }
    loop.run(for: .milliseconds(100))
    #expect(crowd.countOpen() == AdmissionLimits().strangersPerAddress)
    let inviter = try Node(
      "inviter", identity: friend, trusting: [host.id], endpoints: [host.endpoint], on: loop)
    // Far less than the deadline of a handshake, which the silent ones have.
    let time = ContinuousClock().measure { _ = loop.runUntil { inviter.peers == [host.id] } }
    #expect(inviter.peers == [host.id])
    #expect(time < .seconds(3), "\(time)")
  }

  @Test func manyAddressesShareThePlaces() throws {
    let host = try host()
    let crowd = Crowd()
    for source in UInt8(2)...60 {
      try crowd.join(host.port, from: source)
      loop.run(for: .milliseconds(2))
    }
    loop.run(for: .milliseconds(100))
    #expect(crowd.countOpen() == AdmissionLimits().strangers)
    let raw = try RawPeer.connect(host, identity: friend, on: loop)
    #expect(!raw.isGone)
  }

  /// Who fills the places from one address loses its own, not those of others.
  @Test func aCrowdOfOneAddressDoesNotPushOthersOut() throws {
    let host = try host()
    let quiet = Crowd()
    for source in UInt8(2)...9 { try quiet.join(host.port, from: source) }
    loop.run(for: .milliseconds(50))
    let crowd = Crowd()
    for _ in 0..<40 {
      try crowd.join(host.port, from: 200)
      loop.run(for: .milliseconds(2))
    }
    loop.run(for: .milliseconds(50))
    #expect(quiet.countOpen() == 8)
    #expect(crowd.countOpen() == AdmissionLimits().strangersPerAddress)
    let newcomer = Crowd()
    try newcomer.join(host.port, from: 201)
    loop.run(for: .milliseconds(50))
    #expect(newcomer.countOpen() == 1 && quiet.countOpen() == 8)
  }

  @Test func aHandshakeThatDoesNotEndIsGivenUp() throws {
    var limits = AdmissionLimits()
    limits.handshake = .milliseconds(300)
    let host = try host(limits)
    let crowd = Crowd()
    try crowd.join(host.port)
    loop.run(for: .milliseconds(150))
    #expect(crowd.countOpen() == 1)
    #expect(loop.runUntil(.seconds(2)) { crowd.countOpen() == 0 })
    #expect(host.events.isEmpty)
  }

  @Test func aRefusedStrangerThatStaysIsClosed() throws {
    let host = try host()
    let raw = try RawPeer.dial(host, identity: try Node.freshIdentity(), on: loop)
    #expect(loop.runUntil(.seconds(2)) { raw.isGone })
  }

  static let garbage: [[UInt8]] = [
    Array("GET / HTTP/1.1\r\n\r\n".utf8), [0], [UInt8](repeating: 0xFF, count: 70_000),
    // A TLS handshake record that promises more than it may, and one with an absurd hello.
    [22, 3, 1, 0xFF, 0xFF, 1, 2, 3], [22, 3, 1, 0, 6, 1, 0xFF, 0xFF, 0xFF, 3, 3],
    // An alert, and application data before any handshake.
    [21, 3, 3, 0, 2, 2, 40], [23, 3, 3, 0, 5, 1, 2, 3, 4, 5],
  ]

  @Test(arguments: garbage) func garbageInsteadOfTLSHurtsNobody(bytes: [UInt8]) throws {
    var limits = AdmissionLimits()
    limits.handshake = .milliseconds(300)
    let host = try host(limits)
    let connection = try RawPeer.tcp(to: host.port, on: loop)
    var isGone = false
    connection.channel.onEnd = { _ in isGone = true }
    _ = connection.channel.write(bytes)
    #expect(loop.runUntil(.seconds(2)) { isGone })
    #expect(host.events.isEmpty)
    _ = try RawPeer.connect(host, identity: friend, on: loop)
  }

  static let brokenRules: [(String, [UInt8])] = [
    ("an unknown type", [99, 0, 0, 0]), ("too long", [5, 0, 0, 5]), ("huge", [7, 0xFF, 0xFF, 0xFF]),
    ("a second HELLO", ControlFrame.hello(Hello(runID: 1, name: "x")).encoded),
    ("ACCEPT from the inviter", ControlFrame.accept.encoded),
  ]

  @Test(arguments: brokenRules) func aPeerThatBreaksTheRulesIsSentAway(what: String, bytes: [UInt8]) throws {
    let host = try host()
    let raw = try RawPeer.connect(host, identity: friend, on: loop)
    raw.send(bytes)
    raw.send(.message(MessageFrame(messageClass: 1, sequence: 1, senderClockMilliseconds: 0, payload: [1])))
    #expect(loop.runUntil(.seconds(2)) { raw.isGone || raw.saidFarewell })
    guard case .brokeProtocol? = host.ends.first else {
      Issue.record("\(what): \(host.events)")
      return
    }
    guard case .goodbye(.protocolError, _)? = raw.frames.last else {
      Issue.record("\(what): \(raw.frames)")
      return
    }
    #expect(host.payloads.isEmpty, "nothing behind the broken rule is read")
  }

  @Test func aLongMessageBeforeAcceptanceIsRefusedFromItsHeader() throws {
    let host = try host()
    host.transceiver.onInvitation = { _ in }
    let raw = try RawPeer.dial(host, identity: friend, on: loop)
    raw.send(.hello(Hello(runID: 1, name: "x")))
    raw.send([7, 0, 0x04, 0x56])
    #expect(loop.runUntil(.seconds(2)) { raw.saidFarewell })
    #expect(
      raw.frames.last
        == .goodbye(.protocolError, text: "frame of type 7 with 1110 bytes, outside its bounds"))
  }

  /// Anybody on the way can do that: the session waits for a new connection.
  @Test func garbageBehindTheHandshakeEndsTheConnectionOnly() throws {
    let host = try host()
    let raw = try RawPeer.connect(host, identity: friend, on: loop)
    _ = raw.channel.write([23, 3, 3, 0, 32] + [UInt8](repeating: 7, count: 32))
    #expect(loop.runUntil(.seconds(2)) { raw.isGone })
    #expect(host.ends.isEmpty && host.transceiver.status(of: friend.peerID)?.hasControl == false)
  }

  @Test func anEndWithoutFarewellIsSilence() throws {
    var limits = AdmissionLimits()
    limits.planes.silence = .milliseconds(400)
    let host = try host(limits)
    let raw = try RawPeer.connect(host, identity: friend, on: loop)
    raw.channel.close()
    loop.run(for: .milliseconds(200))
    #expect(host.ends.isEmpty)
    #expect(loop.runUntil(.seconds(2)) { host.ends == [.timedOut(.silence)] })
  }

  /// A trusted peer that opens connections without end has one session and one on the way.
  @Test func aPeerThatDialsWithoutEndHasOneSessionToBegin() throws {
    let host = try host()
    var invitations: [Invitation] = []
    host.transceiver.onInvitation = { invitations.append($0) }
    let raws = try (0..<20).map { _ in
      let raw = try RawPeer.dial(host, identity: friend, on: loop)
      raw.send(.hello(Hello(runID: 1, name: "x")))
      raw.send(.invitation(timeLimitSeconds: 300, context: []))
      return raw
    }
    #expect(loop.runUntil(.seconds(3)) { raws.count { $0.isGone || $0.saidFarewell } == 19 })
    for invitation in invitations { invitation.accept() }
    #expect(loop.runUntil(.seconds(3)) { host.connections == 1 })
    loop.run(for: .milliseconds(200))
    #expect(host.connections == 1 && host.peers == [friend.peerID])
  }

  @Test func aPeerThatProvesItselfWithoutEndIsBounded() throws {
    let host = try host()
    let raws = try (0..<20).map { _ in try RawPeer.dial(host, identity: friend, on: loop) }
    #expect(loop.runUntil(.seconds(3)) { raws.count { $0.isGone || $0.saidFarewell } == 4 })
    loop.run(for: .milliseconds(100))
    #expect(raws.count { $0.isGone || $0.saidFarewell } == 20 - AdmissionLimits().sessionsPerPeer)
    let refusal = ControlFrame.decline(.busy, text: "too many connections of one peer")
    #expect(raws.count { $0.frames == [refusal] } == 4)
  }

  /// What is refused was not begun: the stream stays whole.
  @Test func aSlowReaderIsBoundedAndLosesNothing() throws {
    let host = try host()
    let raw = try RawPeer.connect(host, identity: friend, on: loop)
    raw.channel.setReading(false)
    var sent: [[UInt8]] = []
    var result = SendResult.sent
    while result == .sent, sent.count < 2000 {
      let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: sent.count), count: 30_000)
      result = host.transceiver.send(1, payload, to: friend.peerID)
      if result == .sent { sent.append(payload) }
      if sent.count % 10 == 0 { loop.runOnce(waitingAtMost: .zero) }
    }
    #expect(result == .congested)
    for _ in 0..<100 { _ = host.transceiver.send(1, sent[0], to: friend.peerID) }
    #expect(host.peers == [friend.peerID], "being slow is no reason to part")
    raw.channel.setReading(true)
    let arrived = {
      raw.frames.compactMap { if case .message(let message) = $0 { Array(message.payload) } else { nil } }
    }
    #expect(loop.runUntil(.seconds(8)) { arrived().count >= sent.count })
    #expect(host.transceiver.send(1, [42], to: friend.peerID) == .sent)
    #expect(loop.runUntil(.seconds(5)) { arrived().last == [42] })
    #expect(Array(arrived().prefix(sent.count)) == sent)
    #expect(host.ends.isEmpty)
  }
}

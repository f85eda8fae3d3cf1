import Testing

@testable import PeerProtocol

struct PairingStateMachineTests {
  @Test func `both sides show the same digits and store nothing before both have confirmed`() throws {
    var pair = PairingPair.comparing()
    pair.open()
    let digits = try #require(pair.inviterDigits)
    #expect(digits == pair.hostDigits)
    pair.confirmInviter()
    #expect(!pair.inviterStored && !pair.hostStored)
    pair.confirmHost()
    #expect(pair.inviterStored && pair.hostStored)
    #expect(pair.inviterEnd == .paired)
    #expect(pair.hostEnd == .paired)
  }

  @Test func `it does not matter who confirms first`() {
    var pair = PairingPair.comparing()
    pair.open()
    pair.confirmHost()
    #expect(!pair.inviterStored && !pair.hostStored)
    pair.confirmInviter()
    #expect(pair.inviterEnd == .paired && pair.hostEnd == .paired)
  }

  @Test func `each side learns the other's name with the digits`() {
    var pair = PairingPair.comparing()
    pair.open()
    func names(_ outputs: [PairingStateMachine.Output]) -> [String] {
      outputs.compactMap { if case .compare(_, let hello) = $0 { hello.name } else { nil } }
    }
    #expect(names(pair.atInviter) == ["laptop"])
    #expect(names(pair.atHost) == ["Drone"])
  }

  @Test func `other connections show other digits`() throws {
    var pair = PairingPair(
      inviter: .compare(nonce: PairingPair.nonce(1)), host: .compare(nonce: PairingPair.nonce(2)),
      hostExporter: [8])
    pair.open()
    // Even the commitment is bound to the connection, so the host sees at once that something is wrong.
    #expect(pair.hostEnd == .failed(.mismatch, peerMayTrust: false))
  }

  @Test func `a no on one side alarms both and nothing is stored`() throws {
    var pair = PairingPair.comparing()
    pair.open()
    pair.confirmInviter()
    pair.take(pair.host.reject(), fromInviter: false)
    pair.pump()
    #expect(pair.hostEnd == .failed(.mismatch, peerMayTrust: false))
    guard case .failed(let failure, let peerMayTrust) = try #require(pair.inviterEnd) else {
      Issue.record("\(pair.inviterEnd as Any)")
      return
    }
    #expect(failure.isAlarming)
    #expect(!peerMayTrust)
    #expect(!pair.inviterStored && !pair.hostStored)
  }

  @Test func `a nonce that was not promised is an alarm`() {
    var pair = PairingPair.comparing()
    _ = pair.host.received(.hello(PairingHello(method: .compare, name: "Drone")), at: pair.now)
    _ = pair.host.received(.commitment(PairingPair.nonce(9)), at: pair.now)
    let outputs = pair.host.received(.nonce(PairingPair.nonce(1)), at: pair.now)
    #expect(outputs.last == .ended(.failed(.mismatch, peerMayTrust: false)))
    #expect(pair.host.countsAsAttempt)
  }

  /// The moment from which the peer knows the digits without this side's operator seeing them.
  @Test func `an attempt counts from the frame on that lets the peer know`() {
    var pair = PairingPair.comparing()
    _ = pair.host.received(.hello(PairingHello(method: .compare, name: "Drone")), at: pair.now)
    #expect(!pair.host.countsAsAttempt)
    _ = pair.host.received(.commitment(PairingPair.nonce(9)), at: pair.now)
    #expect(pair.host.countsAsAttempt)

    _ = pair.inviter.received(.hello(PairingHello(method: .compare, name: "laptop")), at: pair.now)
    #expect(!pair.inviter.countsAsAttempt)
    _ = pair.inviter.received(.nonce(PairingPair.nonce(2)), at: pair.now)
    #expect(pair.inviter.countsAsAttempt)

    var codes = PairingPair.withCodes(1, 1)
    _ = codes.host.received(.hello(PairingHello(method: .code, name: "Drone")), at: codes.now)
    #expect(!codes.host.countsAsAttempt)
    _ = codes.host.received(.share(ToyExchange(code: 2).share), at: codes.now)
    #expect(codes.host.countsAsAttempt)
  }

  @Test func `the same code pairs without a question`() {
    var pair = PairingPair.withCodes(5, 5)
    pair.open()
    #expect(pair.inviterEnd == .paired && pair.hostEnd == .paired)
    #expect(pair.inviterStored && pair.hostStored)
    #expect(pair.inviterDigits == nil)
  }

  @Test func `a wrong code alarms both sides and nothing is stored`() throws {
    var pair = PairingPair.withCodes(5, 6)
    pair.open()
    for end in [pair.inviterEnd, pair.hostEnd] {
      guard case .failed(let failure, _) = try #require(end) else {
        Issue.record("\(end as Any)")
        continue
      }
      #expect(failure.isAlarming)
    }
    #expect(!pair.inviterStored && !pair.hostStored)
    #expect(pair.inviter.countsAsAttempt && pair.host.countsAsAttempt)
  }

  @Test func `a share that is no point breaks the protocol`() {
    var pair = PairingPair(
      inviter: .code(ToyExchange(code: 1)), host: .code(ToyExchange(code: 1, isUsable: false)))
    pair.open()
    guard case .failed(.brokeProtocol, _) = pair.hostEnd else {
      Issue.record("\(pair.hostEnd as Any)")
      return
    }
    #expect(!pair.host.countsAsAttempt)
  }

  @Test func `different methods part with the reason and count as no attempt`() {
    var pair = PairingPair(inviter: .code(ToyExchange(code: 1)), host: .compare(nonce: PairingPair.nonce(1)))
    pair.open()
    #expect(pair.hostEnd == .failed(.otherMethod(.code), peerMayTrust: false))
    guard case .failed(.refused(.otherMethod, _), false) = pair.inviterEnd else {
      Issue.record("\(pair.inviterEnd as Any)")
      return
    }
    #expect(!pair.host.countsAsAttempt && !pair.inviter.countsAsAttempt)
  }

  @Test func `another version parts with the reason`() {
    var pair = PairingPair.comparing()
    let outputs = pair.host.received(
      .hello(PairingHello(version: 2, method: .compare, name: "Drone")), at: pair.now)
    #expect(outputs.last == .ended(.failed(.otherVersion(2), peerMayTrust: false)))
  }

  @Test func `a lost last word leaves a half pairing that says so`() {
    var pair = PairingPair.comparing()
    pair.open()
    pair.confirmHost()
    pair.take(pair.inviter.confirm(at: pair.now), fromInviter: true)
    // The inviter has stored; what it sent is lost.
    pair.dropFrames()
    pair.take(pair.inviter.connectionLost("gone"), fromInviter: true)
    pair.take(pair.host.connectionLost("gone"), fromInviter: false)
    guard case .halfPaired = pair.inviterEnd else {
      Issue.record("\(pair.inviterEnd as Any)")
      return
    }
    #expect(pair.hostEnd == .failed(.connectionLost("gone"), peerMayTrust: true))
    #expect(!pair.hostStored)
  }

  @Test func `a peer that answers no more after the last step is a half pairing too`() {
    var pair = PairingPair.comparing()
    pair.open()
    pair.confirmHost()
    pair.take(pair.inviter.confirm(at: pair.now), fromInviter: true)
    pair.dropFrames()
    #expect(pair.inviter.tick(at: pair.now.advanced(by: .seconds(4))).isEmpty)
    pair.take(pair.inviter.tick(at: pair.now.advanced(by: .seconds(5))), fromInviter: true)
    #expect(pair.inviterEnd == .halfPaired(PairingFailure.timedOut.description))
  }

  @Test func `a trust file that cannot be written is told to the other side`() {
    var pair = PairingPair.withCodes(5, 5)
    pair.hostStoreFailure = "disk full"
    pair.open()
    #expect(pair.hostEnd == .failed(.notStored("disk full"), peerMayTrust: true))
    #expect(pair.inviterEnd == .halfPaired("the other side could not store the trust (disk full)"))
  }

  @Test func `a person may take until the window closes, a program five seconds`() {
    var pair = PairingPair.comparing()
    #expect(pair.host.tick(at: pair.now.advanced(by: .milliseconds(4999))).isEmpty)
    var other = pair.host
    #expect(
      other.tick(at: pair.now.advanced(by: .seconds(5))).last
        == .ended(.failed(.timedOut, peerMayTrust: false)))
    pair.open()
    #expect(pair.host.tick(at: pair.now.advanced(by: .seconds(119))).isEmpty)
    pair.take(pair.host.tick(at: pair.now.advanced(by: .seconds(120))), fromInviter: false)
    pair.pump()
    #expect(pair.hostEnd == .failed(.timedOut, peerMayTrust: false))
    #expect(pair.inviterEnd == .failed(.refused(.timedOut, "no answer in time"), peerMayTrust: false))
  }

  static let frames: [PairingFrame] = [
    .hello(PairingHello(method: .compare, name: "x")), .commitment(PairingPair.nonce(1)),
    .nonce(PairingPair.nonce(1)), .share(ToyExchange(code: 1).share), .confirm(proof: []),
    .confirm(proof: PairingPair.nonce(1)), .done,
  ]

  /// What each state takes; everything else breaks the protocol and stores nothing.
  @Test(arguments: frames)
  func `a frame out of turn ends the attempt`(_ frame: PairingFrame) {
    struct Case {
      let state: String
      var machine: PairingStateMachine
      let takes: [String]
    }
    let pair = PairingPair.comparing()
    let hello = PairingFrame.hello(PairingHello(method: .compare, name: "x"))
    var awaitingCommitment = pair.host
    _ = awaitingCommitment.received(hello, at: pair.now)
    var awaitingReveal = awaitingCommitment
    _ = awaitingReveal.received(
      .commitment(PairingPair.material(.compare(nonce: []), [7]).commitment(to: PairingPair.nonce(1))),
      at: pair.now)
    var comparing = awaitingReveal
    _ = comparing.received(.nonce(PairingPair.nonce(1)), at: pair.now)
    var confirmed = comparing
    _ = confirmed.confirm(at: pair.now)
    var finishing = confirmed
    _ = finishing.received(.confirm(proof: []), at: pair.now)
    _ = finishing.stored(at: pair.now)
    var awaitingNonce = pair.inviter
    _ = awaitingNonce.received(hello, at: pair.now)
    let codes = PairingPair.withCodes(1, 1)
    var awaitingShare = codes.host
    _ = awaitingShare.received(.hello(PairingHello(method: .code, name: "x")), at: codes.now)
    let cases = [
      Case(state: "awaitingHello", machine: pair.host, takes: ["hello"]),
      Case(state: "awaitingCommitment", machine: awaitingCommitment, takes: ["commitment"]),
      Case(state: "awaitingReveal", machine: awaitingReveal, takes: ["nonce"]),
      Case(state: "comparing", machine: comparing, takes: ["confirm0"]),
      Case(state: "confirmed", machine: confirmed, takes: ["confirm0"]),
      Case(state: "finishing", machine: finishing, takes: ["done"]),
      Case(state: "awaitingNonce", machine: awaitingNonce, takes: ["nonce"]),
      Case(state: "awaitingShare", machine: awaitingShare, takes: ["share"]),
    ]
    let name = name(of: frame)
    for var one in cases {
      let outputs = one.machine.received(frame, at: pair.now)
      let broke = outputs.contains {
        switch $0 {
        case .ended(.failed(.brokeProtocol, _)), .ended(.halfPaired): true
        case .ended, .send, .store, .compare: false
        }
      }
      #expect(broke != one.takes.contains(name), "\(name) in \(one.state)")
      if broke {
        #expect(!outputs.contains { if case .store = $0 { true } else { false } })
        #expect(one.machine.received(frame, at: pair.now).isEmpty)
      }
    }
  }

  private func name(of frame: PairingFrame) -> String {
    switch frame {
    case .hello: "hello"
    case .commitment: "commitment"
    case .nonce: "nonce"
    case .share: "share"
    case .confirm(let proof): proof.isEmpty ? "confirm0" : "confirm"
    case .done: "done"
    case .abort: "abort"
    }
  }
}

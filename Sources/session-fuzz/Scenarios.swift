import PeerProtocol
import SecureTransport
import ServiceRuntime

/// One attack: a connection and what is said on it.
enum Scenario: CaseIterable {
  /// Damaged bytes in the place of a TLS hello.
  case beforeTLS
  /// Frames of an identity that nobody trusts.
  case stranger
  /// Frames of a trusted identity that has not been let in.
  case beforeHello
  case afterHello
  /// Frames of a peer with a session.
  case connected
  /// Datagrams of a peer with a session: wrong ones, and wrong contents of good ones.
  case datagrams
  /// The same session again and again, with counts that are right or wrong.
  case resuming
  /// Pairing with a host whose operator accepts it, by somebody who knows no code and whom nobody confirms.
  case pairing

  func perform(on bench: Bench, _ random: inout Randomness) throws {
    let isStranger = self == .stranger || self == .pairing && random.chance(80)
    if self == .pairing { try bench.acceptPairing(random.chance(50) ? .compare : .code) }
    let attacker = try bench.dial(isStranger ? bench.stranger : bench.trusted)
    let opening = try attacker.opening()
    guard self != .beforeTLS else {
      attacker.sendRaw(random.damage(opening))
      // Most such connections stay open until the host's limit: not waited for.
      _ = bench.run(within: .milliseconds(2)) { attacker.isGone }
      return
    }
    attacker.sendRaw(opening)
    guard bench.run(within: .seconds(2), until: { attacker.isSecure || attacker.isGone }) else {
      throw Failure("no TLS handshake within 2 s")
    }
    for frame in introduction(&random) { attacker.send(frame.encoded) }
    switch self {
    case .beforeTLS, .stranger, .beforeHello, .afterHello, .pairing: break
    case .connected, .datagrams, .resuming:
      _ = bench.run(within: .seconds(1)) { attacker.frames.contains(.accept) || attacker.isGone }
    }
    if self == .datagrams { return try attackByDatagrams(attacker, bench, &random) }
    if self == .resuming { return try resume(attacker, bench, &random) }
    if self == .pairing { return try pair(attacker, bench, &random) }
    for _ in 0...random.below(12) where !attacker.isGone {
      attacker.send(attack(&random))
      if random.chance(20) { _ = bench.run(within: .milliseconds(1)) { attacker.isGone } }
    }
    // Some leave without a word, some wait to be sent away.
    if random.chance(50) { _ = bench.run(within: .milliseconds(3)) { attacker.isGone } }
    if random.chance(5) { attacker.sendRaw(random.bytes(random.below(300))) }
  }

  private func introduction(_ random: inout Randomness) -> [ControlFrame] {
    let hello = ControlFrame.hello(Hello(runID: random.next(), name: "fuzz"))
    return switch self {
    case .beforeTLS, .stranger, .beforeHello, .pairing: []
    case .afterHello: [hello]
    case .connected, .datagrams, .resuming: [hello, .invitation(timeLimitSeconds: 30, context: [])]
    }
  }

  private func attackByDatagrams(
    _ attacker: Attacker, _ bench: Bench, _ random: inout Randomness
  ) throws {
    try attacker.offerDatagrams()
    // Some of them before and during the handshake.
    if random.chance(20) { attacker.sendRawDatagram(random.record()) }
    guard bench.run(within: .milliseconds(500), until: { attacker.hasDatagrams || attacker.isGone }) else {
      return
    }
    if attacker.hasDatagrams { bench.associationsOfAttackers += 1 }
    for _ in 0...random.below(40) where !attacker.isGone {
      switch random.below(5) {
      case 0: attacker.sendRawDatagram(random.record())
      case 1: attacker.sendRawDatagram(random.damage(attacker.datagram(of: random.relayed())))
      case 2:
        let twice = attacker.datagram(of: random.relayed())
        for _ in 0..<2 { attacker.sendRawDatagram(twice) }
      default: attacker.sendDatagram(random.relayed())
      }
      if random.chance(10) { attacker.send(random.sessionFrame().encoded) }
      if random.chance(20) { _ = bench.run(within: .milliseconds(1)) { attacker.isGone } }
    }
    _ = bench.run(within: .milliseconds(3)) { attacker.isGone }
  }

  private func resume(_ attacker: Attacker, _ bench: Bench, _ random: inout Randomness) throws {
    guard let id = attacker.sessionID else { return }
    for _ in 0...random.below(4) {
      let again = try bench.dial(bench.trusted)
      again.sendRaw(try again.opening())
      _ = bench.run(within: .seconds(2)) { again.isSecure || again.isGone }
      let received = random.chance(70) ? 0 : random.number()
      again.send(
        ControlFrame.resume(sessionID: random.chance(80) ? id : random.damage(id), received: received).encoded
      )
      _ = bench.run(within: .milliseconds(200)) { !again.frames.isEmpty || again.isGone }
      if case .resumed? = again.frames.first { bench.resumptions += 1 }
      for _ in 0...random.below(4) { again.send(random.sessionFrame().encoded) }
      _ = bench.run(within: .milliseconds(3)) { again.isGone }
    }
  }

  /// Goes along with the method of the window, or with the other one, and strays from it here and there.
  private func pair(_ attacker: Attacker, _ bench: Bench, _ random: inout Randomness) throws {
    let method = random.chance(85) ? bench.pairingMethod : .compare
    let steps: [PairingFrame] =
      switch method {
      case .compare: [.commitment(random.bytes(32)), .nonce(random.bytes(32)), .confirm(proof: []), .done]
      case .code: [.share(try random.share()), .confirm(proof: random.bytes(32)), .done]
      }
    let hello = PairingHello(
      version: random.chance(95) ? PairingHello.currentVersion : UInt16(truncatingIfNeeded: random.number()),
      method: method, name: random.pick(["fuzz", "", "\u{1B}[2J", "a\nb"]))
    for step in [.hello(hello)] + steps where !attacker.isGone {
      let frame = random.chance(88) ? step : try random.pairingFrame()
      let bytes = ControlFrame.purpose(type: frame.type, payload: frame.payload[...]).encoded
      attacker.send(random.chance(90) ? bytes : random.damage(bytes))
      // Most wait for what the host says to it.
      let heard = attacker.frames.count
      if random.chance(80) {
        _ = bench.run(within: .milliseconds(30)) { attacker.frames.count > heard || attacker.isGone }
      }
    }
    _ = bench.run(within: .milliseconds(3)) { attacker.isGone }
  }

  /// Whole frames, damaged frames, pieces of frames, several at once.
  private func attack(_ random: inout Randomness) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0...random.below(4) {
      // A session ends with the first frame out of place: most go deeper.
      let frame = (self == .connected && random.chance(90) ? random.sessionFrame() : random.frame()).encoded
      bytes += random.chance(self == .connected ? 90 : 60) ? frame : random.damage(frame)
    }
    return random.chance(95) ? bytes : Array(bytes.prefix(random.below(bytes.count + 1)))
  }
}

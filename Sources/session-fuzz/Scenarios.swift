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

  func perform(on bench: Bench, _ random: inout Randomness) throws {
    let attacker = try bench.dial(self == .stranger ? bench.stranger : bench.trusted)
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
    if self == .connected {
      _ = bench.run(within: .seconds(1)) { attacker.frames.contains(.accept) || attacker.isGone }
    }
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
    case .beforeTLS, .stranger, .beforeHello: []
    case .afterHello: [hello]
    case .connected: [hello, .invitation(timeLimitSeconds: 30, context: [])]
    }
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

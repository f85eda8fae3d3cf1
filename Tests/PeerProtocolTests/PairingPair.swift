@testable import PeerProtocol

/// Two sides and the frames between them; nothing is hashed well here, only differently.
struct PairingPair {
  var inviter: PairingStateMachine
  var host: PairingStateMachine
  var now: ContinuousClock.Instant
  var atInviter: [PairingStateMachine.Output] = []
  var atHost: [PairingStateMachine.Output] = []
  private var toHost: [PairingFrame] = []
  private var toInviter: [PairingFrame] = []
  /// Each side answers `store` at once with this; nil for a success.
  var inviterStoreFailure: String?
  var hostStoreFailure: String?

  static let functions = PairingFunctions(
    hash: { digest($0) }, authenticationCode: { key, message in digest(key + [0xFF] + message) })

  init(
    inviter inviterSecret: PairingMaterial.Secret, host hostSecret: PairingMaterial.Secret,
    hostExporter: [UInt8] = [7]
  ) {
    now = ContinuousClock.now
    let deadline = now.advanced(by: .seconds(120))
    inviter = PairingStateMachine(
      role: .inviter, name: "Drone", material: PairingPair.material(inviterSecret, [7]), deadline: deadline,
      at: now)
    host = PairingStateMachine(
      role: .host, name: "laptop", material: PairingPair.material(hostSecret, hostExporter),
      deadline: deadline, at: now)
  }

  static func comparing() -> PairingPair {
    PairingPair(inviter: .compare(nonce: nonce(1)), host: .compare(nonce: nonce(2)))
  }

  static func withCodes(_ one: UInt8, _ other: UInt8) -> PairingPair {
    PairingPair(inviter: .code(ToyExchange(code: one)), host: .code(ToyExchange(code: other)))
  }

  static func nonce(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

  static func material(_ secret: PairingMaterial.Secret, _ exporter: [UInt8]) -> PairingMaterial {
    PairingMaterial(
      inviter: PeerID(bytes: nonce(0xA))!, host: PeerID(bytes: nonce(0xB))!, exporter: exporter,
      functions: functions, secret: secret)
  }

  mutating func open() {
    take(inviter.opening(), fromInviter: true)
    take(host.opening(), fromInviter: false)
    pump()
  }

  /// Hands over frames until it is quiet.
  mutating func pump() {
    while !toHost.isEmpty || !toInviter.isEmpty {
      if !toHost.isEmpty { take(host.received(toHost.removeFirst(), at: now), fromInviter: false) }
      if !toInviter.isEmpty { take(inviter.received(toInviter.removeFirst(), at: now), fromInviter: true) }
    }
  }

  mutating func take(_ outputs: [PairingStateMachine.Output], fromInviter: Bool) {
    if fromInviter { atInviter += outputs } else { atHost += outputs }
    for output in outputs {
      switch output {
      case .send(let frame):
        if fromInviter { toHost.append(frame) } else { toInviter.append(frame) }
      case .store:
        if fromInviter {
          take(
            inviterStoreFailure.map { inviter.notStored($0) } ?? inviter.stored(at: now), fromInviter: true)
        } else {
          take(hostStoreFailure.map { host.notStored($0) } ?? host.stored(at: now), fromInviter: false)
        }
      case .compare, .ended: break
      }
    }
  }

  mutating func confirmInviter() {
    take(inviter.confirm(at: now), fromInviter: true)
    pump()
  }

  mutating func confirmHost() {
    take(host.confirm(at: now), fromInviter: false)
    pump()
  }

  mutating func dropFrames() {
    toHost = []
    toInviter = []
  }

  var inviterEnd: PairingEnd? { PairingPair.end(atInviter) }
  var hostEnd: PairingEnd? { PairingPair.end(atHost) }
  var inviterDigits: PairingCode? { PairingPair.digits(atInviter) }
  var hostDigits: PairingCode? { PairingPair.digits(atHost) }
  var inviterStored: Bool { PairingPair.isStored(atInviter) }
  var hostStored: Bool { PairingPair.isStored(atHost) }

  private static func end(_ outputs: [PairingStateMachine.Output]) -> PairingEnd? {
    outputs.compactMap { if case .ended(let end) = $0 { end } else { nil } }.first
  }
  private static func digits(_ outputs: [PairingStateMachine.Output]) -> PairingCode? {
    outputs.compactMap { if case .compare(let digits, _) = $0 { digits } else { nil } }.first
  }
  private static func isStored(_ outputs: [PairingStateMachine.Output]) -> Bool {
    outputs.contains { if case .store = $0 { true } else { false } }
  }
}

/// 32 bytes that depend on all bytes given: FNV-1a from four starts.
private func digest(_ bytes: [UInt8]) -> [UInt8] {
  (0..<4).flatMap { start -> [UInt8] in
    var value: UInt64 = 0xcbf2_9ce4_8422_2325 &+ UInt64(start)
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }
}

/// Proofs that agree when the codes do.
struct ToyExchange: PairingExchange {
  let code: UInt8
  var isUsable = true
  var share: [UInt8] { [4] + [UInt8](repeating: 0, count: 64) }
  func proofs(peerShare: [UInt8]) -> (own: [UInt8], expected: [UInt8])? {
    let proof = [UInt8](repeating: code, count: 32)
    return isUsable ? (proof, proof) : nil
  }
}

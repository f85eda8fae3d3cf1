/// One pairing attempt on one authenticated, untrusted connection, as a value. PROTOCOL.md, "Pairing".
///
/// ```
/// compare, inviter: awaitingHello -> awaitingNonce -> comparing -> storing -> finishing -> ended
/// compare, host:    awaitingHello -> awaitingCommitment -> awaitingReveal -> comparing -> storing -> ...
/// code, both:       awaitingHello -> awaitingShare -> proving -> storing -> finishing -> ended
/// ```
/// Nothing is stored before both sides have confirmed. Every state may end by an abort, a broken rule or a time limit.
public struct PairingStateMachine {
  public enum Role: Equatable, Sendable {
    /// Dialled.
    case inviter
    /// Was dialled.
    case host
  }

  public struct Limits: Equatable, Sendable {
    /// For each answer that no person gives.
    public var step: Duration = .seconds(5)

    public init() {}
  }

  public enum Output: Equatable, Sendable {
    case send(PairingFrame)
    /// Show these digits; the person answers with `confirm` or `reject`.
    case compare(PairingCode, PairingHello)
    /// Both have confirmed: write the trust file, then call `stored` or `notStored`.
    case store(PairingHello)
    /// The last output: close the connection once what was sent is out.
    case ended(PairingEnd)
  }

  private enum State: Equatable {
    case awaitingHello
    case awaitingNonce(PairingHello)
    case awaitingCommitment(PairingHello)
    case awaitingReveal(PairingHello, commitment: [UInt8])
    case comparing(PairingHello, isOwnConfirmed: Bool, isPeerConfirmed: Bool)
    case awaitingShare(PairingHello)
    case proving(PairingHello, expected: [UInt8])
    case storing(PairingHello, isPeerDone: Bool)
    case finishing(PairingHello)
    case ended
  }

  private let role: Role
  private let own: PairingHello
  private let material: PairingMaterial
  private let limits: Limits
  private let deadline: ContinuousClock.Instant
  private var stepDeadline: ContinuousClock.Instant
  private var state = State.awaitingHello

  /// The peer has learnt something from this attempt with which it could go on guessing: it must be counted.
  ///
  /// True as soon as the peer can know the digits, or whether its guess of the code was right, before this side or its
  /// operator does: an attacker who could leave unnoticed at that moment would simply try again until it fits.
  public private(set) var countsAsAttempt = false

  /// - Parameter deadline: when the operator's window closes.
  public init(
    role: Role, name: String, material: PairingMaterial, limits: Limits = Limits(),
    deadline: ContinuousClock.Instant, at now: ContinuousClock.Instant
  ) {
    self.role = role
    self.material = material
    self.limits = limits
    self.deadline = deadline
    own = PairingHello(method: material.method, name: name)
    stepDeadline = now.advanced(by: limits.step)
  }

  /// First frames: the side that dialled speaks first.
  public func opening() -> [Output] {
    switch role {
    case .inviter: [.send(.hello(own))]
    case .host: []
    }
  }

  public mutating func received(_ frame: PairingFrame, at now: ContinuousClock.Instant) -> [Output] {
    if case .ended = state { return [] }
    if case .abort(let reason, let text) = frame { return aborted(reason, text) }
    stepDeadline = now.advanced(by: limits.step)
    switch (state, frame) {
    case (.awaitingHello, .hello(let hello)): return introduced(hello)
    case (.awaitingNonce(let hello), .nonce(let nonce)):
      guard case .compare(let ownNonce) = material.secret else { break }
      // With this nonce the peer knows the digits.
      countsAsAttempt = true
      return [.send(.nonce(ownNonce))] + compare(hello, inviterNonce: ownNonce, hostNonce: nonce)
    case (.awaitingCommitment(let hello), .commitment(let commitment)):
      guard case .compare(let ownNonce) = material.secret else { break }
      // With this nonce the peer knows the digits, and this side does not yet.
      countsAsAttempt = true
      state = .awaitingReveal(hello, commitment: commitment)
      return [.send(.nonce(ownNonce))]
    case (.awaitingReveal(let hello, let commitment), .nonce(let nonce)):
      guard case .compare(let ownNonce) = material.secret else { break }
      guard isSame(material.commitment(to: nonce), commitment) else {
        return fail(.mismatch, telling: .mismatch, text: "the nonce is not the one that was promised")
      }
      return compare(hello, inviterNonce: nonce, hostNonce: ownNonce)
    case (.comparing(let hello, let isOwnConfirmed, _), .confirm(let proof)) where proof.isEmpty:
      if isOwnConfirmed { return store(hello) }
      state = .comparing(hello, isOwnConfirmed: false, isPeerConfirmed: true)
      return []
    case (.awaitingShare(let hello), .share(let share)):
      return received(share, hello)
    case (.proving(let hello, let expected), .confirm(let proof)):
      guard isSame(proof, expected) else {
        return fail(.mismatch, telling: .mismatch, text: "wrong code, or somebody in between")
      }
      return store(hello)
    case (.storing(let hello, _), .done):
      state = .storing(hello, isPeerDone: true)
      return []
    case (.finishing, .done): return end(.paired)
    // An answer that crossed with ours, and everything else out of turn.
    case (.awaitingHello, _), (.awaitingNonce, _), (.awaitingCommitment, _), (.awaitingReveal, _),
      (.comparing, _), (.awaitingShare, _), (.proving, _), (.storing, _), (.finishing, _), (.ended, _):
      break
    }
    return breakOff("PAIR frame of type \(frame.kind.rawValue) out of turn")
  }

  /// The person here says that the digits are the same.
  public mutating func confirm(at now: ContinuousClock.Instant) -> [Output] {
    guard case .comparing(let hello, false, let isPeerConfirmed) = state else { return [] }
    stepDeadline = now.advanced(by: limits.step)
    let frame = Output.send(.confirm(proof: []))
    if isPeerConfirmed { return [frame] + store(hello) }
    state = .comparing(hello, isOwnConfirmed: true, isPeerConfirmed: false)
    return [frame]
  }

  /// The person here says that the digits differ, or does not want this peer.
  public mutating func reject() -> [Output] {
    guard case .comparing = state else { return [] }
    return fail(.mismatch, telling: .mismatch, text: "the operator says that the digits differ")
  }

  /// The trust file has the peer.
  public mutating func stored(at now: ContinuousClock.Instant) -> [Output] {
    guard case .storing(let hello, let isPeerDone) = state else { return [] }
    stepDeadline = now.advanced(by: limits.step)
    if isPeerDone { return [.send(.done)] + end(.paired) }
    state = .finishing(hello)
    return [.send(.done)]
  }

  public mutating func notStored(_ text: String) -> [Output] {
    guard case .storing = state else { return [] }
    return fail(.notStored(text), telling: .notStored, text: text)
  }

  /// The program ends, or its operator gave up.
  public mutating func cancel() -> [Output] { fail(.cancelled, telling: .cancelled, text: "") }

  public mutating func connectionLost(_ text: String) -> [Output] {
    fail(.connectionLost(text), telling: nil)
  }

  /// The peer broke the framing.
  public mutating func breakOff(_ text: String) -> [Output] {
    fail(.brokeProtocol(text), telling: .protocolError, text: text)
  }

  public mutating func tick(at now: ContinuousClock.Instant) -> [Output] {
    let isOver: Bool
    switch state {
    case .ended, .storing: isOver = false
    // A person takes as long as the window is open.
    case .comparing: isOver = now >= deadline
    // What is stored is stored, so the window's end does not matter any more.
    case .finishing: isOver = now >= stepDeadline
    case .awaitingHello, .awaitingNonce, .awaitingCommitment, .awaitingReveal, .awaitingShare, .proving:
      isOver = now >= min(stepDeadline, deadline)
    }
    return isOver ? fail(.timedOut, telling: .timedOut, text: "no answer in time") : []
  }

  private mutating func introduced(_ hello: PairingHello) -> [Output] {
    guard hello.version == own.version else {
      return fail(
        .otherVersion(hello.version), telling: .versionMismatch,
        text: "version \(own.version) here, \(hello.version) there")
    }
    guard hello.method == own.method else {
      return fail(
        .otherMethod(hello.method), telling: .otherMethod,
        text: own.method == .code ? "it has a code" : "it shows digits to compare")
    }
    let answer: [Output] = role == .host ? [.send(.hello(own))] : []
    switch (material.secret, role) {
    case (.compare(let nonce), .inviter):
      state = .awaitingNonce(hello)
      return [.send(.commitment(material.commitment(to: nonce)))]
    case (.compare, .host):
      state = .awaitingCommitment(hello)
      return answer
    case (.code(let exchange), .inviter):
      state = .awaitingShare(hello)
      return [.send(.share(exchange.share))]
    case (.code, .host):
      state = .awaitingShare(hello)
      return answer
    }
  }

  private mutating func received(_ share: [UInt8], _ hello: PairingHello) -> [Output] {
    guard case .code(let exchange) = material.secret else { return breakOff("PAIR_SHARE without a code") }
    guard let proofs = exchange.proofs(peerShare: share) else {
      return breakOff("the share is no point of the curve")
    }
    // With our proof the peer knows whether its guess was right.
    countsAsAttempt = true
    state = .proving(hello, expected: proofs.expected)
    let ownShare: [Output] = role == .host ? [.send(.share(exchange.share))] : []
    return ownShare + [.send(.confirm(proof: proofs.own))]
  }

  private mutating func compare(
    _ hello: PairingHello, inviterNonce: [UInt8], hostNonce: [UInt8]
  ) -> [Output] {
    state = .comparing(hello, isOwnConfirmed: false, isPeerConfirmed: false)
    return [.compare(material.digits(inviterNonce: inviterNonce, hostNonce: hostNonce), hello)]
  }

  private mutating func store(_ hello: PairingHello) -> [Output] {
    state = .storing(hello, isPeerDone: false)
    return [.store(hello)]
  }

  private mutating func aborted(_ reason: PairingReason, _ text: String) -> [Output] {
    fail(.refused(reason, text), telling: nil)
  }

  /// Ends the attempt, unless it has ended.
  private mutating func fail(
    _ failure: PairingFailure, telling reason: PairingReason?, text: String = ""
  ) -> [Output] {
    let end: PairingEnd
    switch state {
    case .ended: return []
    case .finishing:
      end = .halfPaired(failure.description)
    case .comparing(_, true, _), .proving, .storing:
      // The peer has our consent. It said that it did not use it only if it aborted.
      let isKnown = if case .refused = failure { true } else { failure == .mismatch }
      end = .failed(failure, peerMayTrust: !isKnown)
    case .awaitingHello, .awaitingNonce, .awaitingCommitment, .awaitingReveal, .comparing(_, false, _),
      .awaitingShare:
      end = .failed(failure, peerMayTrust: false)
    }
    let farewell: [Output] = reason.map { [.send(.abort($0, text: text))] } ?? []
    return farewell + self.end(end)
  }

  private mutating func end(_ end: PairingEnd) -> [Output] {
    state = .ended
    return [.ended(end)]
  }
}

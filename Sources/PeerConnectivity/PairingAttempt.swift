/// Two peers get to know each other: the same six digits appear on both sides, people compare them, and both sides say yes.
///
/// The digits are agreed on by commit and reveal over the encrypted connection: whoever sits in between is found out by
/// different digits, and has one guess in a million. Released without an answer it is rejected.
public final class PairingAttempt: Sendable {
  /// The other side; not trusted yet.
  public let peer: Peer
  /// Six digits, the same on both sides unless somebody is in between.
  public let code: String
  /// When it is over without an answer.
  public let deadline: ContinuousClock.Instant

  let answer: PairingAnswer

  init(peer: Peer, code: String, deadline: ContinuousClock.Instant, answer: PairingAnswer) {
    self.peer = peer
    self.code = code
    self.deadline = deadline
    self.answer = answer
  }

  deinit { answer.reject() }

  /// The digits are the same: trusts the peer and returns when the other side has said yes as well.
  ///
  /// - Returns: the peer, trusted.
  @discardableResult
  public func confirm() async throws(PairingError) -> Peer { try await answer.confirm() }

  /// The digits differ, or it is not wanted. Does nothing after an answer.
  public func reject() { answer.reject() }
}

extension PeerNode {
  /// Begins to pair with a peer that a browser found; the other side must accept pairing at that time.
  ///
  /// - Parameter timeLimit: for both people together.
  /// - Returns: when the digits are known on both sides.
  public func startPairing(
    with peer: Peer, timeLimit: Duration = .seconds(60)
  ) async throws(PairingError) -> PairingAttempt {
    try await runtime.startPairing(.peer(peer), timeLimit: timeLimit)
  }

  /// Begins to pair with whoever listens at an endpoint.
  public func startPairing(
    with endpoint: PeerEndpoint, timeLimit: Duration = .seconds(60)
  ) async throws(PairingError) -> PairingAttempt {
    try await runtime.startPairing(.endpoint(endpoint, nil), timeLimit: timeLimit)
  }

  /// Accepts pairing for a while, one attempt at a time and few in all; zero ends it. Off at first.
  public func acceptPairing(for duration: Duration) { runtime.acceptPairing(for: duration) }

  /// Attempts that others began, while pairing is accepted. At most one waits for a slow reader.
  public var pairingAttempts: PeerEvents<PairingAttempt> { PeerEvents(source: runtime.pairingAttempts) }
}

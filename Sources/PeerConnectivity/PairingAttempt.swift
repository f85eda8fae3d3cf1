import PeerProtocol

/// Two peers get to know each other: the same six digits appear on both sides, people compare them, and both sides say yes.
///
/// The digits are agreed on by commit and reveal over the encrypted connection: whoever sits in between is found out by
/// different digits, and has one guess in a million. Released without an answer it is rejected.
public final class PairingAttempt: Sendable {
  /// The other side; not trusted yet.
  public let peer: Peer
  /// Six digits, the same on both sides unless somebody is in between.
  public let code: String

  private let answer: PairingAnswer

  init(peer: Peer, code: String, answer: PairingAnswer) {
    self.peer = peer
    self.code = code
    self.answer = answer
  }

  deinit { answer.reject() }

  /// The digits are the same: trusts the peer and returns when the other side has said yes as well.
  ///
  /// - Returns: the peer, trusted.
  @discardableResult
  public func confirm() async throws(PairingError) -> Peer { try await answer.confirm() }

  /// The digits differ, or it is not wanted. Does nothing after the end.
  public func reject() { answer.reject() }
}

extension PeerNode {
  /// Begins to pair with a peer that a browser found.
  ///
  /// The other side must accept pairing, now or within the time limit; it is asked again and again.
  ///
  /// - Parameter timeLimit: for both people together.
  /// - Returns: when the digits are known on both sides.
  public func startPairing(
    with peer: Peer, timeLimit: Duration = .seconds(120)
  ) async throws(PairingError) -> PairingAttempt {
    try await runtime.startPairing(.peer(peer), timeLimit: timeLimit)
  }

  /// Begins to pair with whoever listens at an endpoint.
  public func startPairing(
    with endpoint: PeerEndpoint, timeLimit: Duration = .seconds(120)
  ) async throws(PairingError) -> PairingAttempt {
    try await runtime.startPairing(.endpoint(endpoint, nil), timeLimit: timeLimit)
  }

  /// Pairs with a peer that a browser found, by the six digits that its operator read out: for where nobody compares.
  ///
  /// The code itself is never sent; whoever guesses wrong has used up one of three attempts.
  @discardableResult
  public func pair(
    with peer: Peer, code: String, timeLimit: Duration = .seconds(120)
  ) async throws(PairingError) -> Peer {
    try await runtime.pair(.peer(peer), code: code, timeLimit: timeLimit)
  }

  /// Pairs with whoever listens at an endpoint, by the six digits that its operator read out.
  @discardableResult
  public func pair(
    with endpoint: PeerEndpoint, code: String, timeLimit: Duration = .seconds(120)
  ) async throws(PairingError) -> Peer {
    try await runtime.pair(.endpoint(endpoint, nil), code: code, timeLimit: timeLimit)
  }

  /// Accepts pairing by comparison for a while, one attempt at a time and three in all; zero ends it. Off at first.
  public func acceptPairing(for duration: Duration) { runtime.acceptPairing(for: duration, code: nil) }

  /// Accepts pairing for a while from whoever knows a code; nobody has to be here.
  ///
  /// - Parameter code: six digits, best fresh ones of `makePairingCode()`.
  /// - Throws: `PairingError.invalidCode`.
  public func acceptPairing(for duration: Duration, code: String) throws(PairingError) {
    guard let code = PairingCode(code) else { throw .invalidCode }
    runtime.acceptPairing(for: duration, code: code)
  }

  /// Six digits that nobody can guess.
  public static func makePairingCode() -> String {
    var generator = SystemRandomNumberGenerator()
    return PairingCode(using: &generator).description
  }

  /// Attempts that others began, while pairing by comparison is accepted. At most the newest waits for a slow reader.
  public var pairingAttempts: PeerEvents<PairingAttempt> { PeerEvents(source: runtime.pairingAttempts) }
}

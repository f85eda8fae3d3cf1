/// Somebody wants to connect; answer with `accept(into:)` or `decline(_:)`.
///
/// An invitation that is released without an answer is declined.
public final class PeerInvitation: Sendable {
  /// Who invites; its identity is proven. `isTrusted` is false for a stranger, whom only `TrustPolicy` `.ask` lets come so far.
  public let peer: Peer
  /// What the inviter sent along, at most 1000 bytes: data to be checked, whoever it comes from.
  public let context: [UInt8]
  /// When the inviter's patience ends; an answer after that is too late.
  public let deadline: ContinuousClock.Instant

  let answer: InvitationAnswer

  init(peer: Peer, context: [UInt8], deadline: ContinuousClock.Instant, answer: InvitationAnswer) {
    self.peer = peer
    self.context = context
    self.deadline = deadline
    self.answer = answer
  }

  deinit { answer.decline("") }

  /// Connects the peer to a session of the invited node, and returns when it is connected.
  ///
  /// - Throws: `InvitationError`: `.timedOut` or `.ended` when the inviter has gone, `.busy` when the session is full.
  public func accept(into session: PeerSession) async throws(InvitationError) {
    try await answer.accept(into: session)
  }

  /// Says no. Does nothing when the invitation was answered before.
  ///
  /// - Parameter reason: shown to the inviter, at most 255 bytes; may be empty.
  public func decline(_ reason: String = "") { answer.decline(reason) }
}

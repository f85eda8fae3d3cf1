import PeerProtocol

/// Why an invitation led to no session.
public enum InvitationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Which of the two peers.
  public enum Side: Equatable, Sendable {
    case thisSide
    case otherSide
  }

  /// The other side said no, in its own words.
  case declined(String)
  /// The other side was reached, but did not answer within the time limit.
  case timedOut
  /// No connection came about within the time limit: not found, no way there, or nobody listens.
  case unreachable(String)
  /// `thisSide`: this program does not trust the peer. `otherSide`: the peer does not trust this program.
  case untrusted(by: Side)
  /// All places are taken there.
  case busy(String)
  /// The other program speaks another version of the protocol, or something else.
  case incompatible(String)
  /// There is a session already.
  case alreadyConnected(Peer)
  /// The other side ended before it answered, or this transceiver was stopped.
  case ended(String)
  /// `cancelInvitations(of:)` was called.
  case cancelled

  public var description: String {
    switch self {
    case .declined(let text): text.isEmpty ? "declined" : "declined: \(text)"
    case .timedOut: "no answer in time"
    case .unreachable(let text): "not reachable: \(text)"
    case .untrusted(.thisSide): "it is not trusted here"
    case .untrusted(.otherSide): "the other side does not trust this one"
    case .busy(let text): "busy: \(text)"
    case .incompatible(let text): text
    case .alreadyConnected(let peer): "\(peer.name) is connected already"
    case .ended(let text): "ended: \(text)"
    case .cancelled: "cancelled"
    }
  }

  /// What an attempt that ended so means for the invitation; nil: try again for as long as there is time.
  init?(_ end: SessionEnd) {
    switch end {
    case .declined(.untrusted, _), .left(.untrusted, _): self = .untrusted(by: .otherSide)
    case .disconnected(.untrusted): self = .untrusted(by: .thisSide)
    case .declined(.busy, let text), .left(.busy, let text): self = .busy(text)
    case .declined(.versionMismatch, let text): self = .incompatible(text)
    case .versionMismatch, .brokeProtocol, .left(.protocolError, _): self = .incompatible(end.description)
    // Both sides invited at once, and the other one's invitation counts: its session is on its way.
    case .declined(.replaced, _), .left(.replaced, _), .disconnected(.replaced): return nil
    case .declined(.unknownSession, _), .timedOut(.introduction), .connectionLost, .restarted: return nil
    case .declined(_, let text): self = .declined(text)
    case .timedOut: self = .timedOut
    case .left, .disconnected: self = .ended(end.description)
    }
  }
}

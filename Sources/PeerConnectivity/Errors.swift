/// Why a node cannot be made or go on: cause, place, remedy.
public enum PeerNodeError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Not 1 to 63 bytes of UTF-8, or with control characters.
  case invalidDisplayName(String)
  /// See `ServiceType`.
  case invalidServiceType(String)
  /// See `DiscoveryInfo`.
  case invalidDiscoveryInfo(String)
  /// The identity or the trust file in the state directory cannot be used.
  case state(String)
  /// The address cannot be listened on, or the system has no thread or descriptor left.
  case system(String)
  /// `PeerNode.stop()` was called.
  case stopped

  /// One line for people.
  public var description: String {
    switch self {
    case .invalidDisplayName(let name):
      "display name \"\(name)\": expected 1 to 63 bytes without control characters, has \(name.utf8.count) bytes"
    case .invalidServiceType(let name):
      "service type \"\(name)\": expected 1 to 15 characters of a-z, 0-9 and single hyphens inside, at least one letter"
    case .invalidDiscoveryInfo(let text): "discovery info: \(text)"
    case .state(let text), .system(let text): text
    case .stopped: "the node is stopped"
    }
  }
}

/// Why an invitation led to no session.
public enum InvitationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The other side said no, in its own words (may be empty).
  case declined(String)
  /// No answer within the time limit.
  case timedOut
  /// No connection could be made: nobody listens there, no way to the host, or it is not found any more.
  case unreachable(String)
  /// The other side does not trust this identity, or this side not the other's.
  case untrusted(by: Side)
  /// The session has its 64 peers, or the other side is too busy.
  case busy(String)
  /// The other program speaks another version of the protocol.
  case incompatible(String)
  /// It is in another session of this node: disconnect it there first.
  case inAnotherSession
  /// The session or the node was stopped, or the connection ended before the answer.
  case ended(String)
  /// The awaiting task was cancelled, or `cancelInvitation(of:)` was called.
  case cancelled

  /// Which of the two peers.
  public enum Side: Equatable, Sendable {
    /// This program does not trust the other one.
    case thisSide
    /// The other program does not trust this one.
    case otherSide
  }

  /// One line for people.
  public var description: String {
    switch self {
    case .declined(let text): text.isEmpty ? "declined" : "declined: \(text)"
    case .timedOut: "no answer in time"
    case .unreachable(let text): "not reachable: \(text)"
    case .untrusted(.thisSide): "not trusted: pair with it first"
    case .untrusted(.otherSide): "the other side does not trust this one: pair with it first"
    case .busy(let text): "busy: \(text)"
    case .incompatible(let text): text
    case .inAnotherSession: "it is in another session of this program"
    case .ended(let text): "ended: \(text)"
    case .cancelled: "cancelled"
    }
  }
}

/// Why a message was not sent.
public enum SendError: Error, Equatable, Sendable, CustomStringConvertible {
  /// These of the addressed peers are not connected (any more); the others got the message.
  case notConnected([Peer])
  /// The message has more bytes than the mode carries.
  case tooLarge(bytes: Int, maximum: Int)
  /// The awaiting task was cancelled before there was room; some of the addressed peers may have got it.
  case cancelled

  /// One line for people.
  public var description: String {
    switch self {
    case .notConnected(let peers):
      "not connected: \(peers.map(\.displayName).joined(separator: ", "))"
    case .tooLarge(let bytes, let maximum): "\(bytes) bytes: at most \(maximum)"
    case .cancelled: "cancelled"
    }
  }
}

/// Why a resource did not arrive.
public enum TransferError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The peer is not connected.
  case notConnected
  /// The receiver does not want it, in its own words (may be empty).
  case declined(String)
  /// This side cancelled.
  case cancelled
  /// The other side cancelled.
  case cancelledByPeer(String)
  /// The connection broke and did not come back in time; what arrived is kept where the receiver resumes.
  case connectionLost(String)
  /// The file or folder cannot be read, or the received one not be stored: no space, no permission.
  case file(String)
  /// Length or hash at the end are not those of the sender.
  case damaged(String)
  /// The time for an answer is over.
  case timedOut
  /// The other side broke the rules of the protocol.
  case protocolError(String)

  /// One line for people.
  public var description: String {
    switch self {
    case .notConnected: "not connected"
    case .declined(let text): text.isEmpty ? "declined" : "declined: \(text)"
    case .cancelled: "cancelled"
    case .cancelledByPeer(let text): text.isEmpty ? "cancelled by the other side" : "cancelled: \(text)"
    case .connectionLost(let text): "connection lost: \(text)"
    case .file(let text): text
    case .damaged(let text): "damaged on the way: \(text)"
    case .timedOut: "no answer in time"
    case .protocolError(let text): "the other side broke the protocol: \(text)"
    }
  }
}

/// Why a byte stream failed.
public enum StreamError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The peer is not connected.
  case notConnected
  /// The other side does not want the stream.
  case declined(String)
  /// The connection broke or the other side ended it early.
  case connectionLost(String)
  /// This side has closed it, or the awaiting task was cancelled.
  case closed

  /// One line for people.
  public var description: String {
    switch self {
    case .notConnected: "not connected"
    case .declined(let text): text.isEmpty ? "declined" : "declined: \(text)"
    case .connectionLost(let text): "connection lost: \(text)"
    case .closed: "closed"
    }
  }
}

/// Why two peers are not paired.
public enum PairingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No connection could be made.
  case unreachable(String)
  /// The other side does not accept pairing at present, or has seen too many attempts.
  case refused(String)
  /// The other side said that the digits differ, or gave up.
  case rejectedByPeer(String)
  /// This side said that the digits differ, or gave up.
  case rejected
  /// The time limit is over.
  case timedOut
  /// The digits differ or the code was wrong: a typing error, or somebody is in between.
  case mismatch(String)
  /// Not six digits.
  case invalidCode
  /// The new trust could not be stored.
  case notStored(String)
  /// The node was stopped or the connection ended.
  case ended(String)

  /// One line for people.
  public var description: String {
    switch self {
    case .unreachable(let text): "not reachable: \(text)"
    case .refused(let text): text.isEmpty ? "it does not accept pairing at present" : "refused: \(text)"
    case .rejectedByPeer(let text): text.isEmpty ? "rejected on the other side" : "rejected: \(text)"
    case .rejected: "rejected"
    case .timedOut: "not confirmed in time"
    case .mismatch(let text): text
    case .invalidCode: "a pairing code has six digits"
    case .notStored(let text): text
    case .ended(let text): "ended: \(text)"
    }
  }
}

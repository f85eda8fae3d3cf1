/// How a pairing attempt ended.
public enum PairingEnd: Equatable, Sendable {
  /// Both sides trust each other now, and said so.
  case paired
  /// This side trusts the peer; the peer's last word is missing, so whether it trusts this side is not known.
  case halfPaired(String)
  /// Nothing was stored here. `peerMayTrust`: the peer had all it needed, and its word is missing.
  case failed(PairingFailure, peerMayTrust: Bool)
}

public enum PairingFailure: Error, Equatable, Sendable {
  /// The peer gave up and said why.
  case refused(PairingReason, String)
  /// Found here, or said by the operator here: wrong code, other digits, a broken promise.
  case mismatch
  case otherMethod(PairingMethod)
  case otherVersion(UInt16)
  case timedOut
  case connectionLost(String)
  case brokeProtocol(String)
  /// Ended here on purpose.
  case cancelled
  /// The trust file could not be written here.
  case notStored(String)
}

extension PairingFailure: CustomStringConvertible {
  /// The cause; the remedy is the program's to say.
  public var description: String {
    switch self {
    case .refused(let reason, let text):
      switch reason {
      case .closed: "the other side accepts no pairing now"
      case .busy: "the other side is pairing with somebody else"
      case .otherMethod: "the other side pairs in the other way (\(text))"
      case .mismatch: "the other side says that the digits differ or the code is wrong"
      case .declined: "the other side declined"
      case .timedOut: "the other side's time is over"
      case .versionMismatch: "the other side speaks another version of the protocol"
      case .protocolError: "the other side says that this one broke the protocol (\(text))"
      case .cancelled: "the other side gave up"
      case .notStored: "the other side could not store the trust (\(text))"
      case .other: "the other side gave up (\(text))"
      }
    case .mismatch: "the digits differ or the code is wrong"
    case .otherMethod(.compare): "the other side wants digits compared, this one has a code"
    case .otherMethod(.code): "the other side wants a code, this one compares digits"
    case .otherVersion(let version): "the other side speaks version \(version) of pairing"
    case .timedOut: "the time is over"
    case .connectionLost(let text): "the connection was lost: \(text)"
    case .brokeProtocol(let text): "the other side broke the protocol: \(text)"
    case .cancelled: "given up"
    case .notStored(let text): text
    }
  }

  /// Something that an attacker in between would cause, to be told loudly.
  public var isAlarming: Bool {
    switch self {
    case .mismatch, .refused(.mismatch, _): true
    case .refused, .otherMethod, .otherVersion, .timedOut, .connectionLost, .brokeProtocol, .cancelled,
      .notStored:
      false
    }
  }
}

public import PeerProtocol
import SecureTransport
import Sockets

/// How this side makes sure that nobody is in between.
public enum PairingKey: Equatable, Sendable {
  /// Both sides show digits, and people compare them.
  case compare
  /// The code that one side made and a person typed at the other.
  case code(PairingCode)

  var method: PairingMethod {
    switch self {
    case .compare: .compare
    case .code: .code
    }
  }
}

/// The other side of an attempt, as it says itself; its name is proven only together with the digits.
public struct PairingPeer: Equatable, Sendable {
  public let id: PeerID
  /// Fit for one line of a terminal and for the trust file.
  public let name: String

  public init(id: PeerID, name: String) {
    self.id = id
    self.name = sanitizedPeerName(name)
  }
}

/// A peer on the network whose operator seems to accept pairing; a hint.
public struct PairingCandidate: Equatable, Sendable {
  /// The TXT key that announces an open window.
  public static let attribute = "pair"

  public let id: PeerID
  public let name: String
  let addresses: [SocketAddress]
}

/// Writes the trust file: identity and name.
public typealias PairingStore = (PeerID, String) throws -> Void

/// What the operator is told, the same on both sides.
public enum PairingEvent: Equatable, Sendable {
  /// Whether peers can find, or be found, by multicast; nil when they can.
  case multicast(problem: String?)
  /// Several peers accept pairing: the operator names one, and begins anew.
  case several([PairingCandidate])
  /// Show the digits and ask; answered by `answer(isSame:)`.
  case compare(PairingCode, PairingPeer)
  /// An attempt ended. `peer` is nil when it never said who it is.
  case attemptEnded(PairingEnd, PairingPeer?, attemptsLeft: Int)
  /// The last event.
  case closed(PairingWindow.Closure)
}

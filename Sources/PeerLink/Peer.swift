public import PeerProtocol

/// A peer with a live session.
public struct Peer: Equatable, Sendable {
  /// Who it is: the fingerprint of its certificate.
  public let id: PeerID
  /// What it calls itself; a label, shown only after `id` was proven.
  public let name: String
  /// Random for each run of its program, so that a restart shows.
  public let runID: UInt64
  /// The same session was reported lost before, and is back: numbers and messages go on where they were.
  public internal(set) var isResumed = false
}

/// How a connected peer is reached at the moment.
public struct PeerStatus: Equatable, Sendable {
  public let datagrams: DatagramState
  /// False while the control connection is being reopened; reliable messages wait for it.
  public let hasControl: Bool
  /// Of the datagrams; nil while nothing is known.
  public let quality: LinkQuality?

  public init(datagrams: DatagramState, hasControl: Bool, quality: LinkQuality? = nil) {
    self.datagrams = datagrams
    self.hasControl = hasControl
    self.quality = quality
  }
}

/// Whom to trust; asked anew at each connection.
public protocol PeerTrust: AnyObject {
  func isTrusted(_ id: PeerID) -> Bool
  /// Without an implementation of its own: trusted or refused.
  func verdict(on id: PeerID) -> PeerVerdict
}

extension PeerTrust {
  public func verdict(on id: PeerID) -> PeerVerdict { isTrusted(id) ? .trusted : .refuse }
}

/// What is to be done with a peer that proved who it is.
public enum PeerVerdict: Equatable, Sendable {
  case trusted
  /// Not trusted, but it may invite and be invited; its invitation says so.
  case ask
  /// It learns that it is not trusted, and nothing else.
  case refuse
}

/// What an inviter asked; answer it once with `accept` or `decline`.
public struct Invitation {
  public let peer: Peer
  /// False for a peer that may come only because the verdict on it is `ask`.
  public let isTrusted: Bool
  /// The inviter's own words or bytes: data of a trusted peer, still to be checked.
  public let context: [UInt8]
  /// How long the inviter waits for the answer, from now on.
  public let timeLimit: Duration
  /// Starts the session.
  public let accept: () -> Void
  public let decline: (PeerReason, String) -> Void
}

/// One application message.
public struct ReceivedMessage: Sendable {
  public let messageClass: UInt8
  public let payload: ArraySlice<UInt8>
  /// How it travelled.
  public let arrival: SessionPlanes.Arrival
  /// How much later than the fastest message so far it arrived.
  public let delay: Duration
  public let receivedAt: ContinuousClock.Instant
}

/// How a message travels.
public enum DeliveryMode: Equatable, Sendable {
  /// In order, each once, also across a broken connection, for as long as the session lives.
  case reliable
  /// At once or never, at most 1100 bytes; of a class the newest counts, and an older one that arrives later is left out.
  case unreliable
  /// At once, on every way there is and again and again until the peer has it; it acts once. It may overtake others. At most 64 are under way,
  /// and over 1100 bytes it has only the slow way.
  ///
  /// - Parameter replacing: a newer message with the same key takes the place of an older one that has not arrived yet.
  case urgent(replacing: UInt64? = nil)
}

/// What became of a message handed over for sending.
public enum SendResult: Equatable, Sendable {
  case sent
  case notConnected
  case tooLarge
  /// The peer does not read: nothing was queued.
  case congested
}

/// A host and a port as a person writes them, for peers that multicast does not reach.
public struct PeerEndpoint: Hashable, Sendable, CustomStringConvertible {
  public let host: String
  public let port: UInt16

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Bounds on what strangers and peers may cost.
struct AdmissionLimits {
  /// Connections that have not been admitted to a session, in all and from one address.
  var strangers = 48
  var strangersPerAddress = 16
  var sessions = 64
  /// Of one inviter at a time, all but one on their way in or out.
  var sessionsPerPeer = 16
  /// From the connection to the end of the TLS handshake.
  var handshake: Duration = .seconds(10)
  var session = SessionStateMachine.Limits()
  /// Not a byte for so long ends a transfer.
  var transferSilence: Duration = .seconds(60)
  var planes = SessionPlanes.Limits()
}

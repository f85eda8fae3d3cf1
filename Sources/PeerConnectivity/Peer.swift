import PeerProtocol

/// A program with an identity, near or far.
///
/// Two values are equal when they mean the same identity, whatever name or trust they carry: peers with equal names are
/// different peers, and a peer that changes its name stays the same one.
public struct Peer: Hashable, Sendable, Identifiable, CustomStringConvertible {
  /// Who a peer is: the SHA-256 of its certificate, 32 bytes.
  ///
  /// It survives a restart where the program keeps a state directory. The order is that of the bytes.
  public struct ID: Hashable, Comparable, Sendable, CustomStringConvertible {
    let link: PeerProtocol.PeerID

    init(_ link: PeerProtocol.PeerID) { self.link = link }

    /// Reads an identity as people and files write it.
    ///
    /// - Returns: nil unless the text is exactly 64 hexadecimal digits, in either case.
    public init?(hex: some StringProtocol) {
      guard let id = PeerProtocol.PeerID(hex: hex) else { return nil }
      link = id
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String { link.hex }
    /// The first eight digits, for people; never for a decision.
    public var short: String { link.short }
    /// The 32 bytes.
    public var bytes: [UInt8] { link.bytes }
    /// The same as `hex`.
    public var description: String { hex }

    /// The order of the bytes, on which two peers agree.
    public static func < (left: ID, right: ID) -> Bool { left.link < right.link }
  }

  /// Who it is.
  public let id: ID
  /// What it calls itself: a label of 1 to 63 bytes without control characters. It proves nothing.
  ///
  /// In discovery it is what anybody may have announced; once connected it is what the proven identity said.
  public let displayName: String
  /// Whether this program trusted the identity when the value was made: it is paired, or the trust policy said so.
  public let isTrusted: Bool

  init(id: ID, displayName: String, isTrusted: Bool) {
    self.id = id
    self.displayName = displayName
    self.isTrusted = isTrusted
  }

  /// The name with the first digits of the identity.
  public var description: String { "\(displayName) (\(id.short))" }

  /// Compares identities.
  public static func == (left: Peer, right: Peer) -> Bool { left.id == right.id }
  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A host and a port, for peers that multicast does not reach.
public struct PeerEndpoint: Hashable, Sendable, CustomStringConvertible {
  /// A host name or a numeric address, IPv6 without brackets.
  public let host: String
  /// The port on which the other node listens.
  public let port: UInt16

  /// Names an endpoint; nothing is looked up yet.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// `HOST:PORT`, with brackets around IPv6.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

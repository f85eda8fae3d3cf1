/// Whom a node lets in. Connections are always encrypted and both identities proven; the policy says which identities are welcome.
public struct TrustPolicy: Sendable {
  /// What to do with one identity.
  public enum Verdict: Hashable, Sendable {
    /// Like a paired peer.
    case trust
    /// A stranger: let it invite and be invited, with `Peer.isTrusted` false, so that the application or its user decides.
    case ask
    /// Turn it away before it can say anything, with the reason "untrusted".
    case refuse
  }

  let verdict: @Sendable (_ id: Peer.ID, _ isPaired: Bool) -> Verdict

  /// Only paired peers; strangers learn that they are not trusted. The default.
  public static let pairedOnly = TrustPolicy { _, isPaired in isPaired ? .trust : .refuse }

  /// Strangers too: their invitations carry `peer.isTrusted == false`, and somebody has to say yes to each.
  public static let askAlways = TrustPolicy { _, isPaired in isPaired ? .trust : .ask }

  /// Judges each identity, as a certificate handler does: the identity is the SHA-256 of the certificate.
  ///
  /// The handler runs on the node's own thread at each connection, so it must answer from memory, without waiting. `isPaired`
  /// says whether the identity is in the trust file.
  public static func handler(
    _ verdict: @escaping @Sendable (_ id: Peer.ID, _ isPaired: Bool) -> Verdict
  ) -> TrustPolicy { TrustPolicy(verdict: verdict) }
}

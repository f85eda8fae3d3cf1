public import Configuration

/// Whether a peer may connect: what the person's policy says about it.
public enum Admission: Equatable, Sendable {
  case accept, ask, decline

  /// The policy counts for strangers in both directions: a name on the network proves nothing, whoever dials.
  ///
  /// - Parameter isPaired: whether the proven identity is in our list.
  public static func decide(_ policy: AcceptPolicy, isPaired: Bool) -> Admission {
    switch policy {
    case .any: .accept
    case .paired: isPaired ? .accept : .decline
    case .ask: .ask
    }
  }
}

/// Makes a node visible to others nearby and receives their invitations.
///
/// ```swift
/// let advertiser = PeerAdvertiser(node: node, discoveryInfo: ["room": "4"])
/// advertiser.start()
/// for await invitation in advertiser.invitations { try await invitation.accept(into: session) }
/// ```
/// Start and stop at any time. A node has one running advertiser: starting another one stops the first. While none runs, every invitation is
/// declined. It stops when it is released.
public final class PeerAdvertiser: Sendable {
  /// Who learns of the node.
  public enum Visibility: Hashable, Sendable {
    /// It is announced by multicast DNS.
    case nearby
    /// It is not announced, but whoever knows host and port may invite it.
    case hidden
  }

  /// What an advertiser reports besides invitations.
  public enum State: Equatable, Sendable {
    /// It does not run.
    case stopped
    /// Started, not visible yet, with the reason if there is one, such as an Avahi that is not running; goes on by itself.
    case waiting(reason: String)
    /// Visible under this name, which differs from the display name when another one on the network had it before.
    case advertising(name: String)
    /// Started and not announced, as asked.
    case hidden
    /// Refused; tried again after a minute.
    case failed(reason: String)
  }

  /// The most invitations that wait to be taken from `invitations`; further ones are declined as busy.
  public static let maximumWaitingInvitations = 64

  /// The node that is made visible.
  public let node: PeerNode
  /// What others can read before they connect.
  public let discoveryInfo: DiscoveryInfo
  /// Who learns of it.
  public let visibility: Visibility

  let record: AdvertiserRecord

  /// Prepares to advertise; `start()` begins.
  public init(
    node: PeerNode, discoveryInfo: DiscoveryInfo = DiscoveryInfo(), visibility: Visibility = .nearby
  ) {
    self.node = node
    self.discoveryInfo = discoveryInfo
    self.visibility = visibility
    record = AdvertiserRecord(
      discoveryInfo: discoveryInfo, isVisible: visibility == .nearby)
  }

  deinit { node.runtime.stopAdvertising(record, isFinal: true) }

  /// Becomes visible and takes invitations. Does nothing when it does already.
  public func start() { node.runtime.startAdvertising(record) }

  /// Becomes invisible and declines what has not been answered. Sessions stay. Idempotent.
  public func stop() { node.runtime.stopAdvertising(record, isFinal: false) }

  /// Who invites this node. Goes on over `stop()` and `start()`; ends with the node.
  ///
  /// At most `maximumWaitingInvitations` wait for a slow reader. Invitations whose time is over are left out.
  public var invitations: PeerEvents<PeerInvitation> { PeerEvents(source: record.invitations) }

  /// Whether it is visible, newest only: a slow reader misses what is past.
  public var states: PeerEvents<State> { PeerEvents(source: record.states) }
}

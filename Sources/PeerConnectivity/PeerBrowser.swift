/// Finds peers of the node's service type nearby.
///
/// What is found is a hint: a name and an identity that somebody announced, not yet proven, and a peer that lost its power stays listed for up
/// to two minutes. Sessions do not depend on it. Sightings on several interfaces are one peer, and the node itself is left out.
public final class PeerBrowser: Sendable {
  /// What a browser reports.
  public enum Event: Equatable, Sendable {
    /// A peer that was not there before.
    case found(Peer, DiscoveryInfo)
    /// A known peer changed its name or its discovery info, or is trusted or not trusted any more.
    case updated(Peer, DiscoveryInfo)
    /// A peer is not announced any more. A session with it lives on.
    case lost(Peer)
    /// Browsing works, at first or again.
    case available
    /// Browsing could not start or was interrupted; goes on by itself. The reason names the remedy, such as "start avahi-daemon".
    case unavailable(reason: String)
  }

  /// The most peers that are kept; more on one network are somebody's mischief.
  public static let maximumPeers = 256

  /// The node that looks.
  public let node: PeerNode

  let record: BrowserRecord

  /// Prepares to browse; `start()` begins.
  public init(node: PeerNode) {
    self.node = node
    record = BrowserRecord()
  }

  deinit { node.runtime.stopBrowsing(record, isFinal: true) }

  /// Begins to browse. Does nothing when it does already.
  public func start() { node.runtime.startBrowsing(record) }

  /// Ends browsing; every peer that was found is reported as lost. Idempotent.
  public func stop() { node.runtime.stopBrowsing(record, isFinal: false) }

  /// What comes and goes. Goes on over `stop()` and `start()`; ends with the node.
  ///
  /// For a slow reader the news of one peer are merged: it sees the newest, and nothing of a peer that came and went meanwhile.
  public var events: PeerEvents<Event> { PeerEvents(source: record.events) }

  /// The peers that are announced now, in the order of their identities.
  public var peers: [(peer: Peer, info: DiscoveryInfo)] { record.peers }
}

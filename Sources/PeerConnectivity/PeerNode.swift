/// This program's place among its peers: an identity, a thread with an event loop, and a port on which others reach it.
///
/// A node does nothing by itself: make a `PeerSession` to talk, a `PeerAdvertiser` to be found and invited, a `PeerBrowser` to find others. Each of
/// them keeps the node; when the last of them and the node itself are gone, or after `stop()`, everything ends: connections say
/// goodbye, the announcement is withdrawn, the thread leaves.
///
/// ```swift
/// let node = try PeerNode(displayName: "laptop", serviceType: ServiceType("drone-chat"), stateDirectory: "/var/lib/chat")
/// ```
public final class PeerNode: Sendable {
  /// Where a node listens.
  public struct ListenAddress: Hashable, Sendable {
    let host: String
    let port: UInt16

    /// A numeric address of this computer, and a port; 0 lets the system choose one.
    public init(host: String, port: UInt16 = 0) {
      self.host = host
      self.port = port
    }

    /// All addresses, and a port that the system chooses.
    public static let any = ListenAddress(host: "::")
    /// Only programs on this computer.
    public static let loopback = ListenAddress(host: "127.0.0.1")
    /// All addresses, and this port.
    public static func port(_ port: UInt16) -> ListenAddress { ListenAddress(host: "::", port: port) }
  }

  /// How important a line of the log is.
  public enum LogLevel: Int, Comparable, Sendable {
    /// Something does not work.
    case error = 3
    /// Something may not work.
    case warning = 4
    /// A normal, rare event.
    case notice = 5
    /// A normal event.
    case info = 6
    /// For those who look for a fault.
    case debug = 7

    /// The more important level is the smaller one.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
  }

  /// Receives the log, on any thread; it must not block. Texts of peers are in it: escape control characters before showing them.
  public typealias LogHandler = @Sendable (LogLevel, String) -> Void

  /// Who this program is.
  public let id: Peer.ID
  /// What it calls itself.
  public let displayName: String
  /// Who can find it.
  public let serviceType: ServiceType
  /// The port on which it listens; with the address of this computer others can `connect(to:)` it where multicast does not reach.
  public let port: UInt16

  let runtime: NodeRuntime

  /// Makes a node and starts its thread.
  ///
  /// - Parameters:
  ///   - displayName: 1 to 63 bytes of UTF-8 without control characters; equal names are different peers.
  ///   - serviceType: only peers of the same type find each other.
  ///   - stateDirectory: holds the key, made at the first start, and the list of paired peers; with it this program stays the same
  ///     peer after a restart. Nil makes an identity for this run only, and trust that is forgotten with it.
  ///   - trust: whom to let in.
  ///   - listen: where to listen for connections.
  ///   - log: receives the log up to `info`; nil for none.
  /// - Throws: `PeerNodeError`.
  public init(
    displayName: String, serviceType: ServiceType, stateDirectory: String? = nil,
    trust: TrustPolicy = .pairedOnly, listen: ListenAddress = .any, log: LogHandler? = nil
  ) throws(PeerNodeError) {
    runtime = try NodeRuntime(
      displayName: displayName, serviceType: serviceType, stateDirectory: stateDirectory, trust: trust,
      listen: listen, log: log)
    id = runtime.id
    port = runtime.port
    self.displayName = displayName
    self.serviceType = serviceType
  }

  deinit { runtime.shutDown() }

  /// This program as a peer.
  public var peer: Peer { Peer(id: id, displayName: displayName, isTrusted: true) }

  /// Ends everything and waits until the goodbyes have left, half a second at most. Idempotent.
  ///
  /// All sequences end, all sessions are disconnected, and what is called afterwards throws or does nothing.
  public func stop() async { await runtime.stop() }

  /// The paired peers, with the names under which they were stored.
  public func pairedPeers() async -> [Peer] { await runtime.pairedPeers() }

  /// Trusts an identity from now on, as pairing does: for fingerprints that came by a safe way.
  ///
  /// - Throws: `PeerNodeError.state` when the trust file cannot be written.
  public func trust(_ id: Peer.ID, name: String) async throws(PeerNodeError) {
    try await runtime.trust(id, name: name)
  }

  /// Ends the trust in an identity, and a live session with it.
  ///
  /// - Throws: `PeerNodeError.state` when the trust file cannot be written.
  public func untrust(_ id: Peer.ID) async throws(PeerNodeError) { try await runtime.untrust(id) }
}

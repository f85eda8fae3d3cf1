/// Several connected peers that exchange messages, files and streams.
///
/// Peers join by `invite`, `connect(to:)`, or `PeerInvitation.accept(into:)`, up to 64. A peer is in one session of a node at a time. Two peers that
/// invite each other at the same time end with one connection.
///
/// ```swift
/// let session = PeerSession(node: node)
/// try await session.invite(peer)
/// try await session.send(Array("hello".utf8), to: session.connectedPeers)
/// for await event in session.events { … }
/// ```
/// The session ends when it is released: every peer is told goodbye.
public final class PeerSession: Sendable {
  /// The most peers of a session.
  public static let maximumPeers = 64
  /// The most bytes that an invitation carries.
  public static let maximumContextBytes = 1000
  /// Reliable messages of one peer that wait for a slow reader, in bytes, at least one message; beyond that the peer is slowed down.
  public static let maximumWaitingBytes = 262_144
  /// Unreliable messages of one peer that wait for a slow reader; beyond that the oldest is dropped and counted.
  public static let maximumWaitingUnreliableMessages = 64

  /// The state of one peer in this session.
  public enum State: Equatable, Sendable {
    /// Not in the session (any more).
    case notConnected(DisconnectReason)
    /// Invited, or its invitation was accepted, or it is silent for a moment and expected back.
    case connecting
    /// Messages flow. `isRestarted` is true when its program was started anew since it was last connected, `isResumed` when the same session goes on
    /// after a break without any loss of reliable messages.
    case connected(isRestarted: Bool, isResumed: Bool)
  }

  /// Why a peer is not connected.
  public enum DisconnectReason: Equatable, Sendable {
    /// It said goodbye, with its words (may be empty).
    case left(String)
    /// This side disconnected.
    case disconnected
    /// Nothing was heard of it for eight seconds. It is taken up again if it comes back within ten minutes.
    case silent
    /// The connection ended without a goodbye.
    case connectionLost(String)
    /// Its program was started anew.
    case restarted
    /// The trust in it ended, here or there.
    case untrusted
    /// It broke the rules of the protocol.
    case protocolError(String)
    /// The invitation led to nothing.
    case invitation(InvitationError)
  }

  /// What happens in a session.
  public enum Event: Sendable {
    /// A peer came, went or is on its way.
    case state(Peer, State)
    /// A peer sent a message.
    case message(PeerMessage)
    /// A peer offers a file or a folder: accept or decline it.
    case resourceOffered(IncomingResource)
    /// A peer opened a byte stream.
    case streamOpened(PeerStream)
  }

  /// The planes and delays of a connected peer.
  public struct LinkStatus: Equatable, Sendable {
    /// Whether messages may travel as datagrams.
    public enum Datagrams: Equatable, Sendable {
      /// They get through.
      case up
      /// It is being tried.
      case connecting
      /// They do not get through: everything goes over the control connection.
      case blocked
    }

    /// The datagram plane.
    public let datagrams: Datagrams
    /// False while the control connection is being reopened; reliable messages wait for it, and urgent ones go on as datagrams.
    public let hasControl: Bool
    /// Bytes for this peer that wait to be sent.
    public let pendingBytes: Int
  }

  /// The node that it belongs to.
  public let node: PeerNode

  let record: SessionRecord

  /// Makes a session without peers.
  public init(node: PeerNode) {
    self.node = node
    let runtime = node.runtime
    record = SessionRecord { [weak runtime] id in runtime?.resumeReading(id) }
    runtime.add(record)
  }

  deinit { node.runtime.remove(record) }

  /// What happens, in order for each peer.
  ///
  /// Read it: a session whose events are not read slows down the peers that send to it. Waiting for a slow reader are at most, for each peer, its newest state after the
  /// last message, `maximumWaitingBytes` of reliable messages and what was on its way, 256 urgent ones, `maximumWaitingUnreliableMessages`, and 16 offers. States are never dropped but
  /// merged: who went and came back with no message in between may be seen in its last state only. Ends with the session.
  public var events: PeerEvents<Event> { PeerEvents(source: record.events) }

  /// The peers that are connected now, in the order of their identities.
  public var connectedPeers: [Peer] { record.connectedPeers }

  /// Invites a peer that a browser found, and waits for the answer.
  ///
  /// Returns at once when it is connected in this session already. When the peer invites this one at the same time, one of the two invitations serves both.
  ///
  /// - Parameters:
  ///   - context: at most `maximumContextBytes` bytes for the other side to decide upon.
  ///   - timeLimit: for connection and answer together, 1 to 300 seconds.
  /// - Returns: the peer under its proven name.
  @discardableResult
  public func invite(
    _ peer: Peer, context: [UInt8] = [], timeLimit: Duration = .seconds(30)
  ) async throws(InvitationError) -> Peer {
    try await node.runtime.invite(.peer(peer), context: context, timeLimit: timeLimit, into: record)
  }

  /// Invites whoever listens at an endpoint, without multicast; else like `invite(_:context:timeLimit:)`.
  ///
  /// - Parameter expecting: when it is given, anybody else there is refused.
  @discardableResult
  public func connect(
    to endpoint: PeerEndpoint, expecting id: Peer.ID? = nil, context: [UInt8] = [],
    timeLimit: Duration = .seconds(30)
  ) async throws(InvitationError) -> Peer {
    try await node.runtime.invite(
      .endpoint(endpoint, id), context: context, timeLimit: timeLimit, into: record)
  }

  /// Gives an invitation up that is under way: its caller gets `.cancelled`. Does nothing when there is none.
  public func cancelInvitation(of peer: Peer) { node.runtime.cancelInvitation(of: peer.id, in: record) }

  /// Says goodbye to one peer. Idempotent.
  public func disconnect(_ peer: Peer) { node.runtime.disconnect(peer.id, in: record) }

  /// Says goodbye to all peers; the session may be used again. Idempotent.
  public func disconnect() { node.runtime.disconnectAll(in: record) }

  /// Sends a message to connected peers.
  ///
  /// Reliable and urgent messages wait for room: the call returns when the message is in the hands of the connection to each peer, so a slow reader over there slows
  /// the writer here. Of several calls that wait for one peer the first goes first. Unreliable messages never wait.
  ///
  /// - Parameters:
  ///   - channel: 0 to 239, for the application's own use; unreliable and urgent messages are counted for each channel.
  /// - Throws: `SendError`. One peer that is gone does not keep the message from the others.
  public func send(
    _ bytes: [UInt8], to peers: [Peer], channel: UInt8 = 0, mode: DeliveryMode = .reliable
  ) async throws(SendError) {
    try await node.runtime.send(bytes, to: peers, channel: channel, mode: mode, from: record)
  }

  /// How the connection to a peer is doing, nil when it is not connected.
  public func linkStatus(of peer: Peer) async -> LinkStatus? {
    await node.runtime.linkStatus(of: peer.id, in: record)
  }

  /// Offers a file or a folder to a peer and sends it once it is accepted.
  ///
  /// Returns at once: follow `progress` and await `value`. A transfer belongs to the session and goes on when the returned object is released.
  ///
  /// - Parameters:
  ///   - path: of a file or directory that can be read.
  ///   - name: what the receiver is told; the last part of the path if nil.
  public func sendResource(at path: String, named name: String? = nil, to peer: Peer) -> ResourceTransfer {
    node.runtime.sendResource(at: path, named: name, to: peer, from: record)
  }

  /// Opens a byte stream to a peer, both ways.
  ///
  /// - Parameter name: tells the other side what it is for, at most 255 bytes.
  public func openStream(named name: String, to peer: Peer) async throws(StreamError) -> PeerStream {
    try await node.runtime.openStream(named: name, to: peer, from: record)
  }
}

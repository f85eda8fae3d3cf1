import Glibc
import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// One TCP connection with TLS and frames on it; it knows nothing of sessions, trust or purposes.
///
/// Its owner keeps it, sets `onEvent` and calls `tick()` several times a second.
final class FramedConnection {
  enum Event {
    /// The peer proved who it is; told once, before any frame.
    case authenticated(PeerID)
    case frame(ControlFrame)
    /// The peer broke the framing; nothing more is read. The owner says why and ends.
    case malformed(ControlFrameError)
    /// What waited for the kernel is written out.
    case drained
    /// The connection is gone, by itself: never told after `finish`, `close` or `detach`. The last event.
    case lost(Loss)
  }

  enum Loss: Equatable {
    case handshakeTimedOut
    case failed(String)
  }

  private enum Stage {
    case handshaking(deadline: ContinuousClock.Instant)
    case open
    /// The peer broke the framing: only sending makes sense.
    case malformed
    /// The last bytes are on their way; what still arrives is dropped.
    case draining(until: ContinuousClock.Instant)
    case ended
  }

  let local: SocketAddress
  let remote: SocketAddress
  let isOutgoing: Bool
  private(set) var peerID: PeerID?
  /// Whether the peer counts as a stranger that holds one of the few places for these; set by the owner.
  var isAdmitted = false
  var onEvent: ((Event) -> Void)?
  /// The largest frame that is accepted; raise it once the peer is accepted.
  var maximumPayloadBytes: Int {
    get { decoder.maximumPayloadBytes }
    set { decoder.maximumPayloadBytes = newValue }
  }

  private let loop: EventLoop
  private let channel: DescriptorChannel
  private let engine: TLSEngine
  private var stage: Stage
  private var decoder = ControlFrameDecoder()

  /// How long a refused or leaving peer has to read the reason.
  private static let drainTime: Duration = .milliseconds(500)

  init(
    _ connection: TCPConnection, identity: Identity, isOutgoing: Bool, policy: PeerPolicy,
    handshakeLimit: Duration, loop: EventLoop
  ) throws(TLSError) {
    self.loop = loop
    self.isOutgoing = isOutgoing
    channel = connection.channel
    local = connection.local
    remote = connection.remote
    engine = try TLSEngine(identity: identity, role: isOutgoing ? .client : .server, policy: policy)
    stage = .handshaking(deadline: loop.now.advanced(by: handshakeLimit))
    channel.onBytes = { [weak self] bytes in self?.received(bytes) }
    channel.onEnd = { [weak self] end in self?.lose(.failed(end.description)) }
    channel.onDrained = { [weak self] in self?.onEvent?(.drained) }
    write(try engine.start())
  }

  deinit { channel.close() }

  /// Nothing is left to be done with it.
  var isEnded: Bool {
    if case .ended = stage { true } else { false }
  }
  /// The peer is proven, and frames go both ways.
  var isOpen: Bool {
    if case .open = stage { true } else { false }
  }
  /// Bytes that wait for the kernel.
  var pendingByteCount: Int { channel.pendingByteCount }

  /// Queues a frame.
  ///
  /// - Returns: false when it cannot be sent. A TLS record cannot be left out of the stream, so an open connection is of no use
  ///   after that: the owner asks `pendingByteCount` before it sends much.
  @discardableResult
  func send(_ frame: ControlFrame) -> Bool {
    switch stage {
    case .open, .malformed: break
    case .handshaking, .draining, .ended: return false
    }
    do throws(TLSError) {
      let bytes = try engine.send(frame.encoded)
      return write(bytes)
    } catch { return false }
  }

  /// A secret that only the two ends of this connection can compute.
  func export(label: String, context: [UInt8] = [], length: Int) throws(TLSError) -> [UInt8] {
    try engine.export(label: label, context: context, length: length)
  }

  /// Stops or resumes reading, so that a slow reader slows the peer.
  func setReading(_ enabled: Bool) { channel.setReading(enabled) }

  /// Says farewell and ends as soon as what was sent is out, half a second later at most. Idempotent.
  func finish() {
    switch stage {
    case .draining, .ended: return
    case .handshaking, .open, .malformed: break
    }
    write(engine.close())
    if peerID == nil {
      // Nothing was said that the peer could still have to read.
      close()
    } else {
      stage = .draining(until: loop.now.advanced(by: FramedConnection.drainTime))
    }
  }

  /// Ends at once, without a word. Idempotent.
  func close() {
    stage = .ended
    channel.close()
  }

  /// Ends at once, and tells the owner so.
  func drop(_ reason: String) { lose(.failed(reason)) }

  /// Gives an open connection away, to a worker thread for example; this object is ended then.
  ///
  /// - Returns: nil unless the connection is open.
  func detach() -> DetachedConnection? {
    guard case .open = stage, let (descriptor, unsent) = channel.release() else { return nil }
    stage = .ended
    return DetachedConnection(
      engine: engine, descriptor: descriptor, unreadPlaintext: decoder.unread, unsentCiphertext: unsent)
  }

  func tick() {
    let now = loop.now
    switch stage {
    case .handshaking(let deadline):
      if now >= deadline { lose(.handshakeTimedOut) }
    case .draining(let until):
      if now >= until || channel.pendingByteCount == 0 && engine.wasClosedCleanly { close() }
    case .open, .malformed, .ended: break
    }
  }

  private func received(_ bytes: [UInt8]) {
    do throws(TLSError) {
      let received = try engine.receive(bytes)
      write(received.output)
      if received.handshakeFinished, case .handshaking = stage, let id = engine.peerID {
        peerID = id
        stage = .open
        onEvent?(.authenticated(id))
      }
      if !received.plaintext.isEmpty { receivedPlaintext(received.plaintext) }
      if let failure = received.failure { return broken(failure) }
      if received.closed { lose(.failed("closed by the other side")) }
    } catch {
      broken(error)
    }
  }

  private func broken(_ error: TLSError) {
    // After `detach` the engine is somebody else's.
    if case .ended = stage { return }
    // The alert tells the peer why, if it still listens.
    write(engine.takeOutput())
    lose(.failed(error.description))
  }

  private func receivedPlaintext(_ bytes: [UInt8]) {
    guard case .open = stage else { return }
    decoder.append(bytes)
    // Each handler may end the connection or give it away.
    while case .open = stage {
      do throws(ControlFrameError) {
        guard let frame = try decoder.next() else { return }
        onEvent?(.frame(frame))
      } catch {
        stage = .malformed
        onEvent?(.malformed(error))
      }
    }
  }

  private func lose(_ loss: Loss) {
    switch stage {
    case .handshaking, .open, .malformed:
      close()
      onEvent?(.lost(loss))
    case .draining: close()
    case .ended: break
    }
  }

  /// False when the backlog is full.
  @discardableResult
  private func write(_ bytes: [UInt8]) -> Bool { bytes.isEmpty || channel.write(bytes) }
}

/// What is left of a connection that was given away: its new owner reads, writes and closes the descriptor.
///
/// Sendable because exactly one owner holds it at a time: the connection that made it is ended and uses none of the parts.
struct DetachedConnection: @unchecked Sendable {
  let engine: TLSEngine
  /// Non-blocking; to be closed by the owner.
  let descriptor: Int32
  /// What arrived behind the last frame that was handed out.
  let unreadPlaintext: [UInt8]
  /// What the kernel has not taken yet; goes out before anything else.
  let unsentCiphertext: [UInt8]

  /// Ends the connection, for an owner that cannot go on with it.
  func close() { Glibc.close(descriptor) }
}

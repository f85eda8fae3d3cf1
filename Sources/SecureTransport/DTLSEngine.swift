/// Protected datagrams between two ends that share a key, without a socket: datagrams from the network go in, datagrams for
/// the network come out.
///
/// DTLS 1.2 (RFC 6347) with ECDHE-PSK-CHACHA20-POLY1305 (RFC 7905) only. Meant for a connected UDP socket, so there is no
/// exchange of cookies. Nothing that arrives unproven ends anything: garbage, replays and forged alerts are counted and
/// forgotten, and a handshake that fails or drags is tried again for as long as the engine lives. A wrong key shows as a
/// handshake that never finishes.
///
/// Use: send what `start()` returns; give each datagram to `receive`; when `nextTimeout()` (asked for after every call) has
/// passed, send what `handleTimeout()` returns.
public final class DTLSEngine {
  public enum Role: Sendable {
    case client
    case server
  }

  /// When a handshake says something again.
  public struct Timing: Equatable, Sendable {
    /// A flight without answer is repeated after this, then after twice that, ... (at least 16 ms: OpenSSL takes the last
    /// 15 ms of a wait as over).
    public var firstRepeat: Duration
    public var slowestRepeat: Duration
    /// A client begins anew after this: OpenSSL measures with the wall clock, which may be set back, and a server may have
    /// been led astray by a forgery.
    public var oneTry: Duration
    /// A client whose try failed (which takes a forgery) waits this long.
    public var afterFailure: Duration

    /// Measured with 30 % of datagrams lost each way: half of all handshakes take 0.4 s, one in ten 3.4 s; with the
    /// library's own second, doubled, one in five has not finished after 15 s.
    public init(
      firstRepeat: Duration = .milliseconds(100), slowestRepeat: Duration = .seconds(1),
      oneTry: Duration = .seconds(5), afterFailure: Duration = .milliseconds(500)
    ) {
      self.firstRepeat = firstRepeat
      self.slowestRepeat = slowestRepeat
      self.oneTry = oneTry
      self.afterFailure = afterFailure
    }
  }

  /// What came of a datagram.
  public struct Received: Equatable, Sendable {
    /// What the peer's application sent; one payload for each of its calls, usually one.
    public var plaintexts: [[UInt8]] = []
    /// Send these to the peer.
    public var output: [[UInt8]] = []
    /// The handshake ended with this datagram; true once.
    public var handshakeFinished = false
    /// The peer said, proven, that it is over.
    public var closed = false
  }

  public static let keyBytes = 32
  /// What every link that carries IPv6 over some tunnels takes.
  public static let defaultLinkMTU = 1200
  /// The most that one record can hold (RFC 6347, section 4.1.1).
  static let maximumRecordBytes = 16_384
  /// Record header and the cipher's tag.
  private static let protectionBytes = DTLSRecord.headerBytes + 16

  /// The longest payload of `send`.
  public let maximumPayloadBytes: Int
  /// Datagrams that brought nothing: garbage, replays, forgeries, repeats of a flight.
  public private(set) var droppedDatagrams: UInt64 = 0
  /// Whether `send` works.
  public private(set) var isEstablished = false
  /// Whether it is over, by either side.
  public private(set) var isClosed = false

  private let role: Role
  private let linkMTU: Int
  private let timing: Timing
  private let context: DTLSContext
  private var current: DTLSAssociation
  /// At a server whose handshake is finished, but whose client may not know it: the client began anew. It replaces the
  /// finished one when it finishes too, so that a forged hello costs nothing.
  private var candidate: DTLSAssociation?
  /// The peer's application was heard, so the peer is finished too and never begins anew.
  private var isConfirmed = false
  private var wasEverEstablished = false
  private var restart: ContinuousClock.Instant?

  /// - Parameters:
  ///   - key: 32 secret bytes for this association alone.
  ///   - linkMTU: the longest IP packet, with 48 bytes for the headers of IPv6 and UDP; at least 512.
  public init(
    role: Role, key: [UInt8], linkMTU: Int = defaultLinkMTU, timing: Timing = Timing()
  ) throws(DTLSError) {
    precondition(key.count == DTLSEngine.keyBytes, "a key has \(DTLSEngine.keyBytes) bytes, not \(key.count)")
    // A hello must fit into one datagram.
    precondition((512...9000).contains(linkMTU), "a link's limit is 512 to 9000 bytes, not \(linkMTU)")
    self.role = role
    self.linkMTU = linkMTU
    self.timing = timing
    maximumPayloadBytes = linkMTU - DatagramBIO.linkOverheadBytes - DTLSEngine.protectionBytes
    context = try DTLSContext(key: key, timing: timing)
    current = try DTLSAssociation(context, role: role, linkMTU: linkMTU)
  }

  /// The first datagrams for the peer; none from a server, which waits for the client's.
  public func start() -> [[UInt8]] {
    switch role {
    case .server: return []
    case .client:
      restart = ContinuousClock.now + timing.oneTry
      current.advance()
      return current.takeOutput()
    }
  }

  /// Takes a datagram from the network, whatever it is.
  public func receive(_ datagram: [UInt8]) -> Received {
    var received = Received()
    guard !isClosed else {
      received.closed = true
      return received
    }
    let records = DTLSRecord.records(in: datagram)
    let wasEstablished = isEstablished
    if case .server = role { consider(records) }
    receive(records, into: &received)
    settle(&received)
    if received == Received(), wasEstablished || records.isEmpty { droppedDatagrams += 1 }
    return received
  }

  /// Protects one payload.
  ///
  /// - Returns: one datagram, never longer than the link's limit.
  public func send(_ plaintext: [UInt8]) throws(DTLSError) -> [UInt8] {
    guard !isClosed else { throw .closed }
    guard isEstablished else { throw .notEstablished }
    guard (1...maximumPayloadBytes).contains(plaintext.count) else {
      throw .payloadSize(maximumBytes: maximumPayloadBytes)
    }
    return try current.send(plaintext)
  }

  /// Ends the association.
  ///
  /// - Returns: the farewell, which may be lost; nothing when there is nobody to tell.
  public func close() -> [[UInt8]] {
    guard !isClosed else { return [] }
    isClosed = true
    isEstablished = false
    candidate = nil
    restart = nil
    return current.close()
  }

  /// How long until `handleTimeout()` has something to do; nil: nothing is waited for.
  public func nextTimeout() -> Duration? {
    guard !isClosed else { return nil }
    let untilRestart = restart.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
    return [current.nextTimeout(), candidate?.nextTimeout(), untilRestart].compactMap(\.self).min()
  }

  /// Says again what had no answer, if it is time; harmless when early.
  public func handleTimeout() -> [[UInt8]] {
    guard !isClosed else { return [] }
    if let restart, restart <= ContinuousClock.now { return beginAnew() }
    current.handleTimeout()
    candidate?.handleTimeout()
    var received = Received()
    settle(&received)
    return received.output
  }

  /// At a server: whether a client's hello begins another try.
  private func consider(_ records: [DTLSRecord]) {
    guard let random = records.lazy.compactMap(\.clientRandom).first, !isConfirmed else { return }
    guard current.clientRandom != nil else {
      current.clientRandom = random
      return
    }
    guard random != current.clientRandom, random != candidate?.clientRandom else { return }
    // Memory is gone: the client tries again.
    guard let fresh = try? DTLSAssociation(context, role: role, linkMTU: linkMTU) else { return }
    fresh.clientRandom = random
    if isEstablished { candidate = fresh } else { current = fresh }
  }

  private func receive(_ records: [DTLSRecord], into received: inout Received) {
    let forCurrent = records.filter { isAllowed($0) }
    let plaintexts = forCurrent.isEmpty ? [] : current.receive(Array(forCurrent.map(\.bytes).joined()))
    if !plaintexts.isEmpty {
      received.plaintexts = plaintexts
      isConfirmed = true
      candidate = nil
      return
    }
    guard let candidate else { return }
    let forCandidate = records.filter { DTLSEngine.isAllowedInHandshake($0) }
    if !forCandidate.isEmpty {
      received.plaintexts = candidate.receive(Array(forCandidate.map(\.bytes).joined()))
    }
  }

  /// OpenSSL sees only what can be meant for it, so that it has nothing to stumble over.
  private func isAllowed(_ record: DTLSRecord) -> Bool {
    guard isEstablished else { return DTLSEngine.isAllowedInHandshake(record) }
    guard record.epoch > 0 else { return false }
    switch record.type {
    case .alert, .applicationData: return true
    // A client that missed the server's last flight repeats its own. A client never needs the server's again, and OpenSSL would
    // count the repeats against it.
    case .handshake, .changeCipherSpec: return role == .server && !isConfirmed
    }
  }

  /// An alert in plain text could come from anybody; data before the end of the handshake would be stored.
  private static func isAllowedInHandshake(_ record: DTLSRecord) -> Bool {
    switch record.type {
    case .handshake: record.epoch <= 1
    case .changeCipherSpec: record.epoch == 0
    case .alert, .applicationData: false
    }
  }

  /// Draws the conclusions from what the associations have become.
  private func settle(_ received: inout Received) {
    if let next = candidate {
      received.output += next.takeOutput()
      switch next.state {
      case .handshaking: break
      case .established:
        current = next
        candidate = nil
      case .closed, .failed: candidate = nil
      }
    }
    received.output += current.takeOutput()
    switch current.state {
    case .handshaking: break
    case .established:
      guard !isEstablished else { break }
      isEstablished = true
      received.handshakeFinished = !wasEverEstablished
      wasEverEstablished = true
      restart = nil
      // A client is finished last.
      isConfirmed = isConfirmed || role == .client
    case .closed: end(&received)
    case .failed:
      // Only the peer itself can bring about a failure once it has proven itself.
      if isEstablished && isConfirmed { end(&received) } else { giveUpTry() }
    }
  }

  private func end(_ received: inout Received) {
    isClosed = true
    isEstablished = false
    candidate = nil
    received.closed = true
  }

  private func giveUpTry() {
    switch role {
    case .client: restart = min(restart ?? .now, .now + timing.afterFailure)
    case .server:
      guard let next = candidate ?? (try? DTLSAssociation(context, role: role, linkMTU: linkMTU)) else {
        return
      }
      current = next
      candidate = nil
      isEstablished = false
    }
  }

  private func beginAnew() -> [[UInt8]] {
    restart = ContinuousClock.now + timing.oneTry
    // Memory is gone: tried again later.
    guard let fresh = try? DTLSAssociation(context, role: role, linkMTU: linkMTU) else { return [] }
    current = fresh
    current.advance()
    return current.takeOutput()
  }
}

/// How a session of two authenticated peers begins on a control connection, as a value; `SessionPlanes` goes on from there.
///
/// ```
/// inviter: awaitingHello -> awaitingAnswer -> connected
/// host:    awaitingHello -> awaitingInvitation -> deciding -> connected
/// ```
/// Every state but `connected` may end by decline, goodbye, a broken rule or a time limit. Messages flow after `connected` only, and
/// that follows the application's own acceptance: with TLS 1.3 the connecting side finishes its handshake before the
/// other has judged its certificate.
public struct SessionStateMachine: Sendable {
  public enum Role: Sendable {
    /// Dialled and invites.
    case inviter(timeLimitSeconds: UInt16, context: [UInt8])
    /// Was dialled and decides.
    case host
  }

  /// Time limits; the monotonic clock measures them.
  public struct Limits: Equatable, Sendable {
    /// From TLS to both sides' HELLO, and from there to the invitation.
    public var introduction: Duration = .seconds(5)

    public init() {}
  }

  public enum Output: Equatable, Sendable {
    case send(ControlFrame)
    /// The application must answer with `accept` or `decline`.
    case invited(Hello, context: [UInt8], timeLimit: Duration)
    /// The last output of a session that begins: the frames that follow are no longer for this value.
    case connected(Hello)
    /// The last output of one that does not: close the connection once what was sent is out.
    case ended(SessionEnd)
  }

  private enum State: Equatable {
    case awaitingHello(deadline: ContinuousClock.Instant)
    case awaitingAnswer(Hello, deadline: ContinuousClock.Instant)
    case awaitingInvitation(Hello, deadline: ContinuousClock.Instant)
    case deciding(Hello, deadline: ContinuousClock.Instant)
    case connected(Hello)
    case ended
  }

  private let role: Role
  private let limits: Limits
  private let own: Hello
  private var state: State

  /// A session on a connection whose TLS handshake is finished and whose peer is trusted.
  public init(role: Role, own: Hello, limits: Limits = Limits(), at now: ContinuousClock.Instant) {
    self.role = role
    self.own = own
    self.limits = limits
    state = .awaitingHello(deadline: now.advanced(by: limits.introduction))
  }

  public var isConnected: Bool {
    if case .connected = state { true } else { false }
  }

  private var isOnItsWay: Bool {
    switch state {
    case .awaitingHello, .awaitingAnswer, .awaitingInvitation, .deciding: true
    case .connected, .ended: false
    }
  }

  /// The first thing to send. The inviter says everything at once, which saves a round trip; the host speaks when it was spoken to.
  public func opening() -> [Output] {
    switch role {
    case .inviter(let seconds, let context):
      [.send(.hello(own)), .send(.invitation(timeLimitSeconds: seconds, context: context))]
    case .host: []
    }
  }

  public mutating func received(_ frame: ControlFrame, at now: ContinuousClock.Instant) -> [Output] {
    switch (frame, state) {
    case (_, .ended), (_, .connected):
      return []
    case (.goodbye(let reason, let text), _):
      return end(.left(reason, text: text))
    case (.hello(let hello), .awaitingHello):
      return introduced(hello, at: now)
    case (.decline(let reason, let text), .awaitingHello), (.decline(let reason, let text), .awaitingAnswer):
      return end(.declined(reason, text: text))
    case (.invitation(let seconds, let context), .awaitingInvitation(let hello, _)):
      // The inviter waits as long; deciding later than that would accept into the void.
      let limit = SessionStateMachine.invitationLimit(seconds)
      state = .deciding(hello, deadline: now.advanced(by: limit))
      return [.invited(hello, context: context, timeLimit: limit)]
    case (.accept, .awaitingAnswer(let hello, _)):
      state = .connected(hello)
      return [.connected(hello)]
    case (.ping(let number), .deciding), (.ping(let number), .awaitingAnswer):
      return [.send(.pong(number: number))]
    case (.hello, _), (.invitation, _), (.accept, _), (.decline, _), (.ping, _), (.pong, _), (.message, _),
      (.acknowledge, _), (.resume, _), (.resumed, _), (.datagramOffer, _), (.relayed, _), (.purpose, _):
      return breakOff("a frame that has no place here")
    }
  }

  /// The application takes the invitation.
  public mutating func accept() -> [Output] {
    guard case .deciding(let hello, _) = state else { return [] }
    state = .connected(hello)
    return [.send(.accept), .connected(hello)]
  }

  /// The application refuses the invitation.
  public mutating func decline(_ reason: PeerReason, text: String) -> [Output] {
    guard case .deciding = state else { return [] }
    return [.send(.decline(reason, text: text))] + end(.disconnected(reason))
  }

  /// Ends the session on purpose.
  public mutating func disconnect(_ reason: PeerReason, text: String = "") -> [Output] {
    guard isOnItsWay else { return [] }
    return [.send(.goodbye(reason, text: text))] + end(.disconnected(reason))
  }

  /// The peer sent what cannot be read.
  public mutating func breakOff(_ text: String) -> [Output] {
    guard isOnItsWay else { return [] }
    return [.send(.goodbye(.protocolError, text: text))] + end(.brokeProtocol(text))
  }

  /// The connection below is gone.
  public mutating func connectionLost(_ text: String) -> [Output] {
    guard isOnItsWay else { return [] }
    return end(.connectionLost(text))
  }

  /// Watches the time limits; call it several times a second.
  public mutating func tick(at now: ContinuousClock.Instant) -> [Output] {
    switch state {
    case .awaitingHello(let deadline), .awaitingInvitation(_, let deadline):
      return now >= deadline ? disconnectFor(.timedOut(.introduction)) : []
    case .awaitingAnswer(_, let deadline), .deciding(_, let deadline):
      return now >= deadline ? disconnectFor(.timedOut(.invitation)) : []
    case .connected, .ended:
      return []
    }
  }

  private mutating func introduced(_ hello: Hello, at now: ContinuousClock.Instant) -> [Output] {
    guard hello.version == own.version else {
      let text =
        "protocol version \(own.version) here, \(hello.version) there: install the same release on both sides"
      return [.send(.decline(.versionMismatch, text: text))] + end(.versionMismatch(theirs: hello.version))
    }
    switch role {
    case .inviter(let seconds, _):
      state = .awaitingAnswer(
        hello, deadline: now.advanced(by: SessionStateMachine.invitationLimit(seconds)))
      return []
    case .host:
      state = .awaitingInvitation(hello, deadline: now.advanced(by: limits.introduction))
      return [.send(.hello(own))]
    }
  }

  private static func invitationLimit(_ seconds: UInt16) -> Duration {
    .seconds(min(max(Int(seconds), 1), 300))
  }

  private mutating func disconnectFor(_ reason: SessionEnd) -> [Output] {
    [.send(.goodbye(.other, text: reason.description))] + end(reason)
  }

  private mutating func end(_ reason: SessionEnd) -> [Output] {
    state = .ended
    return [.ended(reason)]
  }
}

/// Why a session ended, told apart so that a caller can decide whether and when to try again.
public enum SessionEnd: Equatable, Sendable, CustomStringConvertible {
  public enum Limit: Equatable, Sendable {
    case introduction
    case invitation
    case silence
  }

  /// The other side said no to the invitation.
  case declined(PeerReason, text: String)
  /// The other side said goodbye.
  case left(PeerReason, text: String)
  /// This side ended it.
  case disconnected(PeerReason)
  case timedOut(Limit)
  case connectionLost(String)
  /// The other program was started anew.
  case restarted
  case brokeProtocol(String)
  case versionMismatch(theirs: UInt16)

  public var description: String {
    switch self {
    case .declined(.untrusted, _): "the other side does not trust this one"
    case .declined(let reason, let text): text.isEmpty ? "declined (\(reason))" : "declined: \(text)"
    case .left(let reason, let text):
      text.isEmpty ? "the other side left (\(reason))" : "the other side left: \(text)"
    case .disconnected(let reason): "disconnected (\(reason))"
    case .timedOut(.introduction): "no introduction in time"
    case .timedOut(.invitation): "no answer to the invitation in time"
    case .timedOut(.silence): "nothing heard any more"
    case .restarted: "the other program was started anew"
    case .connectionLost(let text): "connection lost: \(text)"
    case .brokeProtocol(let text): "the other side broke the protocol: \(text)"
    case .versionMismatch(let theirs):
      "the other side speaks protocol version \(theirs), this one \(Hello.currentVersion)"
    }
  }
}

extension Duration {
  /// Whole milliseconds, towards zero.
  public var wholeMilliseconds: Int64 {
    components.seconds &* 1000 &+ components.attoseconds / 1_000_000_000_000_000
  }
}

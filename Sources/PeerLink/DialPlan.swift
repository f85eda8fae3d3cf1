import PeerProtocol
import ServiceRuntime

/// When to dial a target again, as a value: quickly after a loss, slowly after a refusal, never while it is connected.
struct DialPlan: Sendable {
  enum State: Equatable, Sendable {
    case waiting(until: ContinuousClock.Instant)
    case dialling
    case connected(since: ContinuousClock.Instant)
  }

  /// A session that held this long makes the next loss a first one; one that ends at once again must not be dialled ever faster.
  private static let stableAfter: Duration = .seconds(10)
  /// News may ask for haste as often as they like, since anybody on the network can announce.
  private static let shortestGap: Duration = .seconds(1)

  private(set) var state: State
  private var lastTurn: ContinuousClock.Instant?
  private var afterLoss = Backoff(initial: .milliseconds(300), maximum: .seconds(5))
  private var afterRefusal = Backoff(initial: .seconds(2), maximum: .seconds(30))

  init(at now: ContinuousClock.Instant) { state = .waiting(until: now) }

  var isConnected: Bool {
    if case .connected = state { true } else { false }
  }

  /// True once when an attempt is due; the attempt counts as begun.
  mutating func takeTurn(at now: ContinuousClock.Instant) -> Bool {
    guard case .waiting(let until) = state, now >= until else { return false }
    state = .dialling
    lastTurn = now
    return true
  }

  mutating func connected(at now: ContinuousClock.Instant) { state = .connected(since: now) }

  /// The attempt or the session ended.
  ///
  /// - Parameter jitter: 0 to 1, shortens the delay by up to half.
  mutating func ended(_ reason: SessionEnd, at now: ContinuousClock.Instant, jitter: Double) {
    if case .connected(let since) = state, since.duration(to: now) >= DialPlan.stableAfter {
      afterLoss.reset()
      afterRefusal.reset()
    }
    let delay: Duration
    switch reason {
    case .declined(.untrusted, _), .left(.untrusted, _):
      // Trust may be given on the other side at any moment, and its operator then expects a connection soon.
      delay = .seconds(3)
    case .declined, .versionMismatch, .brokeProtocol, .disconnected(.untrusted), .disconnected(.declined),
      .left(.replaced, _), .left(.protocolError, _), .left(.busy, _):
      // `replaced` too: two computers with one copied identity would throw each other out for ever.
      delay = afterRefusal.nextDelay(jitter: jitter)
    case .left, .disconnected, .timedOut, .connectionLost, .restarted:
      delay = afterLoss.nextDelay(jitter: jitter)
    }
    state = .waiting(until: now.advanced(by: delay))
  }

  /// News of the target, such as a fresh announcement or new trust: try at once.
  mutating func hurry(at now: ContinuousClock.Instant) {
    guard case .waiting(let until) = state else { return }
    let earliest = lastTurn.map { max(now, $0.advanced(by: DialPlan.shortestGap)) } ?? now
    state = .waiting(until: min(until, earliest))
    afterLoss.reset()
  }
}

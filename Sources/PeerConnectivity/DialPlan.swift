import PeerProtocol
import ServiceRuntime

/// When to dial a target again, as a value: quickly after a loss, slowly after a refusal, never while it is connected.
struct DialPlan: Sendable {
  enum State: Equatable, Sendable {
    case waiting(until: ContinuousClock.Instant)
    case dialling
    case connected
  }

  private(set) var state: State
  private var afterLoss = Backoff(initial: .milliseconds(300), maximum: .seconds(5))
  private var afterRefusal = Backoff(initial: .seconds(2), maximum: .seconds(30))

  init(at now: ContinuousClock.Instant) { state = .waiting(until: now) }

  /// True once when an attempt is due; the attempt counts as begun.
  mutating func takeTurn(at now: ContinuousClock.Instant) -> Bool {
    guard case .waiting(let until) = state, now >= until else { return false }
    state = .dialling
    return true
  }

  mutating func connected() {
    state = .connected
    afterLoss.reset()
    afterRefusal.reset()
  }

  /// The attempt or the session ended.
  mutating func ended(_ reason: SessionEnd?, at now: ContinuousClock.Instant, jitter: Double) {
    let delay: Duration
    switch reason {
    case .declined(.untrusted, _):
      // Trust may be given on the other side at any moment, and its operator then expects a connection soon.
      delay = .seconds(3)
    case .declined, .versionMismatch, .brokeProtocol:
      delay = afterRefusal.nextDelay(jitter: jitter)
    case .left, .disconnected, .timedOut, .connectionLost, nil:
      delay = afterLoss.nextDelay(jitter: jitter)
    }
    state = .waiting(until: now.advanced(by: delay))
  }

  /// News of the target, such as a fresh announcement or new trust: try at once.
  mutating func hurry(at now: ContinuousClock.Instant) {
    if case .waiting = state { state = .waiting(until: now) }
    afterLoss.reset()
  }
}

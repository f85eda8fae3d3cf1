/// The time in which an operator accepts pairing, as a value: one attempt at a time, few attempts, then it closes.
public struct PairingWindow: Sendable {
  public static let defaultDuration: Duration = .seconds(120)
  /// With a million codes and three attempts an attacker succeeds in one window of 330,000.
  public static let maximumAttempts = 3

  public enum State: Equatable, Sendable {
    case open
    case attempting
    case closed(Closure)
  }

  public enum Closure: Equatable, Sendable {
    case paired
    case halfPaired
    case exhausted
    case timedOut
    case cancelled
  }

  public let deadline: ContinuousClock.Instant
  public private(set) var state = State.open
  public private(set) var attemptsLeft: Int

  /// - Parameter attempts: 1 where another one could only repeat the first, such as with a code that was typed once.
  public init(
    duration: Duration = PairingWindow.defaultDuration, attempts: Int = PairingWindow.maximumAttempts,
    at now: ContinuousClock.Instant
  ) {
    deadline = now.advanced(by: duration)
    attemptsLeft = attempts
  }

  public var closure: Closure? {
    if case .closed(let closure) = state { closure } else { nil }
  }

  /// A peer wants to pair.
  ///
  /// - Returns: nil when it may, else the reason to tell it.
  public mutating func begin(at now: ContinuousClock.Instant) -> PairingReason? {
    tick(at: now)
    switch state {
    case .open:
      state = .attempting
      return nil
    case .attempting: return .busy
    case .closed: return .closed
    }
  }

  /// The attempt ended; the window is open again unless it succeeded or was one too many.
  ///
  /// - Parameter counts: `PairingStateMachine.countsAsAttempt`.
  public mutating func ended(_ end: PairingEnd, counts: Bool, at now: ContinuousClock.Instant) {
    guard case .attempting = state else { return }
    switch end {
    case .paired: state = .closed(.paired)
    case .halfPaired: state = .closed(.halfPaired)
    case .failed:
      if counts { attemptsLeft -= 1 }
      state = attemptsLeft == 0 ? .closed(.exhausted) : .open
      tick(at: now)
    }
  }

  public mutating func cancel() {
    if case .closed = state { return }
    state = .closed(.cancelled)
  }

  /// An attempt under way has its own limit, which is the window's end.
  public mutating func tick(at now: ContinuousClock.Instant) {
    if state == .open, now >= deadline { state = .closed(.timedOut) }
  }
}

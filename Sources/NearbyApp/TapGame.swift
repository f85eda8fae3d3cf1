/// One opponent, round after round: who presses more keys in 30 seconds.
///
/// waiting (for both to be ready) → playing → ending (own time is over, theirs is not told yet) → over → playing …; lost from
/// everywhere. Each side plays by its own clock and freezes its count when its time is over. The round is decided from the two
/// frozen counts, which both sides know, so both see the same winner, whichever messages cross.
public struct TapGame: Sendable {
  public static let roundLength: Duration = .seconds(30)
  /// A session that is silent ends after 8 s; this is for an opponent that lives and does not say that it finished.
  static let patience: Duration = .seconds(30)

  public enum Result: Equatable, Sendable {
    case won, lost, drawn
    /// The other side did not say how it ended.
    case unknown
  }

  public enum Phase: Equatable, Sendable {
    case waiting
    case playing(until: ContinuousClock.Instant)
    case ending(since: ContinuousClock.Instant)
    case over(Result)
    /// The opponent is gone.
    case abandoned
  }

  public enum Action: Equatable, Sendable {
    case send(TapMessage)
    case started
    case ended(Result)
  }

  public private(set) var phase = Phase.waiting
  public private(set) var ownCount = 0
  public private(set) var theirCount = 0
  public private(set) var isReady = false
  public private(set) var isOpponentReady = false
  /// Rounds won, lost and drawn.
  public private(set) var score = (won: 0, lost: 0, drawn: 0)
  private var theirFinal: Int?

  public init() {}

  /// The person wants a round, the first or another.
  public mutating func ready(at now: ContinuousClock.Instant) -> [Action] {
    switch phase {
    case .waiting, .over:
      guard !isReady else { return [] }
      isReady = true
      return [.send(TapMessage(.playing, count: 0))] + startIfBothReady(at: now)
    case .playing, .ending, .abandoned: return []
    }
  }

  /// A key was pressed.
  public mutating func press(at now: ContinuousClock.Instant) -> [Action] {
    switch phase {
    case .playing(let until):
      // The press that comes with the end does not count: the count may have been told already.
      guard now < until else { return tick(at: now) }
      guard ownCount < TapMessage.maximumCount else { return [] }
      ownCount += 1
      return [.send(TapMessage(.playing, count: ownCount))]
    case .waiting, .ending, .over, .abandoned: return []
    }
  }

  /// Time passed; call it a few times a second.
  public mutating func tick(at now: ContinuousClock.Instant) -> [Action] {
    switch phase {
    case .playing(let until):
      guard now >= until else { return [] }
      phase = .ending(since: now)
      return [.send(TapMessage(.finished, count: ownCount))] + endIfBothFinished()
    case .ending(let since):
      return since.duration(to: now) >= Self.patience ? end(.unknown) : []
    case .waiting, .over, .abandoned: return []
    }
  }

  public mutating func received(_ message: TapMessage, at now: ContinuousClock.Instant) -> [Action] {
    switch phase {
    case .waiting, .over:
      switch message.code {
      // A count beyond 0 comes from an opponent that began by itself: it is ready, to say the least.
      case .playing:
        isOpponentReady = true
        let actions = startIfBothReady(at: now)
        if case .playing = phase { theirCount = message.count }
        return actions
      // Late, or of a round that was given up here.
      case .finished: return []
      }
    case .playing, .ending:
      // What follows the frozen count belongs to no round.
      guard theirFinal == nil else { return [] }
      // Counts only grow; the order is the sender's, so a smaller one is an error of that program.
      theirCount = max(theirCount, message.count)
      switch message.code {
      case .playing: return []
      case .finished:
        theirFinal = theirCount
        return endIfBothFinished()
      }
    case .abandoned: return []
    }
  }

  /// The opponent disconnected or fell silent.
  public mutating func opponentLost() { phase = .abandoned }

  /// Until the end of the round, as a person sees it.
  public func timeLeft(at now: ContinuousClock.Instant) -> Duration {
    guard case .playing(let until) = phase else { return .zero }
    return max(.zero, now.duration(to: until))
  }

  private mutating func startIfBothReady(at now: ContinuousClock.Instant) -> [Action] {
    guard isReady, isOpponentReady else { return [] }
    (isReady, isOpponentReady) = (false, false)
    (ownCount, theirCount, theirFinal) = (0, 0, nil)
    phase = .playing(until: now.advanced(by: Self.roundLength))
    return [.started]
  }

  private mutating func endIfBothFinished() -> [Action] {
    guard case .ending = phase, let theirFinal else { return [] }
    return end(ownCount > theirFinal ? .won : ownCount < theirFinal ? .lost : .drawn)
  }

  private mutating func end(_ result: Result) -> [Action] {
    phase = .over(result)
    switch result {
    case .won: score.won += 1
    case .lost: score.lost += 1
    case .drawn: score.drawn += 1
    case .unknown: break
    }
    return [.ended(result)]
  }
}

/// Where a program's own position comes from: a receiver or a chosen coordinate.
///
/// All calls and handlers belong to the thread of the program's event loop.
public protocol PositionSource: AnyObject {
  /// Receives every report, also one that says that there is no fix (`mode` is `none`).
  var onReport: ((Fix) -> Void)? { get set }
  /// Called when the status becomes another case; not for each new fix.
  var onStatusChange: ((PositionStatus) -> Void)? { get set }

  /// Begins to report. A source that cannot be reached is not an error: it is tried again for ever.
  ///
  /// - Throws: when the system has no thread or descriptor left.
  func start() throws
  /// Ends at once; no handler is called afterwards. Idempotent.
  func stop()

  /// What is known at `now`.
  func status(at now: ContinuousClock.Instant) -> PositionStatus
  /// The position that may be acted on at `now`, or nil.
  func position(at now: ContinuousClock.Instant) -> UsablePosition?
}

/// A position that may be acted on: it has at least two dimensions, is recent and is not 0,0.
public struct UsablePosition: Equatable, Sendable {
  public let coordinate: Coordinate
  /// Time since the report arrived, by the monotonic clock.
  public let age: Duration
  /// Estimated horizontal error in metres, when the receiver gives one.
  public let horizontalErrorMeters: Double?

  public init(coordinate: Coordinate, age: Duration, horizontalErrorMeters: Double?) {
    self.coordinate = coordinate
    self.age = age
    self.horizontalErrorMeters = horizontalErrorMeters
  }
}

/// What is known about one's own position; each case asks for another remedy.
public enum PositionStatus: Equatable, Sendable {
  /// Why there never was a fix.
  public enum WaitingReason: Equatable, Sendable {
    /// The first attempt to reach the source still runs.
    case connecting
    /// The source answers, but no receiver has reported: none is attached, or it is silent.
    case noReport
    /// The receiver reports that it has no fix yet.
    case noFix
  }

  /// There never was a fix.
  case waiting(WaitingReason)
  case fix(Fix)
  /// The receiver reports that it has a fix no longer.
  case lostFix(since: ContinuousClock.Instant)
  /// The source is connected but silent; `last` is its last fix.
  case stale(last: Fix, age: Duration)
  /// The source itself cannot be reached.
  case unreachable(reason: String, since: ContinuousClock.Instant)
}

/// A coordinate that the operator chose; always a fresh fix.
public final class FixedPosition: PositionSource {
  public var onReport: ((Fix) -> Void)?
  public var onStatusChange: ((PositionStatus) -> Void)?
  public let coordinate: Coordinate

  /// Nil for 0,0, which is what an unset value looks like.
  public init?(_ coordinate: Coordinate) {
    if coordinate.isNullIsland { return nil }
    self.coordinate = coordinate
  }

  public func start() {}
  public func stop() {}

  public func status(at now: ContinuousClock.Instant) -> PositionStatus {
    .fix(Fix(mode: .twoDimensional, coordinate: coordinate, receivedAt: now))
  }

  public func position(at now: ContinuousClock.Instant) -> UsablePosition? {
    UsablePosition(coordinate: coordinate, age: .zero, horizontalErrorMeters: nil)
  }
}

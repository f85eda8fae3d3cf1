/// Tells a lost fix, a stale fix and an unreachable source apart, and decides which position may be acted on.
///
///     waiting ──report with fix──▶ fix ──report without──▶ lostFix ──report with fix──▶ fix
///                                  fix ──no report for `freshness`──▶ stale ──report──▶ fix or lostFix
///     any ──disconnected──▶ unreachable ──connected──▶ what the reports so far and their age say
///
/// Age counts by the monotonic clock from the arrival of the report: the receiver's own time jumps, and gpsd does not
/// always say that a fix is lost (eclipse-kura pull request 3870).
public struct PositionMonitor: Sendable {
  private enum Link: Sendable {
    case connecting
    case connected
    case disconnected(reason: String, since: ContinuousClock.Instant)
  }

  /// How old a fix may be and still count as the position.
  ///
  /// Three seconds let a receiver of 1 Hz miss two reports; a walker is 4 m further by then, within a receiver's error.
  public let freshness: Duration
  private var link = Link.connecting
  private var hasReport = false
  private var lastFix: Fix?
  private var lostSince: ContinuousClock.Instant?
  private var announced = PositionStatus.waiting(.connecting)

  public init(freshness: Duration = .seconds(3)) { self.freshness = freshness }

  public mutating func connected() { link = .connected }

  /// The source ended or could not be reached. Repeats keep the time of the first.
  public mutating func disconnected(reason: String, at now: ContinuousClock.Instant) {
    switch link {
    case .disconnected(_, let since): link = .disconnected(reason: reason, since: since)
    case .connecting, .connected: link = .disconnected(reason: reason, since: now)
    }
  }

  /// Takes a report; one without a usable coordinate means that there is no fix.
  public mutating func received(_ report: Fix) {
    hasReport = true
    if let lastFix, report.receivedAt < lastFix.receivedAt { return }
    if let coordinate = report.coordinate, report.mode >= .twoDimensional, !coordinate.isNullIsland {
      lastFix = report
      lostSince = nil
    } else if lostSince == nil {
      lostSince = report.receivedAt
    }
  }

  public func status(at now: ContinuousClock.Instant) -> PositionStatus {
    switch link {
    case .disconnected(let reason, let since): return .unreachable(reason: reason, since: since)
    case .connecting: return .waiting(.connecting)
    case .connected: break
    }
    guard let lastFix else { return .waiting(hasReport ? .noFix : .noReport) }
    if let lostSince { return .lostFix(since: lostSince) }
    return isFresh(lastFix, at: now) ? .fix(lastFix) : .stale(last: lastFix, age: lastFix.age(at: now))
  }

  /// The position that may be acted on, or nil.
  ///
  /// A source that went away a moment ago does not make its last fix wrong: it counts until it is too old, and its age
  /// goes with it. A receiver that says it lost its fix ends it at once.
  public func position(at now: ContinuousClock.Instant) -> UsablePosition? {
    guard lostSince == nil, let lastFix, let coordinate = lastFix.coordinate, isFresh(lastFix, at: now) else {
      return nil
    }
    return UsablePosition(
      coordinate: coordinate, age: max(.zero, lastFix.age(at: now)),
      horizontalErrorMeters: lastFix.horizontalErrorMeters)
  }

  /// The status if it is another case than at the last call, so that each change is told once.
  public mutating func statusChange(at now: ContinuousClock.Instant) -> PositionStatus? {
    let status = self.status(at: now)
    defer { announced = status }
    return status.isSameCase(as: announced) ? nil : status
  }

  private func isFresh(_ fix: Fix, at now: ContinuousClock.Instant) -> Bool { fix.age(at: now) < freshness }
}

extension PositionStatus {
  fileprivate func isSameCase(as other: PositionStatus) -> Bool {
    switch (self, other) {
    case (.waiting(let left), .waiting(let right)): left == right
    case (.fix, .fix), (.lostFix, .lostFix), (.stale, .stale): true
    case (.unreachable(let left, _), .unreachable(let right, _)): left == right
    case (.waiting, _), (.fix, _), (.lostFix, _), (.stale, _), (.unreachable, _): false
    }
  }
}

import Geodesy

/// How the target moves to where the vehicle is wanted.
///
/// A client names a place each second. Handed on as they come, they would make the vehicle fly from stop to stop; so a short step is taken
/// in pieces, four a second. With a speed limit the target runs ahead of the vehicle no faster than that, so that it stops soon when the
/// client falls silent, and no autopilot has a setting changed for it.
///
/// Nothing is extrapolated: the target always lies on the way from where it was to a place that the client named.
struct Approach: Equatable {
  typealias Instant = ContinuousClock.Instant

  /// Where the vehicle is wanted in the end.
  private(set) var goal: Coordinate
  /// What is asked of the autopilot now.
  private(set) var aim: Coordinate
  /// Up to then the target may move on without word from the client.
  var freshUntil: Instant
  private var speedLimit: Double?
  private var metersPerSecond: Double
  private var movedAt: Instant

  /// - Parameter position: of the vehicle; without it, a speed limit counts from the next goal on.
  init(
    to goal: Coordinate, from position: Coordinate?, speedMetersPerSecond: Double?, freshUntil: Instant,
    at now: Instant
  ) {
    self.goal = goal
    self.freshUntil = freshUntil
    speedLimit = speedMetersPerSecond
    metersPerSecond = speedMetersPerSecond ?? 0
    aim = goal
    movedAt = now
    // A second's way ahead at once, lest the vehicle waits for a target that is under it.
    if let position, let speedMetersPerSecond {
      aim = position.towards(goal, meters: speedMetersPerSecond)
    }
  }

  var isThere: Bool { aim == goal }

  /// The client named the next place.
  mutating func turn(
    to goal: Coordinate, from position: Coordinate?, speedMetersPerSecond: Double?, at now: Instant
  ) {
    self.goal = goal
    speedLimit = speedMetersPerSecond
    let step = aim.distanceMeters(to: goal)
    let isWalked =
      step >= Guidance.Rules.targetDeadbandMeters && step <= Guidance.Rules.longestGlideMeters
    // A frame a second: the next one finds the target where this one wants it.
    let glide = isWalked ? step : .infinity
    metersPerSecond = min(glide, speedLimit ?? .infinity)
    if metersPerSecond == .infinity {
      aim = goal
    } else if !isTooFarAhead(of: position) {
      move(by: Guidance.Rules.targetInterval)
    }
    movedAt = now
  }

  /// Lets the time pass; true when the target moved.
  ///
  /// - Parameter position: of the vehicle; a target with a speed limit waits for one that does not come after it.
  mutating func advance(to now: Instant, position: Coordinate?) -> Bool {
    let passed = movedAt.duration(to: now)
    guard !isThere, now <= freshUntil, passed >= Guidance.Rules.targetInterval else { return false }
    movedAt = now
    if isTooFarAhead(of: position) { return false }
    // What was missed in a pause is not caught up with.
    move(by: min(passed, Guidance.Rules.targetInterval * 2))
    return true
  }

  private func isTooFarAhead(of position: Coordinate?) -> Bool {
    guard let speedLimit, let position else { return false }
    return position.distanceMeters(to: aim)
      > max(Guidance.Rules.leastLeadMeters, speedLimit * Guidance.Rules.leadSeconds)
  }

  private mutating func move(by duration: Duration) {
    aim = aim.towards(goal, meters: metersPerSecond * (duration / .seconds(1)))
  }
}

extension Coordinate {
  /// So far on the way to another place, and not beyond it.
  fileprivate func towards(_ other: Coordinate, meters: Double) -> Coordinate {
    // A centimetre left is not worth another target.
    guard distanceMeters(to: other) > meters + 0.01 else { return other }
    return moved(distanceMeters: meters, bearingDegrees: bearingDegrees(to: other))
  }
}

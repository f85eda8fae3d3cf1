import Geodesy

/// Tells a client that moves from a receiver that jumps.
///
/// A step that would need more than the greatest speed is not believed until some coordinates in a row agree on the new place:
/// wrong fixes are often single or wander (fly-offs from a 200 m jump have happened), while a receiver that recovered stays.
struct CoordinateTrack: Equatable {
  private struct Point: Equatable {
    let coordinate: Coordinate
    let at: ContinuousClock.Instant

    func reaches(_ other: Point, speedMetersPerSecond: Double) -> Bool {
      // Capped: else any place is in reach of a client that has sent nonsense for long enough.
      let elapsed = min(max(.zero, at.duration(to: other.at)), Guidance.Rules.longestStep) / .seconds(1)
      return coordinate.distanceMeters(to: other.coordinate)
        <= speedMetersPerSecond * elapsed + Guidance.Rules.receiverNoiseMeters
    }
  }

  private var believed: Point?
  private var candidate: Point?
  private var agreements = 0

  /// The length of the jump in metres when the coordinate is not believed.
  mutating func add(
    _ coordinate: Coordinate, at instant: ContinuousClock.Instant, speedMetersPerSecond: Double
  ) -> Double? {
    let point = Point(coordinate: coordinate, at: instant)
    guard let last = believed, !last.reaches(point, speedMetersPerSecond: speedMetersPerSecond) else {
      believe(point)
      return nil
    }
    let agrees = candidate?.reaches(point, speedMetersPerSecond: speedMetersPerSecond) ?? false
    agreements = agrees ? agreements + 1 : 1
    candidate = point
    guard agreements < Guidance.Rules.jumpConfirmations else {
      believe(point)
      return nil
    }
    return last.coordinate.distanceMeters(to: coordinate)
  }

  /// The operator vouches for this coordinate.
  mutating func restart(at coordinate: Coordinate, _ instant: ContinuousClock.Instant) {
    believe(Point(coordinate: coordinate, at: instant))
  }

  private mutating func believe(_ point: Point) {
    believed = point
    candidate = nil
    agreements = 0
  }
}

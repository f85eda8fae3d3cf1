/// One position report of a receiver or a chosen coordinate.
public struct Fix: Equatable, Sendable {
  /// How much of the position the receiver knows.
  public enum Mode: Int, Comparable, Sendable {
    /// No position.
    case none = 1
    case twoDimensional = 2
    case threeDimensional = 3

    public static func < (left: Mode, right: Mode) -> Bool { left.rawValue < right.rawValue }
  }

  public let mode: Mode
  /// Absent exactly when `mode` is `none`.
  public let coordinate: Coordinate?
  /// When the report arrived, by the monotonic clock; wall-clock times of receivers jump.
  public let receivedAt: ContinuousClock.Instant
  /// Estimated horizontal error in metres (95 % with gpsd's `eph`).
  public let horizontalErrorMeters: Double?
  public let altitudeMSLMeters: Double?
  public let speedMetersPerSecond: Double?
  /// Direction of travel, degrees clockwise from true north.
  public let courseDegrees: Double?

  public init(
    mode: Mode, coordinate: Coordinate?, receivedAt: ContinuousClock.Instant,
    horizontalErrorMeters: Double? = nil,
    altitudeMSLMeters: Double? = nil, speedMetersPerSecond: Double? = nil, courseDegrees: Double? = nil
  ) {
    self.mode = coordinate == nil ? .none : mode
    self.coordinate = mode == .none ? nil : coordinate
    self.receivedAt = receivedAt
    self.horizontalErrorMeters = horizontalErrorMeters
    self.altitudeMSLMeters = altitudeMSLMeters
    self.speedMetersPerSecond = speedMetersPerSecond
    self.courseDegrees = courseDegrees
  }

  public func age(at now: ContinuousClock.Instant) -> Duration { receivedAt.duration(to: now) }
}

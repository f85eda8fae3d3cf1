public import Geodesy

/// What a client asks of the vehicle, sent once a second and at once when it changes.
///
/// Within a frame the order is `stop`, `land`, `returnToLaunch`, `takeoff`, then the coordinate. Reading a frame checks that each
/// value is one that can be meant; whether it is wise (fresh, near enough, not 0,0) is decided where the vehicle is known. A frame
/// with the coordinate 0,0 is therefore read: the place exists, and the refusal with its reason belongs to those later rules.
public struct RemoteControlCommand: Equatable, Sendable {
  /// Where to go; `nil` when the client has no position. Never 0,0 in place of "none".
  public var coordinate: Coordinate?
  /// Age of the coordinate when the frame was made, in seconds.
  public var coordinateAgeSeconds: Double?
  /// Horizontal accuracy of the coordinate as the receiver reports it, in metres.
  public var coordinateHorizontalAccuracyMeters: Double?
  /// Halt and hold position and height. Latched by the vehicle.
  public var stop: Bool
  public var takeoff: Bool
  /// Clear the latched stop and the relay's fault state.
  public var reset: Bool
  public var land: Bool
  public var returnToLaunch: Bool
  /// The operator asked for this coordinate by `goto` or `follow`, so it ends a latched stop.
  public var engage: Bool
  /// Asks for control of the vehicle.
  public var takeControl: Bool
  /// Gives control to the client that asks for it, or up.
  public var handOver: Bool
  /// Refuses to hand control over.
  public var keep: Bool
  /// Makes repeats, reordering and replay harmless; `nil` from clients that do not count.
  public var sequence: UInt32?
  /// Height to climb to, above home; `nil` leaves it to the vehicle's configuration.
  public var takeoffAltitudeMeters: Double?
  /// How far from the coordinate the vehicle is wanted; `nil` leaves it to the vehicle's configuration.
  public var followDistanceMeters: Double?
  /// On which side of the coordinate, degrees clockwise from true north; `nil` for where the vehicle comes from.
  public var followBearingDegrees: Double?
  /// At which height above home the coordinate is flown to; `nil` leaves it to the vehicle's configuration.
  public var followHeightMeters: Double?
  /// How fast at most; `nil` leaves it to the autopilot.
  public var speedMetersPerSecond: Double?

  public init(
    coordinate: Coordinate? = nil, coordinateAgeSeconds: Double? = nil,
    coordinateHorizontalAccuracyMeters: Double? = nil, stop: Bool = false, takeoff: Bool = false,
    reset: Bool = false,
    land: Bool = false, returnToLaunch: Bool = false, engage: Bool = false,
    takeControl: Bool = false, handOver: Bool = false, keep: Bool = false, sequence: UInt32? = nil,
    takeoffAltitudeMeters: Double? = nil, followDistanceMeters: Double? = nil,
    followBearingDegrees: Double? = nil, followHeightMeters: Double? = nil,
    speedMetersPerSecond: Double? = nil
  ) {
    self.coordinate = coordinate
    self.coordinateAgeSeconds = coordinateAgeSeconds
    self.coordinateHorizontalAccuracyMeters = coordinateHorizontalAccuracyMeters
    self.stop = stop
    self.takeoff = takeoff
    self.reset = reset
    self.land = land
    self.returnToLaunch = returnToLaunch
    self.engage = engage
    self.takeControl = takeControl
    self.handOver = handOver
    self.keep = keep
    self.sequence = sequence
    self.takeoffAltitudeMeters = takeoffAltitudeMeters
    self.followDistanceMeters = followDistanceMeters
    self.followBearingDegrees = followBearingDegrees
    self.followHeightMeters = followHeightMeters
    self.speedMetersPerSecond = speedMetersPerSecond
  }

  /// Takeoff heights that can be meant, in metres above home. The vehicle's own limits are narrower; this catches a wrong unit.
  public static let takeoffAltitudeRangeMeters: ClosedRange<Double> = 0.5...10_000
  public static let followDistanceRangeMeters: ClosedRange<Double> = 0...10_000
  public static let followBearingRangeDegrees: ClosedRange<Double> = 0...360
  public static let speedRangeMetersPerSecond: ClosedRange<Double> = 0.1...100
  /// A frame from any known implementation is below 700 bytes.
  public static let maximumEncodedBytes = 4096
}

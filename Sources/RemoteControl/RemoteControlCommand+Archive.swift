import Geodesy
public import KeyedArchive

/// Why a frame counts as no frame.
public enum RemoteControlCommandError: Error, Equatable, Sendable, CustomStringConvertible {
  /// It is no well-formed archive of a command, or a value has another type.
  case archive(KeyedArchiveError)
  /// A boolean that every frame carries is not there. Foundation's decoder would have answered "false", for `stop` too.
  case missing(key: String)
  /// One of the coordinate's two keys is there without the other.
  case halfCoordinate
  case outOfRange(key: String, value: String)

  public var description: String {
    switch self {
    case .archive(let error): "command refused: \(error)"
    case .missing(let key): "command refused: it has no \(key)"
    case .halfCoordinate: "command refused: it has only one half of a coordinate"
    case .outOfRange(let key, let value): "command refused: \(key) is \(value)"
    }
  }
}

extension RemoteControlCommand {
  private enum Key {
    static let root = "command"
    static let className = "RemoteControlCommand"
    static let latitude = "coordinate.latitude"
    static let longitude = "coordinate.longitude"
    static let age = "coordinate.age"
    static let horizontalAccuracy = "coordinate.horizontalAccuracy"
    static let stop = "stop"
    static let takeoff = "takeoff"
    static let reset = "reset"
    static let land = "land"
    static let returnToLaunch = "return"
    static let engage = "engage"
    static let takeControl = "control.take"
    static let handOver = "control.handOver"
    static let keep = "control.keep"
    static let sequence = "sequence"
    static let takeoffAltitude = "takeoff.altitude"
    static let followDistance = "follow.distance"
    static let followBearing = "follow.bearing"
    static let followHeight = "follow.height"
    static let speed = "speed"
  }

  private static let limits = KeyedArchiveLimits(maximumBytes: maximumEncodedBytes, maximumObjects: 256)

  /// The frame: an NSSecureCoding keyed archive.
  ///
  /// Always succeeds, because a stop must never fail for the sake of a detail: an accuracy or takeoff height that no reader would
  /// accept is left out, and a coordinate whose age is not a time is left out with it, since its freshness is not known.
  public func encoded() -> [UInt8] {
    var archive = KeyedArchiveWriter(rootKey: Key.root, className: Key.className)
    if let coordinate, coordinateAgeSeconds.map(Self.isMeasure) ?? true {
      archive.set(coordinate.latitude, forKey: Key.latitude)
      archive.set(coordinate.longitude, forKey: Key.longitude)
      if let coordinateAgeSeconds { archive.set(coordinateAgeSeconds, forKey: Key.age) }
      if let accuracy = coordinateHorizontalAccuracyMeters, Self.isMeasure(accuracy) {
        archive.set(accuracy, forKey: Key.horizontalAccuracy)
      }
      for (key, value, range) in manner {
        if let value, range.contains(value) { archive.set(value, forKey: key) }
      }
    }
    archive.set(stop, forKey: Key.stop)
    archive.set(takeoff, forKey: Key.takeoff)
    archive.set(reset, forKey: Key.reset)
    if land { archive.set(true, forKey: Key.land) }
    if returnToLaunch { archive.set(true, forKey: Key.returnToLaunch) }
    if engage { archive.set(true, forKey: Key.engage) }
    if takeControl { archive.set(true, forKey: Key.takeControl) }
    if handOver { archive.set(true, forKey: Key.handOver) }
    if keep { archive.set(true, forKey: Key.keep) }
    if let sequence { archive.set(Int64(sequence), forKey: Key.sequence) }
    if let altitude = takeoffAltitudeMeters, Self.takeoffAltitudeRangeMeters.contains(altitude) {
      archive.set(altitude, forKey: Key.takeoffAltitude)
    }
    return archive.encoded()
  }

  /// How the coordinate is flown to.
  private var manner: [(key: String, value: Double?, range: ClosedRange<Double>)] {
    [
      (Key.followDistance, followDistanceMeters, Self.followDistanceRangeMeters),
      (Key.followBearing, followBearingDegrees, Self.followBearingRangeDegrees),
      (Key.followHeight, followHeightMeters, Self.takeoffAltitudeRangeMeters),
      (Key.speed, speedMetersPerSecond, Self.speedRangeMetersPerSecond),
    ]
  }

  /// Reads a frame from the network.
  ///
  /// Further keys are ignored as long as each holds a single value. Age and accuracy without a coordinate mean nothing; they are
  /// checked and dropped, so that the frame's stop still counts.
  public init(encoded bytes: [UInt8]) throws(RemoteControlCommandError) {
    let frame = try Frame(bytes)
    self.init(
      stop: try frame.boolean(Key.stop), takeoff: try frame.boolean(Key.takeoff),
      reset: try frame.boolean(Key.reset),
      land: try frame.flag(Key.land), returnToLaunch: try frame.flag(Key.returnToLaunch),
      engage: try frame.flag(Key.engage), takeControl: try frame.flag(Key.takeControl),
      handOver: try frame.flag(Key.handOver), keep: try frame.flag(Key.keep))
    let age = try frame.measure(Key.age)
    let accuracy = try frame.measure(Key.horizontalAccuracy)
    if let position = try frame.coordinate() {
      coordinate = position
      coordinateAgeSeconds = age
      coordinateHorizontalAccuracyMeters = accuracy
    }
    sequence = try frame.sequence()
    takeoffAltitudeMeters = try frame.quantity(Key.takeoffAltitude, Self.takeoffAltitudeRangeMeters)
    followDistanceMeters = try frame.quantity(Key.followDistance, Self.followDistanceRangeMeters)
    followBearingDegrees = try frame.quantity(Key.followBearing, Self.followBearingRangeDegrees)
    followHeightMeters = try frame.quantity(Key.followHeight, Self.takeoffAltitudeRangeMeters)
    speedMetersPerSecond = try frame.quantity(Key.speed, Self.speedRangeMetersPerSecond)
  }

  /// Seconds or metres that were measured: a finite number that is not negative.
  private static func isMeasure(_ value: Double) -> Bool { value >= 0 && value.isFinite }

  /// The archive with reads that say which value was at fault.
  private struct Frame {
    private let archive: KeyedArchiveReader

    init(_ bytes: [UInt8]) throws(RemoteControlCommandError) {
      do throws(KeyedArchiveError) {
        archive = try KeyedArchiveReader(
          bytes, rootKey: Key.root, classNames: [Key.className], limits: limits)
      } catch { throw .archive(error) }
    }

    /// A boolean that every frame carries.
    func boolean(_ key: String) throws(RemoteControlCommandError) -> Bool {
      do throws(KeyedArchiveError) {
        if let value = try archive.boolean(forKey: key) { return value }
      } catch { throw .archive(error) }
      throw .missing(key: key)
    }

    /// A boolean that older clients do not know.
    func flag(_ key: String) throws(RemoteControlCommandError) -> Bool {
      do throws(KeyedArchiveError) { return try archive.boolean(forKey: key) ?? false } catch {
        throw .archive(error)
      }
    }

    func double(_ key: String) throws(RemoteControlCommandError) -> Double? {
      do throws(KeyedArchiveError) { return try archive.double(forKey: key) } catch { throw .archive(error) }
    }

    func measure(_ key: String) throws(RemoteControlCommandError) -> Double? {
      guard let value = try double(key) else { return nil }
      guard isMeasure(value) else { throw .outOfRange(key: key, value: "\(value)") }
      return value
    }

    func coordinate() throws(RemoteControlCommandError) -> Coordinate? {
      switch (try double(Key.latitude), try double(Key.longitude)) {
      case (nil, nil): return nil
      case (let latitude?, let longitude?):
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
          // Written out only here: on the way in, text costs more than all the rest.
          let isLatitude = !(-90...90).contains(latitude)
          throw .outOfRange(
            key: isLatitude ? Key.latitude : Key.longitude, value: "\(isLatitude ? latitude : longitude)")
        }
        return coordinate
      case (_?, nil), (nil, _?): throw .halfCoordinate
      }
    }

    func sequence() throws(RemoteControlCommandError) -> UInt32? {
      let value: Int64?
      do throws(KeyedArchiveError) { value = try archive.integer(forKey: Key.sequence) } catch {
        throw .archive(error)
      }
      guard let value else { return nil }
      guard let sequence = UInt32(exactly: value) else {
        throw .outOfRange(key: Key.sequence, value: "\(value)")
      }
      return sequence
    }

    /// A number that can be meant.
    func quantity(_ key: String, _ range: ClosedRange<Double>) throws(RemoteControlCommandError) -> Double? {
      guard let value = try double(key) else { return nil }
      guard range.contains(value) else { throw .outOfRange(key: key, value: "\(value)") }
      return value
    }
  }
}

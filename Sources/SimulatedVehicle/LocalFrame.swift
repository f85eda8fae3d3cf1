import Geodesy
import Glibc

/// Metres north, east and up, or metres per second along the same axes.
struct Vector: Equatable, Sendable {
  var north = 0.0
  var east = 0.0
  var up = 0.0

  static let zero = Vector()

  var horizontalLength: Double { (north * north + east * east).squareRoot() }

  /// The same with its horizontal part shortened to at most `limit`.
  func horizontallyLimited(to limit: Double) -> Vector {
    let length = horizontalLength
    guard length > limit else { return self }
    return Vector(north: north * limit / length, east: east * limit / length, up: up)
  }

  static func + (left: Vector, right: Vector) -> Vector {
    Vector(north: left.north + right.north, east: left.east + right.east, up: left.up + right.up)
  }

  static func - (left: Vector, right: Vector) -> Vector { left + right * -1 }

  static func * (vector: Vector, factor: Double) -> Vector {
    Vector(north: vector.north * factor, east: vector.east * factor, up: vector.up * factor)
  }
}

/// Metres around the place where the simulation began, for a flat piece of ground at its height.
///
/// Azimuthal equidistant, so that a flight of any length starts and ends where the coordinates say.
struct LocalFrame: Sendable {
  let origin: Coordinate
  let altitudeMSLMeters: Double

  /// North and east of the origin; `up` is zero.
  func position(of coordinate: Coordinate) -> Vector {
    let distance = origin.distanceMeters(to: coordinate)
    let bearing = origin.bearingDegrees(to: coordinate) * .pi / 180
    return Vector(north: distance * cos(bearing), east: distance * sin(bearing))
  }

  func coordinate(of position: Vector) -> Coordinate {
    origin.moved(
      distanceMeters: position.horizontalLength,
      bearingDegrees: atan2(position.east, position.north) * 180 / .pi)
  }
}

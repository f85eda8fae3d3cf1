import Glibc

/// A position on the WGS 84 ellipsoid, always finite and in range.
public struct Coordinate: Equatable, Hashable, Sendable {
  /// Degrees, -90 to 90, north positive.
  public let latitude: Double
  /// Degrees, -180 to 180, east positive.
  public let longitude: Double

  /// Nil unless both are finite and in range.
  public init?(latitude: Double, longitude: Double) {
    // NaN fails both comparisons.
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Exactly 0,0: what uninitialised receivers and programs report, so never accepted as a target.
  public var isNullIsland: Bool { latitude == 0 && longitude == 0 }
}

extension Coordinate {
  /// Mean radius of the earth in metres (IUGG R1); the sphere is within 0.6 % of the ellipsoid, far below a receiver's
  /// own error at the distances flown here.
  static let meanEarthRadiusMeters = 6_371_008.8

  /// Great-circle distance in metres (haversine, stable for short distances).
  public func distanceMeters(to other: Coordinate) -> Double {
    let latitude1 = latitude.radians
    let latitude2 = other.latitude.radians
    let halfNorth = sin((latitude2 - latitude1) / 2)
    let halfEast = sin((other.longitude - longitude).radians / 2)
    let a = halfNorth * halfNorth + cos(latitude1) * cos(latitude2) * halfEast * halfEast
    return 2 * Coordinate.meanEarthRadiusMeters * asin(min(1, a.squareRoot()))
  }

  /// Initial bearing of the great circle in degrees, 0 to 360, clockwise from true north.
  public func bearingDegrees(to other: Coordinate) -> Double {
    let latitude1 = latitude.radians
    let latitude2 = other.latitude.radians
    let east = (other.longitude - longitude).radians
    let y = sin(east) * cos(latitude2)
    let x = cos(latitude1) * sin(latitude2) - sin(latitude1) * cos(latitude2) * cos(east)
    let bearing = atan2(y, x).degrees
    return bearing < 0 ? bearing + 360 : bearing
  }

  /// The point `distanceMeters` away along the great circle that starts at `bearingDegrees`.
  public func moved(distanceMeters: Double, bearingDegrees: Double) -> Coordinate {
    let angle = distanceMeters / Coordinate.meanEarthRadiusMeters
    let bearing = bearingDegrees.radians
    let latitude1 = latitude.radians
    let sine = sin(latitude1) * cos(angle) + cos(latitude1) * sin(angle) * cos(bearing)
    let latitude2 = asin(min(1, max(-1, sine)))
    let longitude2 =
      longitude.radians
      + atan2(sin(bearing) * sin(angle) * cos(latitude1), cos(angle) - sin(latitude1) * sine)
    // Wrapped into range; a non-finite distance or bearing leaves the point where it is.
    let wrapped = remainder(longitude2.degrees, 360)
    return Coordinate(latitude: latitude2.degrees, longitude: wrapped) ?? self
  }
}

extension Double {
  fileprivate var radians: Double { self * .pi / 180 }
  fileprivate var degrees: Double { self * 180 / .pi }
}

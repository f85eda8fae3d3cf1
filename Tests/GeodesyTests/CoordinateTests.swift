import Geodesy
import Testing

@Suite struct CoordinateTests {
  @Test(arguments: [(91.0, 0.0), (-90.1, 0), (0, 180.1), (0, -181), (.nan, 0), (0, .nan), (.infinity, 0)])
  func outOfRangeIsNoCoordinate(latitude: Double, longitude: Double) {
    #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
  }

  @Test func knownDistanceAndBearing() throws {
    // One degree of latitude on the mean sphere is 111.195 km.
    let a = try #require(Coordinate(latitude: 47, longitude: 8))
    let b = try #require(Coordinate(latitude: 48, longitude: 8))
    #expect(abs(a.distanceMeters(to: b) - 111_195) < 1)
    #expect(a.bearingDegrees(to: b) == 0)
    #expect(abs(b.bearingDegrees(to: a) - 180) < 1e-9)
  }

  @Test func movingAndMeasuringAgree() throws {
    let start = try #require(Coordinate(latitude: -35.363, longitude: 149.165))
    for bearing in stride(from: 0.0, to: 360, by: 30) {
      for distance in [0.5, 10, 1000, 50_000] {
        let moved = start.moved(distanceMeters: distance, bearingDegrees: bearing)
        #expect(abs(start.distanceMeters(to: moved) - distance) < 1e-3)
        #expect(abs(remainderDegrees(start.bearingDegrees(to: moved) - bearing)) < 1e-3)
      }
    }
  }

  @Test func crossingTheDateLineStaysInRange() throws {
    let start = try #require(Coordinate(latitude: 10, longitude: 179.9999))
    let moved = start.moved(distanceMeters: 100, bearingDegrees: 90)
    #expect(moved.longitude < -179)
    #expect(abs(start.distanceMeters(to: moved) - 100) < 1e-3)
  }

  @Test func aFixWithoutCoordinateHasNoMode() {
    #expect(Fix(mode: .threeDimensional, coordinate: nil, receivedAt: .now).mode == .none)
  }

  private func remainderDegrees(_ value: Double) -> Double { value.remainder(dividingBy: 360) }
}

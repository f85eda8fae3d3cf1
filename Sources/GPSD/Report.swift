import CGPS
import Geodesy

/// The numbers of one report before anything about them is believed.
///
/// gpsd may run on another machine, so every number is checked here whatever libgps checked.
struct RawReport {
  var mode: Int32
  var latitude: Double?
  var longitude: Double?
  var horizontalErrorMeters: Double?
  var altitudeMSLMeters: Double?
  var speedMetersPerSecond: Double?
  var courseDegrees: Double?

  /// What the report says about the position, or nil when it says nothing.
  ///
  /// gpsd sends reports of mode 0 ("not seen yet") and of mode 3 without a coordinate while it still collects a
  /// receiver's first sentences; they are no news. Mode 1 and 0,0 say that there is no fix.
  func fix(receivedAt: ContinuousClock.Instant) -> Fix? {
    let known: Fix.Mode
    switch mode {
    case MODE_NO_FIX: return Fix(mode: .none, coordinate: nil, receivedAt: receivedAt)
    case MODE_2D: known = .twoDimensional
    case MODE_3D: known = .threeDimensional
    default: return nil
    }
    guard let latitude, let longitude, let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    if coordinate.isNullIsland { return Fix(mode: .none, coordinate: nil, receivedAt: receivedAt) }
    return Fix(
      mode: known, coordinate: coordinate, receivedAt: receivedAt,
      horizontalErrorMeters: horizontalErrorMeters.within(0...1_000_000),
      // The range covers every place where a receiver works (up to 18 km by export rules), with room.
      altitudeMSLMeters: known == .threeDimensional ? altitudeMSLMeters.within(-1000...50_000) : nil,
      // Receivers stop at 515 m/s by the same rules.
      speedMetersPerSecond: speedMetersPerSecond.within(0...600),
      courseDegrees: courseDegrees.within(0...360))
  }
}

extension Double? {
  /// Nil when outside of `range` or not a number.
  fileprivate func within(_ range: ClosedRange<Double>) -> Double? {
    guard let self, range.contains(self) else { return nil }
    return self
  }
}

import Geodesy
import Testing

@testable import GPSD

struct ReportTests {
  private let now = ContinuousClock.now

  @Test("Modes become dimensions, and reports that say nothing are no news")
  func modes() {
    let known = RawReport(mode: 2, latitude: 47, longitude: 8)
    #expect(known.fix(receivedAt: now)?.mode == .twoDimensional)
    #expect(RawReport(mode: 3, latitude: 47, longitude: 8).fix(receivedAt: now)?.mode == .threeDimensional)
    #expect(RawReport(mode: 1, latitude: 47, longitude: 8).fix(receivedAt: now)?.coordinate == nil)
    #expect(RawReport(mode: 1).fix(receivedAt: now)?.mode == Fix.Mode.none)
    for mode: Int32 in [0, 4, -1, .max, .min] {
      #expect(RawReport(mode: mode, latitude: 47, longitude: 8).fix(receivedAt: now) == nil)
    }
    #expect(RawReport(mode: 3).fix(receivedAt: now) == nil)
    #expect(RawReport(mode: 3, latitude: 47).fix(receivedAt: now) == nil)
  }

  @Test("A coordinate out of range or not a number is no position")
  func coordinates() {
    for (latitude, longitude) in [(91.0, 8.0), (47, 181), (.nan, 8), (47, .infinity)] {
      #expect(RawReport(mode: 3, latitude: latitude, longitude: longitude).fix(receivedAt: now) == nil)
    }
    #expect(RawReport(mode: 3, latitude: 0, longitude: 0).fix(receivedAt: now)?.mode == Fix.Mode.none)
  }

  @Test("Numbers that no receiver gives are left out, and height needs three dimensions")
  func numbers() throws {
    var report = RawReport(
      mode: 3, latitude: 47, longitude: 8, horizontalErrorMeters: -1, altitudeMSLMeters: 1e9,
      speedMetersPerSecond: .nan, courseDegrees: 400)
    let absurd = try #require(report.fix(receivedAt: now))
    #expect(absurd == Fix(mode: .threeDimensional, coordinate: absurd.coordinate, receivedAt: now))
    report.altitudeMSLMeters = 488
    report.courseDegrees = 90
    #expect(report.fix(receivedAt: now)?.altitudeMSLMeters == 488)
    #expect(report.fix(receivedAt: now)?.courseDegrees == 90)
    report.mode = 2
    #expect(report.fix(receivedAt: now)?.altitudeMSLMeters == nil)
  }

  @Test("A receiver without a fix does not hide another receiver's, until that is silent")
  func selection() {
    let steps: [(mode: Fix.Mode, seconds: Double, device: String, isAccepted: Bool)] = [
      (.none, 0, "b", true),
      (.threeDimensional, 1, "a", true),
      (.none, 1.1, "a", true),
      (.none, 2, "b", false),
      (.none, 2.6, "b", true),
      (.twoDimensional, 3, "b", true),
      (.none, 3.1, "a", false),
    ]
    var selection = ReceiverSelection()
    for step in steps {
      let report = Fix(
        mode: step.mode, coordinate: Coordinate(latitude: 47, longitude: 8),
        receivedAt: now.advanced(by: .seconds(step.seconds)))
      let isAccepted = selection.accepts(report, from: step.device)
      #expect(isAccepted == step.isAccepted, "\(step)")
    }
  }
}

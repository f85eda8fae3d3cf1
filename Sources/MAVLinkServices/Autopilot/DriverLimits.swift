/// How long the steps of an action wait, whatever the autopilot.
enum DriverLimits {
  /// The text that explains a refusal can come after it; none comes later than this.
  static let textPatience: Duration = .milliseconds(1500)
  /// Pause after an explaining text in which the next one may still follow.
  static let textPause: Duration = .milliseconds(250)
  /// With the state seen, how long a lost acknowledgement is waited for.
  static let lostAcknowledgementGrace: Duration = .seconds(1)
  /// With the acknowledgement there, how long the state that proves it is waited for.
  static let proofLimit: Duration = .seconds(5)
  static let stopLimit: Duration = .seconds(30)
  static let guidedLimit: Duration = .seconds(5)
  static let armLimit: Duration = .seconds(10)
  static let takeoffLimit: Duration = .seconds(3)
  /// Motors spool up and the climb shows in the position stream: 3 to 4 s, and a simulator on a busy computer lags.
  static let liftLimit: Duration = .seconds(15)
  /// Two heartbeats of those that come unasked.
  static let checkLimit: Duration = .milliseconds(2500)
  static let targetInterval: Duration = .seconds(1)
  static let targetSends = 3
  static let rebootLimit: Duration = .seconds(20)
  /// Height gained that proves a climb, above the noise of a barometer at rest.
  static let climbProofMeters = 0.5
  static let homeUnknown = "the altitude of home is not known yet; wait until the flight controller tells it"
}

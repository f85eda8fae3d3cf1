/// What goes wrong, so that tests and demonstrations can see how others bear it.
public enum Fault: Hashable, Sendable {
  /// The receiver has no fix, and an estimate that was there is gone. What flies by it lands where it is.
  case noGPS
  /// Arming is refused with this reason, told as `Arm: …` and `PreArm: …`.
  case refuseArm(String)
  /// Commands are carried out and never acknowledged.
  case dropAcknowledgements
  /// The battery is down to 15 %, with the text that tells it.
  case batteryLow
  /// The controller restarts at the first moment in the air; its motors stop meanwhile.
  case restartInFlight
  /// Random bytes between the frames of the first port.
  case noise
  /// A pilot with a radio switches to LOITER at the first moment in the air, and holds position there.
  case pilotTakesOver
  /// The first port is dead in both directions; what flies goes on flying.
  case silent
}

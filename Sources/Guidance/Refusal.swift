/// Why guidance itself says no: the text for the operator (cause, then remedy) and a code that stays the same while numbers in
/// the text change, so that a lasting reason is reported once.
struct Refusal: Equatable {
  let code: String
  let text: String

  init(_ code: String, _ text: String) {
    self.code = code
    self.text = text
  }

  static let outOfOrder = Refusal(
    "out-of-order", "a newer command of this client came first; ask again if it is still meant")
  static func notInControl(_ holder: String) -> Refusal {
    Refusal(
      "not-in-control",
      "\(holder) is in control; ask for it with take-control, stop is open to everybody")
  }

  // Control.
  static func notHolder(_ holder: String?) -> Refusal {
    Refusal(
      "not-holder",
      holder.map { "\($0) is in control; ask for it with take-control" }
        ?? "nobody is in control; take it with take-control")
  }
  static func lateControl(_ delay: Duration) -> Refusal {
    Refusal("late-control", "it arrived \(seconds(delay)) late; look at who is in control and ask again")
  }
  static func othersRequest(_ asker: String, _ left: Duration) -> Refusal {
    Refusal("others-request", "\(asker) asked first; ask again in \(wholeSeconds(left))")
  }
  static func kept(_ holder: String) -> Refusal {
    Refusal("kept", "\(holder) keeps control; talk to each other, stop is open to you")
  }
  static func keptLately(_ holder: String, _ left: Duration) -> Refusal {
    Refusal("kept-lately", "\(holder) has just refused; ask again in \(wholeSeconds(left))")
  }
  static let askerGone = Refusal("asker-gone", "the client that asked was silent or gone; ask again")

  static let shuttingDown = Refusal("shutting-down", "the navigator is stopping; ask again when it is back")
  static let noVehicle = Refusal(
    "no-vehicle", "the autopilot is not heard; check the serial cable and its power")
  static func askedBeforeStop(_ stopper: String) -> Refusal {
    Refusal(
      "asked-before-stop", "\(stopper) stopped the vehicle after this was asked; ask again to end the stop")
  }
  static let askedBeforeLinkLoss = Refusal(
    "asked-before-link-loss",
    "the link was lost after this was asked and the vehicle brought itself to safety; look at it and ask again"
  )

  // Takeoff.
  static func late(_ delay: Duration) -> Refusal {
    Refusal(
      "late", "it arrived \(seconds(delay)) late, too old for a takeoff; look at the vehicle and ask again")
  }
  static let takeoffUnderWay = Refusal("takeoff-under-way", "a takeoff is under way; wait for it or stop it")
  static let alreadyFlying = Refusal("already-flying", "the vehicle is flying already; use goto or follow")
  static func takeoffAltitude(_ meters: Double, _ limit: Double) -> Refusal {
    Refusal(
      "takeoff-altitude",
      "\(length(meters)) is no takeoff height; choose \(length(Guidance.Rules.minimumTakeoffAltitudeMeters)) to \(length(limit))"
    )
  }
  static func battery(_ percent: Int, _ minimum: Int) -> Refusal {
    Refusal(
      "battery", "the battery is at \(percent) %, below the \(minimum) % for a takeoff; charge or change it")
  }
  static let vehiclePositionUnknown = Refusal(
    "vehicle-position", "the vehicle has no position yet; wait for its satellite fix")

  // Coordinates.
  static let nullIsland = Refusal("null-island", "0,0 is what receivers without a fix report; wait for a fix")
  static let noCoordinate = Refusal("no-coordinate", "goto without a coordinate; wait for a fix or name one")
  static let badAge = Refusal("bad-age", "the coordinate's age is negative; check the client")
  static func stale(_ age: Duration, _ limit: Duration) -> Refusal {
    Refusal("stale", "the coordinate is \(seconds(age)) old, over \(seconds(limit)); wait for a new fix")
  }
  static func inaccurate(_ meters: Double, _ limit: Double) -> Refusal {
    Refusal(
      "inaccurate",
      "the coordinate's error is \(length(meters)), over \(length(limit)); wait for a better fix")
  }
  static func jump(_ meters: Double) -> Refusal {
    Refusal(
      "jump",
      "the coordinate jumped by \(length(meters)); it is believed after \(Guidance.Rules.jumpConfirmations) in a row that agree, or by goto"
    )
  }
  static func latched(_ latch: Guidance.Latch) -> Refusal {
    Refusal(
      "latched-\(latch.rawValue)",
      "the vehicle holds after \(latch.rawValue); reset, or ask with goto or follow")
  }
  static let notFlying = Refusal("not-flying", "the vehicle is on the ground; take off first")
  static func notAsked(_ activity: String) -> Refusal {
    Refusal("not-asked-\(activity)", "\(activity); ask with goto or follow to fly to the coordinate")
  }
  static func pilot(_ mode: String) -> Refusal {
    Refusal(
      "pilot", "the pilot or the autopilot took over (mode \(mode)); ask with goto or follow to guide again")
  }
  static func otherMode(_ mode: String) -> Refusal {
    Refusal("other-mode", "mode \(mode) is not the one set from here; ask with goto or follow to guide again")
  }
  static let homeUnknown = Refusal(
    "home-unknown", "the autopilot has no home position yet; wait for its satellite fix")
  static func tooFar(_ meters: Double, _ limit: Double) -> Refusal {
    Refusal(
      "too-far", "the coordinate is \(length(meters)) from home, over \(length(limit)); choose a nearer one")
  }
  static func outsideFence(_ meters: Double, _ limit: Double) -> Refusal {
    Refusal(
      "outside-fence",
      "the coordinate is \(length(meters)) from home, outside the fence of \(length(limit)); choose a nearer one"
    )
  }
  static func tooHigh(_ meters: Double, _ limit: Double) -> Refusal {
    Refusal(
      "too-high",
      "the follow height of \(length(meters)) is over the limit of \(length(limit)); lower it in the configuration"
    )
  }

  static func targetHeight(_ meters: Double, _ limit: Double) -> Refusal {
    Refusal(
      "target-height",
      "\(length(meters)) is no height to fly at; choose \(length(Guidance.Rules.minimumTargetHeightMeters)) to \(length(limit))"
    )
  }

  /// Whole metres, and never a trap on a number that no integer holds.
  static func length(_ meters: Double) -> String {
    guard meters.isFinite, abs(meters) < 1e9 else { return "\(meters) m" }
    let rounded = meters.rounded()
    return abs(meters - rounded) < 0.05 || abs(meters) >= 100
      ? "\(Int(rounded)) m" : "\((meters * 10).rounded() / 10) m"
  }

  /// Rounded up, so that nobody asks too early.
  static func wholeSeconds(_ duration: Duration) -> String {
    "\(Int((max(.zero, duration) / .seconds(1)).rounded(.up))) s"
  }

  static func seconds(_ duration: Duration) -> String {
    let tenths = duration / .milliseconds(100)
    return "\(tenths.rounded() / 10) s"
  }
}

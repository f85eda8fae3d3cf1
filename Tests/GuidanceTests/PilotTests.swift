import Guidance
import Testing
import Vehicle

/// Pilot override, failsafes and restarts of the autopilot, landing, fence.
@Suite struct PilotTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let activity: Guidance.Activity
    let mode: FlightMode
    let isTakenOver: Bool
    var autopilot = Autopilot.ardupilot
    var testDescription: String { "\(autopilot) \(activity.rawValue) \(mode.rawValue)" }
  }

  static let cases: [Case] = [
    Case(activity: .following, mode: .other, isTakenOver: true),
    Case(activity: .following, mode: .returnToLaunch, isTakenOver: true),
    Case(activity: .following, mode: .land, isTakenOver: true),
    Case(activity: .following, mode: .hold, isTakenOver: true),
    Case(activity: .following, mode: .guided, isTakenOver: false),
    Case(activity: .holding, mode: .other, isTakenOver: true),
    Case(activity: .holding, mode: .guided, isTakenOver: true),
    Case(activity: .holding, mode: .returnToLaunch, isTakenOver: true),
    Case(activity: .landing, mode: .other, isTakenOver: true),
    Case(activity: .landing, mode: .guided, isTakenOver: true),
    Case(activity: .landing, mode: .returnToLaunch, isTakenOver: true),
    Case(activity: .returning, mode: .other, isTakenOver: true),
    Case(activity: .returning, mode: .guided, isTakenOver: true),
    Case(activity: .returning, mode: .land, isTakenOver: false),
    Case(activity: .takingOff, mode: .other, isTakenOver: true),
    Case(activity: .takingOff, mode: .takeoff, isTakenOver: false),
    Case(activity: .takingOff, mode: .land, isTakenOver: true),
    // PX4 flies to targets and holds in the same mode.
    Case(activity: .following, mode: .hold, isTakenOver: false, autopilot: .px4),
    Case(activity: .holding, mode: .guided, isTakenOver: false, autopilot: .px4),
    Case(activity: .following, mode: .other, isTakenOver: true, autopilot: .px4),
    Case(activity: .takingOff, mode: .hold, isTakenOver: false, autopilot: .px4),
  ]

  /// In flight, doing this, confirmed a while ago.
  static func story(_ activity: Guidance.Activity, _ autopilot: Autopilot = .ardupilot) -> Story {
    var story = Story(autopilot)
    if activity == .takingOff {
      story.say(.takeoff)
      story.obey()
    } else {
      story.fly()
    }
    switch activity {
    case .holding: story.say(.stop)
    case .landing: story.say(.land)
    case .returning: story.say(.returnToLaunch)
    case .following: story.stream(Story.place(50))
    case .takingOff, .idle, .waiting: break
    }
    if activity != .takingOff { story.obey() }
    story.wait(6, alive: ["ann"])
    _ = story.look()
    return story
  }

  @Test(arguments: cases) func aModeThatIsNotOursIsThePilots(_ example: Case) {
    var story = Self.story(example.activity, example.autopilot)
    #expect(story.status.activity == example.activity)
    story.mode(example.mode)
    #expect(story.status.authority == (example.isTakenOver ? .pilot : .ours))
    let lines = story.look()
    #expect(lines.contains("abandon") == example.isTakenOver)
    guard example.isTakenOver else { return }
    // Silent from here on, whatever streams in and however long the client is gone.
    for index in 1...5 {
      story.stream(Story.place(Double(50 + index)))
      story.wait(1)
    }
    story.wait(100)
    #expect(story.actions() == [])
  }

  @Test func theFailsafeIsNamed() {
    var story = Self.story(.following)
    story.vehicle { $0.isFailsafe = true }
    story.mode(.returnToLaunch, "RTL")
    #expect(
      story.events() == ["! the autopilot's failsafe took over, mode RTL: silent until the operator asks"])
  }

  struct Ask: Sendable, CustomTestStringConvertible {
    let verb: Guidance.Verb
    let action: String?
    var testDescription: String { verb.rawValue }
  }

  @Test(arguments: [
    Ask(verb: .stop, action: "do stop for ann"), Ask(verb: .land, action: "do land for ann"),
    Ask(verb: .returnToLaunch, action: "do return for ann"),
    Ask(verb: .goTo, action: "do goto 50 m at 10 m for ann"),
    Ask(verb: .takeoff, action: nil), Ask(verb: .reset, action: nil), Ask(verb: .coordinate, action: nil),
  ])
  func theOperatorMayTakeItBack(_ ask: Ask) {
    var story = Self.story(.following)
    story.mode(.other, "LOITER")
    _ = story.look()
    story.say(ask.verb)
    #expect(story.actions() == (ask.action.map { [$0] } ?? []))
    #expect(story.status.authority == (ask.action == nil ? .pilot : .ours))
  }

  @Test func whatWasUnderWayIsAnsweredAndNotInsistedOn() {
    var story = Story()
    story.fly()
    story.say(.stop)
    _ = story.look()
    story.mode(.other, "LOITER")
    #expect(
      story.look() == [
        "receipt ann stop: unknown, mode LOITER was set by the pilot or the autopilot; look at the vehicle",
        "abandon",
        "! the pilot took over, mode LOITER: silent until the operator asks",
      ])
    story.wait(30, alive: ["ann"])
    #expect(story.actions() == [])
  }

  @Test func stoppingByTheOperatorCanBeOverriddenAgain() {
    var story = Self.story(.following)
    story.mode(.other, "LOITER")
    story.say(.stop)
    story.obey()
    #expect(story.status.authority == .ours)
    story.wait(6, alive: ["ann"])
    story.mode(.other, "LOITER")
    #expect(story.status.authority == .pilot)
  }

  @Test func commandsThatOvertakeEachOtherAreNotThePilot() {
    var story = Self.story(.following)
    story.say(.stop)
    story.say(.reset)
    // The hold is seen only now.
    story.mode(.hold, "BRAKE")
    #expect(story.status.authority == .ours)
    story.stream(Story.place(60))
    story.obey()
    #expect(story.status.authority == .ours)
    story.wait(6, alive: ["ann"])
    story.mode(.hold, "BRAKE")
    #expect(story.status.authority == .pilot)
  }

  @Test func aModeOfTheCommandBeforeIsOursForFiveSecondsOnly() {
    for (seconds, authority) in [(4.0, Guidance.Authority.ours), (5, .pilot)] {
      var story = Self.story(.following)
      story.say(.stop)
      story.say(.land)
      story.wait(seconds, alive: ["ann"])
      story.mode(.hold, "BRAKE")
      #expect(story.status.authority == authority)
    }
  }

  @Test func aModeThatWasNeverLeftIsNotForced() {
    var story = Self.story(.following)
    story.mode(.other, "LOITER")
    story.goTo(Story.place(60))
    story.report(.refused(reason: "mode change failed"))
    _ = story.look()
    story.wait(1)
    story.stream(Story.place(61))
    #expect(
      story.look() == [
        "receipt ann coordinate: refused, mode LOITER is not the one set from here; ask with goto or follow to guide again",
        "! coordinate of ann ignored: mode LOITER is not the one set from here; ask with goto or follow to guide again",
      ])
  }

  @Test(arguments: [Guidance.Verb.land, .returnToLaunch]) func aRefusedLandingWaitsForTheOperator(
    _ verb: Guidance.Verb
  ) {
    var story = Self.story(.following)
    story.say(verb)
    story.report(.refused(reason: "no"))
    #expect(story.receipts().last == "receipt ann \(verb.rawValue): refused, no")
    #expect(story.status.activity == .waiting)
  }

  // MARK: Restart and loss of the autopilot

  @Test func aRestartVoidsEverythingButTheStop() {
    var story = Story()
    story.fly()
    story.say(.stop)
    _ = story.look()
    story.vehicle { $0.uptimeMilliseconds = 2000 }
    #expect(
      story.look() == [
        "receipt ann stop: unknown, the autopilot restarted before it answered; look at the vehicle and ask again",
        "abandon", "! the autopilot restarted: what was under way is void",
      ])
    #expect(story.status.authority == .none)
    #expect(story.status.latch == .stop)
    story.wait(60)
    #expect(story.actions() == [])
  }

  @Test(arguments: [
    (UInt32(60_000), UInt32(59_500), false), (60_000, 58_900, true), (60_000, 0, true), (.max, 200, false),
    (0xFFFF_0000, 0x0100_0000, false), (0x8000_0000, 5, true),
  ])
  func aRestartIsTold(old: UInt32, new: UInt32, isRestart: Bool) {
    var story = Story()
    story.vehicle { $0.uptimeMilliseconds = nil }
    story.vehicle { $0.uptimeMilliseconds = old }
    story.vehicle { $0.uptimeMilliseconds = new }
    #expect(story.events().contains("! the autopilot restarted: what was under way is void") == isRestart)
  }

  @Test func theAutopilotUnheardVoidsWhatIsUnderWay() {
    var story = Story()
    story.fly()
    story.stream(Story.place(50))
    _ = story.look()
    story.isTelemetryFlowing = false
    story.wait(5, alive: ["ann"])
    #expect(story.look().filter { !$0.contains("no position") } == [])
    story.wait(0.25, alive: ["ann"])
    #expect(
      story.look() == [
        "receipt ann coordinate: unknown, the autopilot is not heard any more; look at the vehicle and ask again",
        "abandon", "! the autopilot is not heard any more: what was under way is void",
      ])
    story.stream(Story.place(60))
    story.say(.land)
    // A landing is tried at once, since the line may carry that way; nothing is kept for later.
    #expect(story.actions() == ["do land for ann"])
  }

  @Test func nothingResumesWhenTheAutopilotIsHeardAgain() {
    var story = Story()
    story.fly()
    story.stream(Story.place(50))
    story.obey()
    story.isTelemetryFlowing = false
    story.wait(20, alive: ["ann"])
    _ = story.look()
    story.isTelemetryFlowing = true
    story.wait(1, alive: ["ann"])
    story.stream(Story.place(60))
    #expect(story.actions() == [])
    #expect(story.status.activity == .waiting)
    story.goTo(Story.place(60))
    #expect(story.actions() == ["do goto 60 m at 10 m for ann"])
  }

  @Test func aClientLostMeanwhileStillLeadsToAHold() {
    var story = Story()
    story.fly()
    story.isTelemetryFlowing = false
    story.wait(6, alive: ["ann"])
    story.wait(10)
    #expect(story.actions() == ["abandon"])
    story.isTelemetryFlowing = true
    story.wait(0.25)
    #expect(story.actions() == ["do stop"])
  }

  @Test(arguments: [true, false]) func anUnconfirmedHoldIsDueWhenTheAutopilotIsHeardAgain(isStop: Bool) {
    var story = Story()
    story.fly()
    story.isTelemetryFlowing = false
    if isStop { story.say(.stop) } else { story.wait(3) }
    story.wait(10, alive: isStop ? ["ann"] : [])
    #expect(story.actions() == ["do stop" + (isStop ? " for ann" : ""), "abandon"])
    story.isTelemetryFlowing = true
    story.wait(0.25, alive: isStop ? ["ann"] : [])
    #expect(story.actions() == ["do stop"])
    story.obey()
    story.wait(10, alive: ["ann"])
    #expect(story.actions() == [])
  }

  @Test func aStopSaidWhileTheCableIsOutIsDueWhenItIsBack() {
    var story = Story()
    story.fly()
    story.isTelemetryFlowing = false
    story.vehicle { $0.heartbeatAt = nil }
    story.say(.stop)
    #expect(story.actions() == ["abandon"])
    story.wait(5, alive: ["ann"])
    story.isTelemetryFlowing = true
    story.wait(0.25, alive: ["ann"])
    #expect(story.actions() == ["do stop"])
  }

  @Test func anUnconfirmedHoldIsNotForcedOnThePilot() {
    var story = Story()
    story.fly()
    story.isTelemetryFlowing = false
    story.say(.stop)
    story.wait(10, alive: ["ann"])
    _ = story.look()
    story.isTelemetryFlowing = true
    story.vehicle.mode = .other
    story.wait(10, alive: ["ann"])
    #expect(story.actions() == ["abandon"])
  }

  @Test func anotherModeAfterwardsIsThePilots() {
    var story = Story()
    story.fly()
    story.isTelemetryFlowing = false
    story.wait(10, alive: ["ann"])
    story.isTelemetryFlowing = true
    story.mode(.other, "LOITER")
    story.wait(0.25, alive: ["ann"])
    #expect(story.status.authority == .pilot)
  }

  @Test func aStopWithoutAnyAutopilotIsLatchedAndSaidToReachNobody() {
    var story = Story()
    story.vehicle { $0.heartbeatAt = nil }
    _ = story.look()
    story.say(.stop)
    #expect(
      story.receipts() == [
        "receipt ann stop: refused, the autopilot is not heard; check the serial cable and its power"
      ])
    #expect(story.status.latch == .stop)
  }

  @Test func aStopIsTriedWhenHeartbeatsAreLate() {
    var story = Story()
    story.fly()
    story.isTelemetryFlowing = false
    story.wait(8, alive: ["ann"])
    _ = story.look()
    story.say(.stop)
    #expect(story.actions() == ["do stop for ann"])
  }

  // MARK: End of a flight

  @Test(arguments: [Guidance.Activity.following, .holding, .landing, .returning]) func disarmedEndsIt(
    _ activity: Guidance.Activity
  ) {
    var story = Self.story(activity)
    story.vehicle {
      $0.isArmed = false
      $0.landed = .onGround
    }
    #expect(story.status.authority == .none)
    _ = story.look()
    story.wait(100)
    #expect(story.actions() == [])
  }

  @Test func landedButArmedIsNotYetTheEnd() {
    var story = Self.story(.landing)
    story.vehicle { $0.landed = .onGround }
    #expect(story.status.activity == .landing)
  }

  // MARK: Fence

  @Test func leavingTheFenceHoldsOnce() {
    var story = Story { $0.geofenceRadiusMeters = 100 }
    story.fly()
    story.stream(Story.place(99))
    story.obey()
    story.vehicle { $0.coordinate = Story.place(104) }
    #expect(story.actions().contains("do stop") == false)
    story.vehicle { $0.coordinate = Story.place(106) }
    #expect(
      story.look() == [
        "! holding at the fence: 106 m from home, limit 100 m",
        "! coordinates are ignored after fence, until reset, takeoff, goto or follow", "do stop",
      ])
    story.obey()
    story.vehicle { $0.coordinate = Story.place(110) }
    story.stream(Story.place(50))
    #expect(story.actions() == [])
    story.goTo(Story.place(50))
    #expect(story.actions() == ["do goto 50 m at 10 m for ann"])
  }

  @Test func theHeightLimitIsAFenceToo() {
    var story = Story()
    story.fly()
    story.vehicle { $0.altitudeAboveHomeMeters = 56 }
    #expect(story.actions() == ["do stop"])
  }

  @Test func outsideAlreadyItMayBeBroughtBack() {
    var story = Self.story(.following)
    story.mode(.other, "LOITER")
    story.vehicle { $0.altitudeAboveHomeMeters = 80 }
    _ = story.look()
    story.goTo(Story.place(50))
    story.obey()
    story.wait(2, alive: ["ann"])
    #expect(story.actions() == ["do goto 50 m at 10 m for ann"])
  }

  @Test func thePilotIsNotFenced() {
    var story = Self.story(.following)
    story.mode(.other, "LOITER")
    _ = story.look()
    story.vehicle { $0.altitudeAboveHomeMeters = 80 }
    #expect(story.look() == [])
  }
}

import Guidance
import Testing
import Vehicle

/// What silence of the client leads to, in every phase of a flight.
@Suite struct LinkLossTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let phase: String
    let prepare: @Sendable (inout Story) -> Void
    /// What is done by so many seconds of silence.
    let after: [(seconds: Double, actions: [String])]
    var testDescription: String { phase }
  }

  static let cases = [
    Case(phase: "on the ground", prepare: { _ in }, after: [(100, [])]),
    Case(
      phase: "takeoff before arming", prepare: { $0.say(.takeoff) },
      after: [(2.75, []), (3, ["abandon"]), (100, [])]),
    Case(
      phase: "takeoff, armed on the ground",
      prepare: {
        $0.say(.takeoff)
        $0.vehicle { $0.isArmed = true }
        $0.mode(.guided)
      }, after: [(2.75, []), (3, ["do stop"])]),
    Case(
      phase: "climbing",
      prepare: {
        $0.say(.takeoff)
        $0.obey()
        $0.vehicle { $0.altitudeAboveHomeMeters = 4 }
      }, after: [(2.75, []), (3, ["do stop"]), (29.75, []), (30, ["do return"]), (200, [])]),
    Case(
      phase: "after takeoff", prepare: { $0.fly() },
      after: [(2.75, []), (3, ["do stop"]), (29.75, []), (30, ["do return"])]),
    Case(
      phase: "en route",
      prepare: {
        $0.fly()
        $0.stream(Story.place(200))
        $0.obey()
      }, after: [(2.75, []), (3, ["do stop"]), (29.75, []), (30, ["do return"]), (200, [])]),
    Case(
      phase: "holding after a stop",
      prepare: {
        $0.fly()
        $0.say(.stop)
        $0.obey()
      }, after: [(29.75, []), (30, ["do return"]), (200, [])]),
    Case(
      phase: "landing",
      prepare: {
        $0.fly()
        $0.say(.land)
        $0.obey()
      }, after: [(200, [])]),
    Case(
      phase: "returning",
      prepare: {
        $0.fly()
        $0.say(.returnToLaunch)
        $0.obey()
      }, after: [(200, [])]),
    Case(
      phase: "returning, landing by now",
      prepare: {
        $0.fly()
        $0.say(.returnToLaunch)
        $0.obey()
        $0.mode(.land)
      }, after: [(200, [])]),
    Case(
      phase: "land never obeyed",
      prepare: {
        $0.fly()
        $0.say(.land)
        $0.report(.unknown(reason: "no answer"))
      }, after: [(2.75, []), (3, ["do stop"])]),
    Case(
      phase: "return refused",
      prepare: {
        $0.fly()
        $0.say(.returnToLaunch)
        $0.report(.refused(reason: "no"))
      }, after: [(2.75, []), (3, ["do stop"])]),
    Case(
      phase: "the pilot flies",
      prepare: {
        $0.fly()
        $0.mode(.other, "LOITER")
      }, after: [(200, [])]),
    Case(
      phase: "flying, never commanded from here",
      prepare: {
        $0.vehicle {
          $0.isArmed = true
          $0.landed = .inAir
          $0.mode = .guided
        }
      }, after: [(200, [])]),
    Case(
      phase: "land instead of return",
      prepare: {
        $0.guidance.rules.linkLossAction = .land
        $0.fly()
      }, after: [(3, ["do stop"]), (30, ["do land"]), (200, [])]),
    Case(
      phase: "no return",
      prepare: {
        $0.guidance.rules.returnAfter = nil
        $0.fly()
      }, after: [(3, ["do stop"]), (1000, [])]),
    Case(
      phase: "return before hold",
      prepare: {
        $0.guidance.rules.returnAfter = .seconds(2)
        $0.fly()
      }, after: [(1.75, []), (2, ["do return"]), (100, [])]),
    Case(
      phase: "goodbye in flight",
      prepare: {
        $0.fly()
        $0.disconnect("ann")
      }, after: [(2.75, []), (3, ["do stop"]), (30, ["do return"]), (100, [])]),
    Case(
      phase: "landed state not reported",
      prepare: {
        $0.fly()
        $0.vehicle { $0.landed = nil }
      }, after: [(3, ["do stop"])]),
    Case(
      phase: "height and landed state not reported",
      prepare: {
        $0.fly()
        $0.vehicle {
          $0.landed = nil
          $0.altitudeAboveHomeMeters = nil
        }
      }, after: [(3, ["do stop"])]),
    Case(
      phase: "px4 en route",
      prepare: {
        $0.vehicle { $0.autopilot = .px4 }
        $0.fly()
        $0.stream(Story.place(200))
        $0.obey()
      }, after: [(2.75, []), (3, ["do stop"]), (30, ["do return"])]),
  ]

  @Test(arguments: cases) func silence(_ example: Case) {
    var story = Story()
    story.send()
    example.prepare(&story)
    _ = story.look()
    var elapsed = 0.0
    for (seconds, actions) in example.after {
      // The vehicle obeys each action soon after.
      var seen: [String] = []
      while elapsed < seconds {
        story.wait(0.25)
        elapsed += 0.25
        let now = story.actions()
        seen += now
        if now.contains(where: { $0.hasPrefix("do ") }) { story.obey() }
      }
      #expect(seen == actions, "by \(seconds) s")
    }
  }

  @Test func theStagesAreReportedOnce() {
    var story = Story()
    story.fly()
    story.wait(2)
    #expect(story.events() == ["! ann is silent: no new targets"])
    #expect(story.status.link == .silent)
    story.wait(1)
    #expect(
      story.events() == [
        "! coordinates are ignored after link loss by ann, until reset, takeoff, goto or follow",
        "! ann is silent: stop",
      ])
    story.obey()
    #expect(story.status.link == .holding)
    story.wait(27)
    #expect(story.events() == ["! ann is silent: return"])
    story.obey()
    #expect(story.status.link == .returning)
    story.wait(100)
    #expect(story.events() == [])
  }

  @Test func aLandingThatGoesOnIsToldAsSuch() {
    var story = PilotTests.story(.landing)
    story.wait(31)
    #expect(story.events().filter { $0.hasSuffix("goes on") }.count == 2)
  }

  // MARK: The client comes back

  @Test(arguments: [2.5, 4, 31, 100]) func nothingResumesByItself(seconds: Double) {
    var story = Story()
    story.fly()
    story.stream(Story.place(50))
    story.obey()
    for _ in 1...Int(seconds * 4) {
      story.wait(0.25)
      if story.actions().contains(where: { $0.hasPrefix("do ") }) { story.obey() }
    }
    story.stream(Story.place(60))
    let lines = story.look()
    #expect(lines.contains("! ann is back; nothing resumes until the operator asks"))
    // Within the time to hold nothing was ended, so nothing has to be resumed.
    #expect(lines.contains { $0.hasPrefix("do goto") } == (seconds < 3))
    #expect(story.status.link == .live)
  }

  @Test(arguments: [Guidance.Verb.reset, .goTo]) func theOperatorResumes(_ verb: Guidance.Verb) {
    var story = Story()
    story.fly()
    story.wait(4)
    story.obey()
    story.stream(Story.place(48))
    story.say(verb)
    story.obey()
    _ = story.look()
    story.stream(Story.place(41))
    #expect(story.actions() == ["do goto 41 m at 10 m for ann"])
  }

  @Test func aResetDoesNotEndAReturn() {
    var story = Story()
    story.fly()
    story.wait(3)
    story.obey()
    story.wait(28)
    story.obey()
    story.say(.reset)
    _ = story.look()
    story.stream(Story.place(25))
    #expect(story.actions() == [])
    #expect(story.status.activity == .returning)
    story.goTo(Story.place(25))
    #expect(story.actions() == ["do goto 25 m at 10 m for ann"])
  }

  @Test func theNextSilenceCountsAnew() {
    var story = Story()
    story.fly()
    for _ in 1...3 {
      story.wait(4)
      #expect(story.actions() == ["do stop"])
      story.obey()
      story.goTo(Story.place(20))
      story.obey()
      _ = story.look()
    }
  }

  @Test func framesThatWereStalledDoNotCountAsPresence() {
    var story = Story()
    story.fly()
    story.wait(4)
    story.obey()
    _ = story.look()
    story.send { $0.delay = .seconds(4) }
    #expect(story.status.link == .holding)
    story.send()
    #expect(story.status.link == .live)
  }

  // MARK: Confirmation

  @Test func aHoldIsTriedUntilItIsSeen() {
    var story = Story()
    story.fly()
    story.wait(3)
    #expect(story.actions() == ["do stop"])
    for _ in 1...3 {
      story.report(.unknown(reason: "no answer"))
      story.wait(1.75)
      #expect(story.actions() == [])
      story.wait(0.25)
      #expect(story.actions() == ["do stop"])
    }
    story.obey()
    story.wait(15)
    #expect(story.actions() == [])
  }

  @Test func theTriesSlowDownButDoNotEnd() {
    var story = Story { $0.returnAfter = nil }
    story.fly()
    story.wait(3)
    var times: [Double] = []
    var elapsed = 0.0
    story.report(.refused(reason: "no"))
    _ = story.look()
    var failures = 0
    while elapsed < 100 {
      story.wait(0.25)
      elapsed += 0.25
      let lines = story.look()
      failures += lines.filter { $0.contains("failed") }.count
      if lines.contains("do stop") {
        times.append(elapsed)
        story.report(.refused(reason: "no"))
      }
    }
    #expect(times == [2, 4, 6, 8, 10, 12, 14, 16, 18, 28, 38, 48, 58, 68, 78, 88, 98])
    // The same reason again is not news.
    #expect(failures == 0)
  }

  @Test func aReturnIsTriedUntilItIsSeen() {
    var story = Story()
    story.fly()
    story.wait(3)
    story.obey()
    story.wait(27)
    _ = story.look()
    story.report(.refused(reason: "no position"))
    #expect(story.events() == ["! return failed at attempt 1: no position"])
    story.wait(2)
    #expect(story.actions() == ["do return"])
  }

  @Test func theClientBackEndsTheTriesOfAReturnButNotOfAHold() {
    var returning = Story()
    returning.fly()
    returning.wait(3)
    returning.obey()
    returning.wait(27)
    returning.report(.refused(reason: "no"))
    returning.send()
    _ = returning.look()
    returning.wait(20, alive: ["ann"])
    #expect(returning.actions() == [])

    var holding = Story()
    holding.fly()
    holding.wait(3)
    holding.report(.refused(reason: "no"))
    holding.send()
    _ = holding.look()
    holding.wait(2, alive: ["ann"])
    #expect(holding.actions() == ["do stop"])
  }

  @Test func anOperatorsStopIsTriedUntilItIsSeenAndAnsweredOnce() {
    var story = Story()
    story.fly()
    story.say(.stop)
    story.report(.refused(reason: "no position"))
    #expect(story.receipts().last == "receipt ann stop: refused, no position")
    story.wait(2, alive: ["ann"])
    #expect(story.actions() == ["do stop"])
    story.obey()
    #expect(story.receipts() == [])
  }

  @Test func aNewCommandEndsTheTries() {
    var story = Story()
    story.fly()
    story.say(.stop)
    story.report(.refused(reason: "no"))
    story.say(.land)
    _ = story.look()
    story.wait(20, alive: ["ann"])
    #expect(story.actions() == [])
  }

  // MARK: Heartbeats as a ground station

  @Test func theyAreSentOnlyWhileATrustedClientIsAlive() {
    var story = Story(clients: [])
    #expect(!story.guidance.needsGroundStationHeartbeat(at: story.now))
    story.connect("ann")
    #expect(story.guidance.needsGroundStationHeartbeat(at: story.now))
    story.wait(2.5)
    #expect(story.guidance.needsGroundStationHeartbeat(at: story.now))
    story.wait(0.25)
    #expect(!story.guidance.needsGroundStationHeartbeat(at: story.now))
    story.send()
    #expect(story.guidance.needsGroundStationHeartbeat(at: story.now))
    story.disconnect("ann")
    #expect(!story.guidance.needsGroundStationHeartbeat(at: story.now))
  }
}

import Geodesy
import Guidance
import Testing
import Vehicle

/// Which coordinates are flown to.
@Suite struct TargetTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// Nil when it is flown to.
    let refusal: String?
    let prepare: @Sendable (inout Story) -> Void
    let command: @Sendable (inout Guidance.Command) -> Void
    var testDescription: String { name }

    init(
      _ name: String, _ refusal: String?, prepare: @escaping @Sendable (inout Story) -> Void = { _ in },
      command: @escaping @Sendable (inout Guidance.Command) -> Void = { _ in }
    ) {
      self.name = name
      self.refusal = refusal
      self.prepare = prepare
      self.command = command
    }
  }

  /// Reasons that hold for a streamed coordinate and for one that the operator asks for.
  static let always = [
    Case("all well", nil),
    Case(
      "0,0", "0,0 is what receivers without a fix report; wait for a fix",
      command: { $0.coordinate = Coordinate(latitude: 0, longitude: 0) }),
    Case(
      "-0,0", "0,0 is what receivers without a fix report; wait for a fix",
      command: { $0.coordinate = Coordinate(latitude: -0.0, longitude: 0) }),
    Case("3 s old", nil, command: { $0.coordinateAge = .seconds(3) }),
    Case(
      "older", "the coordinate is 3.1 s old, over 3.0 s; wait for a new fix",
      command: { $0.coordinateAge = .milliseconds(3100) }),
    Case(
      "old by age and delay", "the coordinate is 3.5 s old, over 3.0 s; wait for a new fix",
      command: {
        $0.coordinateAge = .seconds(2)
        $0.delay = .milliseconds(1500)
      }),
    Case(
      "late", "the coordinate is 4.0 s old, over 3.0 s; wait for a new fix",
      command: { $0.delay = .seconds(4) }),
    Case(
      "age below zero", "the coordinate's age is negative; check the client",
      command: { $0.coordinateAge = .seconds(-1) }),
    Case("50 m accurate", nil, command: { $0.horizontalAccuracyMeters = 50 }),
    Case(
      "less accurate", "the coordinate's error is 51 m, over 50 m; wait for a better fix",
      command: { $0.horizontalAccuracyMeters = 51 }),
    Case(
      "accuracy not a number", "the coordinate's error is nan m, over 50 m; wait for a better fix",
      command: { $0.horizontalAccuracyMeters = .nan }),
    Case(
      "accuracy negative", "the coordinate's error is -1 m, over 50 m; wait for a better fix",
      command: { $0.horizontalAccuracyMeters = -1 }),
    Case("at the maximum distance", nil, command: { $0.coordinate = Story.place(499.9) }),
    Case(
      "too far", "the coordinate is 510 m from home, over 500 m; choose a nearer one",
      command: { $0.coordinate = Story.place(510) }),
    Case(
      "outside the fence",
      "the coordinate is 120 m from home, outside the fence of 100 m; choose a nearer one",
      prepare: { $0.guidance.rules.geofenceRadiusMeters = 100 }, command: { $0.coordinate = Story.place(120) }
    ),
    Case("inside the fence", nil, prepare: { $0.guidance.rules.geofenceRadiusMeters = 100 }),
    Case(
      "follow height over the limit",
      "the follow height of 60 m is over the limit of 50 m; lower it in the configuration",
      prepare: { $0.guidance.rules.followHeightMeters = 60 }),
    Case(
      "no home", "the autopilot has no home position yet; wait for its satellite fix",
      prepare: { $0.vehicle { $0.home = nil } }),
    Case(
      "stand-off without the vehicle's position",
      "the vehicle has no position yet; wait for its satellite fix",
      prepare: {
        $0.guidance.rules.standOffMeters = 5
        $0.vehicle { $0.coordinate = nil }
      }),
    Case(
      "autopilot unheard", "the autopilot is not heard; check the serial cable and its power",
      prepare: { $0.vehicle { $0.heartbeatAt = nil } }),
    Case(
      "landed, still armed", "the vehicle is on the ground; take off first",
      prepare: { $0.vehicle { $0.landed = .onGround } }),
    Case(
      "disarmed", "the vehicle is on the ground; take off first",
      prepare: {
        $0.vehicle {
          $0.isArmed = false
          $0.landed = .onGround
        }
      }),
    Case(
      "shutting down", "the navigator is stopping; ask again when it is back",
      prepare: { $0.take($0.guidance.shutdown(vehicle: $0.vehicle, at: $0.now)) }),
  ]

  /// Reasons that only hold back the steady stream.
  static let streamed = [
    Case(
      "stopped", "the vehicle holds after stop; reset, or ask with goto or follow", prepare: { $0.say(.stop) }
    ),
    Case(
      "landing", "the vehicle is landing; ask with goto or follow to fly to the coordinate",
      prepare: {
        $0.say(.land)
        $0.obey()
      }),
    Case(
      "returning", "the vehicle is returning; ask with goto or follow to fly to the coordinate",
      prepare: {
        $0.say(.returnToLaunch)
        $0.obey()
      }),
    Case(
      "pilot", "the pilot or the autopilot took over (mode LOITER); ask with goto or follow to guide again",
      prepare: { $0.mode(.other, "LOITER") }),
    Case(
      "autopilot was unheard in between",
      "the last command was not confirmed; ask with goto or follow to fly to the coordinate",
      prepare: {
        $0.vehicle { $0.heartbeatAt = nil }
        $0.vehicle { $0.heartbeatAt = $0.positionAt }
        $0.wait(0.25)
      }),
    Case(
      "autopilot restarted",
      "the vehicle flies, but not by a command from here; ask with goto or follow to fly to the coordinate",
      prepare: { $0.vehicle { $0.uptimeMilliseconds = 3000 } }),
  ]

  @Test(arguments: always + streamed) func streamedCoordinate(_ example: Case) {
    check(example, isAsked: false, refusal: example.refusal)
  }

  @Test(arguments: always) func askedCoordinate(_ example: Case) {
    check(example, isAsked: true, refusal: example.refusal)
  }

  @Test(arguments: streamed) func theOperatorsAskGoesThrough(_ example: Case) {
    check(example, isAsked: true, refusal: nil)
  }

  private func check(_ example: Case, isAsked: Bool, refusal: String?) {
    var story = Story()
    story.fly()
    example.prepare(&story)
    _ = story.look()
    func send() -> [String] {
      story.send { command in
        command.coordinate = Story.place(50)
        command.engage = isAsked
        example.command(&command)
      }
      return story.look()
    }
    let verb = isAsked ? "goto" : "coordinate"
    let lines = send()
    guard let refusal else {
      #expect(lines.contains { $0.hasPrefix("do goto") })
      #expect(lines.contains("receipt ann \(verb): received"))
      return
    }
    #expect(lines.filter { $0.hasPrefix("do ") } == [])
    #expect(lines.contains("receipt ann \(verb): refused, \(refusal)"))
    #expect(lines.contains("! coordinate of ann ignored: \(refusal)"))
    // The receipt comes each time, the line in the log once.
    #expect(send() == ["receipt ann \(verb): refused, \(refusal)"])
  }

  @Test func anAskThatIsRefusedLeavesTheStopLatched() {
    var story = Story()
    story.fly()
    story.say(.stop)
    story.obey()
    story.goTo(Story.place(600))
    #expect(story.status.latch == .stop)
    _ = story.look()
    story.stream(Story.place(50))
    #expect(story.actions() == [])
  }

  @Test func anAskWithoutACoordinateIsRefused() {
    var story = Story()
    story.fly()
    story.send { $0.engage = true }
    #expect(
      story.receipts() == ["receipt ann goto: refused, goto without a coordinate; wait for a fix or name one"]
    )
  }

  @Test func theSameReasonWithOtherNumbersIsToldOnce() {
    var story = Story()
    story.fly()
    var told = 0
    for distance in stride(from: 505.0, to: 530, by: 5) {
      story.wait(1, alive: ["ann"])
      story.stream(Story.place(distance))
      told += story.events().filter { $0.contains("ignored") }.count
    }
    #expect(told == 1)
    story.wait(1, alive: ["ann"])
    story.stream(Story.place(499))
    #expect(story.events() == ["! flying to the coordinate of ann"])
  }

  @Test func aClientWithoutAPositionIsNoLinkLossAndNoTarget() {
    var story = Story()
    story.fly()
    story.stream(Story.place(20))
    story.obey()
    _ = story.look()
    story.wait(60, alive: ["ann"])
    #expect(story.look() == ["! ann is there but has no position"])
    #expect(story.status.link == .live)
  }

  // MARK: Jumps

  @Test func aJumpIsBelievedAfterThreeThatAgree() {
    var story = Story()
    story.fly()
    story.stream(Story.place(10))
    var actions: [[String]] = []
    for _ in 1...3 {
      _ = story.look()
      story.wait(1, alive: ["ann"])
      story.stream(Story.place(210))
      actions.append(story.actions())
    }
    #expect(actions == [[], [], ["do goto 210 m at 10 m for ann"]])
  }

  @Test func aSingleWrongFixIsIgnored() {
    var story = Story()
    story.fly()
    story.stream(Story.place(10))
    _ = story.look()
    for _ in 1...10 {
      story.wait(1, alive: ["ann"])
      story.stream(Story.place(210))
      #expect(story.actions() == [])
      story.wait(1, alive: ["ann"])
      story.stream(Story.place(10))
      _ = story.look()
    }
  }

  @Test func jumpsThatDoNotAgreeAreNeverBelieved() {
    var story = Story()
    story.fly()
    story.stream(Story.place(10))
    _ = story.look()
    for index in 1...20 {
      story.wait(1, alive: ["ann"])
      story.stream(index.isMultiple(of: 2) ? Story.place(210) : Story.place(-210))
      #expect(story.actions() == [])
    }
  }

  @Test func aLongGapGivesNoReachForAJump() {
    var story = Story()
    story.fly()
    story.stream(Story.place(10))
    story.wait(60, alive: ["ann"])
    _ = story.look()
    story.stream(Story.place(210))
    #expect(story.actions() == [])
  }

  @Test(arguments: [(20.0, true), (39, true), (45, false)])
  func speedDecides(meters: Double, isFlown: Bool) {
    var story = Story()
    story.fly()
    story.stream(Story.place(0.1))
    _ = story.look()
    story.wait(1, alive: ["ann"])
    story.stream(Story.place(meters))
    #expect(story.actions().isEmpty != isFlown)
  }

  @Test func timeBetweenFixesCountsNotBetweenFrames() {
    var story = Story()
    story.fly()
    story.send {
      $0.coordinate = Story.place(10)
      $0.coordinateAge = .milliseconds(2500)
    }
    _ = story.look()
    story.wait(0.25)
    story.stream(Story.place(90))
    #expect(story.actions() == ["do goto 90 m at 10 m for ann"])
  }

  @Test func theOperatorsAskVouchesForAJump() {
    var story = Story()
    story.fly()
    story.stream(Story.place(10))
    _ = story.look()
    story.goTo(Story.place(300))
    #expect(story.actions() == ["do goto 300 m at 10 m for ann"])
    story.obey()
    story.stream(Story.place(309))
    #expect(story.actions() == ["do goto 309 m at 10 m for ann"])
  }

  @Test func theFirstInFlightIsComparedWithThoseOnTheGround() {
    var story = Story()
    story.stream(Story.place(10))
    story.fly()
    story.stream(Story.place(300))
    #expect(story.actions() == [])
  }

  // MARK: What is sent

  @Test func theSameTargetIsSentAgainOnlyEachFiveSeconds() {
    var story = Story()
    story.fly()
    var sent: [Int] = []
    for second in 0...12 {
      story.stream(Story.place(50, Double(second % 2) * 0.4))
      if !story.actions().isEmpty { sent.append(second) }
      story.wait(1)
    }
    #expect(sent == [0, 5, 10])
  }

  @Test func theNewestTargetWins() {
    var story = Story()
    story.fly()
    for meters in [20.0, 29, 38] { story.stream(Story.place(meters)) }
    #expect(
      story.actions() == [20, 29, 38].map { "do goto \($0) m at 10 m for ann" })
    #expect(abs((story.status.distanceToTargetMeters ?? 0) - 38) < 0.01)
  }

  @Test func aTargetThatFailedIsSentAgainAndToldOnce() {
    var story = Story()
    story.fly()
    var events: [String] = []
    for _ in 1...4 {
      story.stream(Story.place(20))
      story.report(.refused(reason: "no position"))
      let lines = story.look()
      #expect(lines.contains("do goto 20 m at 10 m for ann"))
      events += lines.filter { $0.contains("failed") }
      story.wait(1)
    }
    #expect(events == ["! goto failed at attempt 1: no position"])
  }

  @Test func theFollowHeightIsTheRulesNotTheClients() {
    var story = Story { $0.followHeightMeters = 25 }
    story.fly()
    story.stream(Story.place(20))
    #expect(story.actions() == ["do goto 20 m at 25 m for ann"])
  }

  // MARK: Stand-off

  @Test func theVehicleStopsShort() {
    var story = Story { $0.standOffMeters = 15 }
    story.fly()
    story.stream(Story.place(100))
    #expect(story.actions() == ["do goto 85 m at 10 m for ann"])
  }

  @Test func nearEnoughNothingMoves() {
    var story = Story { $0.standOffMeters = 15 }
    story.fly()
    story.stream(Story.place(14))
    #expect(story.look().filter { !$0.hasPrefix("!") } == ["receipt ann coordinate: received"])
  }

  @Test func anOperatorWhoComesCloserIsNotFlownOver() {
    var story = Story { $0.standOffMeters = 15 }
    story.fly()
    story.stream(Story.place(40))
    story.obey()
    story.vehicle { $0.coordinate = Story.place(10) }
    _ = story.look()
    story.wait(1)
    story.stream(Story.place(20))
    #expect(story.actions() == ["do goto 10 m at 10 m for ann"])
    story.wait(1)
    story.stream(Story.place(20))
    #expect(story.actions() == [])
  }

  @Test func anAskWithinTheStandOffStopsThere() {
    var story = Story { $0.standOffMeters = 15 }
    story.fly()
    story.mode(.other, "LOITER")
    _ = story.look()
    story.goTo(Story.place(5))
    #expect(story.actions() == ["do goto 0 m at 10 m for ann"])
  }
}

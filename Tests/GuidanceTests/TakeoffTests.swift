import Guidance
import Testing
import Vehicle

@Suite struct TakeoffTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
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

  static let cases = [
    Case("all well", nil),
    Case("2 s late is in time", nil, command: { $0.delay = .seconds(2) }),
    Case(
      "later than 2 s", "it arrived 2.1 s late, too old for a takeoff; look at the vehicle and ask again",
      command: { $0.delay = .milliseconds(2100) }),
    Case(
      "no autopilot", "the autopilot is not heard; check the serial cable and its power",
      prepare: { $0.vehicle { $0.heartbeatAt = nil } }),
    Case(
      "autopilot silent for 6 s", "the autopilot is not heard; check the serial cable and its power",
      prepare: {
        $0.isTelemetryFlowing = false
        $0.wait(6, alive: ["ann"])
      }),
    Case(
      "flying", "the vehicle is flying already; use goto or follow",
      prepare: {
        $0.vehicle {
          $0.isArmed = true
          $0.landed = .inAir
        }
      }),
    Case(
      "flying by height alone", "the vehicle is flying already; use goto or follow",
      prepare: {
        $0.vehicle {
          $0.isArmed = true
          $0.landed = nil
          $0.altitudeAboveHomeMeters = 5
        }
      }),
    Case("armed by the pilot on the ground", nil, prepare: { $0.vehicle { $0.isArmed = true } }),
    Case(
      "another under way", "a takeoff is under way; wait for it or stop it",
      prepare: { $0.say(.takeoff) }),
    Case("altitude of the command", nil, command: { $0.takeoffAltitudeMeters = 50 }),
    Case(
      "too high", "50.5 m is no takeoff height; choose 1 m to 50 m",
      command: { $0.takeoffAltitudeMeters = 50.5 }),
    Case(
      "too low", "0.5 m is no takeoff height; choose 1 m to 50 m", command: { $0.takeoffAltitudeMeters = 0.5 }
    ),
    Case(
      "negative", "-3 m is no takeoff height; choose 1 m to 50 m", command: { $0.takeoffAltitudeMeters = -3 }),
    Case(
      "not a number", "nan m is no takeoff height; choose 1 m to 50 m",
      command: { $0.takeoffAltitudeMeters = .nan }),
    Case(
      "infinite", "inf m is no takeoff height; choose 1 m to 50 m",
      command: { $0.takeoffAltitudeMeters = .infinity }),
    Case("battery at its minimum", nil, prepare: { $0.vehicle { $0.batteryPercent = 20 } }),
    Case(
      "battery low", "the battery is at 19 %, below the 20 % for a takeoff; charge or change it",
      prepare: { $0.vehicle { $0.batteryPercent = 19 } }),
    Case("battery not reported", nil, prepare: { $0.vehicle { $0.batteryPercent = nil } }),
    Case(
      "battery low but not judged", nil,
      prepare: {
        $0.guidance.rules.minimumBatteryPercent = nil
        $0.vehicle { $0.batteryPercent = 1 }
      }),
    Case(
      "coordinate waiting, vehicle without position",
      "the vehicle has no position yet; wait for its satellite fix",
      prepare: {
        $0.vehicle {
          $0.home = nil
          $0.coordinate = nil
        }
      }, command: { $0.coordinate = Story.place(30) }),
    Case(
      "no coordinate, vehicle without position", nil,
      prepare: {
        $0.vehicle {
          $0.home = nil
          $0.coordinate = nil
        }
      }),
    // The autopilot knows better, and its own text goes back.
    Case("not ready to arm", nil, prepare: { $0.vehicle { $0.isReadyToArm = false } }),
    Case("after a stop", nil, prepare: { $0.say(.stop) }),
    Case(
      "shutting down", "the navigator is stopping; ask again when it is back",
      prepare: { $0.take($0.guidance.shutdown(vehicle: $0.vehicle, at: $0.now)) }),
  ]

  @Test(arguments: cases) func isAllowedOrRefusedWithAReason(_ example: Case) {
    var story = Story()
    example.prepare(&story)
    _ = story.look()
    story.send { command in
      command.takeoff = true
      example.command(&command)
    }
    let lines = story.look()
    if let refusal = example.refusal {
      #expect(lines.contains("receipt ann takeoff: refused, \(refusal)"))
      #expect(!lines.contains { $0.hasPrefix("do ") })
      #expect(story.status.lastRefusal == refusal)
    } else {
      #expect(lines.contains { $0.hasPrefix("do takeoff") })
      #expect(lines.contains("receipt ann takeoff: received"))
    }
  }

  @Test func coordinatesWaitForTheHeight() {
    var story = Story()
    story.say(.takeoff)
    story.obey()
    for height in [0.5, 3, 9.4] {
      story.vehicle { $0.altitudeAboveHomeMeters = height }
      _ = story.look()
      story.stream(Story.place(20))
      #expect(story.actions() == [])
    }
    story.vehicle { $0.altitudeAboveHomeMeters = 9.5 }
    story.stream(Story.place(20))
    #expect(story.actions() == ["do goto 20 m at 10 m for ann"])
  }

  @Test func heightBeforeTheConfirmationIsNotEnough() {
    var story = Story()
    story.say(.takeoff)
    story.vehicle {
      $0.isArmed = true
      $0.landed = .inAir
      $0.mode = .guided
      $0.altitudeAboveHomeMeters = 10
    }
    _ = story.look()
    story.stream(Story.place(20))
    #expect(story.actions() == [])
    story.report(.accepted)
    story.stream(Story.place(20))
    #expect(story.actions() == ["do goto 20 m at 10 m for ann"])
  }

  @Test func px4LeavesItsTakeoffModeFirst() {
    var story = Story(.px4)
    story.say(.takeoff)
    story.vehicle {
      $0.isArmed = true
      $0.landed = .takingOff
      $0.mode = .takeoff
    }
    story.report(.accepted)
    story.vehicle { $0.altitudeAboveHomeMeters = 10 }
    _ = story.look()
    story.stream(Story.place(20))
    #expect(story.actions() == [])
    story.vehicle { $0.landed = .inAir }
    story.mode(.hold)
    story.stream(Story.place(20))
    #expect(story.actions() == ["do goto 20 m at 10 m for ann"])
  }

  @Test func aClimbThatSticksWaitsForTheOperator() {
    var story = Story()
    story.say(.takeoff)
    story.obey()
    story.vehicle {
      $0.landed = .inAir
      $0.altitudeAboveHomeMeters = 4
    }
    story.wait(36, alive: ["ann"])
    #expect(
      story.events().filter { !$0.contains("no position") } == [
        "! takeoff not complete: at 4 m instead of 10 m; ask with goto or follow, or land"
      ])
    story.stream(Story.place(20))
    #expect(story.actions() == [])
    story.goTo(Story.place(20))
    #expect(story.actions() == ["do goto 20 m at 10 m for ann"])
  }

  @Test func aRefusalByTheAutopilotComesBackAndFreesTheNext() {
    var story = Story()
    story.say(.takeoff)
    story.report(.refused(reason: "Arm: Need Position Estimate"))
    #expect(
      story.receipts() == [
        "receipt ann takeoff: received", "receipt ann takeoff: refused, Arm: Need Position Estimate",
      ])
    #expect(story.status.authority == .none)
    story.say(.takeoff)
    #expect(story.actions() == ["do takeoff 10 m for ann"])
  }

  @Test func anUnknownEndOnTheGroundIsOverAndInTheAirIsOurs() {
    var onGround = Story()
    onGround.say(.takeoff)
    onGround.report(.unknown(reason: "no answer"))
    #expect(onGround.status.authority == .none)

    var climbing = Story()
    climbing.say(.takeoff)
    climbing.vehicle {
      $0.isArmed = true
      $0.mode = .guided
      $0.landed = .takingOff
    }
    climbing.report(.unknown(reason: "no answer"))
    #expect(climbing.status.activity == .waiting)
    _ = climbing.look()
    climbing.wait(4)
    #expect(climbing.actions() == ["do stop"])
  }

  @Test func itIsNeverRepeatedByItself() {
    var story = Story()
    story.say(.takeoff)
    _ = story.look()
    story.wait(60, alive: ["ann"])
    #expect(story.actions() == [])
    story.report(.unknown(reason: "no answer"))
    story.wait(60, alive: ["ann"])
    #expect(story.actions() == [])
  }

  @Test func noReportAtAllCountsAsUnknown() {
    var story = Story()
    story.say(.takeoff)
    _ = story.look()
    story.wait(31, alive: ["ann"])
    #expect(
      story.receipts() == ["receipt ann takeoff: unknown, nothing was heard of it; look at the vehicle"])
  }

  @Test(arguments: [Guidance.Verb.stop, .land, .returnToLaunch])
  func aNewCommandEndsIt(_ verb: Guidance.Verb) {
    var story = Story()
    story.say(.takeoff)
    _ = story.look()
    story.say(verb)
    // On the ground a return must not make it take off.
    #expect(story.actions() == [verb == .stop ? "do stop for ann" : "do land for ann"])
    #expect(story.status.activity != .takingOff)
  }

  @Test(arguments: [Guidance.Verb.stop, .land, .returnToLaunch])
  func aNewCommandEndsTheClimb(_ verb: Guidance.Verb) {
    var story = Story()
    story.say(.takeoff)
    story.obey()
    story.vehicle { $0.altitudeAboveHomeMeters = 4 }
    _ = story.look()
    story.say(verb)
    #expect(story.actions() == ["do \(verb.rawValue) for ann"])
    story.report(.forwarded)
    _ = story.look()
    story.obey()
    #expect(story.receipts() == ["receipt ann \(verb.rawValue): accepted"])
  }
}

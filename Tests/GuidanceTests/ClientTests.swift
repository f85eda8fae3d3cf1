import Guidance
import Testing
import Vehicle

/// Several clients, the stop latch, reset.
@Suite struct ClientTests {
  @Test func theFirstIsInControl() {
    let story = Story(clients: ["ann", "bob"])
    #expect(story.status.controllerName == "ann")
    #expect(!story.status.isControlFree)
  }

  @Test(arguments: [Guidance.Verb.land, .returnToLaunch, .takeoff, .reset, .goTo, .coordinate])
  func anotherMayNotCommand(_ verb: Guidance.Verb) {
    var story = Story(clients: ["ann", "bob"])
    story.fly()
    story.say(verb, by: "bob")
    let lines = story.look()
    #expect(!lines.contains { $0.hasPrefix("do ") })
    #expect(
      lines.first
        == "receipt bob \(verb.rawValue): refused, ann is in control; ask for it with take-control, stop is open to everybody"
    )
  }

  @Test func anyoneMayStop() {
    var story = Story(clients: ["ann", "bob"])
    story.fly()
    story.say(.stop, by: "bob")
    #expect(story.actions() == ["do stop for bob"])
    #expect(story.status.controllerName == "ann")
    story.obey()
    story.stream(Story.place(20))
    #expect(story.actions() == [])
    story.say(.reset)
    story.stream(Story.place(20))
    #expect(story.actions() == ["do goto 20 m at 10 m for ann"])
  }

  @Test(arguments: [Guidance.Verb.goTo, .reset, .takeoff]) func anAskOlderThanAnothersStopDoesNotEndIt(
    _ verb: Guidance.Verb
  ) {
    var story = Story(clients: ["ann", "bob"])
    if verb != .takeoff { story.fly() }
    story.say(.stop, by: "bob")
    story.obey()
    story.wait(0.5, alive: ["ann"])
    _ = story.look()
    story.say(verb, late: .seconds(1))
    #expect(story.actions() == [])
    #expect(story.status.latch == .stop)
    story.say(verb, late: .milliseconds(100))
    #expect(story.status.latch == nil)
  }

  @Test func silenceFreesControlForTheNextCommand() {
    var story = Story(clients: ["ann", "bob"])
    story.fly()
    story.wait(4, alive: ["bob"])
    story.obey()
    #expect(story.status.isControlFree)
    story.stream(Story.place(30), by: "bob")
    #expect(story.status.controllerName == "ann")
    story.goTo(Story.place(30), by: "bob")
    #expect(story.status.controllerName == "bob")
    #expect(story.status.link == .live)
    _ = story.look()
    story.goTo(Story.place(40))
    #expect(story.actions() == [])
  }

  @Test func goodbyeFreesControlAtOnceButAnothersStreamDoesNotTakeIt() {
    var story = Story(clients: ["ann", "bob"])
    story.fly()
    story.disconnect("ann")
    _ = story.look()
    story.stream(Story.place(30), by: "bob")
    #expect(story.actions() == [])
    story.say(.land, by: "bob")
    #expect(story.actions() == ["do land for bob"])
    #expect(story.status.controllerName == "bob")
  }

  @Test func theSilenceOfTheOneInControlCountsThoughAnotherIsThere() {
    var story = Story(clients: ["ann", "bob"])
    story.fly()
    story.wait(3, alive: ["bob"])
    #expect(story.actions() == ["do stop"])
    story.obey()
    story.wait(27, alive: ["bob"])
    #expect(story.actions() == ["do return"])
  }

  @Test func theOtherTakingControlEndsTheCount() {
    var story = Story(clients: ["ann", "bob"])
    story.fly()
    story.wait(4, alive: ["bob"])
    story.obey()
    story.goTo(Story.place(30), by: "bob")
    story.obey()
    _ = story.look()
    story.wait(60, alive: ["bob"])
    #expect(story.actions() == [])
  }

  @Test func theOneThatComesBackKeepsControlWhenNobodyTookIt() {
    var story = Story(clients: ["ann", "bob"])
    story.fly()
    story.wait(10, alive: ["bob"])
    story.obey()
    story.connect("ann")
    #expect(story.status.controllerName == "ann")
    story.goTo(Story.place(30), by: "bob")
    #expect(story.status.controllerName == "ann")
  }

  @Test func onTheGroundAnyLiveClientFollowsASilentOne() {
    var story = Story(clients: ["ann", "bob"])
    story.wait(4, alive: ["bob"])
    #expect(story.status.controllerName == "bob")
  }

  @Test func theOthersSilenceIsNothing() {
    var story = Story(clients: ["ann", "bob"])
    story.fly()
    story.wait(60, alive: ["ann"])
    #expect(story.actions() == [])
  }

  @Test func manyClientsAreBoundedAndTheOneInControlStays() {
    var story = Story()
    story.fly()
    for index in 0..<300 { story.send("stranger \(index)") }
    #expect(story.status.controllerName == "ann")
    story.say(.land)
    #expect(story.actions().last == "do land for ann")
  }

  // MARK: Stop

  struct Stop: Sendable, CustomTestStringConvertible {
    let action: Guidance.StopAction
    let inFlight: String
    let activity: Guidance.Activity
    var testDescription: String { action.rawValue }
  }

  @Test(arguments: [
    Stop(action: .hold, inFlight: "do stop for ann", activity: .holding),
    Stop(action: .land, inFlight: "do land for ann", activity: .landing),
    Stop(action: .returnToLaunch, inFlight: "do return for ann", activity: .returning),
  ])
  func stopDoesWhatTheRulesSay(_ stop: Stop) {
    var story = Story { $0.stopAction = stop.action }
    // On the ground there is nothing to land or return.
    story.say(.stop)
    #expect(story.actions() == ["do stop for ann"])
    story.fly()
    story.say(.stop)
    #expect(story.actions() == [stop.inFlight])
    #expect(story.status.activity == stop.activity)
    #expect(story.status.latch == .stop)
  }

  @Test(arguments: [Guidance.Activity.following, .holding, .landing, .returning, .takingOff])
  func stopEndsWhateverIsUnderWay(_ activity: Guidance.Activity) {
    var story = PilotTests.story(activity)
    story.say(.stop)
    #expect(story.actions() == ["do stop for ann"])
    #expect(story.status.activity == .holding)
  }

  @Test func theStopOutlivesLinkLossAndLanding() {
    var story = Story()
    story.fly()
    story.say(.stop)
    story.obey()
    story.wait(31)
    story.obey()
    #expect(story.status.latch == .stop)
    story.vehicle {
      $0.isArmed = false
      $0.landed = .onGround
    }
    #expect(story.status.latch == .stop)
    story.say(.takeoff)
    #expect(story.status.latch == nil)
  }

  @Test func aLinkLossLatchEndsWithTheFlight() {
    var story = Story()
    story.fly()
    story.wait(31)
    #expect(story.status.latch == .linkLoss)
    story.vehicle {
      $0.isArmed = false
      $0.landed = .onGround
    }
    #expect(story.status.latch == nil)
  }

  @Test(arguments: [Guidance.Activity.landing, .returning]) func aNewGoToEndsWhatIsUnderWay(
    _ activity: Guidance.Activity
  ) {
    var story = PilotTests.story(activity)
    story.goTo(Story.place(30))
    #expect(story.actions() == ["do goto 30 m at 10 m for ann"])
    story.mode(.guided)
    #expect(story.status.authority == .ours)
  }

  // MARK: Reset

  @Test func resetClearsTheAutopilotOnlyOnTheGroundAndWhenAllowed() {
    for (isAllowed, isFlying, isArmed) in [
      (false, false, false), (true, false, false), (true, true, true), (true, false, true),
    ] {
      var story = Story { $0.resetClearsAutopilot = isAllowed }
      if isFlying { story.fly() } else { story.vehicle { $0.isArmed = isArmed } }
      story.say(.reset)
      let isReboot = isAllowed && !isFlying && !isArmed
      #expect(story.actions() == (isReboot ? ["do reset for ann"] : []))
    }
  }

  @Test func resetForgetsWhatWasRefused() {
    var story = Story()
    story.fly()
    story.stream(Story.place(700))
    #expect(story.status.lastRefusal != nil)
    story.say(.reset)
    #expect(story.status.lastRefusal == nil)
  }

  @Test func reportsOfVoidTicketsAreIgnored() {
    var story = Story()
    story.say(.takeoff)
    let ticket = story.tickets[0].ticket
    story.report(.refused(reason: "no"))
    _ = story.look()
    story.take(story.guidance.progressed(ticket, .accepted, vehicle: story.vehicle, at: story.now))
    story.take(story.guidance.progressed(999, .accepted, vehicle: story.vehicle, at: story.now))
    #expect(story.look() == [])
    #expect(story.status.authority == .none)
  }

  @Test func aReportForAnEarlierSessionIsNoAnswerInTheNext() {
    var story = Story()
    story.fly()
    let sequence = story.say(.stop)
    _ = story.look()
    story.connect("ann")
    #expect(
      story.look() == ["receipt ann stop: unknown, the session ended before the answer; look at the vehicle"])
    story.report(.accepted)
    #expect(story.receipts() == [])
    story.send(sequence: sequence) { $0.stop = true }
    #expect(story.actions() == ["do stop for ann"])
  }

  @Test func supersededReachesTheClient() {
    var story = Story()
    story.fly()
    story.goTo(Story.place(30))
    story.report(.superseded)
    #expect(story.receipts().last == "receipt ann goto: superseded")
  }
}

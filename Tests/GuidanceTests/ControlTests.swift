import Guidance
import Testing
import Vehicle

/// Who is in control: asking, refusing, handing over, and what the vehicle does meanwhile.
@Suite struct ControlTests {
  /// In flight, following ann; bob is there too.
  private func following() -> Story {
    var story = Story(clients: ["ann", "bob"])
    story.fly()
    story.stream(Story.place(20))
    story.obey()
    _ = story.look()
    return story
  }

  struct Ending: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let happens: @Sendable (inout Story) -> Void
    /// Who is in control afterwards, and the asker's receipt.
    let holder: String
    let receipt: String
    let event: String
  }

  static let endings = [
    Ending(
      testDescription: "handed over", happens: { $0.say(.handOver) }, holder: "bob", receipt: "accepted",
      event: "! bob is in control: ann handed it over"),
    Ending(
      testDescription: "kept", happens: { $0.say(.keep) }, holder: "ann",
      receipt: "refused, ann keeps control; talk to each other, stop is open to you",
      event: "! ann keeps control, which bob asked for"),
    Ending(
      testDescription: "kept by asking for what one has", happens: { $0.say(.takeControl) }, holder: "ann",
      receipt: "refused, ann keeps control; talk to each other, stop is open to you",
      event: "! ann keeps control, which bob asked for"),
    Ending(
      testDescription: "unanswered", happens: { $0.wait(10, alive: ["ann", "bob"]) }, holder: "bob",
      receipt: "accepted", event: "! bob is in control: ann did not refuse in time"),
    Ending(
      testDescription: "the holder falls silent", happens: { $0.wait(3, alive: ["bob"]) }, holder: "bob",
      receipt: "accepted", event: "! bob is in control: ann is silent or gone"),
    Ending(
      testDescription: "the holder says goodbye", happens: { $0.disconnect("ann") }, holder: "bob",
      receipt: "accepted", event: "! bob is in control: ann is silent or gone"),
    Ending(
      testDescription: "the holder's session falls silent", happens: { $0.fallSilent("ann") }, holder: "bob",
      receipt: "accepted", event: "! bob is in control: ann is silent or gone"),
    Ending(
      testDescription: "the asker falls silent", happens: { $0.wait(3, alive: ["ann"]) }, holder: "ann",
      receipt: "refused, the client that asked was silent or gone; ask again",
      event: "! bob no longer asks for control"),
    Ending(
      testDescription: "the asker says goodbye", happens: { $0.disconnect("bob") }, holder: "ann",
      receipt: "unknown, the session ended before the answer; ask again",
      event: "! bob no longer asks for control"),
    Ending(
      testDescription: "the asker begins a new session", happens: { $0.connect("bob") }, holder: "ann",
      receipt: "unknown, the session ended before the answer; ask again",
      event: "! bob no longer asks for control"),
  ]

  @Test(arguments: endings) func aRequestEnds(_ ending: Ending) {
    for inFlight in [false, true] {
      var story = inFlight ? following() : Story(clients: ["ann", "bob"])
      story.say(.takeControl, by: "bob")
      #expect(story.look() == ["! bob asks ann for control", "receipt bob take-control: received"])
      #expect(story.status.controlAskerName == "bob")
      ending.happens(&story)
      let lines = story.look()
      #expect(story.status.controllerName == ending.holder)
      #expect(story.status.controlAsker == nil)
      #expect(lines.contains("receipt bob take-control: \(ending.receipt)"), "\(lines)")
      #expect(lines.filter { $0.contains("control") && $0.hasPrefix("! ") } == [ending.event])
      // A hand-over never moves the vehicle: it only ends that it follows.
      let actions = lines.filter { $0.hasPrefix("do ") }
      #expect(actions == (inFlight && ending.holder == "bob" ? ["do stop"] : []))
    }
  }

  @Test func theRequestTakesItsWholeTime() {
    var story = following()
    story.say(.takeControl, by: "bob")
    story.wait(9.75, alive: ["ann", "bob"])
    #expect(story.status.controllerName == "ann")
    #expect(story.status.controlAnswerLeft == .milliseconds(250))
    // Asking again does not begin it anew, and the first question has its end.
    _ = story.look()
    story.say(.takeControl, by: "bob")
    #expect(
      story.look() == ["receipt bob take-control: superseded", "receipt bob take-control: received"])
    story.wait(0.25, alive: ["ann", "bob"])
    #expect(story.status.controllerName == "bob")
  }

  @Test func coordinatesOfTheNewHolderCountWhenItAsks() {
    for verb in [Guidance.Verb.goTo, .reset] {
      var story = following()
      story.say(.takeControl, by: "bob")
      story.say(.handOver)
      story.obey()
      #expect(story.status.activity == .holding && story.status.awaitsAsk)
      _ = story.look()
      story.stream(Story.place(40), by: "bob")
      story.stream(Story.place(20), by: "ann")
      #expect(story.actions() == [])
      story.say(verb, by: "bob")
      _ = story.look()
      story.obey()
      story.stream(Story.place(41), by: "bob")
      // A reset clears a stop, and is no word about where to fly.
      #expect(story.actions() == (verb == .goTo ? ["do goto 41 m at 10 m for bob"] : []))
    }
  }

  @Test func aTakeoffOfTheNewHolderLetsItsCoordinatesCount() {
    var story = Story(clients: ["ann", "bob"])
    story.say(.takeControl, by: "bob")
    story.say(.handOver)
    story.fly(by: "bob")
    story.stream(Story.place(30), by: "bob")
    #expect(story.actions() == ["do goto 30 m at 10 m for bob"])
  }

  @Test func aTakeoffUnderWayGoesOnAndWaitsAtItsHeight() {
    var story = Story(clients: ["ann", "bob"])
    story.say(.takeoff)
    story.say(.takeControl, by: "bob")
    story.say(.handOver)
    #expect(story.status.activity == .takingOff)
    _ = story.look()
    story.climb()
    story.stream(Story.place(30), by: "bob")
    story.stream(Story.place(30), by: "ann")
    #expect(story.actions() == [])
    story.goTo(Story.place(30), by: "bob")
    #expect(story.actions() == ["do goto 30 m at 10 m for bob"])
  }

  @Test(arguments: [Guidance.Activity.landing, .returning, .holding]) func whatDoesNotFollowGoesOn(
    _ activity: Guidance.Activity
  ) {
    var story = PilotTests.story(activity)
    story.connect("bob")
    _ = story.look()
    story.say(.takeControl, by: "bob")
    story.say(.handOver)
    #expect(story.status.controllerName == "bob")
    #expect(story.actions() == [])
    #expect(story.status.activity == activity)
  }

  @Test func thePilotKeepsTheVehicle() {
    var story = following()
    story.mode(.other, "LOITER")
    _ = story.look()
    story.say(.takeControl, by: "bob")
    story.say(.handOver)
    #expect(story.actions() == [])
    #expect(story.status.authority == .pilot)
  }

  @Test func aSecondAskerWaits() {
    var story = Story(clients: ["ann", "bob", "cid"])
    story.say(.takeControl, by: "bob")
    _ = story.look()
    story.wait(2, alive: ["ann", "bob", "cid"])
    story.say(.takeControl, by: "cid")
    #expect(
      story.receipts() == ["receipt cid take-control: refused, bob asked first; ask again in 8 s"])
    story.say(.handOver)
    #expect(story.status.controllerName == "bob")
    story.say(.takeControl, by: "cid")
    #expect(story.status.controlAskerName == "cid")
  }

  @Test func aRefusedOneWaitsBeforeItAsksAgain() {
    var story = Story(clients: ["ann", "bob"])
    story.say(.takeControl, by: "bob")
    story.say(.keep)
    _ = story.look()
    story.wait(4, alive: ["ann", "bob"])
    story.say(.takeControl, by: "bob")
    #expect(
      story.receipts() == ["receipt bob take-control: refused, ann has just refused; ask again in 6 s"])
    story.wait(6, alive: ["ann", "bob"])
    story.say(.takeControl, by: "bob")
    #expect(story.status.controlAskerName == "bob")
  }

  @Test func whoIsNotAnsweredToCannotHandOverOrKeep() {
    var story = Story(clients: ["ann", "bob"])
    for verb in [Guidance.Verb.handOver, .keep] {
      story.say(verb, by: "bob")
      #expect(
        story.receipts()
          == ["receipt bob \(verb.rawValue): refused, ann is in control; ask for it with take-control"])
    }
    // A holder that answers too late learns who has it now.
    story.say(.takeControl, by: "bob")
    story.wait(10, alive: ["ann", "bob"])
    _ = story.look()
    story.say(.keep)
    #expect(
      story.receipts() == ["receipt ann keep: refused, bob is in control; ask for it with take-control"])
  }

  @Test func whatIsFreeIsTakenAtOnce() {
    var story = following()
    story.wait(4, alive: ["bob"])
    story.obey()
    _ = story.look()
    story.say(.takeControl, by: "bob")
    #expect(story.look() == ["! bob is in control", "receipt bob take-control: accepted"])
    // Ann is back and asks for it again.
    story.say(.takeControl)
    #expect(story.status.controlAskerName == "ann")
  }

  @Test func aFarewellFreesItAndTheOneWhoTakesItEndsTheFollowing() {
    for verb in [Guidance.Verb.takeControl, .reset] {
      var story = following()
      story.disconnect("ann")
      _ = story.look()
      story.say(verb, by: "bob")
      #expect(story.actions() == ["do stop"])
    }
    // Also when what it asks for is refused.
    var story = following()
    story.disconnect("ann")
    story.goTo(Story.place(9000), by: "bob")
    #expect(story.actions() == ["do stop"])
    #expect(story.status.controllerName == "bob")
  }

  @Test func controlIsGivenUpAndTheVehicleIsStillWatched() {
    var story = following()
    story.say(.handOver)
    #expect(
      story.look() == [
        "do stop", "! ann gave up control: the next command of anybody takes it",
        "receipt ann hand-over: accepted",
      ])
    story.obey()
    #expect(story.status.isControlFree)
    // On the ground or in the air: being there is no command.
    story.wait(2, alive: ["ann", "bob"])
    #expect(story.status.controllerName == "ann")
    story.stream(Story.place(30))
    story.stream(Story.place(30), by: "bob")
    #expect(story.actions() == [])
    // Nobody took it and the last holder is lost: it comes home.
    var lost = story
    lost.wait(30, alive: ["bob"])
    #expect(lost.actions() == ["do return"])
    // The first command takes it, of whomever.
    for client in ["ann", "bob"] {
      var taken = story
      taken.goTo(Story.place(30), by: client)
      #expect(taken.actions() == ["do goto 30 m at 10 m for \(client)"])
      #expect(!taken.status.isControlFree && taken.status.controllerName == client)
    }
    story.say(.keep)
    #expect(!story.status.isControlFree)
  }

  @Test func anybodyStopsWhileAnotherAsks() {
    var story = Story(clients: ["ann", "bob", "cid"])
    story.fly()
    story.stream(Story.place(20))
    story.say(.takeControl, by: "bob")
    _ = story.look()
    for client in ["cid", "bob", "ann"] {
      story.say(.stop, by: client)
      #expect(story.actions() == ["do stop for \(client)"])
    }
    #expect(story.status.controllerName == "ann" && story.status.latch == .stop)
    story.obey()
    // The stop outlives the hand-over.
    story.say(.handOver)
    story.stream(Story.place(30), by: "bob")
    #expect(story.status.latch == .stop)
    #expect(story.actions() == [])
  }

  @Test func aRepeatedFrameIsAnsweredAndNotObeyedAgain() {
    var story = Story(clients: ["ann", "bob"])
    let asked = story.say(.takeControl, by: "bob")
    story.say(.keep)
    _ = story.look()
    story.send("bob", sequence: asked) { $0.takeControl = true }
    #expect(
      story.look() == [
        "receipt bob take-control: refused, ann keeps control; talk to each other, stop is open to you"
      ])
    #expect(story.status.controlAsker == nil)
  }

  @Test func whatComesLateIsNoAskingAndNoAnswer() {
    for verb in [Guidance.Verb.takeControl, .handOver, .keep] {
      var story = Story(clients: ["ann", "bob"])
      story.say(verb, by: verb == .takeControl ? "bob" : "ann", late: .seconds(2.5))
      #expect(story.receipts().last?.contains("refused, it arrived 2.5 s late") == true)
      #expect(story.status.controllerName == "ann" && !story.status.isControlFree)
    }
  }

  @Test func nothingChangesHandsWhileTheNavigatorEnds() {
    var story = following()
    story.take(story.guidance.shutdown(vehicle: story.vehicle, at: story.now))
    _ = story.look()
    story.say(.takeControl, by: "bob")
    #expect(
      story.receipts() == [
        "receipt bob take-control: refused, the navigator is stopping; ask again when it is back"
      ])
  }

  @Test func itAndOtherFlagsInOneFrame() {
    var story = following()
    story.send("bob") {
      $0.takeControl = true
      $0.keep = true
      $0.land = true
      $0.coordinate = Story.place(40)
    }
    #expect(story.actions() == [])
    #expect(story.status.controllerName == "ann" && story.status.controlAskerName == "bob")
    // A stop is obeyed before.
    story.send("bob") {
      $0.takeControl = true
      $0.stop = true
    }
    #expect(story.actions() == ["do stop for bob"])
  }
}

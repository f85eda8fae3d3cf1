import Guidance
import Testing
import Vehicle

/// A session that fell silent, counted as ended and came back with everything it had, and what the network does to frames meanwhile:
/// repeats, overtaking, delay.
@Suite struct ResumedSessionTests {
  // MARK: Repeats and overtaking

  @Test func everyFrameTwiceAndInAnyOrderActsOnce() {
    // Of two commands the one that was asked later holds, whatever the order of arrival; the other is refused or carried out first.
    for verbs in [
      (Guidance.Verb.land, Guidance.Verb.returnToLaunch), (.returnToLaunch, .stop), (.goTo, .land),
    ] {
      for isSwapped in [false, true] {
        var story = Story()
        story.fly()
        let (older, newer): (UInt32, UInt32) = (10, 11)
        let order = isSwapped ? [(newer, verbs.1), (older, verbs.0)] : [(older, verbs.0), (newer, verbs.1)]
        for (sequence, verb) in order {
          story.send(sequence: sequence) { $0.set(verb) }
          story.obey()
        }
        let first = story.actions().filter { $0.hasPrefix("do ") }
        #expect(first.last == line(verbs.1), "\(verbs) \(isSwapped)")
        #expect(first.count == (isSwapped ? 1 : 2), "\(verbs) \(isSwapped)")
        for (sequence, verb) in order + order.reversed() { story.send(sequence: sequence) { $0.set(verb) } }
        #expect(story.actions() == [], "\(verbs) \(isSwapped)")
      }
    }
  }

  @Test func aRepeatIsAnsweredAsItsFirstCopyWas() {
    var story = Story()
    story.fly()
    let sequence = story.say(.land)
    story.obey()
    _ = story.look()
    story.send(sequence: sequence) { $0.land = true }
    #expect(story.look() == ["receipt ann land: accepted"])
  }

  @Test func coordinatesThatAreOvertakenMoveNothing() {
    var story = Story()
    story.fly()
    story.send(sequence: 20) { $0.coordinate = Story.place(40) }
    story.obey()
    _ = story.look()
    story.send(sequence: 19) { $0.coordinate = Story.place(20) }
    story.send(sequence: 20) { $0.coordinate = Story.place(40) }
    #expect(story.actions() == [])
  }

  @Test(arguments: [2.001, 3, 20]) func aTakeoffThatIsLateIsRefused(seconds: Double) {
    var story = Story()
    story.say(.takeoff, late: .seconds(seconds))
    #expect(story.actions() == [])
    #expect(story.status.authority == .none)
  }

  // MARK: Silence

  @Test(arguments: [8.0, 8.75, 20]) func theReportOfADisconnectionChangesNoTime(toldAfter: Double) {
    var story = Story()
    story.fly()
    var isTold = false
    var seen: [(Double, String)] = []
    var elapsed = 0.0
    while elapsed < 40 {
      if elapsed >= toldAfter, !isTold {
        isTold = true
        story.fallSilent("ann")
      }
      story.wait(0.25)
      elapsed += 0.25
      for action in story.actions() {
        seen.append((elapsed, action))
        story.obey()
      }
    }
    #expect(seen.map(\.0) == [3, 30])
    #expect(seen.map(\.1) == ["do stop", "do return"])
  }

  @Test func theReturnOfTheSessionAloneIsNoPresence() {
    var story = Story()
    story.fly()
    story.wait(9)
    story.obey()
    story.fallSilent("ann")
    story.wait(16)
    story.resume("ann")
    // What arrives was sent long ago.
    story.send { $0.delay = .seconds(25) }
    story.wait(4.75)
    #expect(story.actions() == ["do stop"])
    story.wait(0.25)
    #expect(story.actions() == ["do return"])
  }

  @Test(arguments: [9.0, 35]) func nothingResumesWithTheSession(seconds: Double) {
    var story = Story()
    story.fly()
    story.stream(Story.place(50))
    story.obey()
    for step in 1...Int(seconds * 4) {
      story.wait(0.25)
      if step == 34 { story.fallSilent("ann") }
      if story.actions().contains(where: { $0.hasPrefix("do ") }) { story.obey() }
    }
    story.resume("ann")
    for meters in 51...55 {
      story.wait(0.5, alive: ["ann"])
      story.stream(Story.place(Double(meters)))
    }
    #expect(story.actions() == [])
    #expect(story.status.latch == .linkLoss)
    #expect(story.status.link == .live)
    #expect(story.status.activity == (seconds > 30 ? .returning : .holding))
    story.goTo(Story.place(55))
    #expect(story.actions() == ["do goto 55 m at 10 m for ann"])
  }

  // MARK: What was on its way

  @Test func numbersGoOnAcrossTheSilence() {
    var story = Story()
    story.fly()
    // The stop overtakes a reset that was asked before it; then the link is lost.
    story.send(sequence: 11) { $0.set(.stop) }
    story.obey()
    story.wait(9)
    story.fallSilent("ann")
    story.resume("ann")
    _ = story.look()
    story.send(sequence: 10) { $0.set(.reset) }
    #expect(
      story.receipts() == [
        "receipt ann reset: refused, a newer command of this client came first; ask again if it is still meant"
      ])
    story.send(sequence: 11) { $0.set(.stop) }
    #expect(story.actions() == [])
    #expect(story.status.latch == .stop)
  }

  @Test func numbersOfOneNotInControlGoOnToo() {
    var story = Story(clients: ["ann", "bob"])
    story.fly()
    story.send("bob", sequence: 5) { $0.set(.stop) }
    story.obey()
    story.fallSilent("bob")
    story.resume("bob")
    _ = story.look()
    story.send("bob", sequence: 5) { $0.set(.stop) }
    #expect(story.actions() == [])
  }

  @Test func anAnswerThatComesDuringTheSilenceIsRepeatedAfterIt() {
    var story = Story()
    story.fly()
    let sequence = story.say(.land)
    story.mode(.land)
    _ = story.look()
    story.wait(9)
    story.fallSilent("ann")
    story.report(.accepted)
    #expect(story.receipts() == ["receipt ann land: accepted"])
    story.resume("ann")
    #expect(story.receipts() == ["receipt ann takeoff: accepted", "receipt ann land: accepted"])
    story.send(sequence: sequence) { $0.land = true }
    #expect(story.receipts() == ["receipt ann land: accepted"])
  }

  @Test func onlyTheNewestAnswersAreRepeated() {
    var story = Story()
    story.fly()
    for _ in 1...20 {
      story.stream(Story.place(30))
      story.say(.stop)
    }
    story.fallSilent("ann")
    _ = story.look()
    story.resume("ann")
    let receipts = story.look()
    #expect(receipts.count == 8)
    #expect(receipts.allSatisfy { $0.hasPrefix("receipt ann stop: ") })
  }

  @Test(arguments: [Guidance.Verb.reset, .goTo, .land, .returnToLaunch])
  func whatWasAskedBeforeTheLinkWasLostIsRefusedAfterIt(_ verb: Guidance.Verb) {
    var story = Story()
    story.fly()
    story.wait(9)
    story.obey()
    story.fallSilent("ann")
    story.resume("ann")
    _ = story.look()
    _ = story.look()
    story.say(verb, late: .seconds(7))
    let lines = story.look()
    #expect(!lines.contains { $0.hasPrefix("do ") })
    #expect(lines.contains { $0.hasPrefix("receipt ann \(verb.rawValue): refused") })
    #expect(story.status.latch == .linkLoss)
    // What is asked now, or was asked while the vehicle held already, counts.
    story.say(verb, late: .seconds(verb == .goTo ? 1 : 4))
    #expect(story.actions().count == (verb == .reset ? 0 : 1))
    if verb == .reset || verb == .goTo { #expect(story.status.latch == nil) }
  }

  @Test func aResetAskedBeforeTheLinkWasLostDoesNotEndAStopEither() {
    var story = Story()
    story.fly()
    story.say(.stop)
    story.obey()
    story.wait(31)
    story.obey()
    story.say(.reset, late: .seconds(20))
    #expect(story.status.latch == .stop)
    story.say(.reset, late: .milliseconds(500))
    #expect(story.status.latch == nil)
  }

  @Test func aStopThatComesLateStillStops() {
    var story = Story()
    story.fly()
    story.wait(31)
    story.obey()
    story.fallSilent("ann")
    story.resume("ann")
    _ = story.look()
    story.say(.stop, late: .seconds(30))
    #expect(story.actions() == ["do stop for ann"])
    #expect(story.status.latch == .stop)
  }

  @Test func aNewSessionIsNoResumption() {
    var story = Story()
    story.fly()
    story.send(sequence: 11) { $0.set(.stop) }
    story.obey()
    story.fallSilent("ann")
    story.connect("ann")
    story.send(sequence: 1) { $0.set(.reset) }
    #expect(story.status.latch == nil)
  }

  @Test func oneThatIsNotKnownAnyMoreBeginsAnew() {
    var story = Story()
    story.resume("bob")
    story.say(.stop, by: "bob")
    #expect(story.actions() == ["do stop for bob"])
  }

  private func line(_ verb: Guidance.Verb) -> String {
    switch verb {
    case .stop: "do stop for ann"
    case .land: "do land for ann"
    case .returnToLaunch: "do return for ann"
    case .goTo: "do goto 50 m at 10 m for ann"
    case .takeoff, .reset, .coordinate, .takeControl, .handOver, .keep: "?"
    }
  }
}

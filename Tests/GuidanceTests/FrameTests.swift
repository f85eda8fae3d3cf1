import Guidance
import Testing
import Vehicle

/// Order within a frame, and what sequence numbers make of repeats.
@Suite struct FrameTests {
  struct Order: Sendable, CustomTestStringConvertible {
    let verbs: [Guidance.Verb]
    let action: String
    let superseded: [Guidance.Verb]
    var testDescription: String { verbs.map(\.rawValue).joined(separator: "+") }
  }

  static let inFlight = [
    Order(
      verbs: [.stop, .land, .returnToLaunch, .takeoff, .coordinate], action: "do stop for ann",
      superseded: [.land, .returnToLaunch, .takeoff, .coordinate]),
    Order(
      verbs: [.land, .returnToLaunch, .takeoff, .coordinate], action: "do land for ann",
      superseded: [.returnToLaunch, .takeoff, .coordinate]),
    Order(
      verbs: [.returnToLaunch, .takeoff, .coordinate], action: "do return for ann",
      superseded: [.takeoff, .coordinate]),
    Order(verbs: [.stop, .goTo], action: "do stop for ann", superseded: [.goTo]),
    Order(verbs: [.stop, .reset], action: "do stop for ann", superseded: [.reset]),
    Order(verbs: [.stop, .reset, .goTo], action: "do stop for ann", superseded: [.reset, .goTo]),
    Order(verbs: [.land, .coordinate], action: "do land for ann", superseded: [.coordinate]),
    Order(verbs: [.returnToLaunch, .goTo], action: "do return for ann", superseded: [.goTo]),
    Order(verbs: [.reset, .coordinate], action: "do goto 50 m at 10 m for ann", superseded: []),
    Order(verbs: [.reset, .goTo], action: "do goto 50 m at 10 m for ann", superseded: []),
    Order(verbs: [.reset, .land], action: "do land for ann", superseded: []),
  ]

  @Test(arguments: inFlight) func theFirstInOrderActsAlone(_ order: Order) {
    var story = Story()
    story.fly()
    story.send { command in for verb in order.verbs { command.set(verb) } }
    let lines = story.look()
    #expect(lines.filter { $0.hasPrefix("do ") } == [order.action])
    #expect(
      Set(lines.filter { $0.hasSuffix("superseded") })
        == Set(order.superseded.map { "receipt ann \($0.rawValue): superseded" }))
  }

  @Test func takeoffGoesBeforeTheCoordinateOnTheGround() {
    var story = Story()
    story.send { command in
      command.set(.takeoff)
      command.set(.coordinate)
    }
    #expect(
      story.look() == [
        "do takeoff 10 m for ann", "receipt ann takeoff: received", "receipt ann coordinate: superseded",
      ])
  }

  @Test func resetInTheFrameOfTheCoordinateComesFirst() {
    var story = Story()
    story.fly()
    story.say(.stop)
    story.obey()
    _ = story.look()
    story.send { command in
      command.set(.reset)
      command.set(.coordinate)
    }
    #expect(story.actions() == ["do goto 50 m at 10 m for ann"])
  }

  @Test(arguments: [Guidance.Verb.stop, .land, .returnToLaunch, .goTo])
  func aRepeatIsAcknowledgedAgainAndDoesNotActAgain(_ verb: Guidance.Verb) {
    var story = Story()
    story.fly()
    let sequence = story.say(verb)
    #expect(story.actions().count == 1)
    for _ in 1...3 {
      story.send(sequence: sequence) { $0.set(verb) }
      #expect(story.look() == ["receipt ann \(verb.rawValue): received"])
    }
    story.obey()
    _ = story.look()
    story.send(sequence: sequence) { $0.set(verb) }
    #expect(story.look() == ["receipt ann \(verb.rawValue): accepted"])
  }

  @Test func aRepeatedTakeoffIsNotTakenTwiceEvenAfterLanding() {
    var story = Story()
    let sequence = story.say(.takeoff)
    story.climb()
    story.say(.land)
    story.obey()
    story.vehicle {
      $0.landed = .onGround
      $0.isArmed = false
    }
    _ = story.look()
    story.send(sequence: sequence) { $0.takeoff = true }
    #expect(story.look() == ["receipt ann takeoff: accepted"])
  }

  @Test func aRepeatedCoordinateIsAcknowledgedAgain() {
    var story = Story()
    story.fly()
    let sequence = story.stream(Story.place(20))
    _ = story.look()
    story.send(sequence: sequence) { $0.coordinate = Story.place(20) }
    #expect(story.look() == ["receipt ann coordinate: received"])
  }

  @Test func anOlderCoordinateIsNotFlown() {
    var story = Story()
    story.fly()
    story.send(sequence: 20) { $0.coordinate = Story.place(20) }
    _ = story.look()
    story.send(sequence: 19) { $0.coordinate = Story.place(15) }
    #expect(story.look() == [])
  }

  @Test func aCoordinateOlderThanACommandIsVoid() {
    var story = Story()
    story.fly()
    story.send(sequence: 20) { $0.reset = true }
    _ = story.look()
    story.send(sequence: 19) { $0.coordinate = Story.place(15) }
    #expect(story.look() == [])
  }

  @Test(arguments: [Guidance.Verb.land, .returnToLaunch, .reset, .goTo, .takeoff])
  func anOlderCommandIsRefused(_ verb: Guidance.Verb) {
    var story = Story()
    story.fly()
    story.send(sequence: 20) { $0.land = true }
    _ = story.look()
    story.send(sequence: 19) { $0.set(verb) }
    #expect(
      story.look() == [
        "receipt ann \(verb.rawValue): refused, a newer command of this client came first; ask again if it is still meant"
      ])
  }

  @Test func anOlderStopActsAllTheSame() {
    var story = Story()
    story.fly()
    story.send(sequence: 20) { $0.set(.goTo) }
    _ = story.look()
    story.send(sequence: 19) { $0.stop = true }
    #expect(story.actions() == ["do stop for ann"])
    story.send(sequence: 19) { $0.stop = true }
    #expect(story.actions() == [])
  }

  @Test func aCommandOvertakenByACoordinateStillActs() {
    var story = Story()
    story.fly()
    story.send(sequence: 20) { $0.coordinate = Story.place(20) }
    _ = story.look()
    story.send(sequence: 19) { $0.land = true }
    #expect(story.actions() == ["do land for ann"])
  }

  @Test func aGoToOvertakenByItsStreamStillEndsTheStop() {
    var story = Story()
    story.fly()
    story.say(.stop)
    story.obey()
    story.send(sequence: 20) { $0.coordinate = Story.place(20) }
    _ = story.look()
    story.send(sequence: 19) { $0.set(.goTo) }
    #expect(story.actions() == ["do goto 50 m at 10 m for ann"])
  }

  @Test func sequencesWrap() {
    var story = Story()
    story.fly()
    story.connect("ann")
    story.send(sequence: .max) { $0.land = true }
    _ = story.look()
    story.send(sequence: 0) { $0.set(.goTo) }
    #expect(story.actions() == ["do goto 50 m at 10 m for ann"])
    story.send(sequence: .max - 1) { $0.land = true }
    #expect(story.actions() == [])
  }

  @Test func aNewSessionCountsAnew() {
    var story = Story()
    story.fly()
    story.send(sequence: 900) { $0.land = true }
    story.connect("ann")
    _ = story.look()
    story.send(sequence: 1) { $0.set(.goTo) }
    #expect(story.actions() == ["do goto 50 m at 10 m for ann"])
  }

  @Test func withoutSequencesFlagsActWhenTheyRise() {
    var story = Story()
    func frame(_ story: inout Story, _ verbs: Guidance.Verb...) -> [String] {
      story.send { command in
        command.sequence = nil
        for verb in verbs { command.set(verb) }
      }
      return story.actions()
    }
    #expect(frame(&story, .takeoff) == ["do takeoff 10 m for ann"])
    #expect(frame(&story, .takeoff) == [])
    story.climb()
    _ = story.look()
    #expect(frame(&story, .takeoff) == [])
    #expect(frame(&story, .takeoff, .coordinate) == ["do goto 50 m at 10 m for ann"])
    #expect(frame(&story, .stop, .coordinate) == ["do stop for ann"])
    #expect(frame(&story, .stop, .coordinate) == [])
    #expect(frame(&story, .coordinate) == [])
    #expect(frame(&story, .stop) == ["do stop for ann"])
    #expect(frame(&story, .goTo) == ["do goto 50 m at 10 m for ann"])
    #expect(frame(&story, .goTo) == [])
  }

  @Test(arguments: [Guidance.Verb.takeoff, .goTo, .land, .returnToLaunch, .reset])
  func aFrameThatStillSaysStopStartsNothing(_ verb: Guidance.Verb) {
    var story = Story()
    if verb != .takeoff { story.fly() }
    for verbs in [[.stop], [.stop, verb]] {
      _ = story.look()
      story.send { command in
        command.sequence = nil
        for verb in verbs { command.set(verb) }
      }
    }
    let lines = story.look()
    #expect(!lines.contains { $0.hasPrefix("do ") }, "\(lines)")
    #expect(lines.contains("receipt ann \(verb.rawValue): superseded"))
    #expect(story.status.latch == .stop)
  }

  @Test func aStopThatIsHeldWithoutSequenceStopsAgainAfterAnothersReset() {
    var story = Story(clients: ["ann", "bob"])
    story.fly()
    story.send("bob") { command in
      command.sequence = nil
      command.stop = true
    }
    story.obey()
    story.say(.reset)
    _ = story.look()
    story.send("bob") { command in
      command.sequence = nil
      command.stop = true
    }
    #expect(story.actions() == ["do stop for bob"])
  }

  @Test func theLedgerIsBounded() {
    var story = Story()
    story.fly()
    let first = story.say(.land)
    for _ in 1...200 { story.say(.land) }
    _ = story.look()
    story.send(sequence: first) { $0.land = true }
    #expect(story.actions() == [])
  }
}

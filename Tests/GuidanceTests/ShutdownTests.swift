import Guidance
import Testing
import Vehicle

@Suite struct ShutdownTests {
  struct End: Sendable, CustomTestStringConvertible {
    let phase: String
    let action: String?
    let prepare: @Sendable (inout Story) -> Void
    var testDescription: String { phase }
  }

  @Test(arguments: [
    End(phase: "on the ground", action: nil, prepare: { _ in }),
    End(phase: "flying", action: "do stop", prepare: { $0.fly() }),
    End(
      phase: "en route", action: "do stop",
      prepare: {
        $0.fly()
        $0.stream(Story.place(50))
        $0.obey()
      }),
    End(phase: "takeoff before arming", action: "abandon", prepare: { $0.say(.takeoff) }),
    End(
      phase: "climbing", action: "do stop",
      prepare: {
        $0.say(.takeoff)
        $0.obey()
      }),
    End(
      phase: "holding", action: nil,
      prepare: {
        $0.fly()
        $0.say(.stop)
        $0.obey()
      }),
    End(
      phase: "landing", action: nil,
      prepare: {
        $0.fly()
        $0.say(.land)
        $0.obey()
      }),
    End(
      phase: "returning", action: nil,
      prepare: {
        $0.fly()
        $0.say(.returnToLaunch)
        $0.obey()
      }),
    End(
      phase: "the pilot flies", action: nil,
      prepare: {
        $0.fly()
        $0.mode(.other, "LOITER")
      }),
    End(
      phase: "no autopilot", action: nil,
      prepare: {
        $0.fly()
        $0.vehicle { $0.heartbeatAt = nil }
      }),
  ])
  func shutdownHoldsFirst(_ example: End) {
    var story = Story()
    example.prepare(&story)
    _ = story.look()
    story.take(story.guidance.shutdown(vehicle: story.vehicle, at: story.now))
    #expect(story.actions() == (example.action.map { [$0] } ?? []))
    if example.action == "do stop" {
      #expect(!story.guidance.mayExit)
      story.obey()
    }
    #expect(story.guidance.mayExit)
  }

  @Test func afterShutdownOnlySafeCommandsAct() {
    var story = Story()
    story.fly()
    story.take(story.guidance.shutdown(vehicle: story.vehicle, at: story.now))
    story.obey()
    _ = story.look()
    for verb in [Guidance.Verb.goTo, .coordinate, .reset, .takeoff] { story.say(verb) }
    #expect(story.actions() == [])
    story.say(.land)
    #expect(story.actions() == ["do land for ann"])
  }
}

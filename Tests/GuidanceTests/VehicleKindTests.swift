import Guidance
import Testing
import Vehicle

/// What differs for vehicles that cannot land at a word, or never fly.
@Suite struct VehicleKindTests {
  /// Under way to a coordinate.
  private func story(_ kind: VehicleKind, _ change: (inout Guidance.Rules) -> Void = { _ in }) -> Story {
    var story = Story(.ardupilot, clients: ["ann"], change)
    story.vehicle {
      $0.kind = kind
      $0.isArmed = true
      // A rover says that it is on the ground, and it is.
      $0.landed = kind.isOnSurface ? .onGround : .inAir
    }
    story.goTo(Story.place(100))
    story.obey()
    return story
  }

  @Test(arguments: [VehicleKind.plane, .rover, .boat])
  func aStopThatCannotLandHolds(_ kind: VehicleKind) {
    var story = story(kind) { $0.stopAction = .land }
    _ = story.look()
    story.say(.stop)
    #expect(story.actions() == ["do stop for ann"])
  }

  @Test(arguments: [VehicleKind.plane, .rover, .boat])
  func linkLossHoldsAndThenReturnsWhatCannotLand(_ kind: VehicleKind) {
    var story = story(kind) { $0.linkLossAction = .land }
    _ = story.look()
    story.wait(3)
    #expect(story.actions() == ["do stop"])
    story.obey()
    story.wait(27)
    #expect(story.actions().last == "do return")
  }

  @Test func aMulticopterStillLandsWhenConfigured() {
    var story = story(.multicopter) { $0.linkLossAction = .land }
    story.wait(3)
    story.obey()
    _ = story.look()
    story.wait(27)
    #expect(story.actions().last == "do land")
  }
}

import Geodesy
import Guidance
import Testing
import Vehicle

@Suite struct FlightTests {
  @Test func aWholeFlight() {
    var story = Story()
    story.say(.takeoff)
    #expect(story.look() == ["do takeoff 10 m for ann", "receipt ann takeoff: received"])
    story.report(.forwarded)
    #expect(story.look() == ["receipt ann takeoff: forwarded"])
    story.stream(Story.place(50))
    #expect(story.actions() == [])
    story.climb()
    #expect(
      story.look() == ["receipt ann takeoff: accepted", "! takeoff height reached, coordinates are flown to"])
    story.stream(Story.place(55))
    #expect(
      story.look() == [
        "! flying to the coordinate of ann", "do goto 55 m at 10 m for ann",
        "receipt ann coordinate: received",
      ])
    story.obey()
    #expect(story.look() == ["receipt ann coordinate: accepted"])
    story.say(.stop)
    #expect(
      story.look() == [
        "! coordinates are ignored after stop by ann, until reset, takeoff, goto or follow",
        "do stop for ann",
        "receipt ann stop: received",
      ])
    story.obey()
    #expect(story.look() == ["receipt ann stop: accepted"])
    story.stream(Story.place(56))
    #expect(story.actions() == [])
    story.say(.reset)
    #expect(story.look() == ["! stop cleared by ann", "receipt ann reset: accepted"])
    story.stream(Story.place(57))
    #expect(story.actions() == ["do goto 57 m at 10 m for ann"])
    story.obey()
    story.say(.land)
    #expect(story.actions() == ["do land for ann"])
    story.obey()
    story.vehicle {
      $0.landed = .onGround
      $0.isArmed = false
      $0.altitudeAboveHomeMeters = 0
    }
    #expect(story.events() == ["! disarmed, the flight is over"])
    #expect(story.status.authority == .none)
  }
}

import Geodesy
import Guidance
import Testing
import Vehicle

/// How a coordinate is flown to: beside it, at a height, at a speed, in pieces, and when the vehicle is there.
@Suite struct ApproachTests {
  /// North and east of home, in whole metres, of the newest target.
  private func lastTarget(_ story: Story) -> (north: Int, east: Int, height: Double)? {
    guard case .goTo(let place, let height)? = story.tickets.last?.action else { return nil }
    let distance = Story.home.distanceMeters(to: place)
    let bearing = Story.home.bearingDegrees(to: place)
    let corner = Coordinate(latitude: place.latitude, longitude: Story.home.longitude)!
    let north = Story.home.distanceMeters(to: corner) * ((90...270).contains(bearing) ? -1 : 1)
    let east = corner.distanceMeters(to: place) * (bearing > 180 ? -1 : 1)
    return distance < 0.5 ? (0, 0, height) : (Int(north.rounded()), Int(east.rounded()), height)
  }

  private func north(_ action: VehicleAction) -> Double {
    guard case .goTo(let place, _) = action else { return .nan }
    return Story.home.distanceMeters(to: place)
  }

  // MARK: Where

  struct Offset: Sendable, CustomTestStringConvertible {
    let manner: Guidance.Manner
    let north: Int
    let east: Int
    var testDescription: String { "\(manner)" }
  }
  static let offsets = [
    Offset(manner: .init(), north: 50, east: 0),
    Offset(manner: .init(distanceMeters: 20), north: 30, east: 0),
    Offset(manner: .init(distanceMeters: 20, bearingDegrees: 0), north: 70, east: 0),
    Offset(manner: .init(distanceMeters: 20, bearingDegrees: 90), north: 50, east: 20),
    Offset(manner: .init(distanceMeters: 20, bearingDegrees: 180), north: 30, east: 0),
    Offset(manner: .init(distanceMeters: 20, bearingDegrees: 270), north: 50, east: -20),
    Offset(manner: .init(distanceMeters: 20, bearingDegrees: 360), north: 70, east: 0),
    Offset(manner: .init(distanceMeters: 0, bearingDegrees: 90), north: 50, east: 0),
    Offset(manner: .init(bearingDegrees: 90), north: 50, east: 0),
  ]

  @Test(arguments: offsets) func theVehicleIsBesideItsOperator(_ offset: Offset) {
    for isAsked in [true, false] {
      var story = Story()
      story.fly()
      story.send {
        $0.engage = isAsked
        $0.coordinate = Story.place(50)
        $0.manner = offset.manner
      }
      let target = lastTarget(story)
      #expect(target?.north == offset.north && target?.east == offset.east)
    }
  }

  @Test func theDistanceIsInPlaceOfTheStandOff() {
    var story = Story { $0.standOffMeters = 15 }
    story.fly()
    story.send {
      $0.coordinate = Story.place(50)
      $0.manner.distanceMeters = 0
    }
    #expect(lastTarget(story)?.north == 50)
  }

  @Test(
    arguments: [
      (1.0, nil), (20, nil), (50, nil), (0.9, "0.9 m is no height to fly at; choose 1 m to 50 m"),
      (51, "51 m is no height to fly at; choose 1 m to 50 m"),
    ] as [(Double, String?)]) func theHeightIsTheOperatorsWithinTheLimits(height: Double, refusal: String?)
  {
    var story = Story()
    story.fly()
    story.send {
      $0.engage = true
      $0.coordinate = Story.place(50)
      $0.manner.heightMeters = height
    }
    if let refusal {
      #expect(story.receipts() == ["receipt ann goto: refused, \(refusal)"])
    } else {
      #expect(lastTarget(story)?.height == height)
    }
  }

  @Test(arguments: [
    (90.0, 0.0, "the coordinate is 110 m from home, outside the fence of 100 m; choose a nearer one"),
    (110, 180, "the coordinate is 110 m from home, outside the fence of 100 m; choose a nearer one"),
  ]) func neitherTheCoordinateNorThePlaceBesideItMayBeOutside(
    meters: Double, bearing: Double, refusal: String
  ) {
    var story = Story { $0.geofenceRadiusMeters = 100 }
    story.fly()
    story.send {
      $0.engage = true
      $0.coordinate = Story.place(meters)
      $0.manner = .init(distanceMeters: 20, bearingDegrees: bearing)
    }
    #expect(story.receipts() == ["receipt ann goto: refused, \(refusal)"])
  }

  @Test func theFollowedPlaceIsItsOperatorsMovedAndTurned() {
    var story = Story()
    story.fly()
    for second in 0...10 {
      story.send {
        $0.coordinate = Story.place(Double(second))
        $0.manner = .init(distanceMeters: 20, bearingDegrees: 90)
      }
      story.wait(1)
    }
    let target = lastTarget(story)
    #expect(target?.north == 10 && target?.east == 20)
  }

  // MARK: In pieces

  /// Walks north with a frame a second; the targets of each second.
  private func walk(
    _ story: inout Story, metersPerSecond: Double, seconds: Int, speedLimit: Double? = nil
  ) -> [[Double]] {
    var targets: [[Double]] = []
    for second in 0..<seconds {
      let known = story.tickets.count
      story.send {
        $0.coordinate = Story.place(Double(second) * metersPerSecond)
        $0.manner.speedMetersPerSecond = speedLimit
      }
      story.wait(1)
      targets.append(story.tickets[known...].map { north($0.action) })
    }
    return targets
  }

  @Test(arguments: [1.0, 1.5, 4]) func aWalkIsFollowedFourTimesASecond(metersPerSecond: Double) {
    var story = Story()
    story.fly()
    story.vehicle { $0.coordinate = Story.place(0) }
    let targets = walk(&story, metersPerSecond: metersPerSecond, seconds: 8)
    for (second, pieces) in targets.enumerated().dropFirst() {
      #expect(pieces.count == 4)
      let ends = Double(second) * metersPerSecond
      // Never beyond where the operator was seen last, and there when the next place is due.
      #expect(pieces.allSatisfy { $0 <= ends + 0.01 })
      #expect(abs((pieces.last ?? 0) - ends) < 0.01)
    }
    let all = targets.joined()
    for (last, next) in zip(all, all.dropFirst()) {
      #expect(next - last >= -0.01 && next - last <= metersPerSecond / 4 + 0.01)
    }
  }

  @Test func aStepBelowTheDeadbandMovesNothing() {
    var story = Story()
    story.fly()
    _ = walk(&story, metersPerSecond: 0, seconds: 1)
    #expect(walk(&story, metersPerSecond: 0.15, seconds: 3).joined().isEmpty)
  }

  @Test func piecesEndWithTheInput() {
    var story = Story()
    story.fly()
    story.goTo(Story.place(100))
    story.obey()
    story.send {
      $0.coordinate = Story.place(100)
      $0.engage = true
      $0.manner.speedMetersPerSecond = 2
    }
    story.obey()
    _ = story.look()
    story.wait(1.75)
    let sent = story.actions()
    #expect(!sent.isEmpty)
    // Not silent yet: the frames are late, and the target waits for them.
    story.wait(0.25)
    #expect(story.actions().isEmpty)
    story.wait(0.75)
    #expect(story.actions().isEmpty)
    // From here the link counts as lost.
    story.wait(0.25)
    #expect(story.actions() == ["do stop"])
    story.obey()
    story.stream(Story.place(100))
    story.wait(1)
    #expect(story.actions().isEmpty)
  }

  @Test(arguments: ["stop", "pilot", "land", "shutdown", "unheard"]) func piecesEndWith(event: String) {
    var story = Story()
    story.fly()
    story.send {
      $0.engage = true
      $0.coordinate = Story.place(100)
      $0.manner.speedMetersPerSecond = 2
    }
    story.obey()
    story.wait(0.5, alive: ["ann"])
    #expect(!story.actions().isEmpty)
    switch event {
    case "stop": story.say(.stop)
    case "land": story.say(.land)
    case "pilot": story.mode(.other, "LOITER")
    case "shutdown": story.take(story.guidance.shutdown(vehicle: story.vehicle, at: story.now))
    default: story.vehicle { $0.heartbeatAt = nil }
    }
    _ = story.look()
    story.isTelemetryFlowing = event != "unheard"
    for _ in 1...3 {
      story.send {
        $0.coordinate = Story.place(100)
        $0.manner.speedMetersPerSecond = 2
      }
      story.wait(0.75)
    }
    #expect(!story.actions().contains { $0.hasPrefix("do goto") })
    #expect(story.status.engagedBy == nil)
  }

  @Test func theStreamWaitsForTheAnswerToTheAsk() {
    var story = Story()
    story.fly()
    story.goTo(Story.place(20))
    _ = story.look()
    story.wait(1)
    story.stream(Story.place(22))
    story.wait(1)
    #expect(!story.look().contains { $0.contains("superseded") || $0.hasPrefix("do ") })
    story.report(.accepted)
    #expect(story.look() == ["receipt ann goto: accepted"])
    story.stream(Story.place(24))
    story.wait(1)
    #expect(lastTarget(story)?.north == 24)
  }

  // MARK: Speed

  @Test(arguments: [1.0, 5]) func theTargetRunsNoFasterThanItMay(metersPerSecond: Double) {
    var story = Story()
    story.fly()
    story.send {
      $0.engage = true
      $0.coordinate = Story.place(60)
      $0.manner.speedMetersPerSecond = metersPerSecond
    }
    story.obey()
    let start = story.now
    var seconds = 0.0
    while lastTarget(story)?.north != 60, seconds < 100 {
      let known = story.tickets.count
      story.send {
        $0.coordinate = Story.place(60)
        $0.manner.speedMetersPerSecond = metersPerSecond
      }
      story.wait(1)
      seconds = start.duration(to: story.now) / .seconds(1)
      for ticket in story.tickets[known...] {
        #expect(north(ticket.action) <= (seconds + 1) * metersPerSecond + 0.1)
      }
      // The vehicle keeps up.
      if case .goTo(let place, _)? = story.tickets.last?.action { story.vehicle { $0.coordinate = place } }
    }
    #expect(abs(seconds - 60 / metersPerSecond) <= 2)
  }

  @Test func theTargetWaitsForAVehicleThatDoesNotCome() {
    var story = Story()
    story.fly()
    for _ in 1...60 {
      story.send {
        $0.engage = $0.sequence == 2
        $0.coordinate = Story.place(200)
        $0.manner.speedMetersPerSecond = 4
      }
      if story.tickets.count == 2 { story.obey() }
      story.wait(1)
    }
    #expect(abs((story.tickets.last.map { north($0.action) } ?? 0) - 20) <= 2)
  }

  @Test func aPlaneFliesToThePlaceItself() {
    var story = Story()
    story.fly()
    story.vehicle { $0.kind = .plane }
    story.send {
      $0.engage = true
      $0.coordinate = Story.place(300)
      $0.manner.speedMetersPerSecond = 2
    }
    story.obey()
    #expect(lastTarget(story)?.north == 300)
    story.stream(Story.place(303))
    #expect(lastTarget(story)?.north == 303)
  }

  // MARK: Arrival

  private func asked() -> (Story, UInt32) {
    var story = Story()
    story.fly()
    let sequence = story.goTo(Story.place(50))
    story.obey()
    _ = story.look()
    return (story, sequence)
  }

  struct Place: Sendable, CustomTestStringConvertible {
    let name: String
    let isThere: Bool
    let change: @Sendable (inout VehicleState) -> Void
    var testDescription: String { name }
  }
  static let places = [
    Place(name: "there", isThere: true) { $0.coordinate = Story.place(49) },
    Place(name: "3 m off", isThere: false) { $0.coordinate = Story.place(47) },
    Place(name: "passing", isThere: false) {
      $0.coordinate = Story.place(50)
      $0.groundSpeedMetersPerSecond = 3
    },
    Place(name: "too low", isThere: false) {
      $0.coordinate = Story.place(50)
      $0.altitudeAboveHomeMeters = 7
    },
    Place(name: "height and speed not told", isThere: true) {
      $0.coordinate = Story.place(50)
      $0.altitudeAboveHomeMeters = nil
      $0.groundSpeedMetersPerSecond = nil
    },
    Place(name: "position not told", isThere: false) { $0.coordinate = nil },
    Place(name: "a plane that circles", isThere: true) {
      $0.kind = .plane
      $0.coordinate = Story.place(50, 80)
      $0.groundSpeedMetersPerSecond = 18
    },
  ]

  @Test(arguments: places) func arrivalIsToldOnceItIsTrue(_ place: Place) {
    var (story, sequence) = asked()
    #expect(story.status.engagedSequence == sequence && !story.status.hasArrived)
    story.vehicle(place.change)
    #expect(story.status.hasArrived == place.isThere)
    #expect(story.look() == (place.isThere ? ["! arrived at the target of ann"] : []))
    story.vehicle { $0.coordinate = Story.place(40) }
    story.vehicle(place.change)
    #expect(story.look().isEmpty)
  }

  @Test(arguments: [Guidance.Verb.stop, .land, .returnToLaunch]) func anotherCommandEndsTheWay(
    _ verb: Guidance.Verb
  ) {
    var (story, _) = asked()
    story.say(verb)
    #expect(story.status.engagedSequence == nil)
    // What comes after a reset is the stream's, not the goto's.
    story.obey()
    story.say(.reset)
    story.vehicle { $0.coordinate = Story.place(50) }
    #expect(story.status.engagedSequence == nil && !story.status.hasArrived)
  }

  @Test func aNewerAskIsTheOneThatCounts() {
    var (story, first) = asked()
    let second = story.goTo(Story.place(20))
    #expect(second != first)
    #expect(story.status.engagedSequence == second)
    story.vehicle { $0.coordinate = Story.place(50) }
    #expect(!story.status.hasArrived)
  }
}

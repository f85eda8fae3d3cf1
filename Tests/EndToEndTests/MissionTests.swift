import Geodesy
import Guidance
import MAVLink
import PeerProtocol
import SimulatedVehicle
import Testing
import Vehicle
import VehicleLink

/// What happens when things fail, on both autopilots, told by the mode and the place of the vehicle itself: a test for each row of the
/// table of failures in docs/safety.md. Rows about processes are in `MissionProgramTests`.
@Suite(.timeLimit(.minutes(1))) struct MissionTests {
  static let autopilots = [SimulatedVehicle.Autopilot.arduPilot, .px4]

  /// Behind a client that walks north, so that there is something to stop.
  private func following(_ autopilot: SimulatedVehicle.Autopilot) throws -> Mission {
    let mission = try Mission(autopilot)
    try #require(mission.takeOff())
    mission.goTo(Mission.place(40))
    #expect(mission.outcome(of: .goTo) == .accepted)
    mission.clients["ann"]?.northMetersPerSecond = 3
    try #require(mission.fly(.seconds(20)) { mission.state.groundSpeedMetersPerSecond > 2.5 })
    return mission
  }

  // MARK: The client is silent

  @Test(arguments: autopilots)
  func silenceEndsTheTargetsThenHoldsThenReturnsAndNothingResumes(_ autopilot: SimulatedVehicle.Autopilot)
    throws
  {
    let mission = try following(autopilot)
    let start = mission.now
    mission.dies()
    // The last frame is up to a second old by now.
    mission.fly(.milliseconds(1900))
    #expect(mission.state.mode == mission.targetMode && mission.state.groundSpeedMetersPerSecond > 0.5)
    let quiet = mission.now
    #expect(mission.fly(.seconds(2)) { mission.guidance.status(at: mission.now).link == .holding })
    #expect(!mission.sent(since: quiet).contains { $0.isTarget })
    #expect(start.duration(to: mission.now) <= .seconds(3.1))
    #expect(mission.holds(), "\(mission.story)")
    // Once: confirmed, and not said again.
    #expect(mission.sent(since: quiet).count == 1)

    // The client is back before the time to return: nothing moves by itself.
    mission.lives()
    mission.clients["ann"]?.northMetersPerSecond = 0
    #expect(mission.stays(for: .seconds(10)))
    #expect(mission.state.mode == mission.holdMode)
    #expect(mission.sent(since: quiet).count == 1)
    #expect(mission.events.contains(.linkRestored(.init(mission.clients["ann"]!.id.hex))))
    // Until the operator asks.
    mission.goTo(Mission.place(30))
    #expect(mission.outcome(of: .goTo) == .accepted)
    #expect(mission.fly(.seconds(40)) { mission.state.coordinate.distanceMeters(to: Mission.place(30)) < 1 })

    // Silent for longer.
    mission.dies()
    #expect(mission.fly(.seconds(4)) { mission.state.mode == mission.holdMode })
    let held = mission.now
    #expect(mission.fly(.seconds(32)) { mission.state.mode == mission.returnMode })
    #expect(held.duration(to: mission.now) > .seconds(24))
    mission.fly(.seconds(3))
    let returning = mission.now
    #expect(mission.fly(.seconds(120)) { !mission.state.isArmed })
    #expect(mission.distanceFromHome < 2 && mission.state.isLanded)
    #expect(mission.sent(since: returning).isEmpty)
  }

  @Test(arguments: autopilots) func aLongSilenceLandsWhereThatIsConfigured(
    _ autopilot: SimulatedVehicle.Autopilot
  ) throws {
    var rules = Guidance.Rules()
    rules.linkLossAction = .land
    rules.returnAfter = .seconds(6)
    let mission = try Mission(autopilot, rules: rules)
    try #require(mission.takeOff(to: 5))
    mission.dies()
    #expect(mission.fly(.seconds(7)) { mission.state.mode == mission.landMode })
    #expect(mission.fly(.seconds(40)) { !mission.state.isArmed })
    #expect(mission.state.isLanded)
  }

  @Test(arguments: autopilots) func silenceBeforeArmingLeavesItOnTheGround(
    _ autopilot: SimulatedVehicle.Autopilot
  ) throws {
    let mission = try Mission(autopilot)
    try #require(mission.getReady())
    // Deaf, but heard: the steps before arming find no answer.
    mission.vehicle.inject(.silent)
    mission.say(.takeoff)
    mission.dies()
    mission.fly(.seconds(4))
    #expect(mission.guidance.status(at: mission.now).activity == .idle)
    let before = mission.now
    mission.vehicle.clear(.silent)
    mission.fly(.seconds(15))
    #expect(!mission.state.isArmed && mission.state.isLanded)
    #expect(mission.sent(since: before).isEmpty)
    mission.lives()
    mission.fly(.seconds(5))
    #expect(!mission.state.isArmed)
  }

  @Test(arguments: autopilots) func silenceWhileClimbingEndsTheClimb(
    _ autopilot: SimulatedVehicle.Autopilot
  ) throws {
    let mission = try Mission(autopilot)
    try #require(mission.getReady())
    mission.say(.takeoff, altitude: 45)
    #expect(mission.outcome(of: .takeoff) == .accepted)
    #expect(mission.fly(.seconds(20)) { mission.state.altitudeAboveHomeMeters > 4 })
    mission.dies()
    #expect(mission.holds(), "\(mission.story)")
    #expect((5...30).contains(mission.state.altitudeAboveHomeMeters))
  }

  @Test(arguments: autopilots) func silenceAfterAStopReturns(_ autopilot: SimulatedVehicle.Autopilot) throws {
    let mission = try following(autopilot)
    mission.say(.stop)
    #expect(mission.outcome(of: .stop) == .accepted)
    mission.dies()
    #expect(mission.fly(.seconds(31)) { mission.state.mode == mission.returnMode })
    #expect(mission.fly(.seconds(120)) { !mission.state.isArmed })
    #expect(mission.distanceFromHome < 2)
  }

  @Test(arguments: autopilots, [Guidance.Verb.land, .returnToLaunch])
  func silenceWhileComingDownChangesNothing(_ autopilot: SimulatedVehicle.Autopilot, _ verb: Guidance.Verb)
    throws
  {
    let mission = try Mission(autopilot)
    try #require(mission.takeOff())
    mission.say(verb)
    #expect(mission.outcome(of: verb) == .accepted)
    mission.dies()
    let asked = mission.now
    let mode = verb == .land ? mission.landMode : mission.returnMode
    #expect(mission.state.mode == mode)
    #expect(
      mission.fly(.seconds(90)) { !mission.state.isArmed || mission.state.mode != mode }
        && !mission.state.isArmed)
    #expect(mission.sent(since: asked).isEmpty)
  }

  // MARK: The autopilot and its line

  @Test(arguments: autopilots) func aDeviceThatVanishesLeavesNothingBehind(
    _ autopilot: SimulatedVehicle.Autopilot
  ) throws {
    let mission = try following(autopilot)
    mission.clients["ann"]?.northMetersPerSecond = 0
    mission.fly(.seconds(15))
    mission.unplug()
    let gone = mission.now
    #expect(mission.link.state == VehicleState())
    mission.goTo(Mission.place(150))
    mission.fly(.seconds(2))
    #expect(mission.sent(since: gone).isEmpty)
    #expect(mission.stays(for: .seconds(5)))
    #expect(mission.plug())
    #expect(
      mission.fly(.seconds(10)) { mission.link.state.isArmed == true && mission.link.state.home != nil })
    // The goto of the time without a line was refused, and the frames since are not asked for.
    #expect(mission.stays(for: .seconds(6)))
    #expect(mission.sent(since: gone).isEmpty)
    mission.goTo(Mission.place(30))
    #expect(mission.outcome(of: .goTo) == .accepted)
    #expect(mission.fly(.seconds(60)) { mission.state.coordinate.distanceMeters(to: Mission.place(30)) < 1 })
  }

  @Test(arguments: autopilots) func aStopSaidIntoADeadLineIsObeyedWhenItLives(
    _ autopilot: SimulatedVehicle.Autopilot
  ) throws {
    let mission = try Mission(autopilot)
    try #require(mission.takeOff())
    mission.goTo(Mission.place(250))
    #expect(mission.outcome(of: .goTo) == .accepted)
    mission.fly(.seconds(5))
    mission.vehicle.inject(.silent)
    mission.fly(.seconds(6))
    #expect(!mission.guidance.status(at: mission.now).isVehicleHeard)
    mission.say(.stop)
    mission.vehicle.clear(.silent)
    #expect(mission.holds(), "\(mission.story)")
    #expect(mission.distanceFromHome < 200)
  }

  @Test(arguments: autopilots) func anAutopilotThatRestartsIsAnotherOne(
    _ autopilot: SimulatedVehicle.Autopilot
  ) throws {
    let mission = try following(autopilot)
    mission.vehicle.restart()
    let start = mission.now
    #expect(mission.fly(.seconds(15)) { mission.events.contains(.vehicleRestarted) })
    mission.fly(.seconds(15))
    #expect(!mission.state.isArmed && mission.state.isLanded)
    #expect(mission.guidance.status(at: mission.now).authority == .none)
    // What was on its way when it happened is all that was sent.
    #expect(mission.sent(since: start.advanced(by: .seconds(4))).isEmpty)
    #expect(mission.getReady())
    mission.clients["ann"]?.northMetersPerSecond = 0
    mission.clients["ann"]?.coordinate = mission.state.coordinate
    mission.say(.takeoff)
    #expect(mission.outcome(of: .takeoff) == .accepted)
    #expect(mission.fly(.seconds(30)) { mission.state.altitudeAboveHomeMeters > 5 })
  }

  @Test(arguments: autopilots) func aPilotWhoChangesTheModeHasTheVehicle(
    _ autopilot: SimulatedVehicle.Autopilot
  ) throws {
    let mission = try following(autopilot)
    mission.vehicle.pilotSelects(.loiter)
    #expect(mission.fly(.seconds(3)) { mission.guidance.status(at: mission.now).authority == .pilot })
    let taken = mission.now
    mission.fly(.seconds(10))
    #expect(mission.state.mode == mission.pilotMode)
    // Not even a silent client takes it from the pilot.
    mission.dies()
    mission.fly(.seconds(35))
    #expect(mission.state.mode == mission.pilotMode && mission.sent(since: taken).isEmpty)
    mission.lives()
    mission.clients["ann"]?.northMetersPerSecond = 0
    mission.goTo(Mission.place(30))
    #expect(mission.outcome(of: .goTo) == .accepted)
    #expect(mission.state.mode == mission.targetMode)
  }

  // MARK: The client's receiver

  @Test(arguments: autopilots) func aReceiverThatIsGoneForAWhileIsNoLostLink(
    _ autopilot: SimulatedVehicle.Autopilot
  ) throws {
    let mission = try Mission(autopilot)
    try #require(mission.takeOff())
    mission.goTo(Mission.place(30))
    #expect(mission.fly(.seconds(40)) { mission.guidance.status(at: mission.now).hasArrived })
    mission.clients["ann"]?.coordinate = nil
    #expect(mission.stays(for: .seconds(20)))
    #expect(mission.state.mode == mission.targetMode)
    mission.clients["ann"]?.coordinate = Mission.place(36)
    #expect(mission.fly(.seconds(20)) { mission.state.coordinate.distanceMeters(to: Mission.place(36)) < 1 })
    // A jump is not followed.
    mission.clients["ann"]?.coordinate = Mission.place(300)
    mission.fly(.milliseconds(1500))
    mission.clients["ann"]?.coordinate = Mission.place(36)
    #expect(mission.stays(for: .seconds(6)))
  }

  // MARK: Two clients

  @Test(arguments: autopilots) func ofTwoClientsOneCommandsAndBothMayStop(
    _ autopilot: SimulatedVehicle.Autopilot
  ) throws {
    let mission = try Mission(autopilot, clients: ["ann", "bob"])
    try #require(mission.takeOff())
    mission.goTo(Mission.place(30), by: "bob")
    guard case .refused? = mission.outcome(of: .goTo) else {
      Issue.record("bob's goto was not refused")
      return
    }
    #expect(mission.stays(for: .seconds(5)))
    mission.goTo(Mission.place(200), by: "ann")
    #expect(mission.outcome(of: .goTo) == .accepted)
    #expect(mission.fly(.seconds(20)) { mission.state.groundSpeedMetersPerSecond > 4 })
    mission.say(.stop, by: "bob")
    #expect(mission.outcome(of: .stop) == .accepted)
    #expect(mission.holds(), "\(mission.story)")
    // The holder falls silent: the other one's next command takes control.
    mission.dies("ann")
    mission.fly(.seconds(4))
    mission.goTo(Mission.place(20, 10), by: "bob")
    #expect(mission.outcome(of: .goTo) == .accepted)
    #expect(
      mission.fly(.seconds(60)) { mission.state.coordinate.distanceMeters(to: Mission.place(20, 10)) < 1 })
  }

  // MARK: The navigator

  @Test(arguments: autopilots) func aNavigatorThatIsStoppedHoldsFirst(
    _ autopilot: SimulatedVehicle.Autopilot
  ) throws {
    let mission = try following(autopilot)
    mission.shutDown()
    #expect(!mission.guidance.mayExit)
    #expect(mission.fly(.seconds(8)) { mission.guidance.mayExit })
    #expect(mission.state.mode == mission.holdMode)
    mission.isNavigatorDead = true
    #expect(mission.holds(), "\(mission.story)")
  }

  @Test(arguments: autopilots, [true, false]) func theAutopilotsOwnFailsafeFires(
    _ autopilot: SimulatedVehicle.Autopilot, navigatorDies: Bool
  ) throws {
    var rules = Guidance.Rules()
    rules.returnAfter = nil
    let mission = try Mission(autopilot, rules: rules)
    try #require(mission.takeOff())
    mission.goTo(Mission.place(30))
    #expect(mission.fly(.seconds(40)) { mission.guidance.status(at: mission.now).hasArrived })
    mission.set(
      autopilot == .px4 ? "NAV_DLL_ACT" : "FS_GCS_ENABLE", autopilot == .px4 ? .init(bitPattern: 2) : 1)
    // While a client lives it has no reason to.
    #expect(mission.stays(for: .seconds(12)))
    if navigatorDies { mission.isNavigatorDead = true } else { mission.dies() }
    let start = mission.now
    #expect(mission.fly(.seconds(18)) { mission.state.mode == mission.returnMode })
    let patience = start.duration(to: mission.now) / .seconds(1)
    #expect((autopilot == .px4 ? 9...14 : 4...9).contains(patience))
    #expect(
      mission.vehicle.takeEvents().contains { $0.kind == .modeChanged(mission.returnMode, reason: .failsafe) }
    )
    // Nobody takes it back.
    #expect(mission.fly(.seconds(120)) { !mission.state.isArmed })
    #expect(mission.distanceFromHome < 2)
  }

  // MARK: Rules

  @Test(arguments: autopilots) func aStopIsLatchedUntilTheOperatorEndsIt(
    _ autopilot: SimulatedVehicle.Autopilot
  ) throws {
    let mission = try following(autopilot)
    mission.say(.stop)
    #expect(mission.outcome(of: .stop) == .accepted)
    #expect(mission.holds(), "\(mission.story)")
    mission.clients["ann"]?.northMetersPerSecond = 0
    #expect(mission.stays(for: .seconds(5)))
    mission.say(.reset)
    let place = try #require(mission.clients["ann"]?.coordinate)
    #expect(mission.fly(.seconds(60)) { mission.state.coordinate.distanceMeters(to: place) < 1 })
  }

  @Test(arguments: autopilots) func theFenceAndTheLimitsHold(_ autopilot: SimulatedVehicle.Autopilot) throws {
    var rules = Guidance.Rules()
    rules.geofenceRadiusMeters = 100
    let mission = try Mission(autopilot, rules: rules)
    mission.vehicle.inject(.batteryLow)
    try #require(mission.getReady())
    #expect(mission.fly(.seconds(5)) { mission.link.state.batteryPercent ?? 100 < 20 })
    mission.say(.takeoff)
    guard case .refused(let reason)? = mission.outcome(of: .takeoff) else {
      Issue.record("a takeoff with an empty battery was not refused")
      return
    }
    #expect(reason.contains("battery"))
    mission.fly(.seconds(3))
    #expect(!mission.state.isArmed)
    mission.guidance.rules.minimumBatteryPercent = nil
    try #require(mission.takeOff())
    mission.goTo(Mission.place(120))
    guard case .refused? = mission.outcome(of: .goTo) else {
      Issue.record("a target outside the fence was not refused")
      return
    }
    #expect(mission.stays(for: .seconds(3)))
    mission.goTo(Mission.place(95))
    #expect(mission.outcome(of: .goTo) == .accepted)
    #expect(mission.fly(.seconds(10)) { mission.state.groundSpeedMetersPerSecond > 3 })
    // Drawn in while it flies: it holds at the fence and not beyond.
    mission.guidance.rules.geofenceRadiusMeters = 40
    #expect(mission.holds(), "\(mission.story)")
    #expect((44...75).contains(mission.distanceFromHome))
  }

  // MARK: Following

  @Test(arguments: autopilots) func itFliesBesideItsOperator(_ autopilot: SimulatedVehicle.Autopilot) throws {
    let mission = try Mission(autopilot)
    try #require(mission.takeOff())
    mission.goTo(
      Mission.place(10), manner: .init(distance: 20, bearing: 90, height: 15))
    #expect(mission.fly(.seconds(40)) { mission.guidance.status(at: mission.now).hasArrived })
    #expect(mission.state.coordinate.distanceMeters(to: Mission.place(10, 20)) < 2)
    #expect(abs(mission.state.altitudeAboveHomeMeters - 15) < 2)
    mission.clients["ann"]?.northMetersPerSecond = 1.5
    mission.fly(.seconds(8))
    // At a steady pace, not from stop to stop.
    var speeds: [Double] = []
    mission.fly(.seconds(8)) {
      speeds.append(mission.state.groundSpeedMetersPerSecond)
      return false
    }
    #expect(speeds.min()! > 1 && speeds.max()! < 2.2, "\(speeds.min()!) to \(speeds.max()!) m/s")
    let operatorPlace = try #require(mission.clients["ann"]?.coordinate)
    let distance = mission.state.coordinate.distanceMeters(to: operatorPlace)
    #expect((18...23).contains(distance), "\(distance) m")
  }

  @Test(arguments: autopilots) func itFliesNoFasterThanItsOperatorSays(
    _ autopilot: SimulatedVehicle.Autopilot
  ) throws {
    let mission = try Mission(autopilot)
    try #require(mission.takeOff())
    mission.goTo(Mission.place(40), manner: .init(speed: 2))
    #expect(mission.outcome(of: .goTo) == .accepted)
    var fastest = 0.0
    let start = mission.now
    #expect(
      mission.fly(.seconds(60)) {
        fastest = max(fastest, mission.state.groundSpeedMetersPerSecond)
        return mission.guidance.status(at: mission.now).hasArrived
      })
    #expect(fastest < 3, "\(fastest) m/s")
    #expect((18...32).contains(start.duration(to: mission.now) / .seconds(1)))
  }
}

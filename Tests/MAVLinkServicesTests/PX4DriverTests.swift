import Geodesy
import MAVLink
import Testing
import Vehicle

@testable import MAVLinkServices

@Suite struct PX4DriverTests {
  static func onGround(_ mode: FlightMode = .hold) -> DriverBench {
    var bench = DriverBench.onGround(mode)
    bench.driver = PX4Driver()
    bench.situation.state.homeAltitudeMSLMeters = 400
    return bench
  }

  static func inAir(_ mode: FlightMode = .hold) -> DriverBench {
    var bench = DriverBench.inAir(mode)
    bench.driver = PX4Driver()
    return bench
  }

  // MARK: Takeoff

  @Test func takesOffFromHoldToAnAltitudeAboveTheSea() {
    var bench = Self.onGround()
    bench.start(.takeoff(altitudeAboveHomeMeters: 20))
    #expect(bench.commands.map(\.command) == [.componentArmDisarm])
    bench.ack(.componentArmDisarm)
    bench.beat(armed: true)
    let takeoff = bench.commands.last { $0.command == .navTakeoff }
    #expect(takeoff?.param7 == 420)
    #expect(takeoff?.param4.isNaN == true && takeoff?.param5.isNaN == true && takeoff?.param6.isNaN == true)
    bench.ack(.navTakeoff)
    #expect(bench.outcome() == nil)
    bench.beat(.takeoff)
    #expect(bench.outcome() == .accepted)
    #expect(!bench.driver.isActionUnderWay)
  }

  @Test(arguments: [FlightMode.land, .returnToLaunch, .other]) func armsInHoldOnly(_ mode: FlightMode) {
    var bench = Self.onGround(mode)
    bench.start(.takeoff(altitudeAboveHomeMeters: 20))
    #expect(bench.commands.map(\.command) == [.doSetMode])
    #expect(bench.commands.map(\.param2) == [4] && bench.commands.map(\.param3) == [3])
    bench.ack(.doSetMode)
    bench.beat(.hold)
    #expect(bench.count(.componentArmDisarm) == 1)
  }

  @Test func withoutTheAltitudeOfHomeItDoesNotTakeOff() {
    var bench = Self.onGround()
    bench.situation.state.homeAltitudeMSLMeters = nil
    bench.start(.takeoff(altitudeAboveHomeMeters: 20))
    #expect(bench.outcome() == .refused(reason: DriverLimits.homeUnknown))
    #expect(bench.sent.isEmpty)
    // The two heights of the position tell it as well.
    bench.situation.state.altitudeMSLMeters = 405
    bench.situation.state.altitudeAboveHomeMeters = 0
    bench.start(.takeoff(altitudeAboveHomeMeters: 20), ticket: 2)
    bench.ack(.componentArmDisarm)
    bench.beat(armed: true)
    #expect(bench.commands.last { $0.command == .navTakeoff }?.param7 == 425)
  }

  @Test func aTakeoffInFlightIsRefusedHereSincePX4WouldAcceptIt() {
    var bench = Self.inAir()
    bench.start(.takeoff(altitudeAboveHomeMeters: 20))
    #expect(bench.outcome() == .refused(reason: "already in the air"))
    #expect(bench.sent.isEmpty)
  }

  @Test func aRefusalToArmCarriesTheTexts() {
    var bench = Self.onGround()
    bench.start(.takeoff(altitudeAboveHomeMeters: 20))
    bench.ack(.componentArmDisarm, .temporarilyRejected)
    bench.say("Arming denied: Resolve system health failures first")
    bench.pass(.seconds(2))
    #expect(
      bench.outcome()
        == .refused(
          reason:
            "Arming denied: Resolve system health failures first (arming: temporarily rejected)"))
  }

  // MARK: Targets

  @Test func aTargetIsARepositionAboveTheSea() {
    var bench = Self.inAir()
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    bench.beat()
    let sent = bench.repositions.first
    #expect(sent?.command == .doReposition)
    #expect(sent?.frame == .global)
    #expect(sent?.param2 == 1)
    #expect(sent?.param4.isNaN == true)
    #expect(sent?.x == 474_000_000 && sent?.y == 85_500_000)
    #expect(sent?.z == 415)
    bench.ack(.doReposition)
    #expect(bench.outcome() == .accepted)
    bench.pass(.seconds(5))
    #expect(bench.repositions.count == 1)
  }

  @Test func aPilotWhoJustChangedTheModeIsNotOverridden() {
    var bench = Self.inAir()
    bench.situation.state.modeName = "POSCTL"
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    // Asked for, as it would come up to a second later by itself.
    #expect(bench.commands.map(\.command) == [.requestMessage])
    bench.see { $0.groundSpeedMetersPerSecond = 1 }
    #expect(bench.repositions.isEmpty)
    bench.beat(.other)
    #expect(bench.outcome() == .refused(reason: "the flight mode changed to POSCTL"))
    bench.pass(.seconds(5))
    #expect(bench.repositions.isEmpty)
  }

  @Test func aNewerTargetWaitsForTheSameHeartbeat() {
    var bench = Self.inAir()
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 16), ticket: 2)
    #expect(bench.outcome(1) == .superseded)
    #expect(bench.count(.requestMessage) == 1)
    bench.beat()
    #expect(bench.repositions.map(\.z) == [416])
  }

  @Test func withoutAHeartbeatNoTargetIsSent() {
    var bench = Self.inAir()
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    bench.pass(.seconds(5))
    #expect(bench.repositions.isEmpty)
    #expect(bench.outcome() == .unknown(reason: "no heartbeat told the flight mode"))
  }

  @Test func anOperatorsTargetTakesTheVehicleFromAnotherModeAtOnce() {
    var bench = Self.inAir(.other)
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    #expect(bench.repositions.count == 1)
  }

  @Test func aTargetWithoutAnswerIsRepeatedAFewTimesThenUnknown() {
    var bench = Self.inAir()
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    bench.beat()
    bench.pass(.seconds(10))
    #expect(bench.repositions.count == 3)
    #expect(bench.outcome() == .unknown(reason: "no sign that the vehicle took the target"))
  }

  @Test func aRefusedTargetIsRefused() {
    var bench = Self.inAir()
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    bench.beat()
    bench.ack(.doReposition, .denied)
    bench.pass(.seconds(2))
    #expect(bench.outcome() == .refused(reason: "the flight controller refused the target: denied"))
  }

  // MARK: Stop

  @Test func aStopIsARepositionToWhereItIs() {
    var bench = Self.inAir()
    bench.situation.state.groundSpeedMetersPerSecond = 5
    bench.start(.hold)
    let stop = bench.commands.first
    #expect(stop?.command == .doReposition)
    #expect(stop?.param1 == -1 && stop?.param2 == 1)
    for value in [stop?.param4, stop?.param5, stop?.param6, stop?.param7] { #expect(value?.isNaN == true) }
    // Hold alone, even slowing, proves nothing.
    bench.beat(.hold)
    bench.see { $0.groundSpeedMetersPerSecond = 0 }
    bench.pass(.milliseconds(1500))
    #expect(bench.outcome() == nil)
    #expect(bench.count(.doReposition) == 4)
  }

  @Test func aStopIsProvenByAcknowledgementModeAndFallingSpeed() {
    var bench = Self.inAir(.returnToLaunch)
    bench.situation.state.groundSpeedMetersPerSecond = 5
    bench.start(.hold)
    bench.ack(.doReposition)
    bench.beat(.returnToLaunch)
    bench.see { $0.groundSpeedMetersPerSecond = 5.2 }
    #expect(bench.outcome() == nil)
    bench.beat(.hold)
    #expect(bench.outcome() == nil)
    bench.see { $0.groundSpeedMetersPerSecond = 3.9 }
    #expect(bench.outcome() == .accepted)
    #expect(bench.count(.doReposition) == 1)
  }

  @Test func aStopThatSlowsNothingIsUnknown() {
    var bench = Self.inAir()
    bench.situation.state.groundSpeedMetersPerSecond = 5
    bench.start(.hold)
    bench.ack(.doReposition)
    bench.beat(.hold)
    bench.pass(.seconds(6))
    #expect(bench.outcome() == .unknown(reason: "acknowledged, but the vehicle does not slow down"))
  }

  @Test func theAnswerToASupersededTargetIsNotTakenForTheStops() {
    var bench = Self.inAir()
    bench.situation.state.groundSpeedMetersPerSecond = 0
    bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    bench.beat()
    bench.start(.hold, ticket: 2)
    #expect(bench.outcome(1) == .superseded)
    bench.ack(.doReposition)
    bench.beat(.hold)
    #expect(bench.outcome(2) == nil)
    bench.ack(.doReposition)
    #expect(bench.outcome(2) == .accepted)
  }

  @Test func aStopTakesThePlaceOfAClimb() {
    var bench = Self.onGround()
    bench.start(.takeoff(altitudeAboveHomeMeters: 20))
    bench.start(.hold, ticket: 2)
    #expect(bench.commands.last?.command == .doReposition)
    #expect(bench.outcome(1) == .superseded)
    bench.ack(.componentArmDisarm)
    bench.beat(armed: true)
    #expect(bench.count(.navTakeoff) == 0)
  }

  // MARK: Modes

  @Test(arguments: [
    (VehicleAction.land, Float(6), FlightMode.land), (.returnToLaunch, 5, .returnToLaunch),
  ]) func theHeartbeatIsBelievedRatherThanASecondAcknowledgement(
    action: VehicleAction, sub: Float, mode: FlightMode
  ) {
    var bench = Self.inAir()
    bench.start(action)
    #expect(bench.commands.map(\.param1) == [1])
    #expect(bench.commands.map(\.param2) == [4])
    #expect(bench.commands.map(\.param3) == [sub])
    bench.ack(.doSetMode)
    bench.ack(.doSetMode, .temporarilyRejected)
    #expect(bench.outcome() == nil)
    bench.beat(mode)
    #expect(bench.outcome() == .accepted)
  }

  @Test func aSecondAcknowledgementThatStaysTrueIsARefusal() {
    var bench = Self.inAir()
    bench.start(.land)
    bench.ack(.doSetMode)
    bench.ack(.doSetMode, .temporarilyRejected)
    bench.pass(.seconds(8))
    #expect(
      bench.outcome()
        == .refused(reason: "the flight controller refused the flight mode: temporarily rejected"))
  }

  @Test func aDeniedRestartIsRefused() {
    var bench = Self.onGround()
    bench.start(.rebootAutopilot)
    bench.ack(.preflightRebootShutdown, .denied)
    bench.pass(.seconds(2))
    #expect(bench.outcome() == .refused(reason: "the flight controller refused the restart: denied"))
  }

  // MARK: What is observed

  @Test(arguments: [
    (UInt8(4), UInt8(2), "AUTO.TAKEOFF", FlightMode.takeoff), (4, 3, "AUTO.LOITER", .hold),
    (4, 4, "AUTO.MISSION", .other), (4, 5, "AUTO.RTL", .returnToLaunch), (4, 6, "AUTO.LAND", .land),
    (6, 0, "OFFBOARD", .other), (3, 0, "POSCTL", .other), (1, 0, "MANUAL", .other),
    (77, 1, "mode 77.1", .other),
  ]) func namesTheModesOfPX4(main: UInt8, sub: UInt8, name: String, mode: FlightMode) {
    var bench = ObserverTests.Bench()
    _ = bench.beat(UInt32(main) << 16 | UInt32(sub) << 24, autopilot: .px4)
    #expect(bench.observer.firmware == .px4)
    #expect(bench.observer.state.autopilot == .px4)
    #expect(bench.observer.state.modeName == name)
    #expect(bench.observer.state.mode == mode)
  }

  @Test func itsTextTellsThatItIsReady() {
    var bench = ObserverTests.Bench()
    _ = bench.beat(0x0304_0000, autopilot: .px4)
    #expect(bench.observer.state.isReadyToArm == nil)
    _ = bench.hear(StatusText(severity: .info, text: FixedText("Ready for takeoff!\t")))
    #expect(bench.observer.state.isReadyToArm == true)
    #expect(bench.observer.texts.last?.text == "Ready for takeoff!")
    _ = bench.hear(
      SystemStatus(
        onboardControlSensorsPresent: .prearmCheck, onboardControlSensorsEnabled: .prearmCheck,
        onboardControlSensorsHealth: [], load: 0, voltageBattery: 12_000, currentBattery: 0,
        batteryRemaining: 50))
    #expect(bench.observer.state.isReadyToArm == false)
  }

  @Test func aStreamThatComesUnaskedIsAskedForOnceAllTheSame() {
    var requests = StreamRequests(bytesPerSecond: nil)
    requests.asksForWhatComesUnasked = true
    var now = ContinuousClock.now
    var asked: [Float] = []
    for _ in 0..<200 {
      for id in [GlobalPositionInt.messageID, ExtendedSystemState.messageID] {
        requests.observed(id, at: now)
      }
      if let request = requests.due(at: now, to: AutopilotAddress(systemID: 1, componentID: 1)) {
        asked.append(request.param1)
        requests.acknowledged(CommandAck(command: .setMessageInterval, result: .accepted))
      }
      now = now.advanced(by: .milliseconds(100))
    }
    #expect(asked.count { $0 == Float(GlobalPositionInt.messageID) } == 1)
    #expect(asked.count { $0 == Float(ExtendedSystemState.messageID) } == 1)
  }
}

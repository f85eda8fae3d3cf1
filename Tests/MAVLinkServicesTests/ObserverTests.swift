import Geodesy
import MAVLink
import Testing
import Vehicle

@testable import MAVLinkServices

@Suite struct ObserverTests {
  /// An observer that has heard one heartbeat of system 3.
  struct Bench {
    var observer = VehicleObserver()
    var autopilot = FrameEncoder(systemID: 3, componentID: 1)
    var now = ContinuousClock.now

    mutating func hear<M: Message>(_ message: M) -> [Observation] {
      observer.observe(autopilot.frame(message), at: now)
    }
    mutating func beat(
      _ mode: UInt32 = 4, type: SystemType = .quadrotor, autopilot: AutopilotType = .arduPilotMega,
      flags: ModeFlags = .customModeEnabled, status: SystemState = .standby
    ) -> [Observation] {
      hear(
        Heartbeat(type: type, autopilot: autopilot, baseMode: flags, customMode: mode, systemStatus: status))
    }
  }

  struct Mode: Sendable {
    let number: UInt32
    let name: String
    let mode: FlightMode
  }
  @Test(arguments: [
    Mode(number: 0, name: "STABILIZE", mode: .other), Mode(number: 4, name: "GUIDED", mode: .guided),
    Mode(number: 5, name: "LOITER", mode: .other), Mode(number: 6, name: "RTL", mode: .returnToLaunch),
    Mode(number: 9, name: "LAND", mode: .land), Mode(number: 16, name: "POSHOLD", mode: .other),
    Mode(number: 17, name: "BRAKE", mode: .hold),
    Mode(number: 21, name: "SMART_RTL", mode: .returnToLaunch),
    Mode(number: 99, name: "mode 99", mode: .other),
  ]) func namesTheModesOfArduCopter(_ mode: Mode) {
    var bench = Bench()
    #expect(
      bench.beat(mode.number) == [
        .found(AutopilotAddress(systemID: 3, componentID: 1)), .stateChanged,
      ])
    #expect(bench.observer.state.modeName == mode.name)
    #expect(bench.observer.state.mode == mode.mode)
  }

  @Test func aPlanesModesAreNotACopters() {
    var bench = Bench()
    // 9 is LAND of a copter and no mode of a plane.
    _ = bench.beat(9, type: .fixedWing)
    #expect(bench.observer.state.mode == .other)
    #expect(bench.observer.firmware == .arduPlane)
  }

  @Test func onlyAutopilotsAreListenedTo() {
    var bench = Bench()
    #expect(bench.beat(autopilot: .invalid).isEmpty)
    #expect(bench.observer.address == nil)
    _ = bench.beat()
    bench.autopilot.systemID = 4
    #expect(bench.beat(9).isEmpty)
    #expect(bench.hear(ExtendedSystemState(landedState: .inAir)).isEmpty)
    #expect(bench.observer.state.landed == nil)
    #expect(bench.observer.state.mode == .guided)
  }

  @Test(arguments: [
    SystemType.gimbal, .adsb, .camera, .antennaTracker, .groundControlStation, .onboardController,
  ])
  func equipmentThatNamesItsAutopilotIsNotOne(type: SystemType) {
    var bench = Bench()
    // ArduPilot's simulated ADS-B receiver does.
    #expect(bench.beat(type: type).isEmpty)
    #expect(bench.observer.address == nil)
    bench.autopilot = FrameEncoder(systemID: 17, componentID: 1)
    #expect(bench.beat().contains(.found(AutopilotAddress(systemID: 17, componentID: 1))))
  }

  @Test func silenceVoidsTheStateAndKeepsTheAddress() {
    var bench = Bench()
    _ = bench.beat(flags: [.customModeEnabled, .safetyArmed])
    #expect(bench.observer.state.isArmed == true)
    bench.now = bench.now.advanced(by: .milliseconds(4999))
    #expect(bench.observer.tick(at: bench.now).isEmpty)
    bench.now = bench.now.advanced(by: .milliseconds(1))
    #expect(bench.observer.tick(at: bench.now) == [.lost, .stateChanged])
    #expect(bench.observer.state == VehicleState())
    #expect(bench.observer.address != nil)
    #expect(bench.beat().first == .found(AutopilotAddress(systemID: 3, componentID: 1)))
  }

  @Test func aClockThatFallsBackIsARestart() {
    var bench = Bench()
    _ = bench.beat()
    _ = bench.hear(ExtendedSystemState(landedState: .onGround))
    _ = bench.hear(SystemTime(timeBootMs: 60_000))
    #expect(!bench.hear(SystemTime(timeBootMs: 59_500)).contains(.restarted))
    #expect(bench.hear(SystemTime(timeBootMs: 1_500)).contains(.restarted))
    #expect(bench.observer.state.landed == nil)
    #expect(bench.observer.state.uptimeMilliseconds == 1_500)
    #expect(bench.observer.state.mode == nil)
    #expect(!bench.beat().contains(.found(AutopilotAddress(systemID: 3, componentID: 1))))
  }

  @Test func aRestartSoonAfterAStartIsSeenAndAStalledLineIsNotOne() {
    var bench = Bench()
    _ = bench.beat()
    _ = bench.hear(SystemTime(timeBootMs: 2_000))
    bench.now = bench.now.advanced(by: .seconds(4))
    #expect(bench.hear(SystemTime(timeBootMs: 2_500)).contains(.restarted))
    bench.now = bench.now.advanced(by: .seconds(100))
    _ = bench.hear(SystemTime(timeBootMs: 102_500))
    bench.now = bench.now.advanced(by: .seconds(4))
    #expect(!bench.hear(SystemTime(timeBootMs: 102_700)).contains(.restarted))
  }

  /// This program was stopped for a while; what it reads first waited in the line's buffer.
  @Test func whatWaitedWhileThisProgramStoodStillIsNoRestart() {
    var bench = Bench()
    _ = bench.beat()
    _ = bench.hear(SystemTime(timeBootMs: 8_000))
    bench.now = bench.now.advanced(by: .milliseconds(8_800))
    #expect(!bench.hear(SystemTime(timeBootMs: 8_250)).contains(.restarted))
    #expect(bench.observer.state.uptimeMilliseconds == 8_250)
  }

  @Test func nullIslandIsNoPosition() {
    var bench = Bench()
    _ = bench.beat()
    _ = bench.hear(GlobalPositionInt(lat: 0, lon: 0, alt: 5))
    #expect(bench.observer.state.coordinate == nil)
    #expect(bench.observer.state.altitudeAboveHomeMeters == nil)
    _ = bench.hear(
      GlobalPositionInt(lat: 474_000_000, lon: 85_000_000, alt: 410_000, relativeAlt: 10_500, hdg: 9_000))
    #expect(bench.observer.state.coordinate?.latitude == 47.4)
    #expect(bench.observer.state.altitudeAboveHomeMeters == 10.5)
    #expect(bench.observer.state.altitudeMSLMeters == 410)
    #expect(bench.observer.state.headingDegrees == 90)
    _ = bench.hear(GlobalPositionInt(lat: 0, lon: 0))
    #expect(bench.observer.state.coordinate == nil)
  }

  @Test func readsHomeBatteryReceiverAndReadiness() {
    var bench = Bench()
    _ = bench.beat(status: .critical)
    _ = bench.hear(HomePosition(latitude: 470_000_000, longitude: 80_000_000, altitude: 400_000))
    _ = bench.hear(VFRHUD(groundspeed: 3, heading: 360, climb: -1))
    _ = bench.hear(
      SystemStatus(
        onboardControlSensorsPresent: .prearmCheck, voltageBattery: 12_100, batteryRemaining: -1))
    _ = bench.hear(GPSRawInt(fixType: .fix3D, lat: 0, lon: 0, satellitesVisible: 9))
    let state = bench.observer.state
    #expect(state.home?.latitude == 47)
    #expect(state.homeAltitudeMSLMeters == 400)
    #expect(state.groundSpeedMetersPerSecond == 3)
    #expect(state.climbRateMetersPerSecond == -1)
    #expect(state.headingDegrees == 0)
    #expect(state.batteryVolts == 12.1)
    #expect(state.batteryPercent == nil)
    #expect(state.isReadyToArm == false)
    #expect(state.gpsFixType == 3)
    #expect(state.satellites == 9)
    #expect(state.isFailsafe == true)
    _ = bench.hear(
      SystemStatus(
        onboardControlSensorsPresent: .prearmCheck, onboardControlSensorsHealth: .prearmCheck,
        voltageBattery: .max, batteryRemaining: 80))
    #expect(bench.observer.state.isReadyToArm == true)
    #expect(bench.observer.state.batteryPercent == 80)
    #expect(bench.observer.state.batteryVolts == 12.1)
  }

  @Test func acknowledgementsForOthersAreNotOurs() {
    var bench = Bench()
    _ = bench.beat()
    func isTaken(_ system: UInt8, _ component: UInt8) -> Bool {
      let ack = CommandAck(
        command: .doSetMode, result: .accepted, targetSystem: system, targetComponent: component)
      return bench.hear(ack).contains(.acknowledged(ack))
    }
    #expect(isTaken(0, 0))
    #expect(isTaken(3, 191))
    #expect(!isTaken(255, 190))
  }

  @Test func chunksAreJoinedAndAnEndThatNeverComesIsNotWaitedFor() {
    var bench = Bench()
    _ = bench.beat()
    let part = String(repeating: "x", count: 50)
    #expect(bench.hear(StatusText(severity: .error, text: FixedText<50>(part), id: 7)).isEmpty)
    #expect(
      bench.hear(StatusText(severity: .error, text: "end", id: 7, chunkSeq: 1))
        == [.text(VehicleText(severity: 3, text: part + "end", at: bench.now))])
    #expect(bench.hear(StatusText(severity: .error, text: FixedText<50>(part), id: 8)).isEmpty)
    bench.now = bench.now.advanced(by: .seconds(1))
    #expect(
      bench.observer.tick(at: bench.now) == [.text(VehicleText(severity: 3, text: part, at: bench.now))])
  }

  @Test func textsStayBounded() {
    var bench = Bench()
    _ = bench.beat()
    for id in 1...500 as ClosedRange<UInt16> {
      _ = bench.hear(
        StatusText(severity: .info, text: FixedText<50>(String(repeating: "y", count: 50)), id: id))
    }
    #expect(bench.observer.texts.count == VehicleObserver.maximumTexts)
  }
}

@Suite struct StreamRequestTests {
  let address = AutopilotAddress(systemID: 1, componentID: 1)

  @Test func eachStreamIsAskedOnceWhenAllAnswer() {
    var requests = StreamRequests(bytesPerSecond: nil)
    var now = ContinuousClock.now
    var asked: [Float: Float] = [:]
    for _ in 0..<200 {
      now = now.advanced(by: .milliseconds(50))
      if let request = requests.due(at: now, to: address) {
        #expect(asked[request.param1] == nil)
        asked[request.param1] = request.param2
        requests.acknowledged(CommandAck(command: .setMessageInterval, result: .accepted))
      }
      for id in asked.keys { requests.observed(UInt32(id), at: now) }
    }
    #expect(asked.count == 9)
    #expect(asked[Float(GlobalPositionInt.messageID)] == 200_000)
    requests.restart()
    #expect(requests.due(at: now.advanced(by: .seconds(1)), to: address) != nil)
  }

  @Test func anAutopilotThatNeverAnswersIsNotFlooded() {
    var requests = StreamRequests(bytesPerSecond: nil)
    let start = ContinuousClock.now
    var count = 0
    for step in 0..<3000 {
      if requests.due(at: start.advanced(by: .milliseconds(step * 100)), to: address) != nil { count += 1 }
    }
    #expect(count > 20)
    #expect(count < 150)
  }

  @Test func aSlowLineGetsSlowerStreams() {
    #expect(StreamRequests(bytesPerSecond: 5760).rateFactor == 1)
    let factor = StreamRequests(bytesPerSecond: 480).rateFactor
    #expect(factor > 0.1 && factor < 0.6)
  }
}

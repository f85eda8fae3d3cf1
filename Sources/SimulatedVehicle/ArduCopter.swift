import Geodesy
import MAVLink

/// ArduCopter 4.7 as it was measured in its own simulator over a serial line, without a pilot's radio.
///
/// Modes and refusals follow those measurements; where they say nothing, its source (mode_guided.cpp, mode_rtl.cpp,
/// AP_Arming_Copter.cpp, events.cpp) does.
struct ArduCopter: FlightController {
  enum Mode: UInt32, CaseIterable, Sendable {
    case stabilize = 0
    case altHold = 2
    case guided = 4
    case loiter = 5
    case rtl = 6
    case land = 9
    case posHold = 16
    case brake = 17

    var name: String {
      switch self {
      case .stabilize: "STABILIZE"
      case .altHold: "ALT_HOLD"
      case .guided: "GUIDED"
      case .loiter: "LOITER"
      case .rtl: "RTL"
      case .land: "LAND"
      case .posHold: "POSHOLD"
      case .brake: "BRAKE"
      }
    }

    var needsPosition: Bool {
      switch self {
      case .guided, .loiter, .rtl, .posHold, .brake: true
      case .stabilize, .altHold, .land: false
      }
    }

    /// Whether a command may arm in it.
    var allowsArming: Bool {
      switch self {
      case .stabilize, .altHold, .guided, .loiter, .posHold: true
      case .rtl, .land, .brake: false
      }
    }
  }

  /// What it does in the air. Every mode change begins a new one.
  enum Activity: Equatable, Sendable {
    /// Nothing of its own: the sticks decide, and without a radio the throttle is low.
    case followingSticks
    case stopping(decelerationMetersPerSecondSquared: Double)
    case holding(Vector)
    case takingOff(heightMeters: Double, liftsAt: Double)
    case flying(to: Vector)
    case moving(Vector, until: Double)
    case returning(Return)
    case landing
  }

  enum Return: Equatable, Sendable {
    case climbing(heightMeters: Double)
    case travelling(heightMeters: Double)
    case waiting(until: Double)
  }

  private(set) var mode = Mode.stabilize
  private(set) var activity = Activity.followingSticks
  private(set) var isArmed = false
  private(set) var isLanded = true
  private(set) var home: Vector?
  /// Where the height hold of a stop is.
  var heldHeight = 0.0
  /// Whether a pilot's radio is on, with its throttle stick in the middle.
  var hasRadio = false
  var speedLimitMetersPerSecond = 10.0
  var lastGroundStationHeartbeat: Double?
  var inGroundStationFailsafe = false
  /// Since when there is no estimate of the position that there was.
  var estimateLostAt: Double?
  var inEstimateFailsafe = false
  /// When it last began to stand armed on the ground.
  private var landedSince = 0.0
  private var nextPreArmText = 0.0
  private var saidReady = false
  private var saidBatteryLow = false

  var modeName: String { mode.name }

  var target: Vector? {
    switch activity {
    case .flying(let place), .holding(let place): place
    case .returning: home
    case .followingSticks, .stopping, .takingOff, .moving, .landing: nil
    }
  }

  var landedState: LandedState {
    if isLanded { return .onGround }
    switch activity {
    case .takingOff: return .takeoff
    case .landing: return .landing
    case .followingSticks, .stopping, .holding, .flying, .moving, .returning: return .inAir
    }
  }

  var heartbeat: Heartbeat {
    var flags: ModeFlags = [.customModeEnabled, .stabilizeEnabled, .manualInputEnabled]
    switch mode {
    case .guided, .loiter, .rtl, .posHold, .brake: flags.insert(.guidedEnabled)
    case .stabilize, .altHold, .land: break
    }
    if isArmed { flags.insert(.safetyArmed) }
    return Heartbeat(
      type: .quadrotor, autopilot: .arduPilotMega, baseMode: flags, customMode: mode.rawValue,
      systemStatus: inGroundStationFailsafe || inEstimateFailsafe ? .critical : isLanded ? .standby : .active)
  }

  mutating func start(_ aircraft: inout Aircraft) {
    self = ArduCopter()
    isLanded = aircraft.airframe.isOnGround
    nextPreArmText = aircraft.seconds + 15
    aircraft.note(.booted)
    aircraft.say(.info, "ArduCopter V4.7.0-dev (simulated)")
    aircraft.say(.info, "Frame: QUAD/X")
  }

  mutating func stop() { self = ArduCopter() }

  mutating func pilotSelects(mode number: UInt32, _ aircraft: inout Aircraft) {
    hasRadio = true
    if let wanted = Mode(rawValue: number) { _ = change(to: wanted, .pilot, &aircraft) }
  }

  // MARK: Modes

  /// - Returns: false, with the text that says so, when the mode cannot be had now.
  mutating func change(
    to wanted: Mode, _ reason: VehicleEvent.ModeReason, _ aircraft: inout Aircraft
  ) -> Bool {
    if isArmed, wanted.needsPosition, !aircraft.hasPositionEstimate {
      aircraft.say(
        .warning, "Mode change to \(wanted.name) failed: requires position", after: Self.textDelay)
      return false
    }
    if wanted == mode { return true }
    mode = wanted
    aircraft.note(.modeChanged(wanted.name, reason: reason))
    begin(wanted, aircraft)
    return true
  }

  private mutating func begin(_ mode: Mode, _ aircraft: Aircraft) {
    heldHeight = aircraft.airframe.position.up
    switch mode {
    case .stabilize: activity = .followingSticks
    case .altHold, .loiter, .posHold: activity = hasRadio ? .gentleStop : .followingSticks
    case .guided, .brake: activity = .hardStop
    case .land: activity = .landing
    case .rtl: activity = .returning(.climbing(heightMeters: returnHeight(aircraft)))
    }
  }

  /// RTL_ALT, but near home no higher than a cone of slope 3 asks (RTL_CONE_SLOPE), and never lower than now.
  private func returnHeight(_ aircraft: Aircraft) -> Double {
    let home = self.home ?? .zero
    let position = aircraft.airframe.position
    let wanted = Double(aircraft.parameters["RTL_ALT"] ?? 1500) / 100
    let cone = max(2, (position - home).horizontalLength * 3)
    return max(position.up, home.up + min(wanted, cone))
  }

  /// Stops and forgets the target, as entering GUIDED does.
  mutating func stopInGuided(_ stop: Activity, _ aircraft: Aircraft) {
    heldHeight = aircraft.airframe.position.up
    activity = stop
  }

  mutating func begin(_ activity: Activity) { self.activity = activity }

  // MARK: Arming

  mutating func arm(_ aircraft: inout Aircraft) {
    isArmed = true
    landedSince = aircraft.seconds
    // Home follows the place of arming.
    home = aircraft.airframe.position
    aircraft.note(.armed)
    aircraft.say(.info, "Arming motors")
  }

  mutating func disarm(_ aircraft: inout Aircraft) {
    guard isArmed else { return }
    isArmed = false
    aircraft.note(.disarmed)
    aircraft.say(.info, "Disarming motors")
  }

  // MARK: Flying

  mutating func step(_ aircraft: inout Aircraft) -> Airframe.Demand {
    notice(&aircraft)
    watchGroundStation(&aircraft)
    watchEstimate(&aircraft)
    watchGround(&aircraft)
    guard isArmed, !aircraft.battery.isEmpty else { return .stopped }
    return demand(&aircraft)
  }

  /// What it tells by itself: readiness, what prevents arming, a low battery.
  private mutating func notice(_ aircraft: inout Aircraft) {
    if aircraft.hasPositionEstimate, !saidReady {
      saidReady = true
      if home == nil { home = aircraft.airframe.position }
      aircraft.note(.homeSet)
      aircraft.say(.info, "EKF3 IMU0 is using GPS")
    }
    if !isArmed, aircraft.seconds >= nextPreArmText {
      nextPreArmText = aircraft.seconds + 30
      for reason in reasonsNotToArm(aircraft) { aircraft.say(.critical, "PreArm: \(reason)") }
    }
    if aircraft.faults.contains(.batteryLow), !saidBatteryLow {
      saidBatteryLow = true
      aircraft.say(.warning, "Battery 1 is low")
      guard isArmed, !isLanded else { return }
      aircraft.note(.failsafe("battery"))
      switch aircraft.parameters["BATT_FS_LOW_ACT"] {
      case 1?: _ = change(to: .land, .failsafe, &aircraft)
      case 2?: _ = change(to: .rtl, .failsafe, &aircraft)
      default: break
      }
    }
  }

  func reasonsNotToArm(_ aircraft: Aircraft) -> [String] {
    var reasons: [String] = []
    for case .refuseArm(let text) in aircraft.faults { reasons.append(text) }
    if !aircraft.hasPositionEstimate { reasons.append("Need Position Estimate") }
    return reasons.sorted()
  }

  /// Contact with the ground, and disarming after it.
  private mutating func watchGround(_ aircraft: inout Aircraft) {
    if let speed = aircraft.airframe.takeTouchdown(), !isLanded {
      isLanded = true
      landedSince = aircraft.seconds
      aircraft.note(speed > 3.5 ? .crashed(speedMetersPerSecond: speed) : .landed)
      if speed > 3.5 { disarm(&aircraft) }
    }
    guard isArmed, isLanded else { return }
    if case .takingOff = activity { return }
    let delay =
      mode == .land || mode == .rtl ? 1 : Double(aircraft.parameters["DISARM_DELAY"] ?? 10)
    if aircraft.seconds - landedSince >= delay { disarm(&aircraft) }
  }

  private mutating func demand(_ aircraft: inout Aircraft) -> Airframe.Demand {
    let body = aircraft.airframe
    switch activity {
    case .takingOff(let height, let liftsAt):
      guard aircraft.seconds >= liftsAt else { return .idle }
      if isLanded {
        isLanded = false
        aircraft.note(.tookOff)
      }
      let place = Vector(north: body.position.north, east: body.position.east, up: height)
      if abs(body.position.up - height) < 0.1, abs(body.velocity.up) < 0.1 { activity = .holding(place) }
      return .fly(.still, .height(height))
    case .followingSticks:
      guard !isLanded else { return .idle }
      // The throttle of a missing radio reads as low: full descent, or no lift at all in STABILIZE.
      return mode == .stabilize
        ? .idle : .fly(.still, .rate(metersPerSecond: -Self.lowThrottleDescentRate))
    case .stopping, .holding, .flying, .moving, .returning, .landing:
      guard !isLanded else { return .idle }
      return flightDemand(&aircraft)
    }
  }

  private mutating func flightDemand(_ aircraft: inout Aircraft) -> Airframe.Demand {
    let body = aircraft.airframe
    switch activity {
    case .followingSticks, .takingOff: return .idle
    case .stopping(let deceleration):
      if body.groundSpeedMetersPerSecond < 0.05, abs(body.velocity.up) < 0.1 {
        activity = .holding(Vector(north: body.position.north, east: body.position.east, up: heldHeight))
      }
      let stand = Airframe.Horizontal.velocity(
        north: 0, east: 0, accelerationMetersPerSecondSquared: deceleration)
      return .fly(stand, .height(heldHeight))
    case .holding(let place), .flying(let place):
      return .fly(horizontal(to: place), .height(place.up))
    case .moving(let velocity, let end):
      if aircraft.seconds >= end { stopInGuided(.hardStop, aircraft) }
      let way = Airframe.Horizontal.velocity(
        north: velocity.north, east: velocity.east,
        accelerationMetersPerSecondSquared: Airframe.accelerationLimit)
      return .fly(
        way,
        .rate(metersPerSecond: min(Airframe.climbRate, max(-Airframe.descentRate, velocity.up))))
    case .returning(let stage): return demand(of: stage, aircraft)
    case .landing:
      let height = body.position.up - (home?.up ?? 0)
      // LAND_SPEED from LAND_ALT_LOW on.
      let rate = height > 10 ? Airframe.descentRate : 0.5
      return .fly(.still, .rate(metersPerSecond: -rate))
    }
  }

  private mutating func demand(of stage: Return, _ aircraft: Aircraft) -> Airframe.Demand {
    let body = aircraft.airframe
    let home = self.home ?? .zero
    switch stage {
    case .climbing(let height):
      if body.position.up >= height - 0.3, body.groundSpeedMetersPerSecond < 0.5 {
        activity = .returning(.travelling(heightMeters: height))
      }
      return .fly(.still, .height(height))
    case .travelling(let height):
      let isThere = (body.position - home).horizontalLength < 0.5 && body.groundSpeedMetersPerSecond < 0.5
      // RTL_LOIT_TIME
      if isThere { activity = .returning(.waiting(until: aircraft.seconds + 5)) }
      return .fly(horizontal(to: home), .height(height))
    case .waiting(let end):
      if aircraft.seconds >= end { activity = .landing }
      return .fly(horizontal(to: home), .rate(metersPerSecond: 0))
    }
  }

  private func horizontal(to place: Vector) -> Airframe.Horizontal {
    .position(north: place.north, east: place.east, speedMetersPerSecond: speedLimitMetersPerSecond)
  }

  /// How long after the acknowledgement the text comes that explains it.
  static let textDelay = 0.2
  /// PILOT_SPEED_UP, which counts downwards too while PILOT_SPEED_DN is 0.
  private static let lowThrottleDescentRate = 2.5

  static let unaskedStreams: [(id: UInt32, rate: Double)] = []
  static let restartsByCommand = true
  static let tellsZerosForNoPosition = true
  /// Measured: a fix after 8 to 10 s, an estimate that allows arming after about 40 s.
  static let readiness = Readiness(gpsFixAfterSeconds: 9, armableAfterSeconds: 40)
  /// 4.7.0, FIRMWARE_VERSION_TYPE_DEV.
  static let softwareVersion: UInt32 = 4 << 24 | 7 << 16

  static let parameters = Parameters([
    .init(name: "SYSID_THISMAV", type: .int16, value: 1),
    .init(name: "MAV_GCS_SYSID", type: .int16, value: 255),
    .init(name: "FS_GCS_ENABLE", type: .int8, value: 0),
    .init(name: "FS_GCS_TIMEOUT", type: .real32, value: 5),
    .init(name: "FS_THR_ENABLE", type: .int8, value: 0),
    .init(name: "FS_OPTIONS", type: .int32, value: 16),
    .init(name: "FS_EKF_ACTION", type: .int8, value: 1),
    .init(name: "RTL_ALT", type: .real32, value: 1500),
    .init(name: "DISARM_DELAY", type: .int8, value: 10),
    .init(name: "GUID_TIMEOUT", type: .real32, value: 3),
    .init(name: "BATT_MONITOR", type: .int8, value: 4),
    .init(name: "BATT_CAPACITY", type: .int32, value: 5200),
    .init(name: "BATT_LOW_VOLT", type: .real32, value: 0),
    .init(name: "BATT_FS_LOW_ACT", type: .int8, value: 0),
    .init(name: "ARMING_CHECK", type: .int32, value: 1),
  ])
}

extension ArduCopter.Activity {
  /// The stop of BRAKE and of entering GUIDED: 9.9 m/s to rest in 5 s and 20 m.
  static let hardStop = Self.stopping(decelerationMetersPerSecondSquared: 2.5)
  /// The stop of a pause: 25 m.
  static let gentleStop = Self.stopping(decelerationMetersPerSecondSquared: 2.0)
}

extension Airframe.Horizontal {
  /// Over the ground at rest.
  fileprivate static let still = Self.velocity(
    north: 0, east: 0, accelerationMetersPerSecondSquared: Airframe.accelerationLimit)
}

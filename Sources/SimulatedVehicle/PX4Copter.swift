import Geodesy
import MAVLink

/// A PX4 multicopter of 2026 as it was measured in its own simulator over a serial line, without a pilot's radio.
///
/// Where the measurements say nothing, its source and parameter reference do (commander, navigator, MPC_*, COM_*).
struct PX4Copter: FlightController {
  /// `custom_mode` of HEARTBEAT is `main << 16 | sub << 24`.
  enum Mode: UInt32, CaseIterable, Sendable {
    case altitude = 0x0002_0000
    case position = 0x0003_0000
    case takeoff = 0x0204_0000
    case hold = 0x0304_0000
    case rtl = 0x0504_0000
    case land = 0x0604_0000
    case offboard = 0x0006_0000

    var name: String {
      switch self {
      case .altitude: "ALTCTL"
      case .position: "POSCTL"
      case .takeoff: "AUTO.TAKEOFF"
      case .hold: "AUTO.LOITER"
      case .rtl: "AUTO.RTL"
      case .land: "AUTO.LAND"
      case .offboard: "OFFBOARD"
      }
    }

    var allowsArming: Bool {
      switch self {
      case .altitude, .position, .takeoff, .hold, .offboard: true
      case .rtl, .land: false
      }
    }
  }

  /// What it does in the air.
  enum Activity: Equatable, Sendable {
    case stopping
    case holding(Vector)
    case takingOff(up: Double, liftsAt: Double)
    case flying(to: Vector)
    case climbingToReturn(up: Double)
    case returning(up: Double)
    case landing
  }

  private(set) var mode = Mode.hold
  private(set) var activity = Activity.stopping
  private(set) var isArmed = false
  private(set) var isLanded = true
  private(set) var home: Vector?
  /// Where the height hold of a stop is.
  private var heldUp = 0.0
  private var landedSince = 0.0
  private var hasFlown = false
  private var saidReady = false
  private var saidBatteryLow = false
  var lastGroundStationHeartbeat: Double?
  private var hasLostGroundStation = false
  private var estimateLostAt: Double?
  /// The newest position target, for OFFBOARD, and since when they come without a gap.
  var offboard: (target: Vector, at: Double, since: Double)?

  var modeName: String { mode.name }

  var target: Vector? {
    switch activity {
    case .flying(let place), .holding(let place): place
    case .climbingToReturn, .returning: home
    case .stopping, .takingOff, .landing: nil
    }
  }

  var landedState: LandedState {
    if isLanded { return .onGround }
    switch activity {
    case .takingOff: return .takeoff
    case .landing: return .landing
    case .stopping, .holding, .flying, .climbingToReturn, .returning: return .inAir
    }
  }

  var heartbeat: Heartbeat {
    var flags: ModeFlags = [.customModeEnabled, .stabilizeEnabled]
    switch mode {
    case .altitude, .position: flags.insert(.manualInputEnabled)
    case .takeoff, .hold, .rtl, .land, .offboard: flags.formUnion([.guidedEnabled, .autoEnabled])
    }
    if isArmed { flags.insert(.safetyArmed) }
    return Heartbeat(
      type: .quadrotor, autopilot: .px4, baseMode: flags, customMode: mode.rawValue,
      systemStatus: isArmed ? .active : .standby)
  }

  mutating func start(_ aircraft: inout Aircraft) {
    self = PX4Copter()
    isLanded = aircraft.airframe.isOnGround
    aircraft.note(.booted)
  }

  mutating func stop() { self = PX4Copter() }

  /// Whatever the number, a pilot's switch leads to POSCTL: the sticks are in the middle.
  mutating func pilotSelects(mode number: UInt32, _ aircraft: inout Aircraft) {
    change(to: .position, .pilot, &aircraft)
  }

  // MARK: Modes

  /// Being in the mode already changes nothing: a reposition is flown in Hold, and Hold does not stop it.
  mutating func change(
    to wanted: Mode, _ reason: VehicleEvent.ModeReason, _ aircraft: inout Aircraft
  ) {
    guard wanted != mode else { return }
    mode = wanted
    aircraft.note(.modeChanged(wanted.name, reason: reason))
    let here = aircraft.airframe.position
    switch wanted {
    case .altitude, .position, .hold, .takeoff: brake(aircraft)
    case .offboard: if let offboard { activity = .flying(to: offboard.target) }
    case .land: activity = .landing
    case .rtl:
      let distance = (here - (home ?? .zero)).horizontalLength
      let asked = Double(aircraft.parameters["RTL_RETURN_ALT"] ?? 60)
      // RTL_CONE_ANG: near home it need not climb as high.
      let up = (home?.up ?? 0) + min(asked, distance)
      activity = .climbingToReturn(up: max(here.up, up))
    }
  }

  mutating func brake(_ aircraft: Aircraft) {
    heldUp = aircraft.airframe.position.up
    activity = .stopping
  }

  mutating func fly(to place: Vector) { activity = .flying(to: place) }

  mutating func climb(to up: Double, _ aircraft: Aircraft) {
    // COM_SPOOLUP_TIME and the ramp of MPC_TKO_RAMP_T.
    activity = .takingOff(up: up, liftsAt: aircraft.seconds + (isLanded ? 4 : 0))
  }

  // MARK: Arming

  func reasonsNotToArm(_ aircraft: Aircraft) -> [String] {
    var reasons: [String] = []
    for case .refuseArm(let text) in aircraft.faults { reasons.append(text) }
    if !aircraft.hasPositionEstimate { reasons.append("GPS fix too low") }
    if !mode.allowsArming { reasons.append("Mode not suitable for takeoff") }
    return reasons.sorted()
  }

  mutating func arm(_ aircraft: inout Aircraft) {
    isArmed = true
    hasFlown = false
    landedSince = aircraft.seconds
    home = aircraft.airframe.position
    aircraft.note(.armed)
    aircraft.say(.info, "Armed by external command")
  }

  mutating func disarm(_ aircraft: inout Aircraft, because reason: String) {
    guard isArmed else { return }
    isArmed = false
    aircraft.note(.disarmed)
    aircraft.say(.info, "Disarmed by \(reason)")
  }

  // MARK: Flying

  mutating func step(_ aircraft: inout Aircraft) -> Airframe.Demand {
    notice(&aircraft)
    watchGroundStation(&aircraft)
    watchOffboard(&aircraft)
    watchEstimate(&aircraft)
    watchGround(&aircraft)
    guard isArmed, !aircraft.battery.isEmpty else { return .stopped }
    return demand(&aircraft)
  }

  private mutating func notice(_ aircraft: inout Aircraft) {
    if aircraft.hasPositionEstimate, !saidReady {
      saidReady = true
      if home == nil { home = aircraft.airframe.position }
      aircraft.note(.homeSet)
      if reasonsNotToArm(aircraft).isEmpty { aircraft.say(.info, "Ready for takeoff!") }
    }
    if aircraft.faults.contains(.batteryLow), !saidBatteryLow {
      saidBatteryLow = true
      // COM_LOW_BAT_ACT is 0 unless somebody sets it: a warning.
      aircraft.say(.warning, "Low battery level, return advised")
    }
  }

  /// Told after COM_DL_LOSS_T; NAV_DLL_ACT says what else happens, and is 0 unless somebody sets it: nothing.
  private mutating func watchGroundStation(_ aircraft: inout Aircraft) {
    guard let last = lastGroundStationHeartbeat else { return }
    let isLost = aircraft.seconds - last > Double(aircraft.parameters["COM_DL_LOSS_T"] ?? 10)
    guard isLost != hasLostGroundStation else { return }
    hasLostGroundStation = isLost
    aircraft.say(
      isLost ? .warning : .info,
      isLost ? "Connection to ground station lost" : "Connection to ground station regained")
    guard isLost, isArmed, !isLanded, let action = aircraft.parameters["NAV_DLL_ACT"],
      (1...3).contains(action)
    else { return }
    aircraft.note(.failsafe("ground control station"))
    change(to: action == 1 ? .hold : action == 2 ? .rtl : .land, .failsafe, &aircraft)
  }

  private mutating func watchOffboard(_ aircraft: inout Aircraft) {
    guard mode == .offboard, aircraft.seconds - (offboard?.at ?? 0) > 1 else { return }
    aircraft.note(.failsafe("offboard"))
    aircraft.say(.critical, "Failsafe activated: no offboard signal")
    change(to: .rtl, .failsafe, &aircraft)
  }

  /// COM_POS_FS_DELAY, then Descend, which is shown as AUTO.LAND.
  private mutating func watchEstimate(_ aircraft: inout Aircraft) {
    guard isArmed, !isLanded, !aircraft.hasPositionEstimate, mode != .altitude, mode != .land else {
      estimateLostAt = nil
      return
    }
    let since = estimateLostAt ?? aircraft.seconds
    estimateLostAt = since
    guard aircraft.seconds - since >= 1 else { return }
    aircraft.note(.failsafe("estimate"))
    aircraft.say(.critical, "Failsafe activated: no valid position estimate")
    change(to: .land, .failsafe, &aircraft)
  }

  private mutating func watchGround(_ aircraft: inout Aircraft) {
    if let speed = aircraft.airframe.takeTouchdown(), !isLanded {
      isLanded = true
      landedSince = aircraft.seconds
      aircraft.note(speed > 3.5 ? .crashed(speedMetersPerSecond: speed) : .landed)
      if speed > 3.5 { disarm(&aircraft, because: "failure detector") }
    }
    guard isArmed, isLanded else { return }
    if case .takingOff = activity { return }
    // COM_DISARM_LAND and COM_DISARM_PRFLT.
    if aircraft.seconds - landedSince >= (hasFlown ? 2 : 10) {
      disarm(&aircraft, because: hasFlown ? "landing" : "auto preflight disarming")
    }
  }

  private mutating func demand(_ aircraft: inout Aircraft) -> Airframe.Demand {
    let body = aircraft.airframe
    if case .takingOff(let up, let liftsAt) = activity {
      guard aircraft.seconds >= liftsAt else { return .idle }
      if isLanded {
        isLanded = false
        hasFlown = true
        aircraft.note(.tookOff)
      }
      if up - body.position.up < 0.3 {
        change(to: .hold, .command, &aircraft)
        activity = .holding(Vector(north: body.position.north, east: body.position.east, up: up))
      }
      // MPC_TKO_SPEED.
      return .fly(.standing, up - body.position.up > 1.2 ? .rate(metersPerSecond: 1.5) : .height(up))
    }
    guard !isLanded else { return .idle }
    switch activity {
    case .takingOff: return .idle
    case .stopping:
      if body.groundSpeedMetersPerSecond < 0.05, abs(body.velocity.up) < 0.1 {
        activity = .holding(Vector(north: body.position.north, east: body.position.east, up: heldUp))
      }
      return .fly(.standing, .height(heldUp))
    case .holding(let place), .flying(let place): return .fly(horizontal(to: place), .height(place.up))
    case .climbingToReturn(let up):
      if body.position.up >= up - 0.3 { activity = .returning(up: up) }
      return .fly(.standing, .height(up))
    case .returning(let up):
      let home = self.home ?? .zero
      let isThere = (body.position - home).horizontalLength < 0.5 && body.groundSpeedMetersPerSecond < 0.5
      if isThere { activity = .landing }
      return .fly(horizontal(to: home), .height(up))
    case .landing:
      // MPC_Z_V_AUTO_DN, and MPC_LAND_SPEED near the ground.
      let isHigh = body.position.up - (home?.up ?? 0) > 10
      return .fly(.standing, .rate(metersPerSecond: isHigh ? -1.5 : -0.7))
    }
  }

  /// Measured: about 5 m/s (MPC_XY_CRUISE).
  private func horizontal(to place: Vector) -> Airframe.Horizontal {
    .position(north: place.north, east: place.east, speedMetersPerSecond: 5)
  }

  static let unaskedStreams: [(id: UInt32, rate: Double)] = [
    (Attitude.messageID, 10), (VFRHUD.messageID, 4), (GlobalPositionInt.messageID, 5),
    (LocalPositionNED.messageID, 5), (SystemStatus.messageID, 1), (GPSRawInt.messageID, 1),
    (ExtendedSystemState.messageID, 1), (HomePosition.messageID, 0.5), (SystemTime.messageID, 1),
    (BatteryStatus.messageID, 0.5), (PositionTargetGlobalInt.messageID, 1),
  ]
  static let restartsByCommand = false
  static let tellsZerosForNoPosition = false
  static let readiness = Readiness(gpsFixAfterSeconds: 2, armableAfterSeconds: 4)
  /// 1.17.0, FIRMWARE_VERSION_TYPE_DEV.
  static let softwareVersion: UInt32 = 1 << 24 | 17 << 16

  static let parameters = Parameters(
    [
      .init(name: "MAV_SYS_ID", type: .int32, value: 1),
      .init(name: "MIS_TAKEOFF_ALT", type: .real32, value: 2.5),
      .init(name: "RTL_RETURN_ALT", type: .real32, value: 60),
      .init(name: "NAV_DLL_ACT", type: .int32, value: 0),
      .init(name: "NAV_RCL_ACT", type: .int32, value: 2),
      .init(name: "COM_DL_LOSS_T", type: .int32, value: 10),
      .init(name: "COM_OF_LOSS_T", type: .real32, value: 1),
      .init(name: "COM_LOW_BAT_ACT", type: .int32, value: 0),
      .init(name: "GF_ACTION", type: .int32, value: 2),
      .init(name: "GF_MAX_HOR_DIST", type: .real32, value: 0),
    ], encoding: .bytes)
}

extension Airframe.Horizontal {
  /// Over the ground at rest. Measured: from 5 m/s in 4 s and 8 m.
  fileprivate static let standing = Self.velocity(
    north: 0, east: 0, accelerationMetersPerSecondSquared: 1.65)
}

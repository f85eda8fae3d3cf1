import Geodesy
public import MAVLink
public import Vehicle

/// The target that the autopilot says it flies to (POSITION_TARGET_GLOBAL_INT).
public struct ReportedTarget: Equatable, Sendable {
  public var latitudeE7: Int32
  public var longitudeE7: Int32
  /// Above mean sea level; nil when the report's frame says otherwise.
  public var altitudeMSLMeters: Double?
  public var at: ContinuousClock.Instant
}

/// What a frame or the passing of time told.
public enum Observation: Equatable, Sendable {
  /// An autopilot is there: the first heartbeat ever, or the first after silence.
  case found(AutopilotAddress)
  /// Its clock fell back: it started anew, and all that was known is void.
  case restarted
  /// No heartbeat for ``VehicleObserver/heartbeatLimit``: all that was known is void.
  case lost
  case acknowledged(CommandAck)
  case text(VehicleText)
  case stateChanged
}

/// What runs on the flight controller, as far as its sequences differ. Other firmware gives other meanings to the
/// same mode numbers.
public enum Firmware: Equatable, Sendable {
  case arduCopter
  case arduPlane
  case arduRover
  /// ArduRover on a boat.
  case arduBoat
  /// PX4 on a multicopter.
  case px4
  case other
}

/// Turns frames from the serial line into what is known of the vehicle.
public struct VehicleObserver: Sendable {
  /// Five missed heartbeats of 1 Hz (MAVLink heartbeat service: "four or five").
  public static let heartbeatLimit: Duration = .seconds(5)
  /// Messages of one autopilot are stamped by different tasks: only a fall beyond this is a restart.
  static let clockTolerance: Int64 = 2000
  static let maximumTexts = 50

  public private(set) var state = VehicleState()
  /// The autopilot that is listened to; kept when its heartbeats stop, so that a stop can still be sent.
  public private(set) var address: AutopilotAddress?
  /// Whose sequences fit, as of the last heartbeat; nil before the first.
  public private(set) var firmware: Firmware?
  public private(set) var reportedTarget: ReportedTarget?
  /// The autopilot's last texts, oldest first.
  public private(set) var texts: [VehicleText] = []

  private var assembler = StatusTextAssembler()
  private var uptimeAt: ContinuousClock.Instant?

  public init() {}

  /// Forgets the vehicle, as when its device vanished.
  public mutating func reset() {
    let texts = self.texts
    self = VehicleObserver()
    self.texts = texts
  }

  public mutating func observe(_ frame: borrowing Frame, at now: ContinuousClock.Instant) -> [Observation] {
    let before = state
    var seen: [Observation] = []
    if let heartbeat = frame.decode(Heartbeat.self) {
      observe(heartbeat, from: frame, at: now, &seen)
    } else if let address, frame.systemID == address.systemID, frame.componentID == address.componentID {
      observeOther(frame, at: now, &seen)
    }
    if state != before { seen.append(.stateChanged) }
    return seen
  }

  /// Notices silence and texts that were left without an end.
  public mutating func tick(at now: ContinuousClock.Instant) -> [Observation] {
    var seen = assembler.overdue(at: now).map { keep($0) }
    if let heard = state.heartbeatAt, heard.duration(to: now) >= Self.heartbeatLimit {
      void()
      seen += [.lost, .stateChanged]
    }
    return seen
  }

  private mutating func observe(
    _ heartbeat: Heartbeat, from frame: borrowing Frame, at now: ContinuousClock.Instant,
    _ seen: inout [Observation]
  ) {
    // Gimbals, cameras, companions and ground stations say INVALID, or should: some name the autopilot that they belong to, and
    // what they are tells. The component ID proves nothing.
    guard heartbeat.autopilot != .invalid, !heartbeat.type.isEquipment else { return }
    let source = AutopilotAddress(systemID: frame.systemID, componentID: frame.componentID)
    if state.heartbeatAt == nil {
      if address != source { address = source }
      seen.append(.found(source))
    } else if address != source {
      return
    }
    state.heartbeatAt = now
    state.autopilot =
      switch heartbeat.autopilot {
      case .arduPilotMega: .ardupilot
      case .px4: .px4
      default: .other
      }
    state.isArmed = heartbeat.baseMode.contains(.safetyArmed)
    state.isFailsafe = heartbeat.systemStatus == .critical || heartbeat.systemStatus == .emergency
    state.kind = VehicleKind(heartbeat.type)
    firmware =
      switch (heartbeat.autopilot, state.kind) {
      case (.arduPilotMega, .multicopter): .arduCopter
      case (.arduPilotMega, .plane): .arduPlane
      case (.arduPilotMega, .rover): .arduRover
      case (.arduPilotMega, .boat): .arduBoat
      case (.px4, .multicopter): .px4
      default: .other
      }
    if heartbeat.autopilot == .px4 {
      let mode = PX4Mode(customMode: heartbeat.customMode)
      state.mode = mode.flightMode
      state.modeName = mode.name
    } else if firmware == .arduCopter {
      let mode = CopterMode(rawValue: heartbeat.customMode)
      state.mode = ArduCopterModes.flightMode(mode)
      state.modeName = ArduCopterModes.name(mode) ?? "mode \(heartbeat.customMode)"
    } else if firmware == .arduPlane {
      let mode = PlaneMode(rawValue: heartbeat.customMode)
      state.mode = ArduPlaneModes.flightMode(mode)
      state.modeName = ArduPlaneModes.name(mode) ?? "mode \(heartbeat.customMode)"
    } else if firmware == .arduRover || firmware == .arduBoat {
      let mode = RoverMode(rawValue: heartbeat.customMode)
      state.mode = ArduRoverModes.flightMode(mode, isBoat: firmware == .arduBoat)
      state.modeName = ArduRoverModes.name(mode) ?? "mode \(heartbeat.customMode)"
    } else {
      state.mode = .other
      state.modeName = "mode \(heartbeat.customMode)"
    }
  }

  private mutating func observeOther(
    _ frame: borrowing Frame, at now: ContinuousClock.Instant, _ seen: inout [Observation]
  ) {
    switch frame.messageID {
    case CommandAck.messageID:
      if let ack = frame.decode(CommandAck.self), isOurs(ack) { seen.append(.acknowledged(ack)) }
    case StatusText.messageID:
      if let chunk = frame.decode(StatusText.self) {
        let whole = assembler.add(chunk, at: now)
        // What PX4 says once its checks pass, ahead of the next SYS_STATUS.
        if firmware == .px4, whole.contains(where: { $0.text.hasPrefix("Ready for takeoff") }) {
          state.isReadyToArm = true
        }
        seen += whole.map { keep($0) }
      }
    case SystemTime.messageID:
      if let time = frame.decode(SystemTime.self) { clock(time.timeBootMs, at: now, &seen) }
    case GlobalPositionInt.messageID:
      if let position = frame.decode(GlobalPositionInt.self) {
        clock(position.timeBootMs, at: now, &seen)
        observe(position, at: now)
      }
    case PositionTargetGlobalInt.messageID:
      if let target = frame.decode(PositionTargetGlobalInt.self) { observe(target, at: now) }
    case ExtendedSystemState.messageID:
      if let extended = frame.decode(ExtendedSystemState.self) {
        state.landed =
          switch extended.landedState {
          case .onGround: .onGround
          case .inAir: .inAir
          case .takeoff: .takingOff
          case .landing: .landing
          default: nil
          }
      }
    default: observeStatus(frame)
    }
  }

  private mutating func observeStatus(_ frame: borrowing Frame) {
    if let home = frame.decode(HomePosition.self) {
      let coordinate = Coordinate(e7: home.latitude, home.longitude)
      guard let coordinate, !coordinate.isNullIsland else { return }
      state.home = coordinate
      state.homeAltitudeMSLMeters = Double(home.altitude) / 1000
    } else if let display = frame.decode(VFRHUD.self) {
      if display.groundspeed.isFinite { state.groundSpeedMetersPerSecond = Double(display.groundspeed) }
      if display.climb.isFinite { state.climbRateMetersPerSecond = Double(display.climb) }
      if (0...360).contains(display.heading) { state.headingDegrees = Double(display.heading % 360) }
    } else if let status = frame.decode(SystemStatus.self) {
      // 65535 mV and -1 % stand for "not measured".
      if status.voltageBattery != .max { state.batteryVolts = Double(status.voltageBattery) / 1000 }
      if (0...100).contains(status.batteryRemaining) { state.batteryPercent = Int(status.batteryRemaining) }
      if status.onboardControlSensorsPresent.contains(.prearmCheck) {
        state.isReadyToArm = status.onboardControlSensorsHealth.contains(.prearmCheck)
      }
    } else if let battery = frame.decode(BatteryStatus.self) {
      if battery.id == 0, (0...100).contains(battery.batteryRemaining) {
        state.batteryPercent = Int(battery.batteryRemaining)
      }
    } else if let receiver = frame.decode(GPSRawInt.self) {
      state.gpsFixType = Int(receiver.fixType.rawValue)
      state.satellites = receiver.satellitesVisible == .max ? nil : Int(receiver.satellitesVisible)
    }
  }

  private mutating func observe(_ position: GlobalPositionInt, at now: ContinuousClock.Instant) {
    // Without an estimate the autopilot reports 0,0 and meaningless heights.
    guard let coordinate = Coordinate(e7: position.lat, position.lon), !coordinate.isNullIsland else {
      state.coordinate = nil
      state.positionAt = nil
      return
    }
    state.coordinate = coordinate
    state.positionAt = now
    state.altitudeAboveHomeMeters = Double(position.relativeAlt) / 1000
    state.altitudeMSLMeters = Double(position.alt) / 1000
    if position.hdg < 36_000 { state.headingDegrees = Double(position.hdg) / 100 }
  }

  private mutating func observe(_ target: PositionTargetGlobalInt, at now: ContinuousClock.Instant) {
    let isAbsolute = target.coordinateFrame == .global || target.coordinateFrame == .globalInt
    reportedTarget = ReportedTarget(
      latitudeE7: target.latInt, longitudeE7: target.lonInt,
      altitudeMSLMeters: isAbsolute && target.alt.isFinite ? Double(target.alt) : nil, at: now)
  }

  private mutating func clock(
    _ bootMilliseconds: UInt32, at now: ContinuousClock.Instant, _ seen: inout [Observation]
  ) {
    if isRestart(bootMilliseconds, at: now) {
      let heard = state.heartbeatAt
      void()
      // The line is alive; the next heartbeat fills in the rest.
      state.heartbeatAt = heard
      seen.append(.restarted)
    }
    // Slightly late stamps of another task must not pull the clock back step by step.
    state.uptimeMilliseconds = max(bootMilliseconds, state.uptimeMilliseconds ?? 0)
    uptimeAt = now
  }

  /// The clock fell; or, soon after a start, it lags so far that a whole new start fits into the silence before.
  private func isRestart(_ bootMilliseconds: UInt32, at now: ContinuousClock.Instant) -> Bool {
    guard let known = state.uptimeMilliseconds, let uptimeAt else { return false }
    let fall = Int64(known) - Int64(bootMilliseconds)
    if fall > Self.clockTolerance { return true }
    // After more silence than that all is void anyway; here it was this program that stood still, and what comes is what waited
    // in the line's buffer.
    guard uptimeAt.duration(to: now) < Self.heartbeatLimit else { return false }
    let silence = uptimeAt.duration(to: now) / .milliseconds(1)
    return Double(bootMilliseconds) < silence + 500
      && Double(fall) + silence > Double(Self.clockTolerance)
  }

  /// Old firmware leaves the addressee of an acknowledgement empty.
  private func isOurs(_ ack: CommandAck) -> Bool {
    (ack.targetSystem == 0 || ack.targetSystem == address?.systemID)
      && (ack.targetComponent == 0 || ack.targetComponent == Heartbeats.companionComponentID)
  }

  private mutating func void() {
    state = VehicleState()
    reportedTarget = nil
    uptimeAt = nil
  }

  private mutating func keep(_ text: VehicleText) -> Observation {
    if texts.count == Self.maximumTexts { texts.removeFirst() }
    texts.append(text)
    return .text(text)
  }
}

extension SystemType {
  /// No vehicle, but a part of one or something beside it, such as a gimbal or an ADS-B receiver.
  var isEquipment: Bool {
    switch self {
    case .antennaTracker, .groundControlStation, .onboardController, .gimbal, .adsb, .camera,
      .chargingStation,
      .flarm, .servo, .odid, .battery, .parachute, .log, .osd, .imu, .gps, .winch, .illuminator, .gripper:
      true
    default: false
    }
  }
}

extension Coordinate {
  /// From MAVLink's integers in 1e-7 degrees.
  init?(e7 latitude: Int32, _ longitude: Int32) {
    self.init(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
  }
}

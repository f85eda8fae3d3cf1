import Geodesy
import Glibc
import MAVLink

extension SimulatedVehicle {
  /// Whether there is such a message at all; whether it can be told now is another question.
  func canSend(_ id: UInt32) -> Bool {
    switch id {
    case Heartbeat.messageID, SystemStatus.messageID, SystemTime.messageID, GPSRawInt.messageID,
      Attitude.messageID, LocalPositionNED.messageID, GlobalPositionInt.messageID,
      NavControllerOutput.messageID, VFRHUD.messageID, PositionTargetGlobalInt.messageID,
      BatteryStatus.messageID, AutopilotVersion.messageID, EKFStatusReport.messageID,
      HomePosition.messageID, ExtendedSystemState.messageID:
      true
    default: false
    }
  }

  /// The message with this ID as it would be sent now; nil when there is nothing to tell.
  func telemetry(_ id: UInt32) -> (any Message)? {
    switch id {
    case Heartbeat.messageID: controller.heartbeat
    case SystemStatus.messageID: systemStatus
    case SystemTime.messageID: systemTime
    case GPSRawInt.messageID: gpsRaw
    case Attitude.messageID: attitude
    case LocalPositionNED.messageID: aircraft.hasPositionEstimate ? localPosition : nil
    case GlobalPositionInt.messageID: globalPosition
    case NavControllerOutput.messageID: navigation
    case VFRHUD.messageID: headUpDisplay
    case PositionTargetGlobalInt.messageID: positionTarget
    case BatteryStatus.messageID: batteryStatus
    case AutopilotVersion.messageID: autopilotVersion
    case EKFStatusReport.messageID: estimatorStatus
    case HomePosition.messageID: homePosition
    case ExtendedSystemState.messageID:
      ExtendedSystemState(vtolState: .undefined, landedState: controller.landedState)
    default: nil
    }
  }

  private var milliseconds: UInt32 {
    UInt32(truncatingIfNeeded: Int(aircraft.secondsSinceStart * 1000))
  }

  private var body: Airframe { aircraft.airframe }

  private var systemStatus: SystemStatus {
    var present: SystemStatusSensors = [
      .sensor3dGyro, .sensor3dAccel, .sensor3dMag, .sensorAbsolutePressure, .sensorGPS,
      .sensorAngularRateControl, .sensorAttitudeStabilization, .sensorYawPosition,
      .sensorZAltitudeControl, .sensorXyPositionControl, .sensorMotorOutputs, .ahrs, .sensorBattery,
    ]
    present.insert(.prearmCheck)
    var healthy = present
    if !aircraft.hasFix { healthy.remove(.sensorGPS) }
    if !aircraft.hasPositionEstimate { healthy.subtract([.ahrs, .prearmCheck]) }
    for case .refuseArm in aircraft.faults { healthy.remove(.prearmCheck) }
    return SystemStatus(
      onboardControlSensorsPresent: present, onboardControlSensorsEnabled: present,
      onboardControlSensorsHealth: healthy, load: 100,
      voltageBattery: UInt16(aircraft.battery.voltage * 1000),
      currentBattery: Int16(aircraft.battery.currentAmperes * 100),
      batteryRemaining: Int8(aircraft.battery.remaining * 100))
  }

  private var systemTime: SystemTime {
    var unix: UInt64 = 0
    if aircraft.hasFix, let beginning = configuration.unixTimeSeconds {
      unix = UInt64(max(0, beginning + aircraft.seconds) * 1e6)
    }
    return SystemTime(timeUnixUsec: unix, timeBootMs: milliseconds)
  }

  private var gpsRaw: GPSRawInt {
    let time = UInt64(aircraft.secondsSinceStart * 1e6)
    guard aircraft.hasFix else {
      // What a receiver without fix says: unknown accuracy, and a position of zero.
      return GPSRawInt(
        timeUsec: time, fixType: .noFix, lat: 0, lon: 0, eph: .max, epv: .max, vel: 0, cog: .max)
    }
    let here = aircraft.frame.coordinate(of: body.position)
    let altitude = Int32(altitudeMSL(body.position.up) * 1000)
    return GPSRawInt(
      timeUsec: time, fixType: .rtkFixed, lat: scaled(here.latitude), lon: scaled(here.longitude),
      alt: altitude, eph: 121, epv: 200,
      vel: UInt16(min(65534, body.groundSpeedMetersPerSecond * 100)), cog: courseCentidegrees,
      satellitesVisible: 10, altEllipsoid: altitude, hAcc: 300, vAcc: 500, velAcc: 100)
  }

  private var courseCentidegrees: UInt16 {
    let course = atan2(body.velocity.east, body.velocity.north) * 180 / .pi
    return UInt16((course < 0 ? course + 360 : course) * 100) % 36000
  }

  private var attitude: Attitude {
    let tilt = body.attitude
    return Attitude(
      timeBootMs: milliseconds, roll: Float(tilt.roll), pitch: Float(tilt.pitch),
      yaw: Float(remainder(body.headingDegrees, 360) * .pi / 180))
  }

  private var localPosition: LocalPositionNED {
    LocalPositionNED(
      timeBootMs: milliseconds, x: Float(body.position.north), y: Float(body.position.east),
      z: Float(-body.position.up), vx: Float(body.velocity.north), vy: Float(body.velocity.east),
      vz: Float(-body.velocity.up))
  }

  private var globalPosition: GlobalPositionInt? {
    let heading = UInt16(body.headingDegrees * 100) % 36000
    // Without an estimate ArduPilot tells zeros: a trap that readers have to know.
    guard aircraft.hasPositionEstimate else {
      guard type(of: controller).tellsZerosForNoPosition else { return nil }
      return GlobalPositionInt(timeBootMs: milliseconds, lat: 0, lon: 0, hdg: heading)
    }
    let here = aircraft.frame.coordinate(of: body.position)
    return GlobalPositionInt(
      timeBootMs: milliseconds, lat: scaled(here.latitude), lon: scaled(here.longitude),
      alt: Int32((altitudeMSL(body.position.up) * 1000).rounded()),
      relativeAlt: Int32(((body.position.up - (controller.home?.up ?? 0)) * 1000).rounded()),
      vx: Int16(body.velocity.north * 100), vy: Int16(body.velocity.east * 100),
      vz: Int16(-body.velocity.up * 100), hdg: heading)
  }

  private var navigation: NavControllerOutput {
    guard let target = controller.target else { return NavControllerOutput() }
    let way = target - body.position
    let bearing = Int16(atan2(way.east, way.north) * 180 / .pi)
    return NavControllerOutput(
      navBearing: bearing, targetBearing: bearing,
      wpDist: UInt16(min(65535, way.horizontalLength)), altError: Float(way.up))
  }

  private var headUpDisplay: VFRHUD {
    VFRHUD(
      airspeed: Float(body.groundSpeedMetersPerSecond),
      groundspeed: Float(body.groundSpeedMetersPerSecond), heading: Int16(body.headingDegrees),
      throttle: controller.isArmed ? (controller.isLanded ? 10 : 35) : 0,
      alt: Float(altitudeMSL(body.position.up)), climb: Float(body.velocity.up))
  }

  private var positionTarget: PositionTargetGlobalInt? {
    guard let target = controller.target else { return nil }
    let place = aircraft.frame.coordinate(of: target)
    return PositionTargetGlobalInt(
      timeBootMs: milliseconds, coordinateFrame: .global,
      typeMask: [
        .vxIgnore, .vyIgnore, .vzIgnore, .axIgnore, .ayIgnore, .azIgnore, .yawIgnore,
        .yawRateIgnore,
      ], latInt: scaled(place.latitude), lonInt: scaled(place.longitude),
      alt: Float(altitudeMSL(target.up)))
  }

  private var batteryStatus: BatteryStatus {
    let battery = aircraft.battery
    return BatteryStatus(
      temperature: .max,
      voltages: FixedArray([UInt16(battery.voltage * 1000)], padding: .max),
      currentBattery: Int16(battery.currentAmperes * 100),
      currentConsumed: Int32(battery.usedMilliampereHours), energyConsumed: -1,
      batteryRemaining: Int8(battery.remaining * 100),
      chargeState: battery.remaining > 0.2 ? .ok : .low)
  }

  private var autopilotVersion: AutopilotVersion {
    AutopilotVersion(
      capabilities: [
        .paramFloat, .missionInt, .commandInt, .setPositionTargetLocalNED,
        .setPositionTargetGlobalInt, .flightTermination, .mavlink2,
      ],
      flightSwVersion: type(of: controller).softwareVersion)
  }

  private var estimatorStatus: EKFStatusReport {
    let started: EKFStatusFlags = [.attitude, .velocityHoriz, .velocityVert, .posVertAbs]
    // Measured: 167 first, 831 as soon as it uses the receiver.
    let flags: EKFStatusFlags =
      aircraft.hasPositionEstimate
      ? started.union([.posHorizRel, .posHorizAbs, .predPosHorizRel, .predPosHorizAbs])
      : started.union(.constPosMode)
    return EKFStatusReport(
      flags: flags, velocityVariance: 0.02, posHorizVariance: 0.02, posVertVariance: 0.02,
      compassVariance: 0.02)
  }

  private var homePosition: HomePosition? {
    guard let home = controller.home else { return nil }
    let place = aircraft.frame.coordinate(of: home)
    return HomePosition(
      latitude: scaled(place.latitude), longitude: scaled(place.longitude),
      altitude: Int32((altitudeMSL(home.up) * 1000).rounded()), x: Float(home.north),
      y: Float(home.east), z: Float(-home.up), q: FixedArray([1], padding: 0),
      timeUsec: UInt64(aircraft.secondsSinceStart * 1e6))
  }

  private func altitudeMSL(_ up: Double) -> Double { up + aircraft.frame.altitudeMSLMeters }

  private func scaled(_ degrees: Double) -> Int32 { Int32((degrees * 1e7).rounded()) }
}

import Geodesy
import Glibc
import MAVLink

extension ArduCopter {
  /// What makes arming skip its checks and disarming work in flight.
  private static let forceArm: Float = 2989
  private static let forceDisarm: Float = 21196

  mutating func execute(_ command: Command, _ aircraft: inout Aircraft) -> CommandResult {
    switch command.id {
    case .doSetMode:
      return setMode(base: command.parameter1, number: command.parameter2, &aircraft)
    case .componentArmDisarm: return armOrDisarm(command, &aircraft)
    case .navTakeoff: return takeOff(command, &aircraft)
    case .navLand: return change(to: .land, .command, &aircraft) ? .accepted : .failed
    case .navReturnToLaunch: return change(to: .rtl, .command, &aircraft) ? .accepted : .failed
    case .navLoiterUnlim: return change(to: .loiter, .command, &aircraft) ? .accepted : .failed
    case .doReposition: return reposition(command, &aircraft)
    case .doPauseContinue: return pause(command, &aircraft)
    case .doChangeSpeed:
      guard command.parameter2.isFinite, command.parameter2 > 0 else { return .denied }
      speedLimitMetersPerSecond = min(20, Double(command.parameter2))
      return .accepted
    case .doFlighttermination:
      guard command.parameter1 > 0.5 else { return .failed }
      disarm(&aircraft)
      return .accepted
    case .runPrearmChecks:
      guard !isArmed else { return .temporarilyRejected }
      for reason in reasonsNotToArm(aircraft) {
        aircraft.say(.critical, "PreArm: \(reason)", after: Self.textDelay)
      }
      return .accepted
    default: return .unsupported
    }
  }

  func laterResult(of command: Command, after result: CommandResult) -> CommandResult? { nil }

  mutating func setMode(base: Float, number: Float, _ aircraft: inout Aircraft) -> CommandResult {
    // MAV_MODE_FLAG_CUSTOM_MODE_ENABLED: without it the number means nothing to ArduPilot.
    guard let flags = UInt8(exactly: base), flags & 1 != 0, let mode = UInt32(exactly: number) else {
      return .denied
    }
    guard let wanted = Mode(rawValue: mode) else {
      aircraft.say(.warning, "No such mode \(mode)", after: Self.textDelay)
      return .failed
    }
    return change(to: wanted, .command, &aircraft) ? .accepted : .failed
  }

  private mutating func armOrDisarm(_ command: Command, _ aircraft: inout Aircraft) -> CommandResult {
    if command.parameter1 == 1 {
      if isArmed { return .accepted }
      let reasons = mode.allowsArming ? reasonsNotToArm(aircraft) : ["Mode not armable"]
      if command.parameter2 != Self.forceArm, !reasons.isEmpty {
        for reason in reasons { aircraft.say(.critical, "Arm: \(reason)", after: Self.textDelay) }
        return .failed
      }
      arm(&aircraft)
      return .accepted
    }
    guard command.parameter1 == 0 else { return .unsupported }
    guard isArmed else { return .accepted }
    guard isLanded || command.parameter2 == Self.forceDisarm else { return .failed }
    disarm(&aircraft)
    return .accepted
  }

  private mutating func takeOff(_ command: Command, _ aircraft: inout Aircraft) -> CommandResult {
    if let frame = command.frame, frame != .globalRelativeAlt { return .denied }
    let height = Double(command.altitude)
    // Without a radio the other modes that may take off have no throttle to do it with.
    guard isArmed, isLanded, mode == .guided, height.isFinite, height > 0.5 else { return .failed }
    let home = self.home ?? .zero
    // Three seconds for the motors to spin up: 20 m take 14 s from the command on.
    begin(.takingOff(heightMeters: home.up + height, liftsAt: aircraft.seconds + 3))
    return .accepted
  }

  private mutating func reposition(_ command: Command, _ aircraft: inout Aircraft) -> CommandResult {
    let changesMode = UInt32(exactly: command.parameter2).map { $0 & 1 != 0 } ?? false
    guard mode == .guided || changesMode else { return .denied }
    guard command.latitude != 0 || command.longitude != 0,
      let place = place(
        command.latitude, command.longitude, command.altitude,
        in: command.frame ?? .globalRelativeAlt, aircraft)
    else { return .denied }
    guard change(to: .guided, .command, &aircraft) else { return .failed }
    if isArmed, !isLanded { begin(.flying(to: place)) }
    return .accepted
  }

  private mutating func pause(_ command: Command, _ aircraft: inout Aircraft) -> CommandResult {
    guard command.parameter1 == 0 || command.parameter1 == 1 else { return .denied }
    guard mode == .guided, isArmed, !isLanded else {
      if command.parameter1 == 0 {
        aircraft.say(.info, "Failed to pause: Not Available", after: Self.textDelay)
      }
      return .failed
    }
    if command.parameter1 == 0 { stopInGuided(.gentleStop, aircraft) }
    return .accepted
  }

  /// Nil for what is no place or whose frame is not understood.
  private func place(
    _ latitude: Int32, _ longitude: Int32, _ altitude: Float, in coordinateFrame: CoordinateFrame,
    _ aircraft: Aircraft
  ) -> Vector? {
    guard altitude.isFinite,
      let coordinate = Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
    else { return nil }
    var place = aircraft.frame.position(of: coordinate)
    switch coordinateFrame {
    case .global, .globalInt: place.up = Double(altitude) - aircraft.frame.altitudeMSLMeters
    // The ground is flat: above it is above home.
    case .globalRelativeAlt, .globalRelativeAltInt, .globalTerrainAlt, .globalTerrainAltInt:
      place.up = Double(altitude) + (home?.up ?? 0)
    default: return nil
    }
    return place
  }

  // MARK: Other messages

  mutating func receive(_ frame: Frame, _ aircraft: inout Aircraft) {
    if frame.decode(Heartbeat.self) != nil {
      if Float(frame.systemID) == aircraft.parameters["MAV_GCS_SYSID"] {
        lastGroundStationHeartbeat = aircraft.seconds
      }
    } else if let message = frame.decode(SetPositionTargetGlobalInt.self) {
      let place = place(
        message.latInt, message.lonInt, message.alt, in: message.coordinateFrame, aircraft)
      let velocity = Vector(
        north: Double(message.vx), east: Double(message.vy), up: -Double(message.vz))
      follow(message.typeMask, place, velocity, &aircraft)
    } else if let message = frame.decode(SetPositionTargetLocalNED.self) {
      followLocal(message, &aircraft)
    } else if let message = frame.decode(SetMode.self) {
      let result = setMode(
        base: Float(message.baseMode), number: Float(message.customMode), &aircraft)
      // ArduPilot acknowledges it under the number of the message.
      aircraft.send(
        CommandAck(
          command: CommandID(rawValue: UInt16(SetMode.messageID)), result: result,
          targetSystem: frame.systemID, targetComponent: frame.componentID))
    }
  }

  private static let positionBits: PositionTargetTypeMask = [.xIgnore, .yIgnore, .zIgnore]
  private static let velocityBits: PositionTargetTypeMask = [.vxIgnore, .vyIgnore, .vzIgnore]

  /// A target of either kind. Outside GUIDED and on the ground it is ignored without a word; one that makes no
  /// sense stops the vehicle (`mode_guided.init(true)`).
  private mutating func follow(
    _ mask: PositionTargetTypeMask, _ place: Vector?, _ velocity: Vector, _ aircraft: inout Aircraft
  ) {
    guard mode == .guided, isArmed, !isLanded else { return }
    if mask.isDisjoint(with: Self.positionBits), let place {
      begin(.flying(to: place))
    } else if mask.isSuperset(of: Self.positionBits), mask.isDisjoint(with: Self.velocityBits),
      velocity.north.isFinite, velocity.east.isFinite, velocity.up.isFinite
    {
      let limited = velocity.horizontallyLimited(to: speedLimitMetersPerSecond)
      let timeout = Double(aircraft.parameters["GUID_TIMEOUT"] ?? 3)
      begin(.moving(limited, until: aircraft.seconds + timeout))
    } else {
      stopInGuided(.hardStop, aircraft)
    }
  }

  private mutating func followLocal(
    _ message: SetPositionTargetLocalNED, _ aircraft: inout Aircraft
  ) {
    let heading = aircraft.airframe.headingDegrees * .pi / 180
    func turned(_ vector: Vector) -> Vector {
      Vector(
        north: vector.north * cos(heading) - vector.east * sin(heading),
        east: vector.north * sin(heading) + vector.east * cos(heading), up: vector.up)
    }
    let given = Vector(north: Double(message.x), east: Double(message.y), up: -Double(message.z))
    let velocity = Vector(north: Double(message.vx), east: Double(message.vy), up: -Double(message.vz))
    let here = aircraft.airframe.position
    let isFinite = given.north.isFinite && given.east.isFinite && given.up.isFinite
    switch message.coordinateFrame {
    case .localNED: follow(message.typeMask, isFinite ? given : nil, velocity, &aircraft)
    case .localOffsetNED: follow(message.typeMask, isFinite ? here + given : nil, velocity, &aircraft)
    case .bodyNED, .bodyOffsetNED:
      follow(
        message.typeMask, isFinite ? here + turned(given) : nil, turned(velocity), &aircraft)
    default: follow(message.typeMask, nil, Vector(north: .nan), &aircraft)
    }
  }
}

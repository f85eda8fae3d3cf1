import Geodesy
import MAVLink

extension PX4Copter {
  /// What makes disarming work in flight.
  private static let force: Float = 21196

  mutating func execute(_ command: Command, _ aircraft: inout Aircraft) -> CommandResult {
    switch command.id {
    case .doSetMode: return setMode(command, &aircraft)
    case .componentArmDisarm: return armOrDisarm(command, &aircraft)
    case .navTakeoff: return takeOff(command, &aircraft)
    case .navLand:
      change(to: .land, .command, &aircraft)
      return .accepted
    case .navReturnToLaunch:
      change(to: .rtl, .command, &aircraft)
      return .accepted
    case .doReposition: return reposition(command, &aircraft)
    default: return .unsupported
    }
  }

  /// A mode that was taken in flight may be refused after its acceptance.
  func laterResult(of command: Command, after result: CommandResult) -> CommandResult? {
    command.id == .doSetMode && result == .accepted && !isLanded ? .temporarilyRejected : nil
  }

  private mutating func setMode(_ command: Command, _ aircraft: inout Aircraft) -> CommandResult {
    guard let flags = UInt8(exactly: command.parameter1), flags & 1 != 0,
      let main = UInt8(exactly: command.parameter2), let sub = UInt8(exactly: command.parameter3),
      let wanted = Mode(rawValue: UInt32(main) << 16 | UInt32(sub) << 24)
    else { return .denied }
    switch wanted {
    case .offboard:
      // Targets have to be coming already, for a while.
      guard let offboard, aircraft.seconds - offboard.at < 0.5, offboard.at - offboard.since >= 1 else {
        return .temporarilyRejected
      }
    case .hold, .rtl, .takeoff, .position:
      guard aircraft.hasPositionEstimate else { return .temporarilyRejected }
    case .altitude, .land: break
    }
    if wanted == .takeoff {
      let least = Double(aircraft.parameters["MIS_TAKEOFF_ALT"] ?? 2.5)
      beginTakeoff(up: (home?.up ?? 0) + least, &aircraft)
    } else {
      change(to: wanted, .command, &aircraft)
    }
    return .accepted
  }

  private mutating func armOrDisarm(_ command: Command, _ aircraft: inout Aircraft) -> CommandResult {
    if command.parameter1 == 1 {
      if isArmed { return .accepted }
      let reasons = reasonsNotToArm(aircraft)
      if command.parameter2 != Self.force, !reasons.isEmpty {
        aircraft.say(.critical, "Arming denied: Resolve system health failures first", after: 0.1)
        for reason in reasons { aircraft.say(.critical, "Preflight Fail: \(reason)", after: 0.1) }
        return .temporarilyRejected
      }
      arm(&aircraft)
      return .accepted
    }
    guard command.parameter1 == 0 else { return .denied }
    guard isArmed else { return .accepted }
    guard isLanded || command.parameter2 == Self.force else { return .temporarilyRejected }
    disarm(&aircraft, because: "external command")
    return .accepted
  }

  /// The altitude is above mean sea level; one that is too low, or none, is MIS_TAKEOFF_ALT above home.
  private mutating func takeOff(_ command: Command, _ aircraft: inout Aircraft) -> CommandResult {
    guard aircraft.hasPositionEstimate else { return .temporarilyRejected }
    let least = (home?.up ?? 0) + Double(aircraft.parameters["MIS_TAKEOFF_ALT"] ?? 2.5)
    let asked = Double(command.altitude) - aircraft.frame.altitudeMSLMeters
    // In flight it is accepted, too.
    beginTakeoff(up: asked.isFinite ? max(asked, least) : least, &aircraft)
    return .accepted
  }

  private mutating func beginTakeoff(up: Double, _ aircraft: inout Aircraft) {
    change(to: .takeoff, .command, &aircraft)
    climb(to: isLanded ? up : max(up, aircraft.airframe.position.up), aircraft)
  }

  /// In Hold, whatever the frame says above mean sea level; what is no number is where it is now.
  private mutating func reposition(_ command: Command, _ aircraft: inout Aircraft) -> CommandResult {
    guard let flags = UInt32(exactly: command.parameter2), flags & 1 != 0 else { return .unsupported }
    guard aircraft.hasPositionEstimate else { return .denied }
    let here = aircraft.airframe.position
    let up = Double(command.altitude) - aircraft.frame.altitudeMSLMeters
    guard command.latitude != .max, command.longitude != .max else {
      change(to: .hold, .command, &aircraft)
      brake(aircraft)
      return .accepted
    }
    guard
      let coordinate = Coordinate(
        latitude: Double(command.latitude) / 1e7, longitude: Double(command.longitude) / 1e7)
    else { return .denied }
    change(to: .hold, .command, &aircraft)
    var place = aircraft.frame.position(of: coordinate)
    place.up = up.isFinite ? up : here.up
    if isArmed, !isLanded { fly(to: place) }
    return .accepted
  }

  // MARK: Other messages

  mutating func receive(_ frame: Frame, _ aircraft: inout Aircraft) {
    if let heartbeat = frame.decode(Heartbeat.self) {
      if heartbeat.type == .groundControlStation { lastGroundStationHeartbeat = aircraft.seconds }
    } else if let message = frame.decode(SetPositionTargetGlobalInt.self) {
      guard let place = place(message, aircraft) else { return }
      let now = aircraft.seconds
      let since = offboard.flatMap { now - $0.at < 0.6 ? $0.since : nil } ?? now
      offboard = (place, now, since)
      // Outside OFFBOARD it does nothing and says nothing.
      if mode == .offboard, isArmed, !isLanded { fly(to: place) }
    }
  }

  /// Nil for what is no position, or is in a frame that PX4 does not take.
  private func place(_ message: SetPositionTargetGlobalInt, _ aircraft: Aircraft) -> Vector? {
    guard message.typeMask.isDisjoint(with: [.xIgnore, .yIgnore, .zIgnore]), message.alt.isFinite,
      let coordinate = Coordinate(
        latitude: Double(message.latInt) / 1e7, longitude: Double(message.lonInt) / 1e7)
    else { return nil }
    var place = aircraft.frame.position(of: coordinate)
    switch message.coordinateFrame {
    case .globalInt: place.up = Double(message.alt) - aircraft.frame.altitudeMSLMeters
    case .globalRelativeAltInt, .globalTerrainAltInt: place.up = Double(message.alt) + (home?.up ?? 0)
    default: return nil
    }
    return place
  }
}

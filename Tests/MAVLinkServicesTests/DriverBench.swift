import Geodesy
import MAVLink
import Vehicle

@testable import MAVLinkServices

/// A driver, a vehicle that does what the test says, and a clock that the test moves.
struct DriverBench {
  static let target = Coordinate(latitude: 47.4, longitude: 8.55)!

  var driver: any AutopilotDriver = ArduPilotDriver()
  var now = ContinuousClock.now
  var situation = Situation(state: VehicleState(), address: AutopilotAddress(systemID: 1, componentID: 1))
  var sent: [OutgoingMessage] = []
  var progress: [UInt32: [ActionProgress]] = [:]

  static func onGround(_ mode: FlightMode = .other) -> DriverBench {
    var bench = DriverBench()
    bench.situation.state.heartbeatAt = bench.now
    bench.situation.state.mode = mode
    bench.situation.state.isArmed = false
    bench.situation.state.landed = .onGround
    bench.situation.state.altitudeAboveHomeMeters = 0
    return bench
  }

  static func inAir(_ mode: FlightMode = .guided) -> DriverBench {
    var bench = onGround(mode)
    bench.situation.state.isArmed = true
    bench.situation.state.landed = .inAir
    bench.situation.state.altitudeAboveHomeMeters = 20
    bench.situation.state.homeAltitudeMSLMeters = 400
    bench.situation.state.coordinate = target.moved(distanceMeters: 100, bearingDegrees: 90)
    bench.situation.state.positionAt = bench.now
    return bench
  }

  mutating func take(_ outputs: [DriverOutput]) {
    for output in outputs {
      switch output {
      case .send(let message, for: _): sent.append(message)
      case .progress(let order, let progress): self.progress[order.ticket, default: []].append(progress)
      }
    }
  }

  mutating func start(_ action: VehicleAction, ticket: UInt32 = 1) {
    take(driver.start(Order(ticket: ticket, action: action), in: situation, at: now))
  }

  mutating func ack(_ command: CommandID, _ result: CommandResult = .accepted) {
    take(driver.acknowledged(CommandAck(command: command, result: result), in: situation, at: now))
  }

  /// A heartbeat later, with what it shows.
  mutating func beat(_ mode: FlightMode? = nil, armed: Bool? = nil) {
    now = now.advanced(by: .milliseconds(50))
    situation.state.heartbeatAt = now
    if let mode { situation.state.mode = mode }
    if let armed { situation.state.isArmed = armed }
    take(driver.stateChanged(situation, at: now))
  }

  mutating func see(_ change: (inout VehicleState) -> Void) {
    change(&situation.state)
    take(driver.stateChanged(situation, at: now))
  }

  mutating func say(_ text: String, severity: UInt8 = 2) {
    driver.received(VehicleText(severity: severity, text: text, at: now), at: now)
  }

  /// Time passes in ticks of a tenth of a second.
  mutating func pass(_ duration: Duration) {
    let end = now.advanced(by: duration)
    while now < end {
      now = now.advanced(by: .milliseconds(100))
      take(driver.tick(situation, at: now))
    }
  }

  var commands: [CommandLong] {
    sent.compactMap { if case .command(let command) = $0 { command } else { nil } }
  }
  func count(_ id: CommandID) -> Int { commands.count { $0.command == id } }
  var targets: [SetPositionTargetGlobalInt] {
    sent.compactMap { if case .target(let target) = $0 { target } else { nil } }
  }
  var repositions: [CommandInt] {
    sent.compactMap { if case .reposition(let command) = $0 { command } else { nil } }
  }
  func outcome(_ ticket: UInt32 = 1) -> ActionProgress? { progress[ticket]?.last }

  mutating func report(_ coordinate: Coordinate, altitudeMSL: Double) {
    now = now.advanced(by: .milliseconds(50))
    situation.reportedTarget = ReportedTarget(
      latitudeE7: Int32(coordinate.latitude * 1e7), longitudeE7: Int32(coordinate.longitude * 1e7),
      altitudeMSLMeters: altitudeMSL, at: now)
    take(driver.stateChanged(situation, at: now))
  }
}

/// Where an action can be when another one comes.
enum Stage: CaseIterable, Sendable {
  case takeoffChangingMode, takeoffArming, takeoffLifting, takeoffClimbing, takeoffRefusing
  case goToChangingMode, goToTargeting, landing, returning, holding

  /// A bench with ticket 1 at this stage.
  var bench: DriverBench {
    var bench: DriverBench
    switch self {
    case .takeoffChangingMode, .takeoffArming, .takeoffLifting, .takeoffClimbing, .takeoffRefusing:
      bench = .onGround()
      bench.start(.takeoff(altitudeAboveHomeMeters: 10))
      if self == .takeoffChangingMode { return bench }
      bench.ack(.doSetMode)
      bench.beat(.guided)
      if self == .takeoffArming { return bench }
      if self == .takeoffRefusing {
        bench.ack(.componentArmDisarm, .failed)
        return bench
      }
      bench.ack(.componentArmDisarm)
      bench.beat(armed: true)
      if self == .takeoffLifting { return bench }
      bench.ack(.navTakeoff)
      bench.beat()
      bench.see { $0.landed = .takingOff }
    case .goToChangingMode:
      bench = .inAir(.hold)
      bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    case .goToTargeting:
      bench = .inAir()
      bench.start(.goTo(DriverBench.target, altitudeAboveHomeMeters: 15))
    case .landing:
      bench = .inAir()
      bench.start(.land)
    case .returning:
      bench = .inAir()
      bench.start(.returnToLaunch)
    case .holding:
      bench = .inAir()
      bench.start(.hold)
    }
    return bench
  }
}

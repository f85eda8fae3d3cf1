import Geodesy
import Guidance
import Vehicle

/// A flight told line by line: what happened, then what guidance decided, as short text.
///
/// Time only moves by `wait`; telemetry keeps coming meanwhile unless told otherwise.
struct Story {
  static let home = Coordinate(latitude: 47, longitude: 8)!

  /// A place so far from home to the north (and east).
  static func place(_ north: Double, _ east: Double = 0) -> Coordinate {
    home.moved(distanceMeters: north, bearingDegrees: 0).moved(distanceMeters: east, bearingDegrees: 90)
  }

  var guidance: Guidance
  var vehicle = VehicleState()
  var now = ContinuousClock.now
  var isTelemetryFlowing = true
  /// Everything decided since the last look.
  private(set) var lines: [String] = []
  private(set) var tickets: [(ticket: UInt32, action: VehicleAction)] = []
  private var sequences: [String: UInt32] = [:]

  /// On the ground, disarmed, with a position, one client connected.
  init(
    _ autopilot: Autopilot = .ardupilot, clients: [String] = ["ann"],
    _ change: (inout Guidance.Rules) -> Void = { _ in }
  ) {
    var rules = Guidance.Rules()
    change(&rules)
    guidance = Guidance(rules: rules)
    vehicle.autopilot = autopilot
    vehicle.heartbeatAt = now
    vehicle.isArmed = false
    vehicle.mode = .other
    vehicle.modeName = "STABILIZE"
    vehicle.landed = .onGround
    vehicle.coordinate = Story.home
    vehicle.home = Story.home
    vehicle.altitudeAboveHomeMeters = 0
    vehicle.batteryPercent = 90
    vehicle.uptimeMilliseconds = 60_000
    tick()
    for client in clients { connect(client) }
    _ = look()
  }

  /// The decisions since the last look.
  mutating func look() -> [String] {
    defer { lines = [] }
    return lines
  }

  /// Only what is asked of the vehicle.
  mutating func actions() -> [String] {
    look().filter { $0.hasPrefix("do ") || $0 == "abandon" }
  }

  mutating func receipts() -> [String] { look().filter { $0.hasPrefix("receipt ") } }

  mutating func events() -> [String] { look().filter { $0.hasPrefix("! ") } }

  var status: Guidance.Status { guidance.status(at: now) }

  // MARK: Clients

  mutating func connect(_ client: String) {
    sequences[client] = 0
    take(guidance.clientConnected(.init(client), name: client, at: now))
  }

  mutating func disconnect(_ client: String) { take(guidance.clientDisconnected(.init(client), at: now)) }

  /// The session counts as ended by silence, but may come back.
  mutating func fallSilent(_ client: String) {
    take(guidance.clientDisconnected(.init(client), mayResume: true, at: now))
  }

  /// The same session is back.
  mutating func resume(_ client: String) {
    take(guidance.clientResumed(.init(client), name: client, at: now))
  }

  /// A frame with the next sequence number, or the given one.
  @discardableResult
  mutating func send(
    _ client: String = "ann", sequence: UInt32? = nil, _ change: (inout Guidance.Command) -> Void = { _ in }
  ) -> UInt32 {
    let number = sequence ?? (sequences[client] ?? 0) &+ 1
    if sequence == nil { sequences[client] = number }
    var command = Guidance.Command(client: .init(client), sequence: number)
    change(&command)
    take(guidance.received(command, vehicle: vehicle, at: now))
    return number
  }

  @discardableResult
  mutating func say(_ verb: Guidance.Verb, by client: String = "ann", late: Duration = .zero) -> UInt32 {
    send(client) { command in
      command.delay = late
      command.set(verb)
    }
  }

  @discardableResult
  mutating func stream(_ coordinate: Coordinate?, by client: String = "ann") -> UInt32 {
    send(client) { $0.coordinate = coordinate }
  }

  @discardableResult
  mutating func goTo(_ coordinate: Coordinate, by client: String = "ann") -> UInt32 {
    send(client) {
      $0.engage = true
      $0.coordinate = coordinate
    }
  }

  /// Time passes; telemetry flows, and every client named sends an empty frame twice a second.
  mutating func wait(_ seconds: Double, alive: [String] = []) {
    let step = 0.25
    for index in 1...max(1, Int(seconds / step)) {
      now = now.advanced(by: .seconds(step))
      if isTelemetryFlowing {
        vehicle.heartbeatAt = now
        vehicle.uptimeMilliseconds = vehicle.uptimeMilliseconds.map { $0 + 250 }
      }
      if index.isMultiple(of: 2) { for client in alive { send(client) } }
      tick()
    }
  }

  mutating func tick() { take(guidance.tick(vehicle: vehicle, at: now)) }

  // MARK: Vehicle

  mutating func vehicle(_ change: (inout VehicleState) -> Void) {
    change(&vehicle)
    take(guidance.vehicleChanged(to: vehicle, at: now))
  }

  mutating func mode(_ mode: FlightMode, _ name: String? = nil) {
    vehicle {
      $0.mode = mode
      $0.modeName = name ?? mode.rawValue.uppercased()
    }
  }

  /// Reports on the newest action.
  mutating func report(_ progress: ActionProgress) {
    guard let last = tickets.last else { return }
    take(guidance.progressed(last.ticket, progress, vehicle: vehicle, at: now))
  }

  /// The autopilot does what it was asked last, and it is seen.
  mutating func obey() {
    guard let last = tickets.last else { return }
    switch last.action {
    case .takeoff:
      vehicle.isArmed = true
      mode(.guided)
      vehicle { $0.landed = .takingOff }
    case .goTo: mode(.guided)
    case .hold: mode(.hold, "BRAKE")
    case .land: mode(.land)
    case .returnToLaunch: mode(.returnToLaunch, "RTL")
    case .rebootAutopilot: break
    }
    report(.accepted)
  }

  /// Takes off and reaches the height; ready for coordinates.
  mutating func fly(by client: String = "ann") {
    say(.takeoff, by: client)
    climb()
    _ = look()
  }

  mutating func climb() {
    obey()
    vehicle {
      $0.landed = .inAir
      $0.altitudeAboveHomeMeters = 10
    }
  }

  mutating func take(_ decisions: [Guidance.Decision]) {
    for decision in decisions {
      if case .perform(let action, let ticket, _) = decision { tickets.append((ticket, action)) }
      lines.append(Story.line(decision))
    }
  }

  static func line(_ decision: Guidance.Decision) -> String {
    switch decision {
    case .perform(let action, _, let reference):
      "do \(line(action))\(reference.map { " for \($0.client)" } ?? "")"
    case .abandon: "abandon"
    case .receipt(let reference, let outcome):
      "receipt \(reference.client) \(reference.verb.rawValue): \(line(outcome))"
    case .event(let event): "! \(event)"
    }
  }

  static func line(_ action: VehicleAction) -> String {
    switch action {
    case .takeoff(let height): "takeoff \(Int(height)) m"
    case .goTo(let coordinate, let height):
      "goto \(Int(home.distanceMeters(to: coordinate).rounded())) m at \(Int(height)) m"
    case .hold, .land, .returnToLaunch, .rebootAutopilot: action.name
    }
  }

  static func line(_ outcome: Guidance.Outcome) -> String {
    switch outcome {
    case .received: "received"
    case .forwarded: "forwarded"
    case .accepted: "accepted"
    case .refused(let reason): "refused, \(reason)"
    case .unknown(let reason): "unknown, \(reason)"
    case .superseded: "superseded"
    }
  }
}

extension Guidance.Command {
  mutating func set(_ verb: Guidance.Verb) {
    switch verb {
    case .stop: stop = true
    case .land: land = true
    case .returnToLaunch: returnToLaunch = true
    case .takeoff: takeoff = true
    case .reset: reset = true
    case .goTo:
      engage = true
      coordinate = coordinate ?? Story.place(50)
    case .coordinate: coordinate = coordinate ?? Story.place(50)
    case .takeControl: takeControl = true
    case .handOver: handOver = true
    case .keep: keep = true
    }
  }
}

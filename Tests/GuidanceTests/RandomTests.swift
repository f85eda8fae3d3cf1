import Geodesy
import Guidance
import Testing
import Vehicle

/// What must hold whatever happens, in whatever order.
@Suite struct RandomTests {
  struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  @Test(.timeLimit(.minutes(1)), arguments: 1...4) func invariants(seed: Int) {
    var random = SplitMix64(state: UInt64(seed))
    var rules = Guidance.Rules()
    rules.stopAction = Guidance.StopAction.allCases.randomElement(using: &random) ?? .hold
    rules.standOffMeters = seed.isMultiple(of: 2) ? 10 : 0
    rules.geofenceRadiusMeters = seed.isMultiple(of: 2) ? 200 : nil
    var guidance = Guidance(rules: rules)
    var vehicle = VehicleState()
    vehicle.autopilot = seed > 2 ? .px4 : .ardupilot
    vehicle.home = Story.home
    var now = ContinuousClock.now
    var tickets: [UInt32] = []
    var takeoffs: Set<Guidance.CommandReference> = []
    let clients = ["ann", "bob", "cid"].map { Guidance.ClientID($0) }
    var stops: Set<Sent> = []
    var counters: [Guidance.ClientID: UInt32] = [:]
    var performed: [String: Int] = [:]
    var coordinateAt = now
    var holder: Guidance.ClientID?
    // The holder asked for a flight since it has control.
    var hasAsked = false
    var handOvers = 0

    for _ in 0..<25_000 {
      now = now.advanced(by: .milliseconds(Int.random(in: 0...600, using: &random)))
      change(&vehicle, at: now, &random)
      let client = clients.randomElement(using: &random) ?? clients[0]
      var command: Guidance.Command?
      var decisions: [Guidance.Decision]
      let pilotBefore = guidance.status(at: now).authority == .pilot
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<55:
        let frame = self.frame(client, &counters[client, default: 0], &random)
        command = frame
        if frame.coordinate != nil { coordinateAt = now }
        decisions = guidance.received(frame, vehicle: vehicle, at: now)
      case 55..<75:
        decisions = guidance.tick(vehicle: vehicle, at: now)
      case 75..<92:
        let ticket = tickets.randomElement(using: &random) ?? UInt32.random(in: 0...5, using: &random)
        let progress: [ActionProgress] = [
          .forwarded, .accepted, .accepted, .refused(reason: "no"), .unknown(reason: "?"), .superseded,
        ]
        decisions = guidance.progressed(
          ticket, progress.randomElement(using: &random) ?? .accepted, vehicle: vehicle, at: now)
      case 92..<96:
        decisions = guidance.vehicleChanged(to: vehicle, at: now)
      case 96..<98:
        counters[client] = 0
        takeoffs = takeoffs.filter { $0.client != client }
        stops = stops.filter { $0.client != client }
        decisions = guidance.clientConnected(client, name: client.rawValue, at: now)
      default:
        decisions = guidance.clientDisconnected(client, at: now)
        // Some records are dropped with it, and with them the numbers that were used.
        takeoffs = takeoffs.filter { $0.client != client }
      }
      let status = guidance.status(at: now)
      var actions: [VehicleAction] = []
      if status.controller != holder {
        holder = status.controller
        hasAsked = false
        handOvers += 1
      }
      for decision in decisions {
        if case .event(.controlReleased) = decision { hasAsked = false }
        guard case .perform(let action, let ticket, let reference) = decision else { continue }
        actions.append(action)
        performed[action.name, default: 0] += 1
        tickets.append(ticket)
        if tickets.count > 8 { tickets.removeFirst() }
        switch action {
        case .goTo(let coordinate, let height):
          #expect(status.latch == nil, "a target leaves while latched")
          if reference?.verb == .goTo { hasAsked = true }
          #expect(hasAsked, "a coordinate counts that the one in control did not ask for")
          if let reference { #expect(reference.client == holder, "another one's coordinate") }
          #expect(!coordinate.isNullIsland)
          #expect((1...rules.maximumHeightMeters).contains(height))
          #expect(
            Story.home.distanceMeters(to: coordinate) <= rules.maximumDistanceMeters + rules.standOffMeters
              + 400)
          #expect(vehicle.isAirborne)
          if reference == nil {
            performed["piece", default: 0] += 1
            #expect(coordinateAt.duration(to: now) <= .milliseconds(1500), "a piece without fresh input")
            #expect(status.link == .live && status.authority == .ours && status.activity == .following)
          }
          if pilotBefore { #expect(command?.engage == true) }
        case .takeoff:
          #expect(!vehicle.isAirborne)
          hasAsked = true
          #expect(reference?.client == holder)
          #expect(command?.takeoff == true && command?.stop == false && command?.land == false)
          #expect((command?.delay ?? .zero) <= rules.commandFreshness)
          if let reference, reference.sequence != nil { #expect(takeoffs.insert(reference).inserted) }
        case .rebootAutopilot:
          Issue.record("a restart that nobody allowed")
        case .hold, .land, .returnToLaunch:
          if pilotBefore { #expect(reference != nil, "the pilot was disturbed") }
        }
      }
      #expect(actions.count <= 2, "at most what the state demands and what the frame asks")
      if let command, command.stop, let sequence = command.sequence,
        stops.insert(Sent(client: client, sequence: sequence)).inserted
      {
        #expect(status.latch == .stop)
        #expect(!actions.isEmpty || vehicle.heartbeatAt == nil, "a stop without an action")
      }
      if case .pilot = status.authority { #expect(status.target == nil) }
    }
    // The run reaches deep enough to mean something.
    #expect(handOvers > 100)
    for action in ["goto", "takeoff", "stop"] {
      #expect(performed[action, default: 0] > 50, "\(action)")
    }
  }

  private struct Sent: Hashable {
    let client: Guidance.ClientID
    let sequence: UInt32
  }

  private func frame(
    _ client: Guidance.ClientID, _ counter: inout UInt32, _ random: inout SplitMix64
  ) -> Guidance.Command {
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    var command = Guidance.Command(client: client)
    if chance(80) { counter += 1 }
    // Repeats and reordering are common; some frames carry no number.
    let back = chance(80) ? 0 : UInt32.random(in: 0...8, using: &random)
    command.sequence = chance(90) ? counter - min(counter, back) : nil
    command.delay = chance(80) ? .zero : .milliseconds(Int.random(in: 0...5000, using: &random))
    command.stop = chance(4)
    command.land = chance(3)
    command.returnToLaunch = chance(3)
    command.takeoff = chance(20)
    command.reset = chance(15)
    command.engage = chance(20)
    command.takeControl = chance(10)
    command.handOver = chance(4)
    command.keep = chance(4)
    if chance(85) {
      command.coordinate =
        chance(5)
        ? Coordinate(latitude: 0, longitude: 0)
        : Story.place(
          Double.random(in: -600...600, using: &random), Double.random(in: -20...20, using: &random))
    }
    if chance(20) { command.manner.distanceMeters = Double.random(in: 0...50, using: &random) }
    if chance(20) { command.manner.bearingDegrees = Double.random(in: 0...360, using: &random) }
    if chance(20) { command.manner.heightMeters = Double.random(in: 0.5...60, using: &random) }
    if chance(50) { command.manner.speedMetersPerSecond = Double.random(in: 0.5...20, using: &random) }
    if chance(50) { command.coordinateAge = .milliseconds(Int.random(in: -200...4000, using: &random)) }
    return command
  }

  private func change(
    _ vehicle: inout VehicleState, at now: ContinuousClock.Instant, _ random: inout SplitMix64
  ) {
    func chance(_ percent: Double) -> Bool { Double.random(in: 0..<100, using: &random) < percent }
    if chance(1) { vehicle.heartbeatAt = nil } else if chance(90) { vehicle.heartbeatAt = now }
    if chance(8) {
      let modes: [FlightMode] = [
        .guided, .guided, .guided, .hold, .hold, .takeoff, .land, .returnToLaunch, .other,
      ]
      vehicle.mode = modes.randomElement(using: &random)
    }
    if chance(5) {
      vehicle.isArmed = chance(80)
      vehicle.landed = vehicle.isArmed == true ? (chance(85) ? .inAir : .onGround) : .onGround
    }
    if chance(1) { vehicle.landed = nil }
    if chance(20) {
      vehicle.altitudeAboveHomeMeters = Double.random(in: 0...60, using: &random)
      vehicle.coordinate = Story.place(Double.random(in: -300...300, using: &random))
    }
    vehicle.uptimeMilliseconds = chance(0.5) ? 1000 : (vehicle.uptimeMilliseconds ?? 0) + 500
  }
}

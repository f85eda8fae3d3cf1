import Geodesy
import Guidance
import MAVLink
import MAVLinkServices
import NavigatorApp
import PeerProtocol
import RemoteControl
import ServiceRuntime
import SimulatedVehicle
import Testing
import Vehicle

@testable import VehicleLink

/// A flight on a clock that the test moves: clients' frames, what guidance decides, the serial link and a simulated vehicle, wired as the
/// navigator wires them.
final class Mission {
  static let home = Coordinate(latitude: 47.4, longitude: 8.55)!

  /// So far from home to the north, and to the east.
  static func place(_ north: Double, _ east: Double = 0) -> Coordinate {
    home.moved(distanceMeters: north, bearingDegrees: 0).moved(distanceMeters: east, bearingDegrees: 90)
  }

  /// One that sends a frame each second while it lives.
  struct Client {
    let id: PeerID
    var isAlive = true
    var sequence: UInt32 = 0
    /// What its frames carry; nil for a receiver without a fix.
    var coordinate: Coordinate?
    var northMetersPerSecond = 0.0
    var manner = TargetManner()
    var nextFrame: ContinuousClock.Instant
  }

  struct TargetManner {
    var distance: Double?
    var bearing: Double?
    var height: Double?
    var speed: Double?
  }

  struct Sent {
    let at: ContinuousClock.Instant
    let command: CommandID?
    /// The second parameter, as far as it names an ArduPilot mode.
    let parameter2: Float
    /// The third parameter, as far as it names a PX4 mode.
    let parameter3: Float
    let isTarget: Bool
  }

  let autopilot: SimulatedVehicle.Autopilot
  let link: VehicleLink
  var vehicle: SimulatedVehicle
  var guidance: Guidance
  var clients: [String: Client] = [:]
  private(set) var outcomes: [(verb: Guidance.Verb, outcome: Guidance.Outcome)] = []
  private(set) var events: [Guidance.Event] = []
  /// What was written to the line that asks for something, without requests for messages.
  private(set) var sent: [Sent] = []
  /// The program is gone: nothing is decided, written or read.
  var isNavigatorDead = false
  private(set) var now: ContinuousClock.Instant
  private let loop: EventLoop
  private let opener = Opener()
  private let time: Time
  private var channel: Line
  private var parser = StreamParser()
  private var steps = 0
  private var frames: UInt64 = 0
  private var undone: [Guidance.Decision] = []
  private var isApplying = false

  private final class Time { var now = ContinuousClock.now }

  init(
    _ autopilot: SimulatedVehicle.Autopilot, rules: Guidance.Rules = Guidance.Rules(),
    clients names: [String] = ["ann"]
  ) throws {
    self.autopilot = autopilot
    loop = try EventLoop()
    let time = Time()
    self.time = time
    now = time.now
    channel = Line()
    opener.next = channel
    guidance = Guidance(rules: rules)
    link = VehicleLink(loop: loop, logger: .silent, opener: opener, clock: { time.now })
    var configuration = SimulatedVehicle.Configuration(home: Mission.home, homeAltitudeMSLMeters: 400)
    configuration.autopilot = autopilot
    // Not every vehicle is number 1.
    configuration.systemID = 42
    configuration.startFast()
    vehicle = SimulatedVehicle(configuration: configuration, at: time.now)
    link.onState = { [unowned self] _, state in
      apply(guidance.vehicleChanged(to: state, at: now))
    }
    link.onProgress = { [unowned self] ticket, _, progress in
      apply(guidance.progressed(ticket, progress, vehicle: link.state, at: now))
    }
    link.isGroundStationAlive = { [unowned self] in guidance.needsGroundStationHeartbeat(at: now) }
    link.start()
    for (index, name) in names.enumerated() {
      let id = try #require(PeerID(bytes: [UInt8](repeating: UInt8(index + 1), count: 32)))
      clients[name] = Client(id: id, nextFrame: now.advanced(by: .milliseconds(100 * index)))
      apply(guidance.clientConnected(.init(id.hex), name: name, at: now))
    }
  }

  // MARK: Time

  /// Lets the time pass until `condition` holds; whether it did.
  @discardableResult
  func fly(_ limit: Duration, until condition: () -> Bool = { false }) -> Bool {
    let end = now.advanced(by: limit)
    while !condition() {
      if now >= end { return false }
      step()
    }
    return true
  }

  private func step() {
    steps += 1
    now = now.advanced(by: .milliseconds(20))
    time.now = now
    if !isNavigatorDead {
      for name in clients.keys.sorted() { sendFrameOfTheSecond(name) }
      if steps.isMultiple(of: 5) {
        link.tick()
        apply(guidance.tick(vehicle: link.state, at: now))
      }
    }
    let written = channel.takeWritten()
    note(written)
    if !written.isEmpty { vehicle.receive(written) }
    let bytes = vehicle.advance(to: now)
    if !bytes.isEmpty, !isNavigatorDead { channel.onBytes?(bytes) }
  }

  // MARK: Clients

  private func sendFrameOfTheSecond(_ name: String) {
    guard let client = clients[name], client.isAlive, now >= client.nextFrame else { return }
    clients[name]?.nextFrame = client.nextFrame.advanced(by: .seconds(1))
    clients[name]?.coordinate = client.coordinate.map {
      $0.moved(distanceMeters: client.northMetersPerSecond, bearingDegrees: 0)
    }
    send(name) { _ in }
  }

  private func send(_ name: String, _ change: (inout RemoteControlCommand) -> Void) {
    guard var client = clients[name] else { return }
    client.sequence += 1
    clients[name] = client
    var command = RemoteControlCommand(
      coordinate: client.coordinate, coordinateAgeSeconds: client.coordinate == nil ? nil : 0.2,
      sequence: client.sequence, followDistanceMeters: client.manner.distance,
      followBearingDegrees: client.manner.bearing, followHeightMeters: client.manner.height,
      speedMetersPerSecond: client.manner.speed)
    change(&command)
    frames += 1
    do {
      let read = try RemoteControlCommand(encoded: command.encoded())
      apply(
        guidance.received(
          Guidance.Command(read, from: client.id, frame: frames, delay: .zero), vehicle: link.state, at: now))
    } catch {
      Issue.record("\(error)")
    }
  }

  /// A command of a client, now.
  func say(_ verb: Guidance.Verb, by name: String = "ann", altitude: Double? = nil) {
    outcomes = []
    send(name) { command in
      switch verb {
      case .stop: command.stop = true
      case .land: command.land = true
      case .returnToLaunch: command.returnToLaunch = true
      case .takeoff:
        command.takeoff = true
        command.takeoffAltitudeMeters = altitude
      case .reset: command.reset = true
      case .goTo: command.engage = true
      case .takeControl, .handOver, .keep, .coordinate: break
      }
    }
  }

  /// Asks for a coordinate, and keeps saying it.
  func goTo(_ coordinate: Coordinate, by name: String = "ann", manner: TargetManner = TargetManner()) {
    clients[name]?.coordinate = coordinate
    clients[name]?.manner = manner
    say(.goTo, by: name)
  }

  /// How the last command of that kind ended, as soon as it has.
  func outcome(of verb: Guidance.Verb) -> Guidance.Outcome? {
    fly(.seconds(40)) { final(verb) != nil }
    return final(verb)
  }

  private func final(_ verb: Guidance.Verb) -> Guidance.Outcome? {
    outcomes.last {
      $0.verb == verb && $0.outcome != .received && $0.outcome != .forwarded
    }?.outcome
  }

  func dies(_ name: String = "ann") { clients[name]?.isAlive = false }

  func lives(_ name: String = "ann") {
    clients[name]?.isAlive = true
    clients[name]?.nextFrame = now
  }

  // MARK: Flying

  /// On the ground, armable, with a home.
  func getReady() -> Bool {
    fly(.seconds(60)) { link.state.isReadyToArm == true && link.state.home != nil }
  }

  /// At the height of a takeoff, ready for coordinates.
  func takeOff(to height: Double = 10) -> Bool {
    guard getReady() else { return false }
    say(.takeoff, altitude: height)
    return outcome(of: .takeoff) == .accepted
      && fly(.seconds(60)) { guidance.status(at: now).activity == .following }
  }

  var state: SimulatedVehicle.State { vehicle.state }

  /// Metres over the ground from home to the vehicle itself.
  var distanceFromHome: Double { state.coordinate.distanceMeters(to: Mission.home) }

  /// Whether the vehicle itself stays within a metre of where it is, and at its height.
  func stays(for duration: Duration) -> Bool {
    let place = state.coordinate
    let height = state.altitudeAboveHomeMeters
    return !fly(duration) {
      state.coordinate.distanceMeters(to: place) > 1 || abs(state.altitudeAboveHomeMeters - height) > 1
    }
  }

  /// Comes to rest, in the mode of a hold, in the air.
  func holds() -> Bool {
    guard fly(.seconds(20), until: { state.mode == holdMode && state.groundSpeedMetersPerSecond < 0.1 })
    else {
      return false
    }
    // What it overshot, it makes good.
    fly(.seconds(6))
    return !state.isLanded && stays(for: .seconds(5))
  }

  /// For a test that fails.
  var story: String {
    let place = state
    return
      "\(place.mode) at \(distanceFromHome) m, \(place.altitudeAboveHomeMeters) m high, \(place.groundSpeedMetersPerSecond) m/s, "
      + "\(place.verticalSpeedMetersPerSecond) m/s up; \(events.suffix(8)); \(sent.suffix(8))"
  }

  var holdMode: String { autopilot == .px4 ? "AUTO.LOITER" : "BRAKE" }
  var targetMode: String { autopilot == .px4 ? "AUTO.LOITER" : "GUIDED" }
  var landMode: String { autopilot == .px4 ? "AUTO.LAND" : "LAND" }
  var returnMode: String { autopilot == .px4 ? "AUTO.RTL" : "RTL" }
  var pilotMode: String { autopilot == .px4 ? "POSCTL" : "LOITER" }

  // MARK: The line

  /// The device is unplugged.
  func unplug() {
    opener.next = nil
    let line = channel
    channel = Line()
    line.onEnd?(.endOfFile)
  }

  /// It is there again, and the link finds it by itself; the only thing here that takes real time.
  func plug() -> Bool {
    opener.next = channel
    for _ in 1...40 where link.status != .up {
      loop.schedule(after: .milliseconds(50)) { [loop] in loop.stop() }
      loop.run()
    }
    return link.status == .up
  }

  /// Another ground station changes a parameter of the vehicle.
  func set(_ name: String, _ value: Float) {
    var encoder = FrameEncoder(systemID: 250, componentID: 190)
    vehicle.receive(
      encoder.encode(
        ParamSet(
          targetSystem: 42, targetComponent: 1, paramId: FixedText(name), paramValue: value, paramType: .int32
        )))
  }

  private func note(_ bytes: [UInt8]) {
    for frame in parser.frames(in: bytes) {
      if let command = frame.decode(CommandLong.self) {
        guard command.command != .setMessageInterval, command.command != .requestMessage else { continue }
        sent.append(
          Sent(
            at: now, command: command.command, parameter2: command.param2, parameter3: command.param3,
            isTarget: false))
      } else if let command = frame.decode(CommandInt.self) {
        sent.append(
          Sent(at: now, command: command.command, parameter2: command.param2, parameter3: 0, isTarget: true))
      } else if frame.decode(SetPositionTargetGlobalInt.self) != nil {
        sent.append(Sent(at: now, command: nil, parameter2: 0, parameter3: 0, isTarget: true))
      }
    }
  }

  func sent(since instant: ContinuousClock.Instant) -> [Sent] { sent.filter { $0.at > instant } }

  // MARK: Deciding

  func shutDown() { apply(guidance.shutdown(vehicle: link.state, at: now)) }

  private func apply(_ decisions: [Guidance.Decision]) {
    undone += decisions
    guard !isApplying else { return }
    isApplying = true
    while !undone.isEmpty {
      switch undone.removeFirst() {
      case .perform(let action, let ticket, _): link.perform(action, ticket: ticket)
      case .abandon: link.abandon()
      case .receipt(let reference, let outcome): outcomes.append((reference.verb, outcome))
      case .event(let event): events.append(event)
      }
    }
    isApplying = false
  }
}

/// A line without a kernel.
private final class Line: ByteChannel {
  var onBytes: (([UInt8]) -> Void)?
  var onEnd: ((ChannelEnd) -> Void)?
  let pendingByteCount = 0
  private var written: [UInt8] = []

  func write(_ bytes: [UInt8]) -> Bool {
    written += bytes
    return true
  }
  func setReading(_ enabled: Bool) {}
  func close() {}
  func takeWritten() -> [UInt8] {
    defer { written = [] }
    return written
  }
}

private final class Opener: ChannelOpener {
  let name = "line"
  let baud: Int? = 57600
  var next: Line?

  func open(
    on loop: EventLoop, completion: @escaping (Result<any ByteChannel, ChannelOpenFailure>) -> Void
  ) {
    guard let next else { return completion(.failure(ChannelOpenFailure("line is not there"))) }
    completion(.success(next))
  }
}

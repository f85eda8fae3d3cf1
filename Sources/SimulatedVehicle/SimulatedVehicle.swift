public import Geodesy
public import MAVLink

/// A vehicle with its flight controller, seen from its serial ports: bytes in, bytes out, time as a parameter.
///
/// It reads no clock and does no I/O. Simulated time runs `speedup` times as fast as the time given, for everything:
/// physics, rates, time limits and failsafes.
public struct SimulatedVehicle: Sendable {
  public typealias Instant = ContinuousClock.Instant

  /// Whose behaviour it has.
  public enum Autopilot: Sendable {
    case arduPilot
    case px4
  }

  public struct Configuration: Sendable {
    public var autopilot = Autopilot.arduPilot
    /// Where it stands at the beginning.
    public var home: Coordinate
    public var homeAltitudeMSLMeters: Double
    public var systemID: UInt8 = 1
    public var speedup = 1.0
    /// From power-on to the first fix; nil is what was measured for the autopilot.
    public var gpsFixAfter: Duration?
    /// From power-on to the estimate that allows arming; nil is what was measured for the autopilot.
    public var armableAfter: Duration?
    /// Limits the output of the first port to what a line of this speed carries; nil for no limit. Telemetry waits first.
    public var baud: Int?
    /// Unix time at the beginning, for the receiver's clock; nil when there is none.
    public var unixTimeSeconds: Double?
    /// For what is random: the noise.
    public var seed: UInt64 = 1

    public init(home: Coordinate, homeAltitudeMSLMeters: Double) {
      self.home = home
      self.homeAltitudeMSLMeters = homeAltitudeMSLMeters
    }

    /// Ready to arm about a second after power-on.
    public mutating func startFast() {
      gpsFixAfter = .milliseconds(500)
      armableAfter = .seconds(1)
    }
  }

  /// A view of the truth, for tests and displays.
  public struct State: Equatable, Sendable {
    public var coordinate: Coordinate
    public var altitudeAboveHomeMeters: Double
    public var groundSpeedMetersPerSecond: Double
    /// Up is positive.
    public var verticalSpeedMetersPerSecond: Double
    public var headingDegrees: Double
    public var mode: String
    public var isArmed: Bool
    public var isLanded: Bool
    /// 0 to 1.
    public var batteryRemaining: Double
    /// Simulated seconds since the simulation began.
    public var seconds: Double
  }

  /// Length of a step of the physics: 50 Hz.
  static let stepSeconds = 0.02
  /// Simulated time that one call catches up at most; a machine that slept does not fly on for hours.
  private static let maximumStepsPerCall = 30_000
  /// How long the line is silent when the controller restarts.
  private static let restartSeconds = 2.0

  let configuration: Configuration
  var controller: any FlightController
  var aircraft: Aircraft
  var ports: [Port]
  private let beginning: Instant
  private var steps = 0
  /// Steps that were skipped because too much time passed at once.
  private var skippedSteps = 0
  private var runsFromSeconds: Double? = 0
  private var random: SplitMix64

  public init(configuration: Configuration, at now: Instant) {
    self.configuration = configuration
    beginning = now
    ports = [Port(baud: configuration.baud, systemID: configuration.systemID)]
    random = SplitMix64(seed: configuration.seed)
    switch configuration.autopilot {
    case .arduPilot: controller = ArduCopter()
    case .px4: controller = PX4Copter()
    }
    aircraft = Aircraft(
      frame: LocalFrame(
        origin: configuration.home, altitudeMSLMeters: configuration.homeAltitudeMSLMeters),
      parameters: type(of: controller).parameters,
      gpsFixAfterSeconds: configuration.gpsFixAfter?.seconds
        ?? type(of: controller).readiness.gpsFixAfterSeconds,
      armableAfterSeconds: configuration.armableAfter?.seconds
        ?? type(of: controller).readiness.armableAfterSeconds)
    startController()
  }

  public var state: State {
    State(
      coordinate: aircraft.frame.coordinate(of: aircraft.airframe.position),
      altitudeAboveHomeMeters: aircraft.airframe.position.up - (controller.home?.up ?? 0),
      groundSpeedMetersPerSecond: aircraft.airframe.groundSpeedMetersPerSecond,
      verticalSpeedMetersPerSecond: aircraft.airframe.velocity.up,
      headingDegrees: aircraft.airframe.headingDegrees, mode: controller.modeName,
      isArmed: controller.isArmed, isLanded: controller.isLanded,
      batteryRemaining: aircraft.battery.remaining, seconds: aircraft.seconds)
  }

  /// What happened since the last call, at most the newest few hundred.
  public mutating func takeEvents() -> [VehicleEvent] { aircraft.takeEvents() }

  // MARK: Interference

  public mutating func inject(_ fault: Fault) {
    aircraft.faults.insert(fault)
    if fault == .batteryLow { aircraft.battery.drain(to: 0.15) }
    if fault == .silent { ports[0].isSilent = true }
  }

  public mutating func clear(_ fault: Fault) {
    aircraft.faults.remove(fault)
    if fault == .silent { ports[0].isSilent = false }
  }

  /// A pilot with a radio turns the mode switch; the throttle stick is in the middle from now on.
  public mutating func pilotSelects(_ mode: CopterMode) {
    controller.pilotSelects(mode: mode.rawValue, &aircraft)
  }

  /// The controller restarts, wherever the vehicle is: motors stop, the line is silent for two seconds.
  public mutating func restart() {
    aircraft.note(.rebooting)
    runsFromSeconds = nil
    controller.stop()
    aircraft.restartController(after: Self.restartSeconds)
  }

  // MARK: Bytes and time

  /// A further port, for somebody who looks on. What arrives at one port and is for somebody at another is passed on.
  ///
  /// - Returns: its number; the first port is 0.
  public mutating func addPort(baud: Int? = nil) -> Int {
    var port = Port(baud: baud, systemID: configuration.systemID)
    if isRunning { port.start(freshStreams) }
    ports.append(port)
    return ports.count - 1
  }

  /// Takes bytes from the line at `port`; answers come with the next ``advance(to:)``.
  public mutating func receive(_ bytes: [UInt8], at port: Int = 0) {
    guard !ports[port].isSilent, isRunning else { return }
    ports[port].parser.push(bytes)
    // A frame can restart the controller, which empties the parsers.
    while isRunning, let frame = ports[port].parser.next() { receive(frame, at: port) }
  }

  /// Lets the time pass until `now`, and returns the bytes that the vehicle sends meanwhile at its first port.
  public mutating func advance(to now: Instant) -> [UInt8] {
    let passed = beginning.duration(to: now).seconds * configuration.speedup
    let wanted = Int(min(passed / Self.stepSeconds, 1e15) + 1e-6) - skippedSteps
    let end = min(wanted, steps + Self.maximumStepsPerCall)
    skippedSteps += max(0, wanted - end)
    while steps < end {
      steps += 1
      step()
    }
    sendDueMessages()
    return takeBytes(of: 0)
  }

  /// The bytes that ``advance(to:)`` made for another port.
  public mutating func takeBytes(of port: Int) -> [UInt8] { ports[port].takeOutput() }

  var isRunning: Bool {
    runsFromSeconds.map { aircraft.seconds >= $0 } ?? false
  }

  private mutating func step() {
    aircraft.advanceClock(to: Double(steps) * Self.stepSeconds)
    if !isRunning, aircraft.seconds >= aircraft.startSeconds { startController() }
    strike()
    let demand = isRunning ? controller.step(&aircraft) : .stopped
    aircraft.airframe.step(demand, seconds: Self.stepSeconds)
    aircraft.battery.step(
      flying: demand.isFlying, motorsTurning: demand != .stopped, seconds: Self.stepSeconds)
    for port in ports.indices { ports[port].pass(seconds: Self.stepSeconds) }
    guard isRunning else { return }
    sendDueMessages()
    for port in ports.indices { sendStreams(at: port) }
    if aircraft.faults.contains(.noise), steps % 5 == 0 {
      ports[0].send((0..<40).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }
  }

  private var freshStreams: StreamRates {
    StreamRates(unasked: type(of: controller).unaskedStreams, at: aircraft.seconds)
  }

  private mutating func startController() {
    runsFromSeconds = aircraft.seconds
    for port in ports.indices { ports[port].start(freshStreams) }
    controller.start(&aircraft)
  }

  /// Faults that happen once, at the first moment in the air.
  private mutating func strike() {
    guard isRunning, !controller.isLanded, aircraft.airframe.position.up > 3 else { return }
    if aircraft.faults.remove(.restartInFlight) != nil { restart() }
    if aircraft.faults.remove(.pilotTakesOver) != nil { pilotSelects(.loiter) }
  }

  // MARK: Sending

  mutating func sendDueMessages() {
    for (message, port) in aircraft.takeDueMessages() {
      for index in ports.indices where port == nil || port == index { ports[index].send(message) }
    }
  }

  private mutating func sendStreams(at port: Int) {
    if ports[port].streams.takeHeartbeat(at: aircraft.seconds) { ports[port].send(controller.heartbeat) }
    // One a step at most: a burst of all of them would delay what is urgent.
    if let index = ports[port].nextParameter, ports[port].hasRoom {
      ports[port].nextParameter = aircraft.parameters.message(at: index + 1) == nil ? nil : index + 1
      if let message = aircraft.parameters.message(at: index) { ports[port].send(message) }
    }
    for id in ports[port].streams.due(at: aircraft.seconds) {
      // On a slow line what does not fit is late rather than lost.
      guard ports[port].hasRoom else { return }
      ports[port].streams.sent(id, at: aircraft.seconds)
      if let message = telemetry(id) { ports[port].send(message) }
    }
  }
}

extension Airframe.Demand {
  fileprivate var isFlying: Bool {
    switch self {
    case .stopped, .idle: false
    case .fly: true
    }
  }
}

extension Duration {
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}

/// Steele, Lea and Flood's generator: repeatable noise.
struct SplitMix64: Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

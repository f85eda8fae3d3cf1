public import Geodesy
public import MAVLink

/// A vehicle with its flight controller, seen from the serial line: bytes in, bytes out, time as a parameter.
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
    /// Limits the output to what a line of this speed carries; nil for no limit. Telemetry waits first.
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
  var streams = StreamRates()
  private let beginning: Instant
  private var steps = 0
  /// Steps that were skipped because too much time passed at once.
  private var skippedSteps = 0
  private var parser = StreamParser()
  private var encoder: FrameEncoder
  private var output: [UInt8] = []
  private var runsFromSeconds: Double? = 0
  private var nextParameter: Int?
  private var allowanceBytes = 0.0
  private var random: SplitMix64

  public init(configuration: Configuration, at now: Instant) {
    self.configuration = configuration
    beginning = now
    encoder = FrameEncoder(
      systemID: configuration.systemID, componentID: ComponentID.autopilot1.rawValue)
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
  }

  public mutating func clear(_ fault: Fault) { aircraft.faults.remove(fault) }

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

  /// Takes bytes from the line; answers come with the next ``advance(to:)``.
  public mutating func receive(_ bytes: [UInt8]) {
    guard !aircraft.faults.contains(.silent), isRunning else { return }
    parser.push(bytes)
    while let frame = parser.next() { receive(frame) }
  }

  /// Lets the time pass until `now`, and returns the bytes that the vehicle sends meanwhile.
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
    defer { output.removeAll(keepingCapacity: true) }
    return output
  }

  private var isRunning: Bool {
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
    if let baud = configuration.baud {
      // Ten bits a byte; a little may gather, as in a transmit buffer.
      allowanceBytes = min(280, allowanceBytes + Double(baud) / 10 * Self.stepSeconds)
    }
    guard isRunning else { return }
    sendDueMessages()
    sendStreams()
    if aircraft.faults.contains(.noise), steps % 5 == 0 {
      send((0..<40).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }
  }

  private mutating func startController() {
    runsFromSeconds = aircraft.seconds
    parser = StreamParser()
    encoder.sequence = 0
    streams = StreamRates(unasked: type(of: controller).unaskedStreams, at: aircraft.seconds)
    nextParameter = nil
    controller.start(&aircraft)
  }

  /// Faults that happen once, at the first moment in the air.
  private mutating func strike() {
    guard isRunning, !controller.isLanded, aircraft.airframe.position.up > 3 else { return }
    if aircraft.faults.remove(.restartInFlight) != nil { restart() }
    if aircraft.faults.remove(.pilotTakesOver) != nil { pilotSelects(.loiter) }
  }

  // MARK: Sending

  private mutating func send(_ bytes: [UInt8]) {
    guard !aircraft.faults.contains(.silent) else { return }
    allowanceBytes -= Double(bytes.count)
    output += bytes
  }

  private mutating func send(_ message: any Message) { send(encoder.encode(message)) }

  private mutating func sendDueMessages() {
    for message in aircraft.takeDueMessages() { send(message) }
  }

  private mutating func sendStreams() {
    if streams.takeHeartbeat(at: aircraft.seconds) { send(controller.heartbeat) }
    let isLimited = configuration.baud != nil
    // One a step at most: a burst of all of them would delay what is urgent.
    if let index = nextParameter, !isLimited || allowanceBytes > 0 {
      nextParameter = aircraft.parameters.message(at: index + 1) == nil ? nil : index + 1
      if let message = aircraft.parameters.message(at: index) { send(message) }
    }
    for id in streams.due(at: aircraft.seconds) {
      // On a slow line what does not fit is late rather than lost.
      guard !isLimited || allowanceBytes > 0 else { return }
      streams.sent(id, at: aircraft.seconds)
      if let message = telemetry(id) { send(message) }
    }
  }

  // MARK: Receiving

  private mutating func receive(_ frame: Frame) {
    if let message = frame.decode(CommandLong.self) {
      guard isForUs(message.targetSystem) else { return }
      execute(Command(message), from: frame)
    } else if let message = frame.decode(CommandInt.self) {
      guard isForUs(message.targetSystem) else { return }
      execute(Command(message), from: frame)
    } else if let message = frame.decode(TimeSync.self) {
      // A request has no answer in it yet.
      guard message.tc1 == 0 else { return }
      let now = Int64(aircraft.secondsSinceStart * 1e9)
      aircraft.send(TimeSync(tc1: now, ts1: message.ts1))
    } else if let message = frame.decode(Ping.self) {
      guard message.targetSystem == 0, message.targetComponent == 0 else { return }
      aircraft.send(
        Ping(
          timeUsec: message.timeUsec, seq: message.seq, targetSystem: frame.systemID,
          targetComponent: frame.componentID))
    } else if let message = frame.decode(RequestDataStream.self) {
      guard isForUs(message.targetSystem) else { return }
      let rate = message.startStop == 0 ? 0 : Double(message.reqMessageRate)
      streams.setGroup(message.reqStreamId, rate: rate, at: aircraft.seconds)
    } else if !receiveParameterMessage(frame) {
      guard targetSystem(of: frame).map(isForUs) ?? true else { return }
      controller.receive(frame, &aircraft)
    }
  }

  /// The system that a message of the controller's is for; nil for one that is for everybody.
  private func targetSystem(of frame: Frame) -> UInt8? {
    if let message = frame.decode(SetMode.self) { return message.targetSystem }
    if let message = frame.decode(SetPositionTargetGlobalInt.self) { return message.targetSystem }
    if let message = frame.decode(SetPositionTargetLocalNED.self) { return message.targetSystem }
    return nil
  }

  /// Zero is everybody. The component is not looked at: ArduPilot carries out commands to components that
  /// do not exist.
  private func isForUs(_ targetSystem: UInt8) -> Bool {
    targetSystem == 0 || targetSystem == configuration.systemID
  }

  private mutating func receiveParameterMessage(_ frame: Frame) -> Bool {
    if let message = frame.decode(ParamRequestRead.self) {
      let index =
        message.paramIndex >= 0
        ? Int(message.paramIndex) : aircraft.parameters.index(of: message.paramId.text)
      if isForUs(message.targetSystem), let index, let value = aircraft.parameters.message(at: index) {
        aircraft.send(value)
      }
    } else if let message = frame.decode(ParamSet.self) {
      if isForUs(message.targetSystem),
        let index = aircraft.parameters.index(of: message.paramId.text)
      {
        aircraft.parameters.set(message.paramValue, at: index)
        if let value = aircraft.parameters.message(at: index) { aircraft.send(value) }
      }
    } else if let message = frame.decode(ParamRequestList.self) {
      if isForUs(message.targetSystem) { nextParameter = 0 }
    } else {
      return false
    }
    return true
  }

  private mutating func execute(_ command: Command, from frame: Frame) {
    let acknowledges = !aircraft.faults.contains(.dropAcknowledgements)
    func acknowledge(_ result: CommandResult, on aircraft: inout Aircraft) {
      guard acknowledges else { return }
      aircraft.send(
        CommandAck(
          command: command.id, result: result, targetSystem: frame.systemID,
          targetComponent: frame.componentID))
    }
    switch command.id {
    case .setMessageInterval:
      acknowledge(setInterval(command), on: &aircraft)
    case .getMessageInterval:
      guard let id = UInt32(exactly: command.parameter1), canSend(id) else {
        return acknowledge(.failed, on: &aircraft)
      }
      acknowledge(.accepted, on: &aircraft)
      aircraft.send(
        MessageInterval(messageId: UInt16(id), intervalUs: streams.intervalMicroseconds(of: id)))
    case .requestMessage:
      guard let id = UInt32(exactly: command.parameter1), let message = telemetry(id) else {
        return acknowledge(.failed, on: &aircraft)
      }
      acknowledge(.accepted, on: &aircraft)
      aircraft.send(message)
    case .getHomePosition:
      request(HomePosition.messageID, acknowledge)
    case .requestAutopilotCapabilities:
      request(AutopilotVersion.messageID, acknowledge)
    case .preflightRebootShutdown:
      reboot(command, acknowledge)
    default:
      let result = controller.execute(command, &aircraft)
      acknowledge(result, on: &aircraft)
      if let later = controller.laterResult(of: command, after: result) {
        acknowledge(later, on: &aircraft)
      }
    }
  }

  private mutating func request(
    _ id: UInt32, _ acknowledge: (CommandResult, inout Aircraft) -> Void
  ) {
    let message = telemetry(id)
    acknowledge(message == nil ? .failed : .accepted, &aircraft)
    if let message { aircraft.send(message) }
  }

  private mutating func reboot(
    _ command: Command, _ acknowledge: (CommandResult, inout Aircraft) -> Void
  ) {
    // 1 restarts, 3 stays in the bootloader until told otherwise, which here is the same.
    guard command.parameter1 == 1 || command.parameter1 == 3 else {
      return acknowledge(.unsupported, &aircraft)
    }
    guard type(of: controller).restartsByCommand else { return acknowledge(.denied, &aircraft) }
    guard !controller.isArmed else { return acknowledge(.failed, &aircraft) }
    acknowledge(.accepted, &aircraft)
    sendDueMessages()
    restart()
  }

  private mutating func setInterval(_ command: Command) -> CommandResult {
    guard let id = UInt32(exactly: command.parameter1), canSend(id),
      let microseconds = Int(exactly: command.parameter2.rounded())
    else { return .denied }
    streams.set(id, microseconds: microseconds, at: aircraft.seconds)
    return .accepted
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

import Geodesy
import MAVLink
import SimulatedVehicle

/// A simulated vehicle on a bench with a clock turned by hand, and a ground station's end of the line.
struct Bench {
  static let home = Coordinate(latitude: -35.363262, longitude: 149.165237)!
  static let homeAltitude = 584.0

  var vehicle: SimulatedVehicle
  private(set) var now = ContinuousClock.now
  private var parser = StreamParser()
  private var encoder = FrameEncoder(systemID: 255, componentID: 190)
  /// All that was received, with the simulated second of its arrival.
  private(set) var received: [(seconds: Double, frame: Frame)] = []
  private(set) var events: [VehicleEvent] = []

  /// Unless a test is about the start, the vehicle is ready to arm.
  init(ready: Bool = true, _ change: (inout SimulatedVehicle.Configuration) -> Void = { _ in }) {
    var configuration = SimulatedVehicle.Configuration(
      home: Bench.home, homeAltitudeMSLMeters: Bench.homeAltitude)
    if ready { configuration.startFast() }
    change(&configuration)
    vehicle = SimulatedVehicle(configuration: configuration, at: now)
    if ready { run(2) }
  }

  var state: SimulatedVehicle.State { vehicle.state }
  var counters: StreamCounters { parser.counters }

  mutating func send(_ message: some Message, systemID: UInt8 = 255) {
    encoder.systemID = systemID
    vehicle.receive(encoder.encode(message))
  }

  /// Lets seconds pass in portions of 20 ms, as a program does.
  mutating func run(_ seconds: Double) {
    for _ in 0..<Int((seconds * 50).rounded()) { step() }
  }

  /// Until `condition` holds; returns how long it took, or nil after `limit` seconds.
  mutating func run(atMost limit: Double, until condition: (Bench) -> Bool) -> Double? {
    let start = state.seconds
    while state.seconds - start < limit {
      step()
      if condition(self) { return state.seconds - start }
    }
    return nil
  }

  private mutating func step() {
    now = now.advanced(by: .milliseconds(20))
    take(vehicle.advance(to: now))
  }

  private mutating func take(_ bytes: [UInt8]) {
    for frame in parser.frames(in: bytes) { received.append((state.seconds, frame)) }
    events += vehicle.takeEvents()
  }

  mutating func forget() {
    received.removeAll()
    events.removeAll()
  }

  // MARK: Asking

  /// Sends a command and returns how it was acknowledged at once; nil for not at all.
  mutating func command(
    _ id: CommandID, _ p1: Float = 0, _ p2: Float = 0, _ p3: Float = 0, p5: Float = 0, p6: Float = 0,
    p7: Float = 0, component: UInt8 = 1
  ) -> CommandResult? {
    received.removeAll()
    send(
      CommandLong(
        targetSystem: 1, targetComponent: component, command: id, param1: p1, param2: p2, param3: p3,
        param5: p5, param6: p6, param7: p7))
    take(vehicle.advance(to: now))
    return acknowledgement(of: id)
  }

  mutating func commandInt(
    _ id: CommandID, frame: CoordinateFrame, _ p2: Float = 0, at place: Coordinate, _ altitude: Float
  ) -> CommandResult? {
    received.removeAll()
    send(
      CommandInt(
        targetSystem: 1, targetComponent: 1, frame: frame, command: id, param2: p2,
        x: scaled(place.latitude), y: scaled(place.longitude), z: altitude))
    take(vehicle.advance(to: now))
    return acknowledgement(of: id)
  }

  private func scaled(_ degrees: Double) -> Int32 { Int32((degrees * 1e7).rounded()) }

  private func acknowledgement(of id: CommandID) -> CommandResult? {
    all(CommandAck.self).last { $0.command == id && $0.targetSystem == 255 }?.result
  }

  mutating func select(_ mode: CopterMode) -> CommandResult? {
    command(.doSetMode, 1, Float(mode.rawValue))
  }

  mutating func arm() -> CommandResult? { command(.componentArmDisarm, 1) }

  mutating func set(_ parameter: String, _ value: Float) {
    send(
      ParamSet(
        targetSystem: 1, targetComponent: 1, paramId: FixedText(parameter), paramValue: value,
        paramType: .real32))
    run(0.1)
  }

  /// Guided, armed, up and holding there.
  mutating func fly(to height: Float = 20) {
    _ = select(.guided)
    _ = arm()
    _ = command(.navTakeoff, p7: height)
    _ = run(atMost: 60) {
      abs($0.state.altitudeAboveHomeMeters - Double(height)) < 0.1
        && abs($0.state.verticalSpeedMetersPerSecond) < 0.05
    }
    forget()
  }

  /// Position only, above home.
  mutating func target(_ place: Coordinate, _ height: Float = 20, mask: UInt16 = 0x0DF8) {
    send(
      SetPositionTargetGlobalInt(
        targetSystem: 1, targetComponent: 1, coordinateFrame: .globalRelativeAltInt,
        typeMask: PositionTargetTypeMask(rawValue: mask), latInt: scaled(place.latitude),
        lonInt: scaled(place.longitude), alt: height))
  }

  mutating func velocity(north: Float) {
    send(
      SetPositionTargetGlobalInt(
        targetSystem: 1, targetComponent: 1, coordinateFrame: .globalRelativeAltInt,
        typeMask: PositionTargetTypeMask(rawValue: 0x0DC7), latInt: 0, lonInt: 0, vx: north))
  }

  // MARK: Looking

  func all<M: Message>(_ type: M.Type) -> [M] { received.compactMap { $0.frame.decode(type) } }

  func count(_ id: UInt32) -> Int { received.count { $0.frame.messageID == id } }

  // Not by a key path: the compiler (6.3.1) crashes on those through types with integer parameters.
  var texts: [String] { all(StatusText.self).map { $0.text.text } }

  /// The mode of the last heartbeat.
  var mode: CopterMode? { all(Heartbeat.self).last.map { CopterMode(rawValue: $0.customMode) } }

  var hasCrashed: Bool {
    events.contains { if case .crashed = $0.kind { true } else { false } }
  }

  /// Asks once for a message.
  mutating func ask<M: Message>(_ type: M.Type) -> M? {
    _ = command(.requestMessage, Float(M.messageID))
    return all(type).last
  }

  func distance(to place: Coordinate) -> Double { state.coordinate.distanceMeters(to: place) }

  /// A place so many metres north of home.
  static func north(_ meters: Double) -> Coordinate {
    home.moved(distanceMeters: meters, bearingDegrees: 0)
  }
}

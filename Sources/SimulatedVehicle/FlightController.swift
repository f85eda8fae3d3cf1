import MAVLink

/// A command of the MAVLink command protocol, however it was packed.
struct Command: Sendable {
  let id: CommandID
  let parameter1: Float
  let parameter2: Float
  let parameter3: Float
  let parameter4: Float
  /// Degrees times ten million.
  let latitude: Int32
  let longitude: Int32
  let altitude: Float
  /// Nil in a COMMAND_LONG, which has no frame.
  let frame: CoordinateFrame?

  init(_ message: CommandLong) {
    id = message.command
    parameter1 = message.param1
    parameter2 = message.param2
    parameter3 = message.param3
    parameter4 = message.param4
    latitude = Command.scaled(message.param5)
    longitude = Command.scaled(message.param6)
    altitude = message.param7
    frame = nil
  }

  init(_ message: CommandInt) {
    id = message.command
    parameter1 = message.param1
    parameter2 = message.param2
    parameter3 = message.param3
    parameter4 = message.param4
    latitude = message.x
    longitude = message.y
    altitude = message.z
    frame = message.frame
  }

  /// What is no number or out of range becomes a coordinate that nobody accepts.
  private static func scaled(_ degrees: Float) -> Int32 {
    let value = Double(degrees) * 1e7
    return value.isNaN ? .max : Int32(max(-2_147_483_647, min(2_147_483_647, value)))
  }
}

/// How long after power-on a controller can do what.
struct Readiness: Sendable {
  let gpsFixAfterSeconds: Double
  let armableAfterSeconds: Double
}

/// What differs between autopilots: their modes, what they accept, how they fly, what they say of it.
///
/// Everything else (frames, streams, sensors, physics) is the same for all of them.
protocol FlightController: Sendable {
  /// What a fresh controller has stored.
  static var parameters: Parameters { get }
  /// What it sends without being asked, in times a second, besides the heartbeat.
  static var unaskedStreams: [(id: UInt32, rate: Double)] { get }
  /// Whether a command from outside restarts it.
  static var restartsByCommand: Bool { get }
  /// Whether GLOBAL_POSITION_INT comes with 0,0 while there is no estimate, rather than not at all.
  static var tellsZerosForNoPosition: Bool { get }
  static var readiness: Readiness { get }
  /// As AUTOPILOT_VERSION tells it.
  static var softwareVersion: UInt32 { get }

  var isArmed: Bool { get }
  /// Standing on the ground as far as the controller knows.
  var isLanded: Bool { get }
  var modeName: String { get }
  var heartbeat: Heartbeat { get }
  var landedState: LandedState { get }
  /// The place of take-off, once known.
  var home: Vector? { get }
  /// Where it flies to, if it flies to a place.
  var target: Vector? { get }

  /// Power is on: the state of a fresh start, with what it says then.
  mutating func start(_ aircraft: inout Aircraft)
  /// Power is off or the processor restarts: motors stop.
  mutating func stop()
  mutating func execute(_ command: Command, _ aircraft: inout Aircraft) -> CommandResult
  /// A second acknowledgement that follows the first; nil where one is all.
  func laterResult(of command: Command, after result: CommandResult) -> CommandResult?
  /// Messages other than commands.
  mutating func receive(_ frame: Frame, _ aircraft: inout Aircraft)
  mutating func pilotSelects(mode: UInt32, _ aircraft: inout Aircraft)
  /// Decides for one step and says what the motors shall do.
  mutating func step(_ aircraft: inout Aircraft) -> Airframe.Demand
}

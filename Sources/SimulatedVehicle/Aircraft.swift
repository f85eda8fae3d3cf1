import Geodesy
import MAVLink

/// What a flight controller is built into: body, battery, receiver, stored parameters, and its way to say something.
struct Aircraft: Sendable {
  let frame: LocalFrame
  var airframe = Airframe()
  var battery = Battery()
  var parameters: Parameters
  var faults: Set<Fault> = []

  /// After the start of the controller: when the receiver has a fix, and when the estimator uses it.
  let gpsFixAfterSeconds: Double
  let armableAfterSeconds: Double

  /// Simulated seconds since the simulation began.
  private(set) var seconds = 0.0
  /// When the controller started last.
  private(set) var startSeconds = 0.0

  /// Messages to send in order, each when its time has come; to one port, or to all.
  private(set) var outbox: [(due: Double, message: any Message, port: Int?)] = []
  private(set) var events: [VehicleEvent] = []

  /// More than any sequence of commands makes; what exceeds it is lost as on a full transmit buffer.
  private static let maximumWaiting = 512

  init(
    frame: LocalFrame, parameters: Parameters, gpsFixAfterSeconds: Double, armableAfterSeconds: Double
  ) {
    self.frame = frame
    self.parameters = parameters
    self.gpsFixAfterSeconds = gpsFixAfterSeconds
    self.armableAfterSeconds = armableAfterSeconds
  }

  var secondsSinceStart: Double { seconds - startSeconds }
  var hasFix: Bool { secondsSinceStart >= gpsFixAfterSeconds && !faults.contains(.noGPS) }
  var hasPositionEstimate: Bool {
    secondsSinceStart >= armableAfterSeconds && !faults.contains(.noGPS)
  }

  /// The clock of the simulation goes on; the loop of the owner keeps it at whole steps.
  mutating func advanceClock(to seconds: Double) { self.seconds = seconds }

  /// The controller starts `delay` from now: its clock and its queue of messages begin anew.
  mutating func restartController(after delay: Double) {
    startSeconds = seconds + delay
    outbox.removeAll()
  }

  /// - Parameter port: the line it goes out on; nil for all of them.
  mutating func send(_ message: any Message, after delay: Double = 0, to port: Int? = nil) {
    guard outbox.count < Aircraft.maximumWaiting else { return }
    outbox.append((seconds + delay, message, port))
  }

  mutating func say(_ severity: Severity, _ text: String, after delay: Double = 0) {
    // A controller that repeats a text would bury the events that tests and people look for only once,
    // so the list is bounded as well as the queue.
    send(StatusText(severity: severity, text: FixedText(text)), after: delay)
    note(.statusText(severity: severity.rawValue, text))
  }

  mutating func note(_ kind: VehicleEvent.Kind) {
    if events.count >= Aircraft.maximumWaiting { events.removeFirst() }
    events.append(VehicleEvent(seconds: seconds, kind: kind))
  }

  /// The messages whose time has come, in the order in which they are due.
  mutating func takeDueMessages() -> [(message: any Message, port: Int?)] {
    guard !outbox.isEmpty else { return [] }
    let due = outbox.filter { $0.due <= seconds }
    outbox.removeAll { $0.due <= seconds }
    return due.enumerated().sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
      .map { ($0.element.message, $0.element.port) }
  }

  mutating func takeEvents() -> [VehicleEvent] {
    defer { events.removeAll() }
    return events
  }
}

public import MAVLink
public import Vehicle

/// An action with the number that its caller knows it by.
public struct Order: Equatable, Sendable {
  public let ticket: UInt32
  public let action: VehicleAction

  public init(ticket: UInt32, action: VehicleAction) {
    self.ticket = ticket
    self.action = action
  }
}

/// What a driver decides on: the vehicle as it is known now.
public struct Situation: Equatable, Sendable {
  public var state: VehicleState
  public var address: AutopilotAddress
  public var reportedTarget: ReportedTarget?

  public init(state: VehicleState, address: AutopilotAddress, reportedTarget: ReportedTarget? = nil) {
    self.state = state
    self.address = address
    self.reportedTarget = reportedTarget
  }
}

/// What a driver wants done.
public enum DriverOutput: Equatable, Sendable {
  case send(OutgoingMessage, for: Order)
  case progress(Order, ActionProgress)
}

/// Carries out actions on one kind of autopilot: the one place for what differs between them.
///
/// Pure: each input returns what to do. One action is under way at a time; a new one takes its place at once.
public protocol AutopilotDriver: Sendable {
  /// An action has not ended yet. A takeoff ends when the climb is seen; whoever asked for it watches its height.
  var isActionUnderWay: Bool { get }

  mutating func start(_ order: Order, in situation: Situation, at now: ContinuousClock.Instant)
    -> [DriverOutput]
  mutating func acknowledged(_ ack: CommandAck, in situation: Situation, at now: ContinuousClock.Instant)
    -> [DriverOutput]
  mutating func stateChanged(_ situation: Situation, at now: ContinuousClock.Instant) -> [DriverOutput]
  mutating func received(_ text: VehicleText, at now: ContinuousClock.Instant)
  mutating func tick(_ situation: Situation, at now: ContinuousClock.Instant) -> [DriverOutput]
  /// The autopilot started anew.
  mutating func restarted(at now: ContinuousClock.Instant) -> [DriverOutput]
  /// The line or the autopilot is gone, or a command could not be written.
  mutating func abandon(because reason: String) -> [DriverOutput]
}

public import MAVLinkServices
public import Vehicle
public import VehicleLink

/// The autopilot as the navigator sees it: something that does actions and tells what became of them.
public protocol FlightController: AnyObject {
  /// What is known now.
  var state: VehicleState { get }
  /// Why nothing is heard of the autopilot, nil while it is.
  var problem: String? { get }
  /// What the line to it carries, nil where there is none to measure.
  var line: LineReport? { get }
  /// What passed the line; nil for one that does not count.
  var traffic: LineStatistics? { get }

  var onState: ((VehicleState) -> Void)? { get set }
  var onProgress: ((_ ticket: UInt32, _ action: VehicleAction, _ progress: ActionProgress) -> Void)? {
    get set
  }
  /// A text of the autopilot with its MAVLink `MAV_SEVERITY`.
  var onStatusText: ((_ severity: UInt8, _ text: String) -> Void)? { get set }
  /// The device or the autopilot came (nil) or went (why).
  var onLink: ((_ problem: String?) -> Void)? { get set }
  /// A message was handed to the serial line for an action; for the log.
  var onSent: ((_ ticket: UInt32, _ message: String) -> Void)? { get set }
  /// Asked before each heartbeat as a ground station: true only while a trusted client is alive.
  var isGroundStationAlive: () -> Bool { get set }

  func start()
  /// Begins an action at once and ends the one before it.
  func perform(_ action: VehicleAction, ticket: UInt32)
  /// Stops repeating what is under way.
  func abandon()
  func stop()
}

extension FlightController {
  public var line: LineReport? { nil }
  public var traffic: LineStatistics? { nil }
}

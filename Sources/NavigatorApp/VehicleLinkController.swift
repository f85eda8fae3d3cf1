public import MAVLinkServices
public import Vehicle
public import VehicleLink

/// The autopilot behind a MAVLink line.
public final class VehicleLinkController: FlightController {
  public var onState: ((VehicleState) -> Void)?
  public var onProgress: ((UInt32, VehicleAction, ActionProgress) -> Void)?
  public var onStatusText: ((UInt8, String) -> Void)?
  public var onLink: ((String?) -> Void)?
  public var onSent: ((UInt32, String) -> Void)?
  public var isGroundStationAlive: () -> Bool = { false }

  private let link: VehicleLink
  private var toldProblem: String??

  public init(_ link: VehicleLink) {
    self.link = link
    link.onState = { [weak self] _, state in
      self?.tellLink()
      self?.onState?(state)
    }
    link.onProgress = { [weak self] ticket, action, progress in self?.onProgress?(ticket, action, progress) }
    link.onText = { [weak self] severity, text in self?.onStatusText?(severity, text) }
    link.onLink = { [weak self] _ in self?.tellLink() }
    link.onSent = { [weak self] ticket, summary in self?.onSent?(ticket, summary) }
    link.isGroundStationAlive = { [weak self] in self?.isGroundStationAlive() ?? false }
  }

  public var state: VehicleState { link.state }
  public var traffic: LineStatistics? { link.statistics }

  public var problem: String? {
    switch link.status {
    case .down(let reason): return reason
    case .up:
      return link.state.heartbeatAt == nil ? link.problem ?? "no heartbeat of a flight controller yet" : nil
    }
  }

  public var line: LineReport? { link.status == .up ? link.line : nil }

  public func start() { link.start() }
  public func perform(_ action: VehicleAction, ticket: UInt32) { link.perform(action, ticket: ticket) }
  public func abandon() { link.abandon() }
  public func stop() { link.stop() }

  /// Once a change, however many frames arrive.
  private func tellLink() {
    let problem = self.problem
    guard toldProblem != .some(problem) else { return }
    toldProblem = .some(problem)
    onLink?(problem)
  }
}

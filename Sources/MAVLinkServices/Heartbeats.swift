import MAVLink

/// Who the relay is on the line, and when it says so.
public struct Heartbeats: Sendable {
  /// `MAV_COMP_ID_ONBOARD_COMPUTER`.
  public static let companionComponentID = ComponentID.onboardComputer.rawValue
  /// The highest system ID, the one that ArduPilot watches by default (`MAV_GCS_SYSID`), and the component ID of
  /// the common ground stations.
  public static let groundStation = AutopilotAddress(
    systemID: 255, componentID: ComponentID.missionplanner.rawValue)
  static let period: Duration = .seconds(1)

  private var lastCompanion: ContinuousClock.Instant?
  private var lastGroundStation: ContinuousClock.Instant?

  public init() {}

  /// The heartbeats to send now.
  ///
  /// - Parameters:
  ///   - isVehicleKnown: the companion shares the vehicle's system ID, so it is silent before that is known.
  ///   - isGroundStationAlive: a trusted client is alive; when it is not, the autopilot must notice.
  public mutating func due(
    at now: ContinuousClock.Instant, isVehicleKnown: Bool, isGroundStationAlive: Bool
  ) -> [OutgoingMessage] {
    guard isVehicleKnown else { return [] }
    var messages: [OutgoingMessage] = []
    if isDue(lastCompanion, now) {
      lastCompanion = now
      messages.append(
        .companionHeartbeat(
          Heartbeat(type: .onboardController, autopilot: .invalid, systemStatus: .active)))
    }
    if isGroundStationAlive, isDue(lastGroundStation, now) {
      lastGroundStation = now
      messages.append(
        .groundStationHeartbeat(
          Heartbeat(type: .groundControlStation, autopilot: .invalid, systemStatus: .active)))
    }
    return messages
  }

  private func isDue(_ last: ContinuousClock.Instant?, _ now: ContinuousClock.Instant) -> Bool {
    guard let last else { return true }
    return last.duration(to: now) >= Self.period
  }
}

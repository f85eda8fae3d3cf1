public import Configuration
public import Guidance
public import PeerProtocol
public import RemoteControl

extension Guidance.Command {
  /// What guidance looks at in a client's frame.
  ///
  /// - Parameters:
  ///   - frame: the navigator's own number of the frame.
  ///   - delay: how late it arrived.
  public init(_ command: RemoteControlCommand, from client: PeerID, frame: UInt64, delay: Duration) {
    self.init(
      client: Guidance.ClientID(client.hex), sequence: command.sequence, frame: frame, delay: delay,
      stop: command.stop, land: command.land, returnToLaunch: command.returnToLaunch,
      takeoff: command.takeoff,
      takeoffAltitudeMeters: command.takeoffAltitudeMeters, reset: command.reset, engage: command.engage,
      takeControl: command.takeControl, handOver: command.handOver, keep: command.keep,
      coordinate: command.coordinate,
      coordinateAge: command.coordinateAgeSeconds.map { .seconds(min($0, Self.longestAgeSeconds)) },
      horizontalAccuracyMeters: command.coordinateHorizontalAccuracyMeters,
      manner: Guidance.Manner(
        distanceMeters: command.followDistanceMeters, bearingDegrees: command.followBearingDegrees,
        heightMeters: command.followHeightMeters, speedMetersPerSecond: command.speedMetersPerSecond))
  }

  /// Far beyond any freshness. A client may name any number, and one that no `Duration` holds would end the program.
  private static let longestAgeSeconds = 1e6
}

extension CommandReceipt {
  /// Nil for what no client waits for: a coordinate of the steady stream, or a frame without a number.
  init?(_ reference: Guidance.CommandReference, _ outcome: Guidance.Outcome, elapsed: Duration) {
    guard reference.verb != .coordinate, let sequence = reference.sequence else { return nil }
    self.init(
      sequence: sequence, stage: outcome.stage, verb: reference.verb.rawValue, reason: outcome.reason,
      elapsedMilliseconds: UInt32(clamping: elapsed.wholeMilliseconds))
  }
}

extension Guidance.CommandReference {
  /// Names the command among those of its client, so that how it ended takes the place of how far it was.
  var receiptKey: UInt64 {
    UInt64(sequence ?? 0) << 8 | UInt64(Guidance.Verb.allCases.firstIndex(of: verb) ?? 0)
  }
}

extension Guidance.Outcome {
  var stage: CommandReceipt.Stage {
    switch self {
    case .received: .received
    case .forwarded: .forwarded
    case .accepted: .accepted
    case .refused: .refused
    case .unknown: .unknown
    case .superseded: .superseded
    }
  }

  var reason: String {
    switch self {
    case .refused(let reason), .unknown(let reason): reason
    case .received, .forwarded, .accepted, .superseded: ""
    }
  }
}

extension Guidance.Rules {
  /// The rules that the configuration asks for.
  public init(_ configuration: NavigatorConfiguration) {
    self.init()
    takeoffAltitudeMeters = configuration.takeoffAltitudeAboveHomeMeters
    followHeightMeters = configuration.followHeightAboveHomeMeters
    standOffMeters = configuration.standOffMeters
    maximumDistanceMeters = configuration.maximumDistanceFromHomeMeters
    maximumHeightMeters = configuration.maximumHeightAboveHomeMeters
    maximumJumpSpeedMetersPerSecond = configuration.maximumSpeedMetersPerSecond
    coordinateFreshness = configuration.coordinateFreshness
    holdAfter = configuration.holdAfter
    controlAnswerTime = configuration.handOverAfter
    returnAfter = configuration.returnAfter
    linkLossAction =
      switch configuration.linkLossAction {
      case .returnToLaunch: .returnToLaunch
      case .land: .land
      }
    stopAction =
      switch configuration.stopAction {
      case .hold: .hold
      case .land: .land
      case .returnToLaunch: .returnToLaunch
      }
    minimumBatteryPercent = Int(configuration.minimumBatteryPercent)
    geofenceRadiusMeters = configuration.geofenceRadiusMeters
    resetClearsAutopilot = configuration.resetClearsAutopilot
  }
}

public import Configuration
public import Geodesy
public import PeerProtocol
public import RemoteControl

/// Where the periodic frames send a vehicle.
public enum VehicleTarget: Equatable, Sendable {
  /// To the operator, wherever that is.
  case ownPosition
  case fixed(Coordinate)
}

/// Decides what goes into each frame.
///
/// Every frame has a sequence number of its own, counted from 1 for each run of the program. A frame without a usable
/// position has no coordinate: it keeps the session's promise of one frame a second and moves nothing.
public struct CommandComposer: Sendable {
  /// A `goto` or `follow` whose outcome is open.
  private struct Change: Sendable {
    let sequence: UInt32
    let previous: (target: VehicleTarget, manner: TargetOptions)
  }

  private var lastSequence: UInt32 = 0
  private var targets: [PeerID: VehicleTarget] = [:]
  /// How the targets are flown to, as the operator said with the last `goto` or `follow`.
  private var manners: [PeerID: TargetOptions] = [:]
  private var changes: [PeerID: Change] = [:]

  public init() {}

  public func target(of vehicle: PeerID) -> VehicleTarget { targets[vehicle] ?? .ownPosition }

  /// The frame of the second.
  public mutating func periodicFrame(to vehicle: PeerID, position: UsablePosition?) -> RemoteControlCommand {
    frame(to: target(of: vehicle), manners[vehicle] ?? TargetOptions(), position)
  }

  /// The frame that carries an operator's command.
  ///
  /// - Returns: nil for `follow` without a usable position.
  public mutating func frame(
    for verb: VehicleVerb, _ manner: TargetOptions = TargetOptions(), to vehicle: PeerID,
    position: UsablePosition?
  ) -> RemoteControlCommand? {
    switch verb {
    case .goto(let place):
      guard
        let coordinate = Coordinate(latitude: place.latitudeDegrees, longitude: place.longitudeDegrees)
      else { return nil }
      return engage(.fixed(coordinate), manner, vehicle, position)
    case .follow: return position == nil ? nil : engage(.ownPosition, manner, vehicle, position)
    case .takeoff(let altitude):
      var frame = periodicFrame(to: vehicle, position: position)
      frame.takeoff = true
      frame.takeoffAltitudeMeters = altitude
      return frame
    case .stop: return periodicFrame(to: vehicle, position: position).with(\.stop)
    case .land: return periodicFrame(to: vehicle, position: position).with(\.land)
    case .returnToLaunch: return periodicFrame(to: vehicle, position: position).with(\.returnToLaunch)
    case .reset: return periodicFrame(to: vehicle, position: position).with(\.reset)
    // Without a coordinate: who is in control is one question, where to fly another.
    case .takeControl: return emptyFrame().with(\.takeControl)
    case .handOver: return emptyFrame().with(\.handOver)
    case .keep: return emptyFrame().with(\.keep)
    }
  }

  /// A command ended. One that was refused has no effect, so the frames go on as before it.
  public mutating func concluded(sequence: UInt32, vehicle: PeerID, wasRefused: Bool) {
    guard let change = changes[vehicle], change.sequence == sequence else { return }
    changes[vehicle] = nil
    guard wasRefused else { return }
    targets[vehicle] = change.previous.target
    manners[vehicle] = change.previous.manner
  }

  private mutating func engage(
    _ target: VehicleTarget, _ manner: TargetOptions, _ vehicle: PeerID, _ position: UsablePosition?
  ) -> RemoteControlCommand {
    let command = frame(to: target, manner, position).with(\.engage)
    // Of two in a row the first one's outcome is open: what held before both is what a refusal goes back to.
    let previous =
      changes[vehicle]?.previous ?? (self.target(of: vehicle), manners[vehicle] ?? TargetOptions())
    changes[vehicle] = Change(sequence: lastSequence, previous: previous)
    targets[vehicle] = target
    manners[vehicle] = manner
    return command
  }

  private mutating func emptyFrame() -> RemoteControlCommand {
    lastSequence &+= 1
    return RemoteControlCommand(sequence: lastSequence)
  }

  private mutating func frame(
    to target: VehicleTarget, _ manner: TargetOptions, _ position: UsablePosition?
  ) -> RemoteControlCommand {
    var command = emptyFrame()
    switch target {
    case .fixed(let coordinate):
      command.coordinate = coordinate
      command.coordinateAgeSeconds = 0
    case .ownPosition:
      guard let position else { break }
      command.coordinate = position.coordinate
      command.coordinateAgeSeconds = position.age.inSeconds
      command.coordinateHorizontalAccuracyMeters = position.horizontalErrorMeters
    }
    command.followDistanceMeters = manner.distanceMeters
    command.followBearingDegrees = manner.bearingDegrees
    command.followHeightMeters = manner.heightAboveHomeMeters
    command.speedMetersPerSecond = manner.speedMetersPerSecond
    return command
  }
}

extension RemoteControlCommand {
  fileprivate func with(_ flag: WritableKeyPath<RemoteControlCommand, Bool>) -> RemoteControlCommand {
    var copy = self
    copy[keyPath: flag] = true
    return copy
  }
}

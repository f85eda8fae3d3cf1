public import Geodesy
import PeerProtocol
public import Vehicle

/// What the navigator tells its clients of the vehicle a few times a second; what is not known is nil.
public struct VehicleStatus: Equatable, Sendable {
  /// Why the vehicle cannot be reached, nil while it answers.
  public var autopilotProblem: String?
  /// The receiving client holds control.
  public var isInControl: Bool
  /// A stop is latched: coordinates are ignored until reset, takeoff, goto or follow.
  public var isStopLatched: Bool
  /// What the relay itself is doing about a lost link or a pilot who took over, in words; nil when nothing is wrong.
  public var relayState: String?
  public var autopilot: Autopilot?
  public var isArmed: Bool?
  public var mode: FlightMode?
  public var modeName: String?
  public var landed: LandedState?
  public var coordinate: Coordinate?
  public var altitudeAboveHomeMeters: Double?
  public var groundSpeedMetersPerSecond: Double?
  public var climbRateMetersPerSecond: Double?
  public var headingDegrees: Double?
  public var batteryPercent: Int?
  public var batteryVolts: Double?
  public var gpsFixType: Int?
  public var satellites: Int?
  public var isReadyToArm: Bool?
  public var isFailsafe: Bool?
  public var target: Coordinate?
  public var distanceToTargetMeters: Double?
  public var bearingToTargetDegrees: Double?
  /// The `sequence` of the receiving client's goto or follow that is flown to; nil when there is none.
  public var engagedSequence: UInt32?
  /// The vehicle has been where that goto or follow wanted it.
  public var hasArrived: Bool?
  public var targetAltitudeAboveHomeMeters: Double?

  /// The client that holds control, by the name it gives itself; nil while anybody's next command takes it.
  public var controllerName: String?
  /// The client that asks for control, until the holder answers or the time is over.
  public var controlAskerName: String?
  /// How long the holder still has to refuse.
  public var secondsUntilHandOver: Int?
  /// The client that receives this is the one that asks.
  public var isAskingForControl: Bool?

  public init(isInControl: Bool = false, isStopLatched: Bool = false) {
    self.isInControl = isInControl
    self.isStopLatched = isStopLatched
  }

  /// Takes over what the autopilot reports.
  public init(_ vehicle: VehicleState) {
    self.init()
    autopilot = vehicle.autopilot
    isArmed = vehicle.isArmed
    mode = vehicle.mode
    modeName = vehicle.modeName
    landed = vehicle.landed
    coordinate = vehicle.coordinate
    altitudeAboveHomeMeters = vehicle.altitudeAboveHomeMeters
    groundSpeedMetersPerSecond = vehicle.groundSpeedMetersPerSecond
    climbRateMetersPerSecond = vehicle.climbRateMetersPerSecond
    headingDegrees = vehicle.headingDegrees
    batteryPercent = vehicle.batteryPercent
    batteryVolts = vehicle.batteryVolts
    gpsFixType = vehicle.gpsFixType
    satellites = vehicle.satellites
    isReadyToArm = vehicle.isReadyToArm
    isFailsafe = vehicle.isFailsafe
  }

  /// Tags as PROTOCOL.md, "Vehicle status", lists them.
  public func encoded() -> [UInt8] {
    var writer = TaggedFieldWriter()
    writer.set(1, autopilotProblem, maximumBytes: 120)
    writer.set(2, isInControl)
    writer.set(3, isStopLatched)
    writer.set(4, relayState, maximumBytes: 120)
    writer.set(5, autopilot?.rawValue, maximumBytes: 16)
    writer.set(6, isArmed)
    writer.set(7, mode?.rawValue, maximumBytes: 16)
    writer.set(8, modeName, maximumBytes: 24)
    writer.set(9, landed?.rawValue, maximumBytes: 16)
    writer.set(10, coordinate?.latitude)
    writer.set(11, coordinate?.longitude)
    writer.set(12, altitudeAboveHomeMeters)
    writer.set(13, groundSpeedMetersPerSecond)
    writer.set(14, climbRateMetersPerSecond)
    writer.set(15, headingDegrees)
    writer.set(16, batteryPercent.map { UInt8(clamping: $0) })
    writer.set(17, batteryVolts)
    writer.set(18, gpsFixType.map { UInt8(clamping: $0) })
    writer.set(19, satellites.map { UInt8(clamping: $0) })
    writer.set(20, isReadyToArm)
    writer.set(21, isFailsafe)
    writer.set(22, target?.latitude)
    writer.set(23, target?.longitude)
    writer.set(24, distanceToTargetMeters)
    writer.set(25, bearingToTargetDegrees)
    writer.set(26, controllerName, maximumBytes: 63)
    writer.set(27, controlAskerName, maximumBytes: 63)
    writer.set(28, secondsUntilHandOver.map { UInt8(clamping: $0) })
    writer.set(29, isAskingForControl)
    writer.set(30, engagedSequence)
    writer.set(31, hasArrived)
    writer.set(32, targetAltitudeAboveHomeMeters)
    return writer.bytes
  }

  /// Nil for what is no status of this version.
  public init?(encoded payload: ArraySlice<UInt8>) {
    guard let fields = TaggedFieldReader(payload), let isInControl = fields.boolean(2),
      let isStopLatched = fields.boolean(3)
    else { return nil }
    self.init(isInControl: isInControl, isStopLatched: isStopLatched)
    autopilotProblem = fields.string(1)
    relayState = fields.string(4)
    autopilot = fields.string(5).flatMap(Autopilot.init(rawValue:))
    isArmed = fields.boolean(6)
    mode = fields.string(7).flatMap(FlightMode.init(rawValue:))
    modeName = fields.string(8)
    landed = fields.string(9).flatMap(LandedState.init(rawValue:))
    coordinate = VehicleStatus.coordinate(fields, 10)
    altitudeAboveHomeMeters = fields.double(12)
    groundSpeedMetersPerSecond = fields.double(13)
    climbRateMetersPerSecond = fields.double(14)
    headingDegrees = fields.double(15)
    batteryPercent = fields.integer(16, UInt8.self).map(Int.init)
    batteryVolts = fields.double(17)
    gpsFixType = fields.integer(18, UInt8.self).map(Int.init)
    satellites = fields.integer(19, UInt8.self).map(Int.init)
    isReadyToArm = fields.boolean(20)
    isFailsafe = fields.boolean(21)
    target = VehicleStatus.coordinate(fields, 22)
    distanceToTargetMeters = fields.double(24)
    bearingToTargetDegrees = fields.double(25)
    controllerName = fields.string(26)
    controlAskerName = fields.string(27)
    secondsUntilHandOver = fields.integer(28, UInt8.self).map(Int.init)
    isAskingForControl = fields.boolean(29)
    engagedSequence = fields.integer(30, UInt32.self)
    hasArrived = fields.boolean(31)
    targetAltitudeAboveHomeMeters = fields.double(32)
  }

  private static func coordinate(_ fields: TaggedFieldReader, _ tag: UInt8) -> Coordinate? {
    guard let latitude = fields.double(tag), let longitude = fields.double(tag + 1) else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}

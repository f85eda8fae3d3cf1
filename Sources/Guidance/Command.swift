public import Geodesy
public import Vehicle

extension Guidance {
  /// Who sent a command: the caller's stable name for a trusted client, such as the fingerprint of its certificate.
  public struct ClientID: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
  }

  /// One frame of a client, as far as guidance looks at it.
  public struct Command: Equatable, Sendable {
    public var client: ClientID
    /// Nil from clients that do not count; their flags then act when they rise.
    public var sequence: UInt32?
    /// The caller's own number of this frame, handed back in references so that a log can match them; not interpreted.
    public var frame: UInt64
    /// How late the frame arrived, beyond the smallest delay seen in its session.
    public var delay: Duration
    public var stop: Bool
    public var land: Bool
    public var returnToLaunch: Bool
    public var takeoff: Bool
    /// Metres above home; nil for the rule's default.
    public var takeoffAltitudeMeters: Double?
    public var reset: Bool
    /// The operator asked for this coordinate now, by `goto` or `follow`. To be set in the frame of the asking alone, not in those that
    /// repeat the coordinate once a second, since it ends a latched stop.
    public var engage: Bool
    /// Asks for control, gives it away, refuses to.
    public var takeControl: Bool
    public var handOver: Bool
    public var keep: Bool
    public var coordinate: Coordinate?
    /// Age when the frame was made; nil for a coordinate that does not age.
    public var coordinateAge: Duration?
    public var horizontalAccuracyMeters: Double?
    /// How the coordinate is flown to.
    public var manner: Manner

    public init(
      client: ClientID, sequence: UInt32? = nil, frame: UInt64 = 0, delay: Duration = .zero,
      stop: Bool = false,
      land: Bool = false, returnToLaunch: Bool = false, takeoff: Bool = false,
      takeoffAltitudeMeters: Double? = nil, reset: Bool = false, engage: Bool = false,
      takeControl: Bool = false, handOver: Bool = false, keep: Bool = false,
      coordinate: Coordinate? = nil, coordinateAge: Duration? = nil, horizontalAccuracyMeters: Double? = nil,
      manner: Manner = Manner()
    ) {
      self.client = client
      self.sequence = sequence
      self.frame = frame
      self.delay = delay
      self.stop = stop
      self.land = land
      self.returnToLaunch = returnToLaunch
      self.takeoff = takeoff
      self.takeoffAltitudeMeters = takeoffAltitudeMeters
      self.reset = reset
      self.engage = engage
      self.takeControl = takeControl
      self.handOver = handOver
      self.keep = keep
      self.coordinate = coordinate
      self.coordinateAge = coordinateAge
      self.horizontalAccuracyMeters = horizontalAccuracyMeters
      self.manner = manner
    }
  }

  /// How a coordinate is flown to, as far as the operator said; the rules decide the rest.
  public struct Manner: Equatable, Sendable {
    /// From the coordinate to the vehicle; nil for the rule's stand-off.
    public var distanceMeters: Double?
    /// From the coordinate to the vehicle, degrees clockwise from true north; nil for the side it comes from. Means nothing without a
    /// distance.
    public var bearingDegrees: Double?
    /// Above home; nil for the rule's. Never a height of the operator's own.
    public var heightMeters: Double?
    /// The target is moved no faster than this; nil leaves the speed to the autopilot.
    public var speedMetersPerSecond: Double?

    public init(
      distanceMeters: Double? = nil, bearingDegrees: Double? = nil, heightMeters: Double? = nil,
      speedMetersPerSecond: Double? = nil
    ) {
      self.distanceMeters = distanceMeters
      self.bearingDegrees = bearingDegrees
      self.heightMeters = heightMeters
      self.speedMetersPerSecond = speedMetersPerSecond
    }
  }

  /// What a frame can ask for, in the order in which one frame is obeyed.
  public enum Verb: String, Equatable, Sendable, CaseIterable {
    case stop
    case land
    case returnToLaunch = "return"
    case takeoff
    case reset
    /// A coordinate that the operator asked for.
    case goTo = "goto"
    /// A coordinate of the steady stream.
    case coordinate
    case takeControl = "take-control"
    case handOver = "hand-over"
    /// The holder refuses to hand control over.
    case keep
  }

  /// Which part of which frame a decision belongs to.
  public struct CommandReference: Hashable, Sendable {
    public let client: ClientID
    public let sequence: UInt32?
    public let frame: UInt64
    public let verb: Verb

    public init(client: ClientID, sequence: UInt32?, frame: UInt64 = 0, verb: Verb) {
      self.client = client
      self.sequence = sequence
      self.frame = frame
      self.verb = verb
    }
  }

  /// How a command ended, or how far it is; sent back to the client and written to the log.
  public enum Outcome: Equatable, Sendable {
    case received
    case forwarded
    case accepted
    /// One line: the cause, then what helps.
    case refused(reason: String)
    /// The vehicle may or may not have acted.
    case unknown(reason: String)
    case superseded
  }

  /// What the shell has to do now, in this order.
  public enum Decision: Equatable, Sendable {
    /// Start this action, ending the one before it, and report its progress under the ticket with `progressed`.
    case perform(VehicleAction, ticket: UInt32, for: CommandReference?)
    /// Stop repeating whatever is under way and send nothing in its place: a pilot has the vehicle, or the action lost its reason.
    case abandon
    case receipt(CommandReference, Outcome)
    /// For the log and the status line.
    case event(Event)
  }
}

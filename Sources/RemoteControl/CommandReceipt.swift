import PeerProtocol

/// How far a command came, told to the client that sent it.
public struct CommandReceipt: Equatable, Sendable {
  public enum Stage: UInt8, Equatable, Sendable {
    /// The navigator has the frame.
    case received = 1
    /// Bytes for it were written to the autopilot.
    case forwarded = 2
    /// The autopilot acknowledged it and its state shows it.
    case accepted = 3
    /// The navigator or the autopilot said no; `reason` says why.
    case refused = 4
    /// No answer and no proof in time: it may or may not have happened.
    case unknown = 5
    /// A newer command took its place.
    case superseded = 6

    public var isFinal: Bool { rawValue >= Stage.accepted.rawValue }
  }

  /// The `sequence` of the command.
  public var sequence: UInt32
  public var stage: Stage
  /// The verb it is about (`takeoff`, `stop`, `land`, `return`, `reset`, `goto`, `take-control`, `hand-over`, `keep`), since one frame can ask for several.
  public var verb: String
  /// Cause first, then the remedy; carries the autopilot's own words where it gave some.
  public var reason: String
  /// From the arrival of the frame at the navigator to this stage.
  public var elapsedMilliseconds: UInt32

  public init(
    sequence: UInt32, stage: Stage, verb: String, reason: String = "", elapsedMilliseconds: UInt32 = 0
  ) {
    self.sequence = sequence
    self.stage = stage
    self.verb = verb
    self.reason = reason
    self.elapsedMilliseconds = elapsedMilliseconds
  }

  public func encoded() -> [UInt8] {
    var writer = TaggedFieldWriter()
    writer.set(1, sequence)
    writer.set(2, stage.rawValue)
    writer.set(3, verb, maximumBytes: 16)
    writer.set(4, reason, maximumBytes: 250)
    writer.set(5, elapsedMilliseconds)
    return writer.bytes
  }

  /// Nil for what is no receipt of this version.
  public init?(encoded payload: ArraySlice<UInt8>) {
    guard let fields = TaggedFieldReader(payload), let sequence = fields.integer(1, UInt32.self),
      let stage = fields.integer(2, UInt8.self).flatMap(Stage.init(rawValue:)), let verb = fields.string(3)
    else { return nil }
    self.init(
      sequence: sequence, stage: stage, verb: verb, reason: fields.string(4) ?? "",
      elapsedMilliseconds: fields.integer(5, UInt32.self) ?? 0)
  }
}

/// Something the client's operator should read: a warning of the autopilot, a decision of the navigator.
public struct VehicleNotice: Equatable, Sendable {
  /// MAVLink `MAV_SEVERITY`, 0 emergency to 7 debug.
  public var severity: UInt8
  public var text: String

  public init(severity: UInt8, text: String) {
    self.severity = severity
    self.text = text
  }

  public func encoded() -> [UInt8] {
    var writer = TaggedFieldWriter()
    writer.set(1, severity)
    writer.set(2, text, maximumBytes: 250)
    return writer.bytes
  }

  public init?(encoded payload: ArraySlice<UInt8>) {
    guard let fields = TaggedFieldReader(payload), let severity = fields.integer(1, UInt8.self),
      let text = fields.string(2)
    else { return nil }
    self.init(severity: severity, text: text)
  }
}

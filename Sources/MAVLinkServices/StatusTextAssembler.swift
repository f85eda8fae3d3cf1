import MAVLink

/// A text of the autopilot, with the time it was complete.
public struct VehicleText: Equatable, Sendable {
  /// Severity as in syslog: 0 emergency to 7 debug.
  public let severity: UInt8
  public let text: String
  public let at: ContinuousClock.Instant

  public init(severity: UInt8, text: String, at: ContinuousClock.Instant) {
    self.severity = severity
    self.text = text
    self.at = at
  }

  /// Whether it can explain a refusal: warnings and worse, and the arming checks whatever their severity.
  var explainsRefusal: Bool {
    severity <= Severity.warning.rawValue || text.hasPrefix("Arm:") || text.hasPrefix("PreArm:")
  }
}

/// Joins STATUSTEXT chunks; bounded, and a text that never ends comes out as far as it came.
struct StatusTextAssembler: Sendable {
  /// Longer than any autopilot's pause between two chunks of one text.
  static let patience: Duration = .milliseconds(700)
  static let maximumPartials = 4
  static let maximumBytes = 500

  private struct Partial {
    let id: UInt16
    let severity: UInt8
    var bytes: [UInt8]
    var nextChunk: UInt8
    var since: ContinuousClock.Instant
  }
  private var partials: [Partial] = []

  /// Takes a chunk; returns the texts that it completes.
  mutating func add(_ chunk: StatusText, at now: ContinuousClock.Instant) -> [VehicleText] {
    let bytes = Array(chunk.text.bytes.elements.prefix { $0 != 0 })
    let isLast = bytes.count < 50
    guard chunk.id != 0 else {
      return [VehicleText(severity: chunk.severity.rawValue, bytes: bytes, at: now)]
    }
    var finished: [VehicleText] = []
    if let index = partials.firstIndex(where: { $0.id == chunk.id }) {
      if chunk.chunkSeq == partials[index].nextChunk {
        partials[index].bytes += bytes
        partials[index].nextChunk &+= 1
        partials[index].since = now
        if isLast || partials[index].bytes.count >= Self.maximumBytes {
          finished.append(take(index, at: now))
        }
        return finished
      }
      // A repeated chunk changes nothing; a gap shows as an ellipsis.
      if chunk.chunkSeq < partials[index].nextChunk { return [] }
      partials[index].bytes += Array("...".utf8) + bytes
      partials[index].nextChunk = chunk.chunkSeq &+ 1
      partials[index].since = now
      if isLast || partials[index].bytes.count >= Self.maximumBytes { finished.append(take(index, at: now)) }
      return finished
    }
    if isLast { return [VehicleText(severity: chunk.severity.rawValue, bytes: bytes, at: now)] }
    if partials.count == Self.maximumPartials { finished.append(take(0, at: now)) }
    partials.append(
      Partial(
        id: chunk.id, severity: chunk.severity.rawValue, bytes: bytes, nextChunk: chunk.chunkSeq &+ 1,
        since: now))
    return finished
  }

  /// Texts whose next chunk did not come in time.
  mutating func overdue(at now: ContinuousClock.Instant) -> [VehicleText] {
    var finished: [VehicleText] = []
    while let index = partials.firstIndex(where: { $0.since.duration(to: now) >= Self.patience }) {
      finished.append(take(index, at: now))
    }
    return finished
  }

  private mutating func take(_ index: Int, at now: ContinuousClock.Instant) -> VehicleText {
    let partial = partials.remove(at: index)
    return VehicleText(severity: partial.severity, bytes: partial.bytes, at: now)
  }
}

extension VehicleText {
  fileprivate init(severity: UInt8, bytes: [UInt8], at now: ContinuousClock.Instant) {
    // PX4 marks texts that are events as well with a tab at the end.
    let visible = bytes.prefix((bytes.lastIndex { $0 > 0x20 } ?? -1) + 1)
    self.init(severity: severity, text: safeText(Array(visible)), at: now)
  }
}

import MAVLink

/// What passed the line to the flight controller, for whoever looks after the machine.
public struct LineStatistics: Equatable, Sendable {
  public var isOpen: Bool
  /// How often it was opened; each more than one is a loss.
  public var openings: Int
  /// Received since the program began, from whoever speaks on the line.
  public var bytes: UInt64
  public var frames: UInt64
  public var checksumErrors: UInt64
  /// Frames that the sequence numbers of their sources show as missing.
  public var lostFrames: UInt64
}

/// Counts what passes a line that is opened again and again.
struct LineCounter {
  private(set) var openings = 0
  private var earlier = StreamCounters()

  mutating func opened() { openings += 1 }

  /// The line ended: its parser's counts begin anew with the next.
  mutating func closed(_ counters: StreamCounters) { earlier = earlier.adding(counters) }

  func statistics(isOpen: Bool, _ counters: StreamCounters) -> LineStatistics {
    let all = earlier.adding(counters)
    return LineStatistics(
      isOpen: isOpen, openings: openings, bytes: all.bytes, frames: all.frames + all.unknownFrames,
      checksumErrors: all.checksumErrors, lostFrames: all.lostFrames)
  }
}

extension StreamCounters {
  func adding(_ other: StreamCounters) -> StreamCounters {
    var sum = self
    sum.bytes += other.bytes
    sum.frames += other.frames
    sum.unknownFrames += other.unknownFrames
    sum.checksumErrors += other.checksumErrors
    sum.skippedBytes += other.skippedBytes
    sum.lostFrames += other.lostFrames
    return sum
  }
}

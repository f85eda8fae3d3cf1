/// What a parser has seen since it was made.
public struct StreamCounters: Sendable, Equatable {
  /// Bytes pushed.
  public var bytes: UInt64 = 0
  /// Frames with the right checksum.
  public var frames: UInt64 = 0
  /// Frames passed on without a check, as no known dialect has their message.
  public var unknownFrames: UInt64 = 0
  /// Start bytes with a whole known frame behind them whose checksum was wrong.
  public var checksumErrors: UInt64 = 0
  /// Bytes that belong to no frame.
  public var skippedBytes: UInt64 = 0
  /// Frames that the sequence numbers of their sources show as missing.
  public var lostFrames: UInt64 = 0

  public init() {}
}

/// What was heard from one component.
public struct SourceCounters: Sendable, Equatable {
  public let systemID: UInt8
  public let componentID: UInt8
  /// Frames with the right checksum.
  public internal(set) var frames: UInt64
  /// Frames that the sequence numbers show as missing.
  public internal(set) var lostFrames: UInt64
  /// Sequence number of the last frame.
  public internal(set) var lastSequence: UInt8
}

/// The components heard on one stream, with their sequence numbers.
///
/// Bounded: a line carries a handful of components, and a hostile one could name 65,536.
public struct SourceTable: Sendable {
  /// Components beyond this number are not watched for losses.
  public static var maximumCount: Int { 64 }

  public private(set) var entries: [SourceCounters] = []
  private var lastIndex = 0

  /// What was heard from one component, if it is watched.
  public subscript(systemID systemID: UInt8, componentID componentID: UInt8) -> SourceCounters? {
    entries.first { $0.systemID == systemID && $0.componentID == componentID }
  }

  /// Counts the frame, and returns how many are missing before it.
  mutating func note(_ frame: borrowing Frame) -> Int {
    guard let index = index(frame.systemID, frame.componentID) else {
      if entries.count < Self.maximumCount {
        entries.append(
          SourceCounters(
            systemID: frame.systemID, componentID: frame.componentID, frames: 1, lostFrames: 0,
            lastSequence: frame.sequence))
      }
      return 0
    }
    let gap = frame.sequence &- entries[index].lastSequence &- 1
    // More than half a turn ahead is rather a repeated or late frame, or a restarted sender.
    let lost = gap < 128 ? Int(gap) : 0
    entries[index].frames &+= 1
    entries[index].lostFrames &+= UInt64(lost)
    entries[index].lastSequence = frame.sequence
    return lost
  }

  private mutating func index(_ systemID: UInt8, _ componentID: UInt8) -> Int? {
    func matches(_ entry: SourceCounters) -> Bool {
      entry.systemID == systemID && entry.componentID == componentID
    }
    // Most frames of a line come from one component.
    if lastIndex < entries.count, matches(entries[lastIndex]) { return lastIndex }
    guard let index = entries.firstIndex(where: matches) else { return nil }
    lastIndex = index
    return index
  }
}

/// What a line carried of late, measured, beside what it can.
public struct LineReport: Equatable, Sendable {
  public struct Stream: Equatable, Sendable {
    /// In the specification's words, such as `GLOBAL_POSITION_INT`.
    public var name: String
    /// Times a second; what was asked for already fits the line.
    public var asked: Double
    /// Nil before a whole period of measuring.
    public var measured: Double?
  }

  /// What the line carries in each direction; nil for a network.
  public var bytesPerSecond: Int?
  public var bytesPerSecondIn: Double?
  public var bytesPerSecondOut: Double?
  public var streams: [Stream]

  /// The part of what the line carries that arrives, 1 for all of it.
  public var loadIn: Double? {
    guard let bytesPerSecond, let bytesPerSecondIn else { return nil }
    return bytesPerSecondIn / Double(bytesPerSecond)
  }
}

/// Counts what passes, in periods of ``period``.
public struct LineMeter: Sendable {
  static let period: Duration = .seconds(5)
  /// A line of noise that looks like MAVLink must not fill memory.
  static let maximumMessages = 256

  private var since: ContinuousClock.Instant?
  private var now = Counts()
  private var last: (counts: Counts, seconds: Double)?

  private struct Counts: Sendable {
    var bytesIn = 0
    var bytesOut = 0
    var messages: [UInt32: Int] = [:]
  }

  public init() {}

  public mutating func received(_ messageID: UInt32, bytes: Int, at instant: ContinuousClock.Instant) {
    tick(at: instant)
    now.bytesIn += bytes
    guard now.messages[messageID] != nil || now.messages.count < Self.maximumMessages else { return }
    now.messages[messageID, default: 0] += 1
  }

  public mutating func wrote(bytes: Int, at instant: ContinuousClock.Instant) {
    tick(at: instant)
    now.bytesOut += bytes
  }

  /// Ends a period when it is over; also to be called while nothing passes.
  public mutating func tick(at instant: ContinuousClock.Instant) {
    guard let since else {
      self.since = instant
      return
    }
    let passed = since.duration(to: instant)
    guard passed >= Self.period else { return }
    last = (now, passed / .seconds(1))
    now = Counts()
    self.since = instant
  }

  public mutating func reset() { self = LineMeter() }

  public var bytesPerSecondIn: Double? { last.map { Double($0.counts.bytesIn) / $0.seconds } }
  public var bytesPerSecondOut: Double? { last.map { Double($0.counts.bytesOut) / $0.seconds } }

  /// How often a message came, a second; nil before a whole period.
  public func rate(of messageID: UInt32) -> Double? {
    last.map { Double($0.counts.messages[messageID] ?? 0) / $0.seconds }
  }
}

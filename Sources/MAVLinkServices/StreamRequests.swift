public import MAVLink

/// Asks the autopilot for the messages that the relay lives on, one request at a time.
///
/// ArduPilot sends little but HEARTBEAT and STATUSTEXT until it is asked, and forgets when it restarts. PX4 sends
/// unasked, at rates of its own.
public struct StreamRequests: Sendable {
  struct Stream: Sendable {
    let messageID: UInt32
    let name: String
    let frameLength: Int
    let rate: Double
    var lastSeen: ContinuousClock.Instant?
    var askedAt: ContinuousClock.Instant?
    var patience: Duration = Self.firstPatience

    static let firstPatience: Duration = .seconds(2)
    static let longestPatience: Duration = .seconds(30)

    init<M: Message>(_ type: M.Type, rate: Double) {
      messageID = M.messageID
      name = M.specificationName
      frameLength = M.maximumPayloadLength + 12
      self.rate = rate
    }
  }

  private var streams: [Stream] = [
    Stream(GlobalPositionInt.self, rate: 5), Stream(ExtendedSystemState.self, rate: 2),
    Stream(SystemStatus.self, rate: 1), Stream(GPSRawInt.self, rate: 1), Stream(VFRHUD.self, rate: 2),
    Stream(PositionTargetGlobalInt.self, rate: 2), Stream(SystemTime.self, rate: 1),
    Stream(HomePosition.self, rate: 0.5), Stream(BatteryStatus.self, rate: 0.5),
  ]
  private var inFlight: (index: Int, at: ContinuousClock.Instant)?
  private var lastRequest: ContinuousClock.Instant?
  /// Whether a stream that comes unasked is asked for once all the same, at the rate that fits the line.
  public var asksForWhatComesUnasked = false
  /// Factor on all rates, 1 where the line is fast enough.
  public let rateFactor: Double
  /// What the line carries; nil for a network.
  public let bytesPerSecond: Int?

  /// What comes besides: heartbeats, texts, acknowledgements, and what others on the vehicle say.
  static let shareOfLine = 0.5

  /// Requests are this far apart at least, so that they never crowd out a command.
  static let spacing: Duration = .milliseconds(40)
  static let answerLimit: Duration = .seconds(1)

  /// - Parameter bytesPerSecond: what the line carries, nil for a network; the streams take half of it at most.
  public init(bytesPerSecond: Int?) {
    self.bytesPerSecond = bytesPerSecond
    let needed = streams.reduce(0) { $0 + $1.rate * Double($1.frameLength) }
    rateFactor = bytesPerSecond.map { min(1, Double($0) * Self.shareOfLine / needed) } ?? 1
  }

  /// What is asked for, in bytes a second at most.
  public var askedBytesPerSecond: Double {
    streams.reduce(0) { $0 + $1.rate * rateFactor * Double($1.frameLength) }
  }

  /// In one line, for people: how much of the line the streams take.
  public var plan: String {
    let asked = Int(askedBytesPerSecond.rounded())
    guard let bytesPerSecond else { return "asks for \(streams.count) messages, \(asked) bytes a second" }
    let share = "\(asked) of \(bytesPerSecond) bytes a second"
    guard rateFactor < 1 else { return "asks for \(streams.count) messages, \(share)" }
    return
      "asks for \(streams.count) messages at \(Int((rateFactor * 100).rounded())) % of the usual rates, \(share): a faster line gives fresher positions"
  }

  /// What was asked for beside what was measured.
  public func report(_ meter: LineMeter) -> LineReport {
    LineReport(
      bytesPerSecond: bytesPerSecond, bytesPerSecondIn: meter.bytesPerSecondIn,
      bytesPerSecondOut: meter.bytesPerSecondOut,
      streams: streams.map {
        LineReport.Stream(
          name: $0.name, asked: $0.rate * rateFactor, measured: meter.rate(of: $0.messageID))
      })
  }

  /// A message of the autopilot arrived.
  public mutating func observed(_ messageID: UInt32, at now: ContinuousClock.Instant) {
    guard let index = streams.firstIndex(where: { $0.messageID == messageID }) else { return }
    streams[index].lastSeen = now
    streams[index].patience = Stream.firstPatience
  }

  /// The autopilot is new or restarted: everything is asked again.
  public mutating func restart() {
    inFlight = nil
    for index in streams.indices {
      streams[index].lastSeen = nil
      streams[index].askedAt = nil
      streams[index].patience = Stream.firstPatience
    }
  }

  /// Frees the way for the next request; a refusal makes that stream wait long.
  public mutating func acknowledged(_ ack: CommandAck) {
    guard ack.command == .setMessageInterval, let index = inFlight?.index else { return }
    inFlight = nil
    if ack.result != .accepted { streams[index].patience = Stream.longestPatience }
  }

  /// The request to send now, if one is due.
  public mutating func due(at now: ContinuousClock.Instant, to address: AutopilotAddress) -> CommandLong? {
    if let inFlight, inFlight.at.duration(to: now) < Self.answerLimit { return nil }
    if let lastRequest, lastRequest.duration(to: now) < Self.spacing { return nil }
    guard let index = streams.indices.first(where: { isMissing(streams[$0], at: now) }) else { return nil }
    if streams[index].askedAt != nil {
      streams[index].patience = min(streams[index].patience * 2, Stream.longestPatience)
    }
    streams[index].askedAt = now
    inFlight = (index, now)
    lastRequest = now
    let microseconds = 1_000_000 / (streams[index].rate * rateFactor)
    return CommandLong(
      targetSystem: address.systemID, targetComponent: address.componentID, command: .setMessageInterval,
      param1: Float(streams[index].messageID), param2: Float(microseconds))
  }

  private func isMissing(_ stream: Stream, at now: ContinuousClock.Instant) -> Bool {
    if let askedAt = stream.askedAt, askedAt.duration(to: now) < stream.patience { return false }
    if asksForWhatComesUnasked, stream.askedAt == nil { return true }
    guard let lastSeen = stream.lastSeen else { return true }
    return lastSeen.duration(to: now) >= .seconds(max(2, 4 / (stream.rate * rateFactor)))
  }
}

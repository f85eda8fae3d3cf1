import MAVLink
public import MAVLinkServices
public import ServiceRuntime

/// Asks the flight controller on a line for its failsafe parameters: reads, changes nothing, sends no heartbeat.
///
/// Confined to its loop.
public final class FailsafeCheck {
  public enum Outcome: Equatable, Sendable {
    case report(FailsafeReport.Answer)
    /// Nothing usable was heard; why, with a remedy.
    case failed(String)
  }

  /// A flight controller says something each second.
  private static let heartbeatLimit: Duration = .seconds(6)
  private static let limit: Duration = .seconds(20)

  private let opener: any ChannelOpener
  private let loop: EventLoop
  private let completion: (Outcome) -> Void
  private let signing: LineSigning?
  private var channel: (any ByteChannel)?
  private var parser = StreamParser()
  private var observer = VehicleObserver()
  private var reading: ParameterReading?
  private var encoder = FrameEncoder(systemID: 0, componentID: Heartbeats.companionComponentID)
  private var ticks: RepeatingTimer?
  private var isDone = false
  private let startedAt: ContinuousClock.Instant

  /// - Parameter completion: called once, on the loop.
  public init(
    _ opener: any ChannelOpener, signing: LineSigning? = nil, on loop: EventLoop,
    completion: @escaping (Outcome) -> Void
  ) {
    self.opener = opener
    self.loop = loop
    self.completion = completion
    self.signing = signing
    startedAt = loop.now
  }

  public func start() {
    opener.open(on: loop) { [self] result in
      switch result {
      case .failure(let failure): finish(.failed(failure.description))
      case .success(let channel): opened(channel)
      }
    }
  }

  private func opened(_ channel: any ByteChannel) {
    self.channel = channel
    encoder.announcesSignature = signing != nil
    channel.onBytes = { [self] bytes in received(bytes) }
    channel.onEnd = { [self] end in finish(.failed("\(opener.name) vanished: \(end)")) }
    ticks = loop.repeating(every: .milliseconds(50)) { [self] in tick() }
  }

  private func received(_ bytes: [UInt8]) {
    for frame in parser.frames(in: bytes) where !isDone {
      if let signing, !signing.accepts(frame) { continue }
      _ = observer.observe(frame, at: loop.now)
      reading?.received(frame)
      if reading == nil, let address = observer.address, let firmware = observer.firmware {
        encoder.systemID = address.systemID
        reading = ParameterReading(
          FailsafeReport.parameterNames(of: firmware), of: firmware, at: address)
      }
    }
    tick()
  }

  private func tick() {
    guard !isDone, let channel else { return }
    let waited = startedAt.duration(to: loop.now)
    guard var reading, let firmware = observer.firmware else {
      if waited >= FailsafeCheck.heartbeatLimit { finish(.failed(silence)) }
      return
    }
    if let request = reading.request(at: loop.now) {
      var frame = encoder.encode(request)
      signing?.sign(&frame, at: loop.now)
      _ = channel.write(frame)
    }
    self.reading = reading
    if reading.isComplete || waited >= FailsafeCheck.limit {
      finish(.report(FailsafeReport.Answer(firmware: firmware, values: reading.values)))
    }
  }

  private var silence: String {
    if let problem = signing?.problem { return problem }
    let counters = parser.counters
    return counters.frames == 0
      ? "no MAVLink on \(opener.name): \(counters.bytes) bytes, \(counters.checksumErrors) checksum errors"
      : "no flight controller's heartbeat on \(opener.name)"
  }

  private func finish(_ outcome: Outcome) {
    guard !isDone else { return }
    isDone = true
    ticks?.cancel()
    channel?.close()
    completion(outcome)
  }
}

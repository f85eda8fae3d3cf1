import MAVLink
public import MAVLinkServices
public import ServiceRuntime
public import Vehicle

/// Whether bytes can flow to the flight controller.
public enum LinkStatus: Equatable, Sendable {
  case up
  case down(reason: String)
}

/// The relay's end of the serial line: keeps it open, knows the vehicle, carries out actions.
///
/// Confined to its loop's thread. An action is written to the line within the call that asks for it.
public final class VehicleLink {
  /// The old and the new state, after each frame that changed it.
  public var onState: ((VehicleState, VehicleState) -> Void)?
  public var onProgress: ((_ ticket: UInt32, VehicleAction, ActionProgress) -> Void)?
  /// A text of the autopilot; severity as in syslog, 0 to 7.
  public var onText: ((_ severity: UInt8, String) -> Void)?
  public var onLink: ((LinkStatus) -> Void)?
  /// What was written for an action, in the words of the specification.
  public var onSent: ((_ ticket: UInt32, _ summary: String) -> Void)?
  /// Asked each second: whether a trusted client is alive, so that the autopilot hears of a ground station.
  public var isGroundStationAlive: () -> Bool = { false }

  public private(set) var status = LinkStatus.down(reason: "not opened yet")
  /// Each whole frame that came or went, without signature, for a record of the line.
  public var onTraffic: ((_ frame: [UInt8]) -> Void)?
  /// Why nothing is heard although the line is open; nil while the autopilot's heartbeats come.
  public var problem: String? { signing?.problem ?? monitor.problem }
  public var state: VehicleState { observer.state }
  /// The autopilot's last texts, oldest first.
  public var texts: [VehicleText] { observer.texts }
  /// What the line carries of late, and what was asked for.
  public var line: LineReport { streams.report(meter) }
  public var isActionUnderWay: Bool { driver.isActionUnderWay }

  /// Half of the time that a lost acknowledgement costs at least, and cheap enough to run for ever.
  static let tickPeriod: Duration = .milliseconds(100)

  /// Slow enough to cost nothing on a line where nobody answers.
  static let homeRequestPeriod: Duration = .seconds(5)

  let loop: EventLoop
  let logger: Logger
  let opener: any ChannelOpener
  let signing: LineSigning?
  private let clock: () -> ContinuousClock.Instant

  var channel: (any ByteChannel)?
  var parser = StreamParser()
  var observer = VehicleObserver()
  var driver: any AutopilotDriver = ArduPilotDriver()
  var heartbeats = Heartbeats()
  var streams: StreamRequests
  var budget: LineBudget
  var meter = LineMeter()
  var monitor: LineMonitor
  var counter = LineCounter()
  var companion = FrameEncoder(systemID: 0, componentID: Heartbeats.companionComponentID)
  var groundStation = FrameEncoder(
    systemID: Heartbeats.groundStation.systemID, componentID: Heartbeats.groundStation.componentID)
  /// The newest target, while older bytes keep the line busy.
  var heldTarget: (message: OutgoingMessage, order: Order)?
  var forwardedTicket: UInt32?
  var lastHomeRequest: ContinuousClock.Instant?

  private var ticker: RepeatingTimer?
  private var retry: ScheduledTimer?
  private var backoff = Backoff(initial: .milliseconds(200), maximum: .seconds(1))
  private var isStarted = false
  /// Counts attempts, so that the answer to an abandoned one is told apart.
  private var attempt = 0

  /// - Parameters:
  ///   - signing: nil for a line without signatures.
  ///   - clock: for tests that do not wait; the loop's own otherwise.
  public init(
    loop: EventLoop, logger: Logger, opener: any ChannelOpener, signing: LineSigning? = nil,
    clock: (() -> ContinuousClock.Instant)? = nil
  ) {
    self.loop = loop
    self.logger = logger
    self.opener = opener
    self.signing = signing
    companion.announcesSignature = signing != nil
    groundStation.announcesSignature = signing != nil
    self.clock = clock ?? { [unowned loop] in loop.now }
    // Eight data bits, a start and a stop bit.
    let bytesPerSecond = opener.baud.map { $0 / 10 }
    streams = StreamRequests(bytesPerSecond: bytesPerSecond)
    budget = LineBudget(bytesPerSecond: bytesPerSecond)
    monitor = LineMonitor(name: opener.name, baud: opener.baud)
  }

  deinit {
    ticker?.cancel()
    retry?.cancel()
    channel?.close()
  }

  var now: ContinuousClock.Instant { clock() }

  /// What passed the line until now.
  public var statistics: LineStatistics {
    counter.statistics(isOpen: channel != nil, parser.counters)
  }

  /// Opens the line and keeps it open until ``stop()``.
  public func start() {
    guard !isStarted else { return }
    isStarted = true
    ticker = loop.repeating(every: Self.tickPeriod) { [weak self] in self?.tick() }
    open()
  }

  /// Closes the line for good.
  public func stop() {
    isStarted = false
    attempt += 1
    ticker?.cancel()
    retry?.cancel()
    ticker = nil
    retry = nil
    channel?.close()
    channel = nil
    forget(because: "stopped")
  }

  /// Begins an action in place of the one under way; bytes for it are written before this returns.
  ///
  /// Its outcome arrives through ``onProgress``, possibly before this returns. Nothing is queued while the line is down.
  public func perform(_ action: VehicleAction, ticket: UInt32) {
    guard channel != nil else {
      if case .down(let reason) = status {
        onProgress?(ticket, action, .refused(reason: "no flight controller: \(reason)"))
      }
      return
    }
    guard let situation else {
      let reason = problem ?? "no heartbeat of a flight controller yet on \(opener.name)"
      onProgress?(ticket, action, .refused(reason: reason))
      return
    }
    guard observer.firmware != .other else {
      let reason =
        "this kind of vehicle is not supported: ArduPilot on a multicopter, plane, rover or boat and PX4 on a multicopter are"
      onProgress?(ticket, action, .refused(reason: reason))
      return
    }
    // A stop, a landing or a return is sent even to a vehicle that went silent: its receiver may still work.
    guard observer.state.heartbeatAt != nil || action.isSafeUnseen else {
      onProgress?(ticket, action, .refused(reason: "no heartbeat of the flight controller for 5 s"))
      return
    }
    heldTarget = nil
    carryOut(driver.start(Order(ticket: ticket, action: action), in: situation, at: now))
  }

  // MARK: Opening

  private func open() {
    attempt += 1
    let attempt = self.attempt
    opener.open(on: loop) { [weak self] result in
      guard let self, self.isStarted, self.attempt == attempt, self.channel == nil else {
        if case .success(let channel) = result { channel.close() }
        return
      }
      switch result {
      case .success(let channel): self.opened(channel)
      case .failure(let failure): self.down(because: failure.description)
      }
    }
  }

  private func opened(_ channel: any ByteChannel) {
    self.channel = channel
    channel.onBytes = { [weak self] bytes in
      self?.backoff.reset()
      self?.received(bytes)
    }
    channel.onEnd = { [weak self] end in
      guard let self else { return }
      self.channel = nil
      self.down(because: "\(self.opener.name) vanished: \(end)")
    }
    monitor.opened(at: now)
    counter.opened()
    status = .up
    logger.notice("serial line open", ["serial.name": opener.name])
    onLink?(.up)
  }

  private func down(because reason: String) {
    let change = LinkStatus.down(reason: reason)
    let isNews = status != change
    status = change
    retry = loop.schedule(after: backoff.nextDelay()) { [weak self] in self?.open() }
    if isNews { logger.warning("serial line down", ["serial.reason": reason]) }
    forget(because: reason)
    if isNews { onLink?(change) }
  }

  /// Nothing known and nothing queued outlives the line.
  private func forget(because reason: String) {
    let before = observer.state
    counter.closed(parser.counters)
    parser = StreamParser()
    observer.reset()
    streams.restart()
    monitor.closed()
    budget.reset()
    meter.reset()
    heldTarget = nil
    carryOut(driver.abandon(because: reason))
    if observer.state != before { onState?(before, observer.state) }
  }
}

extension VehicleAction {
  /// Whether it may be asked of a vehicle whose state is not known.
  fileprivate var isSafeUnseen: Bool {
    switch self {
    case .hold, .land, .returnToLaunch: true
    case .takeoff, .goTo, .rebootAutopilot: false
    }
  }
}

public import Geodesy
public import ServiceRuntime

/// Follows the reports of a gpsd, here or on another machine, and connects again for ever.
///
/// Everything that blocks runs on a thread of its own; handlers run on the loop.
public final class GPSDClient: PositionSource {
  public var onReport: ((Fix) -> Void)?
  public var onStatusChange: ((PositionStatus) -> Void)?

  private let host: String
  private let port: UInt16
  private let loop: EventLoop
  private let logger: Logger
  private var monitor: PositionMonitor
  private var follower: Follower?
  private var receiver: InboxReceiver<Wake>?
  private var tick: RepeatingTimer?

  /// - Parameters:
  ///   - port: 2947 is the port of gpsd by registration with IANA.
  ///   - freshness: how old a fix may be and still count as the position.
  public init(
    host: String, port: UInt16 = 2947, loop: EventLoop, logger: Logger, freshness: Duration = .seconds(3)
  ) {
    self.host = host
    self.port = port
    self.loop = loop
    self.logger = logger
    monitor = PositionMonitor(freshness: freshness)
  }

  /// The thread outlives a client that nobody stopped, so it is told here too.
  deinit { follower?.stop() }

  public func start() throws {
    guard follower == nil else { return }
    let receiver = try loop.receive(Wake.self, capacity: 1) { [weak self] _ in self?.takeNews() }
    let follower = Follower(host: host, port: port, inbox: receiver.inbox)
    do {
      _ = try WorkerThread(name: "gpsd") { follower.run() }
    } catch {
      receiver.close()
      throw error
    }
    self.receiver = receiver
    self.follower = follower
    // Silence is no event; half a second is well below the freshness of a fix.
    tick = loop.repeating(every: .milliseconds(500)) { [weak self] in self?.announceChange() }
  }

  public func stop() {
    follower?.stop()
    follower = nil
    receiver?.close()
    receiver = nil
    tick?.cancel()
    tick = nil
  }

  public func status(at now: ContinuousClock.Instant) -> PositionStatus { monitor.status(at: now) }
  public func position(at now: ContinuousClock.Instant) -> UsablePosition? { monitor.position(at: now) }

  private func takeNews() {
    guard let news = follower?.takeNews() else { return }
    switch news.link {
    case .connected?: monitor.connected()
    case .disconnected(let reason)?: monitor.disconnected(reason: reason, at: loop.now)
    case nil: break
    }
    if let report = news.report {
      monitor.received(report)
      onReport?(report)
    }
    announceChange()
  }

  private func announceChange() {
    // A handler may have stopped the client.
    guard follower != nil, let status = monitor.statusChange(at: loop.now) else { return }
    log(status)
    onStatusChange?(status)
  }

  private func log(_ status: PositionStatus) {
    let place = "\(host):\(port)"
    switch status {
    case .waiting(.connecting): break
    case .waiting(.noReport):
      logger.notice("gpsd answers, waiting for a receiver to report", ["gpsd.address": place])
    case .waiting(.noFix):
      logger.notice("receiver has no fix yet", ["gpsd.address": place])
    case .fix(let fix):
      logger.notice("position known", ["gpsd.address": place, "fix.dimensions": "\(fix.mode.rawValue)"])
    case .lostFix:
      logger.warning("receiver lost its fix", ["gpsd.address": place])
    case .stale(_, let age):
      logger.warning(
        "no report from the receiver", ["gpsd.address": place, "fix.ageSeconds": "\(age.components.seconds)"])
    case .unreachable(let reason, _):
      logger.warning(
        "cannot reach gpsd, trying again: \(reason); is it running and listening there?",
        ["gpsd.address": place])
    }
  }
}

/// Says that there is news to take.
struct Wake: Sendable {}

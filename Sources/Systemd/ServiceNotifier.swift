internal import CSystemd
public import ServiceRuntime

/// Tells systemd how the service is doing (`sd_notify(3)`). Without systemd, that is without `NOTIFY_SOCKET` in the
/// environment, every call does nothing.
///
/// The calls send one datagram to a local socket; they fail or succeed at once while systemd takes its messages.
public final class ServiceNotifier {
  /// Systemd takes 4096 bytes a message; a status is one line for a person.
  static let maximumStatusLength = 200

  /// How long systemd waits for the next `feed` before it kills the service; nil when it does not watch this process.
  public let watchdogInterval: Duration?

  private let logger: Logger
  private var lastFeed: ContinuousClock.Instant?
  private var hasReportedFailure = false

  /// Reads the environment that systemd gave to this process.
  public init(logger: Logger) {
    self.logger = logger
    var microseconds: UInt64 = 0
    // It compares WATCHDOG_PID with this process too: a child that inherits the variables is not watched.
    let answer = unsafe sd_watchdog_enabled(0, &microseconds)
    watchdogInterval = answer > 0 ? .microseconds(Int64(clamping: microseconds)) : nil
  }

  /// The service really serves: say it once its socket, device loop and discovery are set up, not before.
  public func ready(status: String) { send("READY=1\n\(Self.statusLine(status))") }

  /// One line for `systemctl status`.
  public func status(_ text: String) { send(Self.statusLine(text)) }

  /// The service begins to end.
  public func stopping(status: String) { send("STOPPING=1\n\(Self.statusLine(status))") }

  /// The configuration is being read anew; follow it with `ready`.
  ///
  /// - Parameter now: the monotonic clock, which systemd wants to tell this message from older ones.
  public func reloading(monotonicMicroseconds now: UInt64) { send("RELOADING=1\nMONOTONIC_USEC=\(now)") }

  /// Claims that the service works: call it from the loop that moves frames, as often as that loop likes.
  ///
  /// A timer thread of its own would go on claiming while the loop hangs, and the watchdog would watch nothing. What is
  /// called more often than every quarter of the interval is not sent, so it costs nothing in a fast loop; systemd
  /// recommends half the interval, and a quarter lets one message come late.
  public func feed(at now: ContinuousClock.Instant) {
    guard let watchdogInterval else { return }
    if let lastFeed, lastFeed.duration(to: now) < watchdogInterval / 4 { return }
    lastFeed = now
    send("WATCHDOG=1")
  }

  /// A status may carry text of others, as the autopilot's; a line break in it would start another assignment.
  private static func statusLine(_ text: String) -> String {
    "STATUS=\(String(text.escapingControlCharacters.prefix(maximumStatusLength)))"
  }

  private func send(_ message: String) {
    let result = unsafe sd_notify(0, message)
    guard result < 0, !hasReportedFailure else { return }
    // Once: the watchdog would repeat it for ever.
    hasReportedFailure = true
    logger.info("cannot notify systemd", ["systemd.reason": SystemError("sd_notify", code: -result).reason])
  }
}

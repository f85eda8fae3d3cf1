import MAVLink
import ServiceRuntime

/// Says what is wrong with an open line on which no autopilot is heard: nothing there, or the wrong speed.
struct LineMonitor {
  static let patience: Duration = .seconds(5)
  static let reportPeriod: Duration = .seconds(60)

  let name: String
  let baud: Int?
  private(set) var problem: String?

  private var since: ContinuousClock.Instant?
  private var frames: UInt64 = 0
  private var bytes: UInt64 = 0
  private var checksumErrors: UInt64 = 0
  private var faults = FaultCounter(period: Self.reportPeriod)

  init(name: String, baud: Int?) {
    // An endpoint's name may end with the speed, which the texts give anyway.
    let suffix = baud.map { ":\($0)" } ?? ""
    self.name = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    self.baud = baud
  }

  mutating func opened(at now: ContinuousClock.Instant) { begin(StreamCounters(), at: now) }

  mutating func closed() {
    since = nil
    problem = nil
  }

  /// Looks at the line once a period of ``patience``; returns the line for the log, once a ``reportPeriod``.
  mutating func report(
    _ counters: StreamCounters, heartbeatAt: ContinuousClock.Instant?, at now: ContinuousClock.Instant
  ) -> String? {
    if heartbeatAt != nil { problem = nil }
    guard let since, since.duration(to: now) >= Self.patience else { return nil }
    defer { begin(counters, at: now) }
    guard heartbeatAt == nil else { return nil }
    let text = describe(counters)
    problem = text
    return faults.record(at: now) == nil ? nil : text
  }

  private func describe(_ counters: StreamCounters) -> String {
    let newBytes = counters.bytes - bytes
    let line = baud.map { "at \($0) baud on \(name)" } ?? "on \(name)"
    if newBytes == 0 { return "no data \(line) for 5 s (is the flight controller powered and wired?)" }
    if counters.frames == frames {
      let errors = counters.checksumErrors - checksumErrors
      let hint = baud == nil ? "" : " (is the baud rate right?)"
      return "no MAVLink \(line): \(newBytes) bytes, \(errors) checksum errors\(hint)"
    }
    return "MAVLink \(line), but no flight controller's heartbeat for 5 s"
  }

  private mutating func begin(_ counters: StreamCounters, at now: ContinuousClock.Instant) {
    since = now
    frames = counters.frames
    bytes = counters.bytes
    checksumErrors = counters.checksumErrors
  }
}

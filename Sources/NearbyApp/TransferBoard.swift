import ServiceRuntime
public import Terminal

/// One file or folder on its way, as people see it.
public struct TransferRow: Equatable, Sendable {
  public enum Direction: Equatable, Sendable { case sending, receiving }

  public enum State: Equatable, Sendable {
    /// Offered, and not answered yet.
    case waiting
    case moving
    /// Where it was saved; nil for what was sent.
    case done(savedAs: String?)
    case failed(String)
  }

  public let direction: Direction
  /// The other side's label.
  public let peer: String
  public let name: String
  /// nil for a stream whose end nobody knows.
  public private(set) var totalBytes: UInt64?
  public private(set) var doneBytes: UInt64 = 0
  public private(set) var state = State.waiting
  private var rate: RateEstimate?
  private var summary = ""

  public init(_ direction: Direction, peer: String, name: String, totalBytes: UInt64?) {
    self.direction = direction
    self.peer = peer
    self.name = name
    self.totalBytes = totalBytes
  }

  public var isEnded: Bool {
    switch state {
    case .waiting, .moving: false
    case .done, .failed: true
    }
  }

  /// The first report begins the measurement: what is done by then was there before.
  public mutating func progress(_ bytes: UInt64, of total: UInt64?, at now: ContinuousClock.Instant) {
    guard !isEnded else { return }
    if let total { totalBytes = total }
    doneBytes = totalBytes.map { min(bytes, $0) } ?? bytes
    if rate == nil {
      rate = RateEstimate(startingWith: bytes, at: now)
    }
    state = .moving
    rate?.update(bytes, at: now)
  }

  /// - Parameters:
  ///   - resumedBytes: of it that an earlier attempt had brought, as far as this side knows.
  ///   - duration: of the transfer, without the time for an answer.
  public mutating func finished(savedAs path: String?, resumedBytes: UInt64 = 0, duration: Duration) {
    guard !isEnded else { return }
    if let totalBytes { doneBytes = totalBytes }
    state = .done(savedAs: path)
    summary = "\(sizeText(doneBytes)) in \(spanText(duration))"
    let moved = doneBytes - min(doneBytes, resumedBytes)
    // Of the first tenth of a second a rate says nothing.
    if duration >= .milliseconds(100) {
      summary += ", \(sizeText(UInt64((Double(moved) / duration.inSeconds).rounded())))/s"
    }
    if resumedBytes > 0 { summary += " (\(sizeText(resumedBytes)) were there)" }
  }

  public mutating func failed(_ reason: String) {
    guard !isEnded else { return }
    state = .failed(reason)
  }

  /// 0 to 100; 100 only at the end.
  public var percent: Int? {
    if case .done = state { return 100 }
    guard let totalBytes else { return nil }
    guard totalBytes > 0 else { return 0 }
    return min(99, Int(Double(doneBytes) / Double(totalBytes) * 100))
  }

  private var arrow: String {
    switch direction {
    case .sending: "to \(peer)"
    case .receiving: "from \(peer)"
    }
  }

  /// Amount, rate and time left: `52 %, 12.3 MB of 23.6 MB, 4.1 MB/s, 0:03 left`.
  public var figures: String {
    var parts: [String] = []
    if let percent { parts.append("\(percent) %") }
    parts.append(totalBytes.map { "\(sizeText(doneBytes)) of \(sizeText($0))" } ?? sizeText(doneBytes))
    if let rate = rate?.bytesPerSecond { parts.append("\(sizeText(UInt64(rate.rounded())))/s") }
    if let totalBytes, let left = rate?.timeLeft(to: totalBytes) { parts.append("\(clockText(left)) left") }
    return parts.joined(separator: ", ")
  }

  /// One line in words, for scripts and for what stays on the screen.
  public var words: String {
    let what = "\(shownName(name)) \(arrow)"
    switch state {
    case .waiting: return "waiting: \(what)" + (totalBytes.map { ", \(sizeText($0))" } ?? "")
    case .moving: return "\(direction == .sending ? "sending" : "receiving"): \(what): \(figures)"
    case .done(nil): return "sent: \(what): \(summary)"
    case .done(let path?):
      return "received: \(what): \(summary): saved as \(path.shown(maximumScalars: 1024))"
    case .failed(let reason):
      return
        "\(direction == .sending ? "not sent" : "not received"): \(what): \(reason.shown(maximumScalars: 300))"
    }
  }

  /// One line with a bar, at most so wide.
  public func line(columns: Int) -> Line {
    switch state {
    case .waiting: return Line("  \(words)", .faint).fitted(columns: columns)
    case .done: return Line("  \(words)", .good).fitted(columns: columns)
    case .failed: return Line("  \(words)", .bad).fitted(columns: columns)
    case .moving: break
    }
    let barColumns = 20
    let figures = Line("  \(self.figures)")
    let bar = progressBar(
      totalBytes.map { $0 == 0 ? 0 : Double(doneBytes) / Double($0) }, columns: barColumns)
    let left = max(8, columns - bar.columnCount - figures.columnCount - 2)
    let name = Line("  \(shownName(self.name)) \(arrow)", .strong).padded(columns: left) + "  "
    return (name + bar + figures).fitted(columns: columns)
  }
}

/// A bar that is filled from the left; without a known end a bar of dots.
func progressBar(_ fraction: Double?, columns: Int) -> Line {
  guard let fraction else { return Line(String(repeating: "·", count: columns), .faint) }
  let filled = min(columns, max(0, Int((fraction * Double(columns)).rounded(.down))))
  return Line(String(repeating: "█", count: filled), .accent)
    + Line(String(repeating: "░", count: columns - filled), .faint)
}

/// When a script is told about progress: now and then, not at each packet.
public struct PlainProgress: Equatable, Sendable {
  /// Nobody reads more often in a log; and a stalled transfer is told by the same figures again.
  static let period: Duration = .seconds(5)

  private var last: ContinuousClock.Instant?

  public init() {}

  public mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    guard let last else {
      // Short transfers are told by their end alone.
      self.last = now
      return false
    }
    guard last.duration(to: now) >= Self.period else { return false }
    self.last = now
    return true
  }
}

import Glibc

/// How fast something moves, smoothed so that people can read it, and how long it will take.
public struct RateEstimate: Equatable, Sendable {
  /// Changes older than this hardly count; below about 2 s the figures of a radio link jump too much to be read.
  static let timeConstant: Duration = .seconds(3)

  private let start: ContinuousClock.Instant
  private let startBytes: UInt64
  private var last: ContinuousClock.Instant
  private var lastBytes: UInt64
  private var smoothed = 0.0

  /// - Parameter bytes: what was there before, such as the part of a resumed file: it took no time now.
  public init(startingWith bytes: UInt64, at now: ContinuousClock.Instant) {
    start = now
    startBytes = bytes
    last = now
    lastBytes = bytes
  }

  /// So many bytes are done in all.
  public mutating func update(_ bytes: UInt64, at now: ContinuousClock.Instant) {
    let elapsed = last.duration(to: now).inSeconds
    // Shorter samples say more about buffers than about the link.
    guard elapsed >= 0.1 else { return }
    let rate = Double(bytes &- min(bytes, lastBytes)) / elapsed
    let weight = 1 - exp(-elapsed / Self.timeConstant.inSeconds)
    // The plain mean until there is enough to smooth: the first sample alone would count for seconds.
    let age = start.duration(to: now)
    if age < Self.timeConstant {
      smoothed = Double(bytes &- min(bytes, startBytes)) / max(age.inSeconds, 0.1)
    } else {
      smoothed += weight * (rate - smoothed)
    }
    last = now
    lastBytes = bytes
  }

  /// nil until something was measured.
  public var bytesPerSecond: Double? { smoothed > 0 ? smoothed : nil }

  /// nil when nothing moves.
  public func timeLeft(to total: UInt64) -> Duration? {
    guard total > lastBytes else { return .zero }
    guard smoothed >= 1 else { return nil }
    return .seconds(min(Double(total - lastBytes) / smoothed, 359_999))
  }
}

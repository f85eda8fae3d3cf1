public import MAVLink
import ServiceRuntime

/// Signatures on the serial line: every frame sent is signed, and only frames signed with the same key count.
///
/// Confined to its link's loop.
public final class LineSigning {
  /// How often the time of signatures is handed out for keeping: a restart then repeats no time, if it begins a period ahead.
  private static let storePeriod: Duration = .seconds(30)

  private var signing: FrameSigning
  private let wallClock: () -> SigningTimestamp
  private let store: (SigningTimestamp) -> Void
  private var nextStore: ContinuousClock.Instant?
  private(set) var acceptedCount: UInt64 = 0
  private(set) var refusedCount: UInt64 = 0
  private var lastRefusal: FrameSigning.Refusal?
  private var faults = FaultCounter(period: .seconds(60))

  /// - Parameters:
  ///   - stored: what `store` was given last, in an earlier run; nil for none.
  ///   - wallClock: now, by the computer's clock, which may be wrong.
  ///   - store: keeps a time for the next run; called on the loop, so it must not block.
  public init(
    key: SigningKey, stored: SigningTimestamp?, wallClock: @escaping () -> SigningTimestamp,
    sha256: @escaping @Sendable ([UInt8]) -> [UInt8], store: @escaping (SigningTimestamp) -> Void
  ) {
    // Signatures made after the last store and before a crash lie at most two periods ahead of it.
    let units = UInt64(LineSigning.storePeriod.components.seconds) * 2 * 100_000
    let start = stored.map { SigningTimestamp($0.value + units) } ?? SigningTimestamp(0)
    signing = FrameSigning(key: key, linkID: 0, timestamp: max(start, wallClock()), sha256: sha256)
    self.wallClock = wallClock
    self.store = store
  }

  /// Why the flight controller is not heard although it speaks; nil while its signatures are right.
  var problem: String? {
    guard let lastRefusal else { return nil }
    let what =
      switch lastRefusal {
      case .unsigned: "does not sign its frames; give it the key of signing-key, or set signing-key = none"
      case .wrongSignature: "signs with another key than signing-key names; give both the same one"
      case .replayed: "repeats old frames"
      case .stale: "signs with a time that lies behind; check the clock of this computer"
      }
    return "the flight controller \(what): \(refusedCount) frames refused"
  }

  func sign(_ frame: inout [UInt8], at now: ContinuousClock.Instant) {
    signing.sign(&frame, at: wallClock())
    if nextStore.map({ now >= $0 }) ?? true {
      nextStore = now.advanced(by: LineSigning.storePeriod)
      store(signing.timestamp)
    }
  }

  /// Whether a frame counts.
  func accepts(_ frame: Frame) -> Bool {
    do throws(FrameSigning.Refusal) {
      try signing.verify(frame, at: wallClock())
      acceptedCount += 1
      // A radio's own frames carry none and say nothing of the flight controller.
      if frame.signature != nil { lastRefusal = nil }
      return true
    } catch {
      refusedCount += 1
      lastRefusal = error
      return false
    }
  }

  /// The line for the log, once a minute while frames are refused.
  func report(at now: ContinuousClock.Instant) -> String? {
    guard let problem, faults.record(at: now) != nil else { return nil }
    return problem
  }
}

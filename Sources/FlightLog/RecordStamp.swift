import CLinux
import Glibc

/// When something happened, by both clocks: the wall clock for people, which may jump, and the kernel's monotonic clock, which
/// orders records within one run of the computer.
public struct RecordStamp: Sendable {
  public let wall: WallClockTime
  /// Seconds since the computer started, to the millisecond (`CLOCK_MONOTONIC`).
  public let monotonicSeconds: Double

  /// Reads both clocks.
  public static var now: RecordStamp {
    RecordStamp(
      wall: WallClockTime(unixMilliseconds: milliseconds(CLOCK_REALTIME)),
      monotonicSeconds: Double(milliseconds(CLOCK_MONOTONIC)) / 1000)
  }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

import CLinux
public import Configuration
public import FlightLog
import Glibc
public import ServiceRuntime
import Vehicle
public import VehicleLink

/// Feeds the telemetry log from the serial line, always or while the vehicle is armed.
public final class TelemetryRecorder {
  /// What happens right after disarming belongs to the flight: the landing's last texts, the reason of a disarm.
  private static let tail: Duration = .seconds(10)

  private var isArmedUntil: ContinuousClock.Instant?

  public init(
    _ extent: TelemetryExtent, of link: VehicleLink, to writer: TelemetryLogWriter, loop: EventLoop
  ) {
    link.onTraffic = { [weak link] frame in
      if extent == .armed {
        let now = loop.now
        if link?.state.isArmed == true { self.isArmedUntil = now.advanced(by: TelemetryRecorder.tail) }
        guard let until = self.isArmedUntil, now < until else { return }
      }
      writer.write(frame, unixMicroseconds: TelemetryRecorder.unixMicroseconds)
    }
  }

  private static var unixMicroseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(time.tv_nsec) / 1000
  }
}

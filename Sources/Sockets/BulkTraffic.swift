import CLinux
import Glibc

/// How a connection that moves much data makes way for commands.
public enum BulkTraffic {
  /// What the kernel has measured of a connection.
  public struct Measurement: Equatable, Sendable {
    /// Smoothed.
    public var roundTrip: Duration
    /// How much round trips differ from that, smoothed.
    public var roundTripDeviation: Duration
    /// The shortest of the last minutes; zero before there was one.
    public var shortestRoundTrip: Duration
    /// Segments that arrived, ever, selectively acknowledged ones included; wraps.
    public var deliveredSegments: UInt32
    public var segmentBytes: Int
  }

  /// The most that waits in the socket unsent. More would only make a cancel and a resume later.
  static let unsentBytes: Int32 = 131_072
  /// Lower effort (RFC 8622): routers that look at it let everything else go first.
  private static let lowerEffort: Int32 = 0x04
  /// The last band of Linux's default queue (`TC_PRIO_BULK`).
  private static let bulkPriority: Int32 = 2
  /// Linux, `asm-generic/socket.h`; Glibc leaves it out.
  private static let maximumPacingRate: Int32 = 47

  /// Where `struct tcp_info` of `linux/tcp.h` has its fields. Glibc's own header ends before the later ones and cannot be read beside
  /// that one; the layout is part of the kernel's interface, and only ever grows.
  private enum InfoOffset {
    static let segmentBytes = 16
    static let roundTrip = 68
    static let roundTripDeviation = 72
    static let shortestRoundTrip = 148
    static let delivered = 192
    static let end = 196
  }

  /// Tunes a connected TCP socket. What the kernel does not offer is left out: all of it only makes things better.
  ///
  /// - Returns: whether a pace should be kept: the peer is on another machine, so there may be a queue between.
  @discardableResult public static func tune(_ descriptor: Int32) -> Bool {
    set(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, unsentBytes)
    set(descriptor, Int32(IPPROTO_IP), IP_TOS, lowerEffort)
    set(descriptor, Int32(IPPROTO_IPV6), IPV6_TCLASS, lowerEffort)
    // After the type of service, which changes it.
    set(descriptor, SOL_SOCKET, SO_PRIORITY, bulkPriority)
    // Goes by the measured rate, not by loss: a radio that loses packets is not a full one, and the queue in front of a slow link
    // stays short. Within one machine its pacing would only cost. A kernel without it keeps its own.
    let remote = SocketAddress.filled { Int(getpeername(descriptor, $0, $1)) }.address
    guard remote?.isLoopback == false else { return false }
    let algorithm = "bbr"
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, algorithm, socklen_t(algorithm.utf8.count))
    return true
  }

  /// What the kernel knows of a connected TCP socket; nil when it is older than 4.18 and does not tell.
  public static func measure(_ descriptor: Int32) -> Measurement? {
    withUnsafeTemporaryAllocation(byteCount: InfoOffset.end, alignment: 8) { buffer in
      var length = socklen_t(buffer.count)
      guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, buffer.baseAddress, &length) == 0,
        Int(length) == buffer.count
      else { return nil }
      func field(_ offset: Int) -> UInt32 { buffer.load(fromByteOffset: offset, as: UInt32.self) }
      let shortest = field(InfoOffset.shortestRoundTrip)
      return Measurement(
        roundTrip: .microseconds(Int64(field(InfoOffset.roundTrip))),
        roundTripDeviation: .microseconds(Int64(field(InfoOffset.roundTripDeviation))),
        shortestRoundTrip: shortest == .max ? .zero : .microseconds(Int64(shortest)),
        deliveredSegments: field(InfoOffset.delivered), segmentBytes: Int(field(InfoOffset.segmentBytes)))
    }
  }

  /// Lets a TCP socket send no faster than this; nil ends the limit.
  public static func limit(_ descriptor: Int32, bytesPerSecond: UInt64?) {
    var value = UInt(clamping: bytesPerSecond ?? .max)
    setsockopt(descriptor, SOL_SOCKET, maximumPacingRate, &value, socklen_t(MemoryLayout<UInt>.size))
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}

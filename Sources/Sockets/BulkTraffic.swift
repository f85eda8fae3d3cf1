import CLinux
import Glibc

/// How a connection that moves much data makes way for commands.
public enum BulkTraffic {
  /// The most that waits in the socket unsent. More would only make a cancel and a resume later.
  static let unsentBytes: Int32 = 131_072
  /// Lower effort (RFC 8622): routers that look at it let everything else go first.
  private static let lowerEffort: Int32 = 0x04
  /// The last band of Linux's default queue (`TC_PRIO_BULK`).
  private static let bulkPriority: Int32 = 2

  /// Tunes a connected TCP socket. What the kernel does not offer is left out: all of it only makes things better.
  public static func tune(_ descriptor: Int32) {
    set(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, unsentBytes)
    set(descriptor, Int32(IPPROTO_IP), IP_TOS, lowerEffort)
    set(descriptor, Int32(IPPROTO_IPV6), IPV6_TCLASS, lowerEffort)
    // After the type of service, which changes it.
    set(descriptor, SOL_SOCKET, SO_PRIORITY, bulkPriority)
    // Goes by the measured rate, not by loss: a radio that loses packets is not a full one, and the queue in front of a slow link
    // stays short. Within one machine its pacing would only cost. A kernel without it keeps its own.
    let remote = SocketAddress.filled { Int(getpeername(descriptor, $0, $1)) }.address
    guard remote?.isLoopback == false else { return }
    let algorithm = "bbr"
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, algorithm, socklen_t(algorithm.utf8.count))
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}

import CLinux
import Glibc
import ServiceRuntime

/// A socket that is closed when nobody takes it over.
final class SocketDescriptor {
  private(set) var number: Int32

  /// `TCP_RTO_MAX_MS`: longest time between two repetitions, in milliseconds; 1000 is the least. Newer than the headers of Debian 12.
  private static let longestRetransmissionTimer: Int32 = 44

  /// Takes over an open descriptor.
  init(owning number: Int32) { self.number = number }

  /// A new non-blocking socket.
  init(family: Int32, type: __socket_type, purpose: String) throws(SystemError) {
    number = socket(
      family, Int32(type.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if number < 0 { throw SystemError.current("open a socket for \(purpose)") }
  }

  deinit { close() }

  /// Hands the descriptor over to a new owner.
  func release() -> Int32 {
    defer { number = -1 }
    return number
  }

  /// Idempotent.
  func close() {
    if number >= 0 { Glibc.close(number) }
    number = -1
  }

  func set(_ option: Int32, of level: Int32, to value: Int32) throws(SystemError) {
    var value = value
    if setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) < 0 {
      throw SystemError.current("set socket option \(option)")
    }
  }

  /// The error that the kernel has for this socket, taken from it; 0 when there is none.
  func takeError() -> Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(number, SOL_SOCKET, SO_ERROR, &value, &length) < 0 ? errno : value
  }

  func bind(to address: SocketAddress) throws(SystemError) {
    let result = address.withSystemAddress { Glibc.bind(number, $0, $1) }
    if result < 0 { throw SystemError.current("bind to \(address)") }
  }

  var localAddress: SocketAddress? {
    SocketAddress.filled { Int(getsockname(number, $0, $1)) }.address
  }

  var remoteAddress: SocketAddress? {
    SocketAddress.filled { Int(getpeername(number, $0, $1)) }.address
  }

  /// Small writes leave at once, and a peer that vanished is noticed within seconds instead of the kernel's quarter of an hour.
  func tune(_ options: TCPOptions) throws(SystemError) {
    try set(TCP_NODELAY, of: Int32(IPPROTO_TCP), to: 1)
    try set(TCP_USER_TIMEOUT, of: Int32(IPPROTO_TCP), to: options.userTimeout.milliseconds)
    try set(SO_KEEPALIVE, of: SOL_SOCKET, to: 1)
    try set(TCP_KEEPIDLE, of: Int32(IPPROTO_TCP), to: options.keepAliveIdle.wholeSeconds)
    try set(TCP_KEEPINTVL, of: Int32(IPPROTO_TCP), to: options.keepAliveInterval.wholeSeconds)
    try set(TCP_KEEPCNT, of: Int32(IPPROTO_TCP), to: options.keepAliveCount)
    // The kernel doubles its timer at each loss in a row, up to two minutes: on a bad radio that is worse than the radio. The first
    // option has it repeat steadily while little is under way, as in a handshake (Linux 2.6.34, unless the congestion control is
    // bbr); the second one bounds the timer (Linux 6.15). Where a kernel has neither, things are as they were.
    try? set(TCP_THIN_LINEAR_TIMEOUTS, of: Int32(IPPROTO_TCP), to: 1)
    try? set(Self.longestRetransmissionTimer, of: Int32(IPPROTO_TCP), to: 1000)
  }
}

/// How a TCP connection behaves.
public struct TCPOptions: Sendable {
  /// How long sent bytes may stay unacknowledged before the connection fails (`TCP_USER_TIMEOUT`, RFC 5482).
  public var userTimeout: Duration
  /// Silence before the kernel asks whether the peer is there; whole seconds.
  public var keepAliveIdle: Duration
  /// Time between two such questions; whole seconds.
  public var keepAliveInterval: Duration
  public var keepAliveCount: Int32
  /// Bound of the bytes that wait for the kernel.
  public var maximumBacklog: Int

  public init(
    userTimeout: Duration = .seconds(20), keepAliveIdle: Duration = .seconds(10),
    keepAliveInterval: Duration = .seconds(5), keepAliveCount: Int32 = 3, maximumBacklog: Int = 1 << 20
  ) {
    self.userTimeout = userTimeout
    self.keepAliveIdle = keepAliveIdle
    self.keepAliveInterval = keepAliveInterval
    self.keepAliveCount = keepAliveCount
    self.maximumBacklog = maximumBacklog
  }
}

extension Duration {
  fileprivate var milliseconds: Int32 {
    let (seconds, attoseconds) = components
    return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }

  /// At least 1: the kernel refuses 0.
  fileprivate var wholeSeconds: Int32 { Int32(clamping: max(1, components.seconds)) }
}

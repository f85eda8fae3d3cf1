import CLinux
import Glibc
import ServiceRuntime

/// Accepts connections in small portions, and leaves callers waiting for a moment when this process or the computer has no
/// descriptor or memory left: the kernel would report the same caller again at once, for ever.
final class AcceptPump {
  /// Connections accepted in a row before other handlers have their turn.
  private static let acceptsPerTurn = 16
  private static let pauseWhenExhausted: Duration = .milliseconds(200)

  var onAccept: ((SocketDescriptor, SocketAddress?) -> Void)?
  var onError: ((SystemError) -> Void)?

  let descriptor: SocketDescriptor
  private let name: String
  private let loop: EventLoop
  private var watch: DescriptorWatch?
  private var pause: ScheduledTimer?

  /// Starts to listen on a bound socket.
  init(_ descriptor: SocketDescriptor, name: String, backlog: Int32, on loop: EventLoop)
    throws(SystemError)
  {
    self.descriptor = descriptor
    self.name = name
    self.loop = loop
    if listen(descriptor.number, backlog) < 0 { throw SystemError.current("listen on \(name)") }
    try startWatching()
  }

  private func startWatching() throws(SystemError) {
    watch = try loop.watch(descriptor.number, for: .readable) { [weak self] _ in self?.acceptSome() }
  }

  deinit { close() }

  /// Idempotent.
  func close() {
    pause?.cancel()
    pause = nil
    watch?.cancel()
    watch = nil
    descriptor.close()
    onAccept = nil
    onError = nil
  }

  private func acceptSome() {
    for _ in 0..<AcceptPump.acceptsPerTurn where watch != nil {
      let (number, remote) = SocketAddress.filled {
        Int(accept4(descriptor.number, $0, $1, Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)))
      }
      if number >= 0 {
        onAccept?(SocketDescriptor(owning: Int32(number)), remote)
      } else if errno == EAGAIN {
        return
      } else {
        failed(SystemError.current("accept a connection on \(name)"))
      }
    }
  }

  private func failed(_ error: SystemError) {
    switch error.code {
    // The caller is gone already, or its network is (accept(2)).
    case ECONNABORTED, EINTR, EPROTO, ENOPROTOOPT, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH,
      ENONET, EOPNOTSUPP:
      return
    default: break
    }
    // Cancelled, not only muted: a hang-up is always reported.
    watch?.cancel()
    watch = nil
    pause = loop.schedule(after: AcceptPump.pauseWhenExhausted) { [weak self] in self?.resume() }
    onError?(error)
  }

  private func resume() {
    pause = nil
    do throws(SystemError) { try startWatching() } catch { failed(error) }
  }
}

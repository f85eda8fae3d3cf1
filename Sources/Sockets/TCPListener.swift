import CLinux
import Glibc
public import ServiceRuntime

/// A live TCP connection.
public struct TCPConnection {
  public let channel: DescriptorChannel
  public let local: SocketAddress
  public let remote: SocketAddress

  init(_ descriptor: SocketDescriptor, remote: SocketAddress, options: TCPOptions, on loop: EventLoop)
    throws(SystemError)
  {
    guard let local = descriptor.localAddress else {
      throw SystemError.current("read the local address of the connection to \(remote)")
    }
    try descriptor.tune(options)
    self.local = local
    self.remote = remote
    channel = try DescriptorChannel(
      descriptor.release(), name: "connection to \(remote)", maximumBacklog: options.maximumBacklog,
      on: loop)
  }
}

/// Waits for TCP connections.
public final class TCPListener {
  /// Connections accepted in a row before other handlers have their turn.
  private static let acceptsPerTurn = 16
  /// How long to leave callers waiting when this process or the computer has no descriptor or memory left. The kernel would
  /// report the same caller again at once, for ever.
  private static let pauseWhenExhausted: Duration = .milliseconds(200)

  /// The address with the port that the kernel chose.
  public let localAddress: SocketAddress
  /// Called with each connection; set the handlers of its channel before it returns.
  public var onAccept: ((TCPConnection) -> Void)?
  /// Called when a connection could not be accepted; the listener goes on.
  public var onError: ((SystemError) -> Void)?

  private let loop: EventLoop
  private let descriptor: SocketDescriptor
  private let options: TCPOptions
  private var watch: DescriptorWatch?
  private var pause: ScheduledTimer?

  /// - Parameters:
  ///   - address: port 0 lets the kernel choose. `SocketAddress.any` takes IPv4 and IPv6, and IPv4 alone where the kernel has no IPv6.
  ///   - backlog: connections that wait in the kernel until they are accepted.
  public init(
    on address: SocketAddress, backlog: Int32 = 32, options: TCPOptions = TCPOptions(), loop: EventLoop
  ) throws(SystemError) {
    self.loop = loop
    self.options = options
    descriptor = try TCPListener.bound(to: address)
    if listen(descriptor.number, backlog) < 0 { throw SystemError.current("listen on \(address)") }
    guard let local = descriptor.localAddress else {
      throw SystemError.current("read the address of the listener on \(address)")
    }
    localAddress = local
    watch = try loop.watch(descriptor.number, for: .readable) { [weak self] _ in self?.acceptSome() }
  }

  deinit { close() }

  /// Ends listening; accepted connections live on. Idempotent.
  public func close() {
    pause?.cancel()
    watch?.cancel()
    watch = nil
    descriptor.close()
    onAccept = nil
    onError = nil
  }

  private static func bound(to address: SocketAddress) throws(SystemError) -> SocketDescriptor {
    do throws(SystemError) {
      return try bound(to: address, purpose: "listening on \(address)")
    } catch {
      let hasNoV6 = error.code == EAFNOSUPPORT || error.code == EADDRNOTAVAIL
      guard hasNoV6, address == .any(port: address.port) else { throw error }
      return try bound(to: .anyV4(port: address.port), purpose: "listening on \(address)")
    }
  }

  private static func bound(
    to address: SocketAddress, purpose: String
  ) throws(SystemError) -> SocketDescriptor {
    let descriptor = try SocketDescriptor(family: address.family, type: SOCK_STREAM, purpose: purpose)
    // A restart must not wait for the old connections' last minutes; a live listener is still refused.
    try descriptor.set(SO_REUSEADDR, of: SOL_SOCKET, to: 1)
    if address.family == AF_INET6 {
      let isAny = address == .any(port: address.port)
      try descriptor.set(IPV6_V6ONLY, of: Int32(IPPROTO_IPV6), to: isAny ? 0 : 1)
    }
    try descriptor.bind(to: address)
    return descriptor
  }

  private func acceptSome() {
    for _ in 0..<TCPListener.acceptsPerTurn where watch != nil {
      let (number, remote) = SocketAddress.filled {
        Int(accept4(descriptor.number, $0, $1, Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)))
      }
      if number < 0 {
        if errno == EAGAIN { return }
        refused(SystemError.current("accept a connection on \(localAddress)"))
        if pause != nil { return }
        continue
      }
      let accepted = SocketDescriptor(owning: Int32(number))
      guard let remote else { continue }
      do throws(SystemError) {
        onAccept?(try TCPConnection(accepted, remote: remote, options: options, on: loop))
      } catch {
        refused(error)
      }
    }
  }

  private func refused(_ error: SystemError) {
    switch error.code {
    // The caller is gone already, or its network is (accept(2)).
    case ECONNABORTED, EINTR, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
      EOPNOTSUPP, ENETUNREACH, ECONNRESET, ENOTCONN, EINVAL:
      return
    default:
      onError?(error)
      guard let watch else { return }
      do throws(SystemError) { try watch.update([]) } catch { return }
      pause = loop.schedule(after: TCPListener.pauseWhenExhausted) { [weak self] in
        self?.pause = nil
        do throws(SystemError) { try self?.watch?.update(.readable) } catch { self?.onError?(error) }
      }
    }
  }
}

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
  /// The address with the port that the kernel chose.
  public let localAddress: SocketAddress
  /// Called with each connection; set the handlers of its channel before it returns.
  public var onAccept: ((TCPConnection) -> Void)?
  /// Called when a connection could not be accepted; the listener goes on.
  public var onError: ((SystemError) -> Void)?

  private let loop: EventLoop
  private let options: TCPOptions
  private let pump: AcceptPump

  /// - Parameters:
  ///   - address: port 0 lets the kernel choose. `SocketAddress.any` takes IPv4 and IPv6, and IPv4 alone where the kernel has no IPv6.
  ///   - backlog: connections that wait in the kernel until they are accepted.
  public init(
    on address: SocketAddress, backlog: Int32 = 32, options: TCPOptions = TCPOptions(), loop: EventLoop
  ) throws(SystemError) {
    self.loop = loop
    self.options = options
    let descriptor = try TCPListener.bound(to: address)
    guard let local = descriptor.localAddress else {
      throw SystemError.current("read the address of the listener on \(address)")
    }
    localAddress = local
    pump = try AcceptPump(descriptor, name: "\(local)", backlog: backlog, on: loop)
    pump.onAccept = { [weak self] descriptor, remote in self?.accepted(descriptor, remote) }
    pump.onError = { [weak self] error in self?.onError?(error) }
  }

  deinit { close() }

  /// Ends listening; accepted connections live on. Idempotent.
  public func close() {
    pump.close()
    onAccept = nil
    onError = nil
  }

  private func accepted(_ descriptor: SocketDescriptor, _ remote: SocketAddress?) {
    guard let remote else { return }
    let connection: TCPConnection
    do throws(SystemError) {
      connection = try TCPConnection(descriptor, remote: remote, options: options, on: loop)
    } catch {
      // A caller that is gone already is nobody's trouble.
      if error.code != EINVAL && error.code != ENOTCONN { onError?(error) }
      return
    }
    if let onAccept { onAccept(connection) } else { connection.channel.close() }
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
}

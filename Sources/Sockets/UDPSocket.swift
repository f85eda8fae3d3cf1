import CLinux
import Glibc
public import ServiceRuntime

/// A socket for datagrams, optionally tied to one peer.
public final class UDPSocket {
  /// What became of a datagram.
  public enum SendOutcome: Equatable, Sendable {
    case sent
    /// The kernel has no room at the moment; as good as lost on the way.
    case dropped
    case failed(SystemError)
  }

  /// Datagrams handled in a row before other handlers have their turn.
  private static let datagramsPerTurn = 32

  /// The address with the port that the kernel chose.
  public private(set) var localAddress: SocketAddress
  /// Receives each datagram; empty ones too.
  public var onDatagram: (([UInt8], SocketAddress) -> Void)?
  /// Called when the kernel reports an error, such as that nobody listens at the peer's port. The socket goes on.
  public var onError: ((SystemError) -> Void)?
  /// Datagrams thrown away because they were larger than the bound.
  public private(set) var oversizedCount = 0

  private let descriptor: SocketDescriptor
  private let family: Int32
  private let maximumDatagramBytes: Int
  private var watch: DescriptorWatch?
  private var buffer: [UInt8]

  /// - Parameters:
  ///   - address: port 0 lets the kernel choose. `SocketAddress.any` receives IPv4 and IPv6.
  ///   - maximumDatagramBytes: larger ones are counted and dropped.
  public init(on address: SocketAddress, maximumDatagramBytes: Int = 2_048, loop: EventLoop)
    throws(SystemError)
  {
    self.maximumDatagramBytes = maximumDatagramBytes
    buffer = [UInt8](repeating: 0, count: maximumDatagramBytes)
    family = address.family
    descriptor = try SocketDescriptor(
      family: address.family, type: SOCK_DGRAM, purpose: "datagrams on \(address)")
    if address.family == AF_INET6 {
      let isAny = address == .any(port: address.port)
      try descriptor.set(IPV6_V6ONLY, of: Int32(IPPROTO_IPV6), to: isAny ? 0 : 1)
    }
    try descriptor.bind(to: address)
    guard let local = descriptor.localAddress else {
      throw SystemError.current("read the address of the socket on \(address)")
    }
    localAddress = local
    watch = try loop.watch(descriptor.number, for: .readable) { [weak self] readiness in
      self?.ready(readiness)
    }
  }

  deinit { close() }

  /// Ties the socket to a peer: the kernel drops what others send.
  public func connect(to address: SocketAddress) throws(SystemError) {
    let result = address.mapped(to: family).withSystemAddress {
      Glibc.connect(descriptor.number, $0, $1)
    }
    if result < 0 { throw SystemError.current("tie the socket to \(address)") }
    // The kernel has chosen the address that the peer is reached from.
    if let local = descriptor.localAddress { localAddress = local }
  }

  /// Sends one datagram, to the connected peer or to `address`.
  @discardableResult
  public func send(_ bytes: [UInt8], to address: SocketAddress? = nil) -> SendOutcome {
    guard watch != nil else { return .failed(SystemError("send a datagram", code: EBADF)) }
    let count =
      if let address {
        address.mapped(to: family).withSystemAddress {
          sendto(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1)
        }
      } else {
        Glibc.send(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      }
    if count >= 0 { return .sent }
    switch errno {
    case EAGAIN, ENOBUFS, EINTR: return .dropped
    default:
      return .failed(SystemError.current("send a datagram to \(address.map(\.description) ?? "the peer")"))
    }
  }

  /// No handler is called afterwards. Idempotent.
  public func close() {
    watch?.cancel()
    watch = nil
    descriptor.close()
    onDatagram = nil
    onError = nil
  }

  private func ready(_ readiness: Readiness) {
    for _ in 0..<UDPSocket.datagramsPerTurn where watch != nil {
      let (count, sender) = SocketAddress.filled {
        // The true length comes back, also of a datagram that does not fit.
        recvfrom(descriptor.number, &buffer, buffer.count, Int32(MSG_TRUNC), $0, $1)
      }
      if count < 0 {
        if errno == EAGAIN { break }
        if errno != EINTR { onError?(SystemError.current("receive a datagram on \(localAddress)")) }
        continue
      }
      guard count <= maximumDatagramBytes else {
        oversizedCount += 1
        continue
      }
      if let sender { onDatagram?(Array(buffer[..<count]), sender) }
    }
    guard watch != nil, readiness.contains(.hangUp) else { return }
    // An error that no receive took would wake the loop again at once, for ever.
    let code = descriptor.takeError()
    if code != 0 { onError?(SystemError("use the socket on \(localAddress)", code: code)) }
  }
}

extension SocketAddress {
  /// The form that a socket of `family` understands: on one for both versions, IPv4 goes as ::ffff:a.b.c.d.
  fileprivate func mapped(to family: Int32) -> SocketAddress {
    switch host {
    case .v4(let value) where family == AF_INET6:
      SocketAddress(.v6(0, 0xFFFF_0000_0000 | UInt64(value), scope: 0), port: port)
    case .v4, .v6: self
    }
  }
}

public import ServiceRuntime

/// A stream of bytes over UDP, as simulators and routers of flight controllers speak it: each write is one datagram.
public final class DatagramChannel: ByteChannel {
  public var onBytes: (([UInt8]) -> Void)?
  public var onEnd: ((ChannelEnd) -> Void)?

  private let socket: UDPSocket
  private let isConnected: Bool
  /// Nil until the first datagram of a listening channel.
  private var peer: SocketAddress?
  private var isReading = true

  /// Talks to `address`, or, when it is the address of no host (`0.0.0.0` or `::`), to the first sender on its port.
  public init(to address: SocketAddress, on loop: EventLoop) throws(SystemError) {
    isConnected = !(address.host == .v4(0) || address.host == .v6(0, 0, scope: 0))
    if !isConnected {
      socket = try UDPSocket(on: address, loop: loop)
    } else {
      let own: SocketAddress = if case .v4 = address.host { .anyV4(port: 0) } else { .any(port: 0) }
      socket = try UDPSocket(on: own, loop: loop)
      try socket.connect(to: address)
      peer = address
      // A server learns of its peer from a first datagram; an empty one says nothing else.
      _ = socket.send([])
    }
    socket.onDatagram = { [weak self] bytes, sender in
      guard let self, isReading else { return }
      if !isConnected, peer == nil { peer = sender }
      // Others on the network are not the flight controller.
      if isConnected || peer == sender { onBytes?(bytes) }
    }
  }

  /// Datagrams leave at once or are lost; nothing waits.
  public var pendingByteCount: Int { 0 }

  public func write(_ bytes: [UInt8]) -> Bool {
    guard let peer else { return false }
    return socket.send(bytes, to: isConnected ? nil : peer) == .sent
  }

  public func setReading(_ enabled: Bool) { isReading = enabled }

  public func close() {
    socket.close()
    onBytes = nil
    onEnd = nil
  }
}

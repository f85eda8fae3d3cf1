import CLinux
import Glibc
import ServiceRuntime

/// Serves the line of the flight controller over TCP on the loopback address, to a few programs at once.
final class LoopbackServer {
  var onBytes: (([UInt8]) -> Void)?
  private(set) var lostByteCount = 0
  /// The port in use, also when any free one was asked for.
  let port: UInt16

  private let loop: EventLoop
  private let listener: Int32
  private var watch: DescriptorWatch?
  private var clients: [ObjectIdentifier: DescriptorChannel] = [:]

  private static let maximumClients = 8
  /// A few seconds of telemetry; a client further behind loses it.
  private static let maximumBacklog = 65_536

  init(port wanted: UInt16, on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    listener = socket(AF_INET, type, 0)
    if listener < 0 { throw SystemError.current("listen on port \(wanted)") }
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = wanted.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let failed = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) != 0 || listen(descriptor, 8) != 0
          || getsockname(descriptor, $0, &length) != 0
      }
    }
    if failed {
      let error = SystemError.current("listen on port \(wanted)")
      Glibc.close(descriptor)
      throw error
    }
    port = UInt16(bigEndian: address.sin_port)
    watch = try loop.watch(listener, for: .readable) { [weak self] _ in self?.accept() }
  }

  func close() {
    watch?.cancel()
    Glibc.close(listener)
    dropClients()
  }

  func dropClients() {
    for client in clients.values { client.close() }
    clients.removeAll()
  }

  func write(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    for client in clients.values where !client.write(bytes) { lostByteCount += bytes.count }
  }

  private func accept() {
    let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = accept4(listener, nil, nil, flags)
    guard descriptor >= 0 else { return }
    var yes: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard clients.count < Self.maximumClients,
      let client = try? DescriptorChannel(
        descriptor, name: "TCP client", maximumBacklog: Self.maximumBacklog, on: loop)
    else {
      // One too many: it sees the end of the connection at once.
      Glibc.close(descriptor)
      return
    }
    let key = ObjectIdentifier(client)
    clients[key] = client
    client.onBytes = { [weak self] bytes in self?.onBytes?(bytes) }
    client.onEnd = { [weak self] _ in self?.clients[key] = nil }
  }
}

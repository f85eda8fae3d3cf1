import CLinux
import Glibc
import LinkImpairment
import ServiceRuntime
import TestSupport

let canRun: Bool = {
  if let reason = PrivateAvahi.missing {
    print("the link between network namespaces is not tried: \(reason)")
    return false
  }
  return true
}()

/// The program, built beside the test bundle.
let builtProgram: String = {
  let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
  return (bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast() + ["link-impairment"])
    .joined(separator: "/")
}()

/// A socket for both IP versions inside a namespace.
final class UDPSocket {
  private let descriptor: Int32

  init(in namespace: NetworkNamespace, port: UInt16 = 0) throws {
    descriptor = try namespace.inside { () throws(SystemError) in try UDPSocket.open(port) }
  }

  init(on host: PrivateAvahi, port: UInt16 = 0) throws {
    descriptor = try host.inside { () throws(SystemError) in try UDPSocket.open(port) }
  }

  private static func open(_ port: UInt16) throws(SystemError) -> Int32 {
    let descriptor = socket(
      AF_INET6, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError.current("socket") }
    var no: Int32 = 0
    setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, 4)
    var size: Int32 = 8 << 20
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, 4)
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
    guard result == 0 else { throw SystemError.current("bind") }
    return descriptor
  }

  deinit { close(descriptor) }

  func send(_ number: Int, byteCount: Int, to host: String, port: UInt16) {
    let parts = host.split(separator: "%")
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    let text = host.contains(":") ? String(parts[0]) : "::ffff:\(host)"
    inet_pton(AF_INET6, text, &address.sin6_addr)
    // The interface's number: 1 is the loopback, and there is only one more.
    if parts.count > 1 { address.sin6_scope_id = 2 }
    var bytes = [UInt8](repeating: 0, count: byteCount)
    for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
  }

  func receive() -> Int? {
    var bytes = [UInt8](repeating: 0, count: 4)
    guard recv(descriptor, &bytes, 4, 0) == 4 else { return nil }
    return (0..<4).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
  }
}

import CLinux
import Glibc

/// An IP address and a port, of either version.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  public enum Host: Hashable, Sendable {
    /// Four bytes in network order, as one number.
    case v4(UInt32)
    /// Sixteen bytes in network order as two numbers, and the index of the interface that a link-local address belongs to (else 0).
    case v6(UInt64, UInt64, scope: UInt32)
  }

  public var host: Host
  public var port: UInt16

  public init(_ host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Every address of this computer, IPv4.
  public static func anyV4(port: UInt16) -> SocketAddress { SocketAddress(.v4(0), port: port) }
  /// Every address of this computer, IPv6; a listener on it takes IPv4 too.
  public static func any(port: UInt16) -> SocketAddress {
    SocketAddress(.v6(0, 0, scope: 0), port: port)
  }
  public static func loopbackV4(port: UInt16) -> SocketAddress {
    SocketAddress(.v4(0x7F00_0001), port: port)
  }
  public static func loopbackV6(port: UInt16) -> SocketAddress {
    SocketAddress(.v6(0, 1, scope: 0), port: port)
  }

  /// Reads a numeric address; names are for `HostResolver`.
  ///
  /// - Parameter numericHost: such as `192.0.2.1`, `2001:db8::1`, or `fe80::1%wlan0` with the interface's name or number.
  public init?(numericHost: String, port: UInt16) {
    var v4 = in_addr()
    if inet_pton(AF_INET, numericHost, &v4) == 1 {
      self.init(.v4(UInt32(bigEndian: v4.s_addr)), port: port)
      return
    }
    let parts = numericHost.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    var v6 = in6_addr()
    guard let address = parts.first, inet_pton(AF_INET6, String(address), &v6) == 1 else { return nil }
    var scope: UInt32 = 0
    if parts.count == 2 {
      scope = UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
      if scope == 0 { return nil }
    }
    self.init(v6: v6, scope: scope, port: port)
  }

  /// Reads `192.0.2.1:80` or `[2001:db8::1]:80`.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    var host = text[..<colon]
    if host.first == "[" {
      guard host.last == "]" else { return nil }
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    self.init(numericHost: String(host), port: port)
  }

  public var description: String {
    switch host {
    case .v4: "\(hostDescription):\(port)"
    case .v6: "[\(hostDescription)]:\(port)"
    }
  }

  /// The address without the port; a scope shows as the interface's number.
  public var hostDescription: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    var suffix = ""
    switch host {
    case .v4(let value):
      var address = in_addr(s_addr: value.bigEndian)
      inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
    case .v6(let high, let low, let scope):
      var address = SocketAddress.v6Bytes(high, low)
      inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
      if scope != 0 { suffix = "%\(scope)" }
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + suffix
  }

  /// Whether the address is meaningful on one link only: `fe80::/10` or `169.254.0.0/16`.
  public var isLinkLocal: Bool {
    switch host {
    case .v4(let value): value >> 16 == 0xA9FE
    case .v6(let high, _, _): high >> 54 == 0xFE80 >> 6
    }
  }

  public var isLoopback: Bool {
    switch host {
    case .v4(let value): value >> 24 == 127
    case .v6(let high, let low, _): high == 0 && low == 1
    }
  }

  var family: Int32 {
    switch host {
    case .v4: AF_INET
    case .v6: AF_INET6
    }
  }

  /// The same host with another port.
  public func with(port: UInt16) -> SocketAddress { SocketAddress(host, port: port) }
}

extension SocketAddress {
  fileprivate init(v6: in6_addr, scope: UInt32, port: UInt16) {
    let bytes = withUnsafeBytes(of: v6) { Array($0) }
    let high = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let low = bytes[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // A dual-stack socket shows IPv4 peers as ::ffff:a.b.c.d; here they are IPv4 again.
    if high == 0, low >> 32 == 0xFFFF {
      self.init(.v4(UInt32(truncatingIfNeeded: low)), port: port)
    } else {
      self.init(.v6(high, low, scope: scope), port: port)
    }
  }

  fileprivate static func v6Bytes(_ high: UInt64, _ low: UInt64) -> in6_addr {
    var address = in6_addr()
    withUnsafeMutableBytes(of: &address) { bytes in
      bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
      bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return address
  }

  /// Lets a system call read the address.
  func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    switch host {
    case .v4(let value):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = value.bigEndian
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    case .v6(let high, let low, let scope):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = SocketAddress.v6Bytes(high, low)
      address.sin6_scope_id = scope
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    }
  }

  /// Reads what the kernel wrote; nil for families other than IP.
  init?(system pointer: UnsafePointer<sockaddr>, length: Int) {
    let raw = UnsafeRawPointer(pointer)
    switch Int32(pointer.pointee.sa_family) {
    case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
      let address = raw.loadUnaligned(as: sockaddr_in.self)
      self.init(.v4(UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port))
    case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
      let address = raw.loadUnaligned(as: sockaddr_in6.self)
      self.init(
        v6: address.sin6_addr, scope: address.sin6_scope_id, port: UInt16(bigEndian: address.sin6_port))
    default: return nil
    }
  }

  /// Runs a system call that fills in an address.
  static func filled(
    _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int
  ) -> (result: Int, address: SocketAddress?) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        let result = call(address, &length)
        guard result >= 0 else { return (result, nil) }
        return (result, SocketAddress(system: address, length: Int(length)))
      }
    }
  }
}

import CLinux
import Glibc
public import ServiceRuntime

/// A network interface in a namespace whose cable ends in this process (TAP).
///
/// Ethernet, not bare IP (TUN): Avahi leaves point-to-point interfaces out unless it is told otherwise, and programs
/// under test should meet what they meet in the field. It is gone with this process.
public final class EthernetPort {
  /// Packets that may wait for this process, which must not be what drops them.
  private static let queueLength: Int32 = 10_000

  let descriptor: Int32
  public let name: String

  /// Makes the interface, gives it the address, and sets it up.
  ///
  /// - Parameters:
  ///   - address: an IPv4 address with prefix length, such as `10.99.0.1/24`; nil for none. The IPv6 address is link-local.
  ///   - station: the last byte of the hardware address.
  public init(
    in namespace: NetworkNamespace, name: String, address: String?, mtu: Int, station: UInt8
  ) throws(SystemError) {
    self.name = name
    guard name.utf8.count < Int(IFNAMSIZ) else {
      throw SystemError("name an interface \(name)", code: EINVAL)
    }
    descriptor = try namespace.inside { () throws(SystemError) in
      let descriptor = try Self.makeDevice(name)
      do throws(SystemError) {
        try Self.configure(name, address: address, mtu: mtu, station: station)
        return descriptor
      } catch {
        Glibc.close(descriptor)
        throw error
      }
    }
  }

  deinit { Glibc.close(descriptor) }

  private static func makeDevice(_ name: String) throws(SystemError) -> Int32 {
    let descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { throw SystemError.current("open /dev/net/tun") }
    var request = Self.request(name)
    request.ifr_ifru.ifru_flags = Int16(IFF_TAP | IFF_NO_PI)
    guard ioctl(descriptor, CLinux_TUNSETIFF, &request) == 0 else {
      let error = SystemError.current("make the interface \(name)")
      Glibc.close(descriptor)
      throw error
    }
    return descriptor
  }

  private static func configure(
    _ name: String, address: String?, mtu: Int, station: UInt8
  ) throws(SystemError) {
    let control = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if control < 0 { throw SystemError.current("socket") }
    defer { Glibc.close(control) }
    func set(
      _ what: String, _ number: Int32, _ fill: (inout ifreq) -> Void
    ) throws(SystemError) {
      var request = Self.request(name)
      fill(&request)
      guard ioctl(control, UInt(number), &request) == 0 else {
        throw SystemError.current("set the \(what) of \(name)")
      }
    }

    // Otherwise the IPv6 address could not be used for a second, in which the kernel looks for another owner.
    let setting = open("/proc/sys/net/ipv6/conf/\(name)/accept_dad", O_WRONLY | O_CLOEXEC)
    if setting >= 0 {
      _ = Glibc.write(setting, "0", 1)
      Glibc.close(setting)
    }
    try set("hardware address", SIOCSIFHWADDR) { request in
      request.ifr_ifru.ifru_hwaddr.sa_family = sa_family_t(ARPHRD_ETHER)
      // Locally administered.
      withUnsafeMutableBytes(of: &request.ifr_ifru.ifru_hwaddr.sa_data) { bytes in
        bytes.copyBytes(from: [2, 0, 0, 0, 0, station])
      }
    }
    try set("queue length", SIOCSIFTXQLEN) { $0.ifr_ifru.ifru_ivalue = queueLength }
    try set("MTU", SIOCSIFMTU) { $0.ifr_ifru.ifru_mtu = Int32(clamping: mtu) }
    if let address {
      let parts = address.split(separator: "/")
      var host = in_addr()
      guard parts.count == 2, inet_pton(AF_INET, String(parts[0]), &host) == 1,
        let length = UInt32(parts[1]), (1...32).contains(length)
      else { throw SystemError("use '\(address)' as an address with prefix length", code: EINVAL) }
      let mask = in_addr(s_addr: (UInt32.max << (32 - length)).bigEndian)
      try set("address", SIOCSIFADDR) { $0.ifr_ifru.ifru_addr = socketAddress(host) }
      try set("netmask", SIOCSIFNETMASK) { $0.ifr_ifru.ifru_netmask = socketAddress(mask) }
    }
    try set("flags", SIOCSIFFLAGS) { $0.ifr_ifru.ifru_flags = Int16(IFF_UP | IFF_MULTICAST | IFF_BROADCAST) }
    // A new namespace has even this one down.
    var loopback = Self.request("lo")
    loopback.ifr_ifru.ifru_flags = Int16(IFF_UP)
    _ = ioctl(control, UInt(SIOCSIFFLAGS), &loopback)
  }

  private static func request(_ name: String) -> ifreq {
    var request = ifreq()
    withUnsafeMutableBytes(of: &request.ifr_ifrn.ifrn_name) { $0.copyBytes(from: Array(name.utf8)) }
    return request
  }

  private static func socketAddress(_ address: in_addr) -> sockaddr {
    var internet = sockaddr_in()
    internet.sin_family = sa_family_t(AF_INET)
    internet.sin_addr = address
    return unsafeBitCast(internet, to: sockaddr.self)
  }
}

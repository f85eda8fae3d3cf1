/// A host name or address with a port: `host.example:4000`, `192.0.2.1:4000`, `[fe80::1%wlan0]:4000`.
public struct HostAndPort: Equatable, Sendable, CustomStringConvertible {
  /// Name or numeric address; IPv6 addresses without their brackets.
  public var host: String
  public var port: UInt16

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// - Parameter defaultPort: the port when the text names none; nil when it has to.
  /// - Parameter minimumPort: 0 where "any port" makes sense.
  init(parsing text: String, defaultPort: UInt16? = nil, minimumPort: UInt16 = 1) throws(InvalidValue) {
    let shown = printable(text)
    var portText: Substring?
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else {
        throw InvalidValue("'\(shown)' lacks the closing bracket")
      }
      host = String(text[text.index(after: text.startIndex)..<end])
      let rest = text[text.index(after: end)...]
      if !rest.isEmpty {
        guard rest.hasPrefix(":") else {
          throw InvalidValue("'\(shown)': a port follows the bracket as ':PORT'")
        }
        portText = rest.dropFirst()
      }
      guard HostAndPort.isIPv6(host) else {
        throw InvalidValue("'\(shown)' is not an IPv6 address in brackets")
      }
    } else {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count <= 2 else {
        throw InvalidValue("'\(shown)': an IPv6 address needs brackets: [ADDRESS]:PORT")
      }
      host = String(parts.first ?? "")
      if parts.count == 2 { portText = parts[1] }
      guard HostAndPort.isName(host) else {
        throw InvalidValue(
          host.isEmpty ? "'\(shown)' lacks the host" : "'\(printable(host))' is not a host name or address")
      }
    }
    guard let portText else {
      guard let defaultPort else { throw InvalidValue("'\(shown)' lacks the port") }
      port = defaultPort
      return
    }
    guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(portText),
      number >= minimumPort
    else { throw InvalidValue("'\(printable(String(portText)))' is not a port") }
    port = number
  }

  /// Host names as RFC 1123 allows them, underscore included since some networks use it; IPv4 has this form too.
  private static func isName(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count) && text.first != "-"
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "-._".utf8.contains($0)
      }
  }

  /// Roughly an IPv6 address with an optional zone; the resolver has the last word.
  private static func isIPv6(_ text: String) -> Bool {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first, (2...45).contains(address.utf8.count), address.contains(":") else {
      return false
    }
    if parts.count == 2, !(1...15).contains(parts[1].utf8.count) || !isName(String(parts[1])) { return false }
    return address.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) || ":.".utf8.contains($0)
    }
  }
}

/// Where a program accepts connections.
public struct ListenAddress: Equatable, Sendable, CustomStringConvertible {
  /// Numeric address or host name; nil for all addresses.
  public var address: String?
  /// 0 for any free port.
  public var port: UInt16

  public init(address: String? = nil, port: UInt16 = 0) {
    self.address = address
    self.port = port
  }

  public var description: String {
    address.map { HostAndPort(host: $0, port: port).description } ?? "*:\(port)"
  }
}

extension ValueType where Value == HostAndPort {
  public static let hostAndPort = ValueType(
    name: "HOST:PORT", validValues: "HOST:PORT, ADDRESS:PORT or [IPv6]:PORT",
    parse: { (text) throws(InvalidValue) in try HostAndPort(parsing: text) },
    text: \.description)
}

extension ValueType where Value == ListenAddress {
  public static let listen = ValueType(
    name: "ADDRESS:PORT", validValues: "ADDRESS:PORT, [IPv6]:PORT or *:PORT; port 0 is any free port",
    parse: { (text) throws(InvalidValue) in
      // The star is no host name, so it is read in place of one.
      let isAny = text.hasPrefix("*:")
      let parsed = try HostAndPort(parsing: isAny ? "0.0.0.0" + text.dropFirst() : text, minimumPort: 0)
      return ListenAddress(address: isAny ? nil : parsed.host, port: parsed.port)
    },
    text: \.description)
}

/// An IP address as it was discovered.
public enum NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// Four bytes in network order.
  case v4([UInt8])
  /// Sixteen bytes in network order; `scope` is the interface index for a link-local address, else 0.
  case v6([UInt8], scope: UInt32)

  /// Takes an address of a record off the network.
  ///
  /// Avahi leaves the scope of a link-local address out (avahi issue 110): without it nothing can connect, so the
  /// interface on which the record was seen is put in here.
  ///
  /// - Parameter isLocal: whether the record is of this very host. Only then may it point to the loopback interface:
  ///   another host that names 127.0.0.1 would make us connect to ourselves.
  /// - Returns: nil for an address that no peer can have: unspecified, multicast, broadcast, mapped, foreign loopback.
  init?(bytes: [UInt8], interface: UInt32, isLocal: Bool) {
    switch bytes.count {
    case 4:
      if bytes[0] == 0 || bytes[0] >= 224 { return nil }
      if bytes[0] == 127 && !isLocal { return nil }
      self = .v4(bytes)
    case 16:
      if bytes[0] == 0xFF { return nil }
      if bytes[..<10].allSatisfy({ $0 == 0 }) {
        // ::/80 holds the unspecified, loopback, compatible and mapped addresses; of these only ::1 is of use.
        guard isLocal, bytes[10..<15].allSatisfy({ $0 == 0 }), bytes[15] == 1 else { return nil }
      }
      let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
      self = .v6(bytes, scope: isLinkLocal ? interface : 0)
    default:
      return nil
    }
  }

  /// Where the address stands in the order of trying, smallest first: routable ones, IPv4 first; loopback; then
  /// link-local ones, IPv6 last because it works on one interface only.
  var rank: Int {
    switch self {
    case .v4(let bytes):
      if bytes[0] == 127 { return 2 }
      return bytes[0] == 169 && bytes[1] == 254 ? 3 : 0
    case .v6(let bytes, let scope):
      if scope != 0 { return 4 }
      return bytes[0] == 0 ? 2 : 1
    }
  }

  public var description: String {
    switch self {
    case .v4(let bytes):
      return bytes.map { String($0) }.joined(separator: ".")
    case .v6(let bytes, let scope):
      let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
      return Self.text(of: groups) + (scope == 0 ? "" : "%\(scope)")
    }
  }

  /// RFC 5952: lower case, the longest run of at least two zero groups shortened, the first of equals.
  private static func text(of groups: [UInt16]) -> String {
    var longest = 0..<0
    var start = 0
    while start < groups.count {
      let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
      if end - start > max(longest.count, 1) { longest = start..<end }
      start = max(end, start + 1)
    }
    func joined(_ part: ArraySlice<UInt16>) -> String {
      part.map { String($0, radix: 16) }.joined(separator: ":")
    }
    if longest.isEmpty { return joined(groups[...]) }
    return joined(groups[..<longest.lowerBound]) + "::" + joined(groups[longest.upperBound...])
  }
}

/// What kind of peers find each other, such as `drone-chat`: programs with different service types do not see each other.
///
/// 1 to 15 characters of a-z, 0-9 and hyphen, with at least one letter and no hyphen at either end or doubled
/// (RFC 6335, section 5.1; the same rule as in Multipeer Connectivity).
public struct ServiceType: Hashable, Sendable, CustomStringConvertible {
  /// The most characters.
  public static let maximumLength = 15

  /// The name without decoration.
  public let name: String

  /// Checks a name.
  ///
  /// - Throws: `PeerNodeError.invalidServiceType`.
  public init(_ name: String) throws(PeerNodeError) {
    let bytes = Array(name.utf8)
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let hyphen = UInt8(ascii: "-")
    guard (1...ServiceType.maximumLength).contains(bytes.count), bytes.contains(where: letters.contains),
      bytes.allSatisfy({ letters.contains($0) || digits.contains($0) || $0 == hyphen }),
      bytes.first != hyphen, bytes.last != hyphen,
      !zip(bytes, bytes.dropFirst()).contains(where: { $0 == hyphen && $1 == hyphen })
    else { throw .invalidServiceType(name) }
    self.name = name
  }

  /// The name.
  public var description: String { name }

  /// As DNS-SD writes it.
  var dnsName: String { "_\(name)._tcp" }
}

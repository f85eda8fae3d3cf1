/// A few words about a peer that everybody nearby can read before any connection, such as `["room": "4"]`.
///
/// It is published in the clear and proves nothing. Each pair takes at most 255 bytes with its `=` (RFC 6763, section 6.1), and all
/// of them together 400 less what the library itself announces.
public struct DiscoveryInfo: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// The most that one pair may have, in bytes of UTF-8, `=` included.
  public static let maximumPairBytes = 255
  /// The most that all pairs may have, each with one byte of length: 400 (RFC 6763, section 6.2) less what the
  /// library adds: identity, protocol version, and whether pairing is accepted.
  public static let maximumBytes = 400 - 68 - 4 - 8

  /// The pairs. Keys that arrive are in lower case, as DNS-SD compares them without regard to case.
  public let values: [String: String]

  /// Nothing.
  public init() { values = [:] }

  /// Checks the pairs.
  ///
  /// - Throws: `PeerNodeError.invalidDiscoveryInfo` for a key that is empty, belongs to the library, has other characters than
  ///   printable ASCII without `=`, or differs from another one in case only, and for what is too long.
  public init(_ values: [String: String]) throws(PeerNodeError) {
    var total = 0
    var seen: Set<String> = []
    for (key, value) in values {
      guard !key.isEmpty, key.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") })
      else {
        throw .invalidDiscoveryInfo(
          "the key \"\(key)\": expected printable ASCII without \"=\", at least one character")
      }
      guard !DiscoveryInfo.reserved.contains(key.lowercased()) else {
        throw .invalidDiscoveryInfo("the key \"\(key)\" belongs to the library: choose another one")
      }
      guard seen.insert(key.lowercased()).inserted else {
        throw .invalidDiscoveryInfo("the key \"\(key)\" appears twice: case does not count")
      }
      let bytes = key.utf8.count + 1 + value.utf8.count
      guard bytes <= DiscoveryInfo.maximumPairBytes else {
        throw .invalidDiscoveryInfo(
          "the pair \"\(key)\" has \(bytes) bytes: at most \(DiscoveryInfo.maximumPairBytes)")
      }
      total += 1 + bytes
    }
    guard total <= DiscoveryInfo.maximumBytes else {
      throw .invalidDiscoveryInfo("\(total) bytes together: at most \(DiscoveryInfo.maximumBytes)")
    }
    self.values = values
  }

  /// Pairs written down in the program.
  ///
  /// - Precondition: they pass `init(_:)`; use that for pairs that are not known before.
  public init(dictionaryLiteral elements: (String, String)...) {
    do throws(PeerNodeError) {
      try self.init(Dictionary(elements, uniquingKeysWith: { first, _ in first }))
    } catch { preconditionFailure("\(error)") }
  }

  /// What arrived from the network: whatever is there.
  init(received txt: [String: String]) {
    values = txt.filter { !DiscoveryInfo.reserved.contains($0.key) }
  }

  /// The value for a key, whatever its case.
  public subscript(key: String) -> String? {
    values[key] ?? values.first { $0.key.lowercased() == key.lowercased() }?.value
  }

  /// The identity, the protocol version, and whether pairing is accepted.
  private static let reserved: Set<String> = ["id", "v", "pair"]
}

import ServiceRuntime

/// What is known of the services on the network; decides what is one service, what is new and what is gone.
///
/// Avahi reports a service once for each interface and protocol. Each such report is an entry here; entries of one
/// instance name, and then instances with one TXT `id`, make one service. It is lost when its last entry goes.
struct ServiceCatalog: Sendable {
  /// Services kept; more are ignored until others go, so that a flood cannot push out those that are known.
  static let maximumServices = 256
  /// Entries kept: 256 services on three interface and protocol pairs, and below the 1024 objects that
  /// `avahi-daemon.conf` allows a client (`objects-per-client-max`), as each entry has a resolver.
  static let maximumEntries = 768
  static let maximumEndpoints = 16
  static let maximumAttributes = 32

  /// One report of Avahi.
  struct Key: Hashable, Sendable {
    let interface: Int32
    let networkProtocol: Int32
    let name: String
    let domain: String
  }

  /// What a resolver found out about an entry.
  struct Resolution: Equatable, Sendable {
    let hostName: String
    let endpoint: DiscoveredService.Endpoint
    let txt: [String: String]
  }

  private struct Entry {
    var isConfirmed = true
    var resolution: Resolution?
    /// When it was resolved, as a count: later ones show the present name and port of a service that moved.
    var order = 0
  }

  private var entries: [Key: Entry] = [:]
  private var resolutions = 0

  var count: Int { entries.count }

  /// A browser saw an entry.
  ///
  /// - Returns: false when there is no room for it.
  mutating func saw(_ key: Key) -> Bool {
    if entries[key] != nil {
      entries[key]?.isConfirmed = true
      return true
    }
    guard entries.count < Self.maximumEntries else { return false }
    entries[key] = Entry()
    return true
  }

  /// - Returns: whether the services changed.
  mutating func resolved(_ key: Key, as resolution: Resolution) -> Bool {
    guard let entry = entries[key], entry.resolution != resolution else { return false }
    resolutions += 1
    entries[key]?.resolution = resolution
    entries[key]?.order = resolutions
    return true
  }

  /// The records behind an entry have expired, as two minutes after a host lost its power: no reason to show it longer,
  /// though Avahi keeps the entry itself for 75 minutes.
  ///
  /// - Returns: whether the services changed.
  mutating func unresolved(_ key: Key) -> Bool {
    guard entries[key]?.resolution != nil else { return false }
    entries[key]?.resolution = nil
    return true
  }

  /// - Returns: whether the services changed.
  mutating func removed(_ key: Key) -> Bool { entries.removeValue(forKey: key)?.resolution != nil }

  /// The daemon is gone: it will not say what else goes, so nothing is certain until it is seen again.
  mutating func markUnconfirmed() { for key in entries.keys { entries[key]?.isConfirmed = false } }

  /// Time enough has passed since browsing began anew: what was not seen again is gone.
  ///
  /// - Returns: whether the services changed.
  mutating func dropUnconfirmed() -> Bool {
    let before = services
    entries = entries.filter { $0.value.isConfirmed }
    return services != before
  }

  /// The services by their `id`.
  var services: [String: DiscoveredService] {
    var groups: [String: [(key: Key, order: Int, resolution: Resolution)]] = [:]
    for (key, entry) in entries {
      guard let resolution = entry.resolution else { continue }
      let id = resolution.txt["id"] ?? "\(key.name).\(key.domain)".escapingControlCharacters
      groups[id, default: []].append((key, entry.order, resolution))
    }
    var services: [String: DiscoveredService] = [:]
    for (id, group) in groups {
      let newestFirst = group.sorted { $0.order > $1.order }
      guard let newest = newestFirst.first else { continue }
      services[id] = DiscoveredService(
        id: id, instanceName: newest.key.name.escapingControlCharacters, txt: newest.resolution.txt,
        hostName: newest.resolution.hostName.escapingControlCharacters,
        addresses: Self.ordered(newestFirst.map(\.resolution.endpoint)))
    }
    guard services.count > Self.maximumServices else { return services }
    // The oldest stay.
    let oldest = groups.mapValues { $0.map(\.order).min() ?? 0 }.sorted { $0.value < $1.value }
    let kept = Set(oldest.prefix(Self.maximumServices).map(\.key))
    return services.filter { kept.contains($0.key) }
  }

  /// Each endpoint once, by rank of its address, within a rank in the given order.
  private static func ordered(_ endpoints: [DiscoveredService.Endpoint]) -> [DiscoveredService.Endpoint] {
    var seen: Set<DiscoveredService.Endpoint> = []
    let unique = endpoints.filter { seen.insert($0).inserted }
    let sorted = unique.enumerated().sorted {
      ($0.element.address.rank, $0.offset) < ($1.element.address.rank, $1.offset)
    }
    return sorted.prefix(maximumEndpoints).map(\.element)
  }

  /// Reads the strings of a TXT record: hostile bytes.
  ///
  /// A string without `=` is a key alone (empty value); of equal keys the first counts (RFC 6763, section 6.4). What has
  /// a malformed key, is not UTF-8 or holds control characters is left out.
  static func attributes(of strings: [[UInt8]]) -> [String: String] {
    var result: [String: String] = [:]
    for string in strings.prefix(maximumAttributes) where string.count <= ServiceDescription.maximumPairBytes
    {
      let parts = string.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let rawKey = parts.first, let key = String(validating: rawKey, as: UTF8.self),
        ServiceDescription.isValidKey(key), result[key.lowercased()] == nil,
        let value = String(validating: parts.count > 1 ? parts[1] : [], as: UTF8.self),
        !value.unicodeScalars.contains(where: \.isControl)
      else { continue }
      result[key.lowercased()] = value
    }
    return result
  }

  /// The events that lead from one set of services to another, by `id`, so that the order is the same each time.
  static func changes(
    from old: [String: DiscoveredService], to new: [String: DiscoveredService]
  ) -> [DiscoveryEvent] {
    Set(old.keys).union(new.keys).sorted().compactMap { id in
      switch (old[id], new[id]) {
      case (nil, let service?): .found(service)
      case (_?, nil): .lost(id: id)
      case (let before?, let after?): before == after ? nil : .updated(after)
      case (nil, nil): nil
      }
    }
  }
}

/// A service seen on the network, merged over interfaces and protocols.
///
/// All of it is hostile text until the peer has proved who it is: a hint where to connect, never identity.
public struct DiscoveredService: Equatable, Sendable {
  /// One way to reach the service.
  public struct Endpoint: Hashable, Sendable {
    public let address: NetworkAddress
    public let port: UInt16
  }

  /// The TXT value `id`, or the instance name with its domain where there is none.
  public let id: String
  /// The name the service shows, control characters escaped. It can change when names collide.
  public let instanceName: String
  /// Attributes with keys in lower case, as RFC 6763 section 6.4 compares them; malformed ones are left out.
  public let txt: [String: String]
  public let hostName: String
  /// What to try, in order; at most `ServiceCatalog.maximumEndpoints`.
  public let addresses: [Endpoint]
}

/// What a browser reports.
public enum DiscoveryEvent: Equatable, Sendable {
  case found(DiscoveredService)
  /// Same `id`, other attributes or addresses.
  case updated(DiscoveredService)
  case lost(id: String)
}

/// Whether discovery works at present.
public enum DiscoveryAvailability: Equatable, Sendable {
  case available
  /// The reason names the remedy where there is one, such as `Avahi is not running: start avahi-daemon`.
  case unavailable(reason: String)
}

/// What a publisher is doing.
public enum PublicationState: Equatable, Sendable {
  /// Visible under this name, which differs from the configured one after a collision.
  case publishing(name: String)
  /// Not visible yet; goes on by itself.
  case waiting(reason: String)
  /// Refused; tried again after a minute or when the daemon restarts.
  case failed(reason: String)
}

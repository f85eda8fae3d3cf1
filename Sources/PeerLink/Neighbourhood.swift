public import PeerProtocol
import ServiceDiscovery
import ServiceRuntime
import Sockets

/// A peer that announces itself on the network. All of it is hostile text until the peer has proven who it is.
public struct FoundPeer: Equatable, Sendable {
  public let id: PeerID
  /// The name of its announcement, control characters escaped.
  public let name: String
  /// What it announces about itself besides its identity and protocol version; keys in lower case.
  public let discoveryInfo: [String: String]
  /// Where to reach it, in the order of trying; `endpoints` are the same.
  public let addresses: [String]
  public let endpoints: [PeerEndpoint]
}

/// Who announces itself, merged by identity; this peer itself is left out.
struct Neighbourhood {
  enum Change: Equatable {
    /// New, or something about it changed.
    case found(FoundPeer, at: [SocketAddress])
    case lost(PeerID)
  }

  private let own: PeerID
  private var services: [String: DiscoveredService] = [:]
  private var reported: [PeerID: FoundPeer] = [:]

  init(own: PeerID) { self.own = own }

  var peers: [FoundPeer] { reported.values.sorted { $0.id < $1.id } }

  mutating func apply(_ event: DiscoveryEvent) -> [Change] {
    switch event {
    case .found(let service), .updated(let service):
      let old = services[service.id].flatMap(Neighbourhood.identity)
      guard let id = Neighbourhood.identity(service), id != own else { return remove(service.id) }
      guard services[service.id] != nil || services.count < Dialler.maximumTargets else { return [] }
      services[service.id] = service
      // An announcement may take another identity: both change.
      let leaving = old.flatMap { $0 == id ? nil : change(of: $0) }
      return [leaving, change(of: id)].compactMap(\.self)
    case .lost(let serviceID): return remove(serviceID)
    }
  }

  mutating func removeAll() {
    services = [:]
    reported = [:]
  }

  private mutating func remove(_ serviceID: String) -> [Change] {
    guard let service = services.removeValue(forKey: serviceID), let id = Neighbourhood.identity(service)
    else { return [] }
    return change(of: id).map { [$0] } ?? []
  }

  private mutating func change(of id: PeerID) -> Change? {
    let mine = services.filter { Neighbourhood.identity($0.value) == id }.sorted { $0.key < $1.key }.map(
      \.value)
    guard let first = mine.first else {
      return reported.removeValue(forKey: id) == nil ? nil : .lost(id)
    }
    var seen: Set<SocketAddress> = []
    let addresses = mine.flatMap { $0.addresses.map { SocketAddress($0.address, port: $0.port) } }.filter {
      seen.insert($0).inserted
    }
    let peer = FoundPeer(
      id: id, name: first.instanceName,
      discoveryInfo: first.txt.filter { $0.key != "id" && $0.key != "v" },
      addresses: addresses.map(\.description),
      endpoints: addresses.map { PeerEndpoint(host: $0.hostDescription, port: $0.port) })
    guard reported[id] != peer else { return nil }
    reported[id] = peer
    return .found(peer, at: addresses)
  }

  private static func identity(_ service: DiscoveredService) -> PeerID? {
    service.txt["id"].flatMap { PeerID(hex: $0) }
  }
}

import PeerProtocol
import ServiceDiscovery
import ServiceRuntime
import Sockets

/// Who on the network announces an open window.
final class PairingSearch {
  /// Candidates kept; more on one network are somebody's mischief.
  private static let maximumCandidates = 64

  var onAvailability: ((DiscoveryAvailability) -> Void)?
  private let browser: ServiceBrowser
  private let own: PeerID
  /// By the identity that they announce, with the time of their first sight.
  private var seen: [PeerID: (candidate: PairingCandidate, since: ContinuousClock.Instant)] = [:]
  private var ids: [String: PeerID] = [:]
  private let loop: EventLoop

  init(serviceType: String, own: PeerID, loop: EventLoop, logger: Logger) throws {
    self.own = own
    self.loop = loop
    browser = try ServiceBrowser(loop: loop, serviceType: serviceType, logger: logger)
    browser.onEvent = { [weak self] event in self?.discovered(event) }
    browser.onAvailability = { [weak self] in self?.onAvailability?($0) }
    try browser.start()
  }

  func stop() { browser.stop() }

  /// In the order of their names.
  var candidates: [PairingCandidate] {
    seen.values.map(\.candidate).sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  /// When the first of the present candidates appeared.
  var firstSeen: ContinuousClock.Instant? { seen.values.map(\.since).min() }

  private func discovered(_ event: DiscoveryEvent) {
    switch event {
    case .lost(let serviceID):
      if let id = ids.removeValue(forKey: serviceID) { seen[id] = nil }
    case .found(let service), .updated(let service):
      if let id = ids.removeValue(forKey: service.id) { seen[id] = nil }
      guard service.txt[PairingCandidate.attribute] == "1", let id = PeerID(hex: service.txt["id"] ?? ""),
        id != own, seen.count < PairingSearch.maximumCandidates
      else { return }
      ids[service.id] = id
      let candidate = PairingCandidate(
        id: id, name: PairingPeer(id: id, name: service.instanceName).name,
        addresses: service.addresses.map { SocketAddress($0.address, port: $0.port) })
      seen[id] = (candidate, loop.now)
    }
  }
}

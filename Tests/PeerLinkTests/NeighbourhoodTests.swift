import PeerProtocol
import Sockets
import Testing

@testable import PeerLink
@testable import ServiceDiscovery

/// Announcements merged by identity.
@Suite struct NeighbourhoodTests {
  private let own = PeerID(bytes: [UInt8](repeating: 1, count: 32))!
  private let peer = PeerID(bytes: [UInt8](repeating: 2, count: 32))!
  private let other = PeerID(bytes: [UInt8](repeating: 3, count: 32))!

  private func service(
    _ id: String, _ peer: PeerID?, name: String = "Drone", host: UInt8 = 1, txt: [String: String] = [:]
  ) -> DiscoveredService {
    var attributes = txt
    if let peer { attributes["id"] = peer.hex }
    return DiscoveredService(
      id: id, instanceName: name, txt: attributes, hostName: "host.local",
      addresses: [.init(address: .v4([192, 0, 2, host]), port: 700)])
  }

  private func address(_ host: UInt32) -> SocketAddress { SocketAddress(.v4(0xC000_0200 + host), port: 700) }

  @Test func aPeerIsFoundUpdatedAndLostOnce() {
    var neighbourhood = Neighbourhood(own: own)
    let changes = neighbourhood.apply(.found(service("a", peer, txt: ["v": "1", "room": "4"])))
    let found = FoundPeer(
      id: peer, name: "Drone", discoveryInfo: ["room": "4"], addresses: ["192.0.2.1:700"],
      endpoints: [PeerEndpoint(host: "192.0.2.1", port: 700)])
    #expect(changes == [.found(found, at: [address(1)])])
    #expect(neighbourhood.apply(.updated(service("a", peer, txt: ["v": "1", "room": "4"]))) == [])
    #expect(neighbourhood.apply(.updated(service("a", peer, txt: ["room": "5"]))).count == 1)
    #expect(neighbourhood.apply(.lost(id: "a")) == [.lost(peer)])
    #expect(neighbourhood.apply(.lost(id: "a")) == [])
    #expect(neighbourhood.peers.isEmpty)
  }

  @Test func twoAnnouncementsOfOneIdentityAreOnePeer() {
    var neighbourhood = Neighbourhood(own: own)
    _ = neighbourhood.apply(.found(service("a", peer, host: 1)))
    guard
      case .found(let found, let addresses)? = neighbourhood.apply(.found(service("b", peer, host: 2))).first
    else {
      Issue.record("nothing changed")
      return
    }
    #expect(found.id == peer && addresses == [address(1), address(2)])
    #expect(neighbourhood.peers.count == 1)
    // It is lost with the last one.
    guard case .found(_, let left)? = neighbourhood.apply(.lost(id: "a")).first else {
      Issue.record("lost too early")
      return
    }
    #expect(left == [address(2)])
    #expect(neighbourhood.apply(.lost(id: "b")) == [.lost(peer)])
  }

  @Test func itselfAndWhoHasNoIdentityAreLeftOut() {
    var neighbourhood = Neighbourhood(own: own)
    #expect(neighbourhood.apply(.found(service("a", own))) == [])
    #expect(neighbourhood.apply(.found(service("b", nil))) == [])
    #expect(neighbourhood.apply(.found(service("c", nil, txt: ["id": "12"]))) == [])
    #expect(neighbourhood.peers.isEmpty)
  }

  @Test func anAnnouncementThatChangesItsIdentityLosesTheOldOne() {
    var neighbourhood = Neighbourhood(own: own)
    _ = neighbourhood.apply(.found(service("a", peer)))
    let changes = neighbourhood.apply(.updated(service("a", other)))
    #expect(changes.count == 2 && changes.first == .lost(peer))
    #expect(neighbourhood.peers.map(\.id) == [other])
    #expect(neighbourhood.apply(.updated(service("a", nil))) == [.lost(other)])
  }

  /// Anybody can announce.
  @Test func theyAreBounded() {
    var neighbourhood = Neighbourhood(own: own)
    for number in 0..<1000 {
      var bytes = [UInt8](repeating: 9, count: 32)
      bytes[0] = UInt8(number & 255)
      bytes[1] = UInt8(number >> 8)
      _ = neighbourhood.apply(.found(service("\(number)", PeerID(bytes: bytes))))
    }
    #expect(neighbourhood.peers.count == 256)
  }
}

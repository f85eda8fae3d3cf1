import PeerProtocol
import ServiceDiscovery
import Sockets
import Testing

@testable import PeerLink

@Suite struct NeighbourhoodTests {
  @Test func nobodyIsThereAtFirst() throws {
    let own = try #require(PeerID(bytes: [UInt8](repeating: 1, count: 32)))
    var neighbourhood = Neighbourhood(own: own)
    #expect(neighbourhood.peers.isEmpty)
    #expect(neighbourhood.apply(.lost(id: "x")).isEmpty)
  }
}

import Testing

@testable import PeerConnectivity

@Suite struct ServiceTypeTests {
  @Test(arguments: ["a", "chat", "drone-chat", "1a", "a1-b2-c3", "abcdefghijklmno", "loc-broadcaster"])
  func accepts(_ name: String) throws { #expect(try ServiceType(name).dnsName == "_\(name)._tcp") }

  @Test(arguments: [
    "", "1", "12-3", "-a", "a-", "a--b", "Chat", "abcdefghijklmnop", "a.b", "_a", "ä", "a b",
  ])
  func refuses(_ name: String) {
    #expect(throws: PeerNodeError.invalidServiceType(name)) { try ServiceType(name) }
  }
}

@Suite struct DiscoveryInfoTests {
  @Test func keepsWhatFits() throws {
    let info = try DiscoveryInfo(["room": "4", "Name": "ü"])
    #expect(info["room"] == "4")
    #expect(info["NAME"] == "ü")
    #expect(info["other"] == nil)
    // 255 bytes with the key and "=".
    _ = try DiscoveryInfo(["k": String(repeating: "x", count: 253)])
  }

  @Test(arguments: [
    ["": "x"], ["a=b": "x"], ["ä": "x"], ["a\n": "x"], ["id": "x"], ["V": "x"], ["a": "x", "A": "y"],
    ["k": String(repeating: "x", count: 254)],
    ["k": String(repeating: "x", count: 200), "l": String(repeating: "x", count: 150)],
  ])
  func refuses(_ values: [String: String]) {
    #expect(throws: PeerNodeError.self) { try DiscoveryInfo(values) }
  }

  @Test func theLargestFitsTheAnnouncementWithWhatTheLibraryAdds() throws {
    let largest = DiscoveryInfo.maximumBytes - 1
    let info = try DiscoveryInfo([
      "k": String(repeating: "x", count: 200), "l": String(repeating: "x", count: largest - 205),
    ])
    let own = [("id", String(repeating: "a", count: 64)), ("v", "1")]
    let all = info.values.map { ($0.key, $0.value) } + own
    #expect(all.reduce(0) { $0 + 2 + $1.0.utf8.count + $1.1.utf8.count } <= 400)
  }

  @Test func hidesTheLibrarysOwnPairs() {
    #expect(DiscoveryInfo(received: ["id": "x", "v": "1", "room": "4"]).values == ["room": "4"])
  }
}

@Suite struct PeerTests {
  @Test func equalNamesAreDifferentPeersAndANewNameIsTheSamePeer() {
    let one = testPeer(1, name: "drone")
    #expect(one != testPeer(2, name: "drone"))
    #expect(one == testPeer(1, name: "other"))
    #expect(Set([one, testPeer(1, name: "other")]).count == 1)
  }

  @Test func anIdentityIsWrittenAndReadAsHexadecimalDigits() {
    let id = testPeer(7).id
    #expect(Peer.ID(hex: id.hex) == id)
    #expect(Peer.ID(hex: id.hex.uppercased()) == id)
    #expect(Peer.ID(hex: String(id.hex.dropLast())) == nil)
    #expect(id.bytes.count == 32)
  }
}

/// A peer with a made-up identity.
func testPeer(_ number: UInt8, name: String = "peer", isTrusted: Bool = true) -> Peer {
  let digits = String(repeating: "0", count: 62) + (number < 16 ? "0" : "") + String(number, radix: 16)
  guard let id = Peer.ID(hex: digits) else { preconditionFailure(digits) }
  return Peer(id: id, displayName: name, isTrusted: isTrusted)
}

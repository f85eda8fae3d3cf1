import Testing

@testable import ServiceDiscovery

@Suite struct ServiceDescriptionTests {
  private func describe(
    type: String = "_drone-control._tcp", name: String = "Drone", port: UInt16 = 1,
    txt: [(String, String)] = []
  ) -> ServiceDescriptionError? {
    do throws(ServiceDescriptionError) {
      _ = try ServiceDescription(
        serviceType: type, name: name, port: port, txt: txt.map { (key: $0.0, value: $0.1) })
      return nil
    } catch { return error }
  }

  @Test(arguments: ["_drone-control._tcp", "_a._udp", "_a1._tcp", "_abcdefghijklmno._tcp"])
  func serviceTypeIsAccepted(_ type: String) { #expect(describe(type: type) == nil) }

  @Test(arguments: [
    "", "_._tcp", "drone._tcp", "_drone", "_drone._sctp", "_drone._tcp.local", "_-drone._tcp", "_drone-._tcp",
    "_dr--one._tcp", "_Drone._tcp", "_123._tcp", "_abcdefghijklmnop._tcp", "_dröne._tcp", "_a b._tcp",
  ])
  func serviceTypeIsRefused(_ type: String) { #expect(describe(type: type) == .invalidServiceType(type)) }

  @Test func nameHasOneTo63Bytes() {
    #expect(describe(name: "") == .invalidName(""))
    #expect(describe(name: String(repeating: "ö", count: 31) + "x") == nil)
    let long = String(repeating: "ö", count: 32)
    #expect(describe(name: long) == .invalidName(long))
    #expect(describe(name: "a\nb") == .invalidName("a\nb"))
  }

  @Test func portIsNotZero() { #expect(describe(port: 0) == .invalidPort) }

  @Test(arguments: ["", "a=b", "ä", "a\u{7F}", "a\n"])
  func keyIsRefused(_ key: String) { #expect(describe(txt: [(key, "x")]) == .invalidAttributeKey(key)) }

  @Test func keysDifferInMoreThanCase() {
    #expect(describe(txt: [("id", "1"), ("ID", "2")]) == .repeatedAttributeKey("ID"))
  }

  @Test func pairHas255BytesAtMost() {
    #expect(describe(txt: [("key", String(repeating: "x", count: 251))]) == nil)
    #expect(
      describe(txt: [("key", String(repeating: "x", count: 252))])
        == .attributeTooLong(key: "key", bytes: 256))
  }

  @Test func recordHas400BytesAtMost() {
    // Each pair costs its length byte too: twice 1 + 2 + 197.
    let full = String(repeating: "x", count: 197)
    #expect(describe(txt: [("a", full), ("b", full)]) == nil)
    #expect(describe(txt: [("a", full), ("b", full + "x")]) == .attributesTooLong(bytes: 401))
  }

  @Test func errorNamesPlaceAndRemedy() {
    let text = describe(txt: [("key", String(repeating: "x", count: 300))])?.description
    #expect(text == "TXT pair \"key\": 304 bytes with its key, at most 255")
  }
}

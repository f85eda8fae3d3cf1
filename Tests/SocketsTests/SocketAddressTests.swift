import Testing

@testable import Sockets

struct SocketAddressTests {
  @Test(arguments: [
    ("192.0.2.1:80", "192.0.2.1:80"), ("[2001:DB8::1]:65535", "[2001:db8::1]:65535"),
    ("[::1]:0", "[::1]:0"), ("[::ffff:10.0.0.1]:9", "10.0.0.1:9"), ("[fe80::1%7]:1", "[fe80::1%7]:1"),
    ("[fe80::1%lo]:1", "[fe80::1%1]:1"),
  ])
  func numericAddressesAreReadAndShown(text: String, shown: String) {
    #expect(SocketAddress(text)?.description == shown)
  }

  @Test(arguments: [
    "", "192.0.2.1", "192.0.2.1:", "192.0.2.1:65536", "192.0.2.1:-1", "192.0.2.256:1", "::1:80", "[::1:80",
    "[::1]", "[::1]80", "host:80", "[fe80::1%nonesuch]:1", "[fe80::1%]:1",
  ])
  func anythingElseIsNoAddress(text: String) {
    #expect(SocketAddress(text) == nil)
  }

  @Test func linkLocalAddressesAreTriedLastAndNoneTwice() throws {
    let texts = ["[fe80::1%1]:1", "169.254.1.1:1", "10.0.0.1:1", "[2001:db8::1]:1", "10.0.0.1:1"]
    let ordered = TCPConnector.ordered(try texts.map { try #require(SocketAddress($0)) })
    #expect(
      ordered.map(\.description) == ["10.0.0.1:1", "[2001:db8::1]:1", "[fe80::1%1]:1", "169.254.1.1:1"])
  }
}

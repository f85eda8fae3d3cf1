import Glibc
import ServiceRuntime
import Sockets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BulkTrafficTests {
  /// The kernel's own numbers show that the fields are where they are read.
  @Test func theKernelIsAskedForWhatItMeasured() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer {
      close(listener)
      close(client)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &length) == 0
          && connect(client, $0, length) == 0
      }
    }
    try #require(isListening)
    let server = accept(listener, nil, nil)
    defer { close(server) }

    let before = try #require(BulkTraffic.measure(client))
    #expect(before.segmentBytes > 500)
    #expect(before.roundTrip > .zero && before.roundTrip < .seconds(5))
    #expect(before.shortestRoundTrip > .zero && before.shortestRoundTrip <= .seconds(5))
    let one = [UInt8](repeating: 1, count: 100)
    for _ in 0..<50 {
      #expect(send(client, one, one.count, 0) == one.count)
      var buffer = one
      var count = 0
      while count < one.count { count += recv(server, &buffer, one.count, 0) }
      // An answer carries the acknowledgement.
      #expect(send(server, one, 1, 0) == 1)
      #expect(recv(client, &buffer, 1, 0) == 1)
    }
    let after = try #require(BulkTraffic.measure(client))
    #expect(after.deliveredSegments &- before.deliveredSegments == 50)
    #expect(after.shortestRoundTrip <= before.shortestRoundTrip)

    BulkTraffic.limit(client, bytesPerSecond: 100_000)
    #expect(pacingRate(client) == 100_000)
    BulkTraffic.limit(client, bytesPerSecond: nil)
    #expect(pacingRate(client) == .max)
    #expect(!BulkTraffic.tune(client))
    #expect(BulkTraffic.measure(listener + 1000) == nil)
  }

  private func pacingRate(_ descriptor: Int32) -> UInt {
    var value: UInt = 0
    var length = socklen_t(MemoryLayout<UInt>.size)
    getsockopt(descriptor, SOL_SOCKET, 47, &value, &length)
    return value
  }
}

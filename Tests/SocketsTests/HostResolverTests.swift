import ServiceRuntime
import Sockets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HostResolverTests {
  @Test func theLocalHostHasALoopbackAddress() throws {
    let loop = try EventLoop()
    let resolver = try HostResolver(on: loop)
    var result: Result<[SocketAddress], ResolveError>?
    resolver.resolve("localhost", port: 2947) { result = $0 }
    #expect(result == nil)
    #expect(loop.runUntil { result != nil })
    let addresses = try #require(try result?.get())
    #expect(!addresses.isEmpty)
    #expect(addresses.allSatisfy { $0.isLoopback && $0.port == 2947 })
  }

  @Test func numericAddressesNeedNoLookUp() throws {
    let loop = try EventLoop()
    let resolver = try HostResolver(on: loop)
    var result: Result<[SocketAddress], ResolveError>?
    resolver.resolve("::1", port: 7) { result = $0 }
    #expect(result == nil)
    #expect(loop.runUntil { result != nil })
    #expect(try result?.get() == [.loopbackV6(port: 7)])
  }

  @Test func aNameThatCannotExistIsAnError() throws {
    let loop = try EventLoop()
    let resolver = try HostResolver(on: loop)
    var result: Result<[SocketAddress], ResolveError>?
    // A label of 64 characters (RFC 1035, section 2.3.4): refused without asking any server.
    let name = String(repeating: "x", count: 64) + ".invalid"
    resolver.resolve(name, port: 7) { result = $0 }
    #expect(loop.runUntil { result != nil })
    #expect(throws: ResolveError.self) { try result?.get() }
  }

  @Test func aCancelledLookUpIsSilent() throws {
    let loop = try EventLoop()
    let resolver = try HostResolver(on: loop)
    var called = false
    var other = false
    let lookup = resolver.resolve("127.0.0.1", port: 7) { _ in called = true }
    resolver.cancel(lookup)
    resolver.resolve("127.0.0.1", port: 7) { _ in other = true }
    #expect(loop.runUntil { other })
    #expect(!called)
  }

  @Test func lookUpsAtTheSameTimeAreBounded() throws {
    let loop = try EventLoop()
    let resolver = try HostResolver(on: loop)
    var results: [Result<[SocketAddress], ResolveError>] = []
    for _ in 0..<6 { resolver.resolve("localhost", port: 7) { results.append($0) } }
    #expect(loop.runUntil { results.count == 6 })
    #expect(results.filter { $0 == .failure(.busy) }.count == 2)
    // The threads are done: there is room again.
    resolver.resolve("localhost", port: 7) { results.append($0) }
    #expect(loop.runUntil { results.count == 7 })
    #expect(results.last != .failure(.busy))
  }
}

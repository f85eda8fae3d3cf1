import Glibc
import ServiceRuntime
import TestSupport
import Testing

/// The hosts that other tests stand on.
@Suite(.enabled(if: canRun, "needs root and network namespaces"), .serialized, .timeLimit(.minutes(1)))
struct NetworkNamespacesTests {
  private func passes(
    _ network: NetworkNamespaces, from: Int, to: Int, address: String? = nil
  ) throws -> Bool {
    let receiver = try UDPSocket(on: network.hosts[to], port: 5000)
    let sender = try UDPSocket(on: network.hosts[from])
    for _ in 0..<10 {
      sender.send(1, byteCount: 100, to: address ?? NetworkNamespaces.address(to), port: 5000)
      usleep(30_000)
      if receiver.receive() != nil { return true }
    }
    return false
  }

  @Test(arguments: [nil, builtProgram]) func threeHostsReachEachOther(_ radio: String?) throws {
    let network = try NetworkNamespaces(hostCount: 3, radio: radio, settings: ["delay 2ms"])
    for (from, to) in [(0, 1), (1, 2), (2, 0)] { #expect(try passes(network, from: from, to: to)) }
    try network.cut(1)
    #expect(try !passes(network, from: 0, to: 1))
    #expect(try passes(network, from: 0, to: 2))
    try network.restore(1)
    #expect(try passes(network, from: 0, to: 1))
    if radio == nil {
      try network.setPlugged(1, false)
      #expect(try !passes(network, from: 0, to: 1))
      try network.setPlugged(1, true)
      #expect(try passes(network, from: 0, to: 1))
    }
    try network.hosts[2].changeAddress(to: "10.77.0.99/24")
    #expect(try !passes(network, from: 0, to: 2))
    #expect(try passes(network, from: 0, to: 2, address: "10.77.0.99"))
  }

  @Test(arguments: [nil, builtProgram]) func hostsDiscoverEachOther(_ radio: String?) throws {
    let network = try NetworkNamespaces(
      hostCount: 2, hasDiscovery: true, radio: radio, settings: ["delay 5ms"])
    let probe = String(builtProgram.dropLast("link-impairment".count)) + "discovery-probe"
    let publisher = try network.hosts[0].run([probe, "publish", "_test._tcp", "Name", "1234"])
    #expect(says(publisher, "\"publishing\""))
    let browser = try network.hosts[1].run([probe, "browse", "_test._tcp"])
    #expect(says(browser, "10.77.0.1"))
  }

  private func says(_ program: ChildProcess, _ text: String) -> Bool {
    while let line = program.readLine(within: .seconds(10)) {
      if line.contains(text) { return true }
    }
    return false
  }
}

import Glibc
import ServiceRuntime

/// Several hosts in network namespaces, joined by a switch in a namespace of its own.
///
/// Each host has an interface `net0`, and on demand a D-Bus and avahi-daemon of its own. Where a radio is asked for,
/// the program `link-impairment` stands between host and switch instead of a cable. Everything ends with this object, or
/// with the process of the test.
public final class NetworkNamespaces {
  /// What is missing to use this, or nil.
  public static var missing: String? { PrivateAvahi.missing }

  public let hosts: [PrivateAvahi]
  private let hub: PrivateAvahi
  private var radios: [Int: ChildProcess] = [:]

  /// - Parameters:
  ///   - hostCount: at most 200.
  ///   - hasDiscovery: starts D-Bus and avahi-daemon on each host.
  ///   - radio: the path of `link-impairment`; nil for cables.
  ///   - settings: lines for each radio. A packet from host to host passes two radios.
  ///   - radioHosts: which hosts have a radio; nil for all.
  public init(
    hostCount: Int, hasDiscovery: Bool = false, radio: String? = nil, settings: [String] = [],
    radioHosts: Set<Int>? = nil
  ) throws {
    precondition((1...200).contains(hostCount))
    hub = try PrivateAvahi(hostName: "switch", address: nil)
    try hub.ip("link", "add", "hub", "type", "bridge", "mcast_snooping", "0")
    try hub.ip("link", "set", "hub", "up")
    var hosts: [PrivateAvahi] = []
    for index in 0..<hostCount {
      let host = try PrivateAvahi(hostName: "host\(index)", address: nil)
      hosts.append(host)
      if let radio, radioHosts?.contains(index) ?? true {
        radios[index] = try Self.start(radio, index, host, hub, settings)
      } else {
        try hub.ip(
          "link", "add", "port\(index)", "type", "veth", "peer", "name", "net0", "netns", "\(host.processID)")
      }
      try hub.ip("link", "set", "port\(index)", "master", "hub", "up")
      try host.setAddress("10.77.0.\(index + 1)/24")
      if hasDiscovery {
        try host.startBus()
        try host.startDaemon()
      }
    }
    self.hosts = hosts
  }

  /// The IPv4 address that a host started with.
  public static func address(_ index: Int) -> String { "10.77.0.\(index + 1)" }

  /// Nothing reaches the host or comes from it, and nobody is told: out of reach.
  public func cut(_ index: Int) throws {
    if radios[index] != nil {
      try tellRadio(index, "cut")
    } else {
      try hub.ip("link", "set", "port\(index)", "nomaster")
    }
  }

  public func restore(_ index: Int) throws {
    if radios[index] != nil {
      try tellRadio(index, "restore")
    } else {
      try hub.ip("link", "set", "port\(index)", "master", "hub")
    }
  }

  /// Takes the host's cable out at the switch, which its kernel notices, or puts it back.
  public func setPlugged(_ index: Int, _ isPlugged: Bool) throws {
    try hub.ip("link", "set", "port\(index)", isPlugged ? "up" : "down")
  }

  /// Gives a line to the radio of a host, such as `loss 30%`; returns its answer.
  @discardableResult
  public func tellRadio(_ index: Int, _ line: String) throws -> String {
    radios[index]?.send(line)
    guard let answer = radios[index]?.readLine(within: .seconds(5)), !answer.contains("\"error\"") else {
      throw SystemError("tell the radio: \(line)", code: EINVAL)
    }
    return answer
  }

  private static func start(
    _ program: String, _ index: Int, _ host: PrivateAvahi, _ hub: PrivateAvahi, _ settings: [String]
  ) throws -> ChildProcess {
    let radio = try ChildProcess(
      [
        program, "--interface", "net0,port\(index)", "--addresses", "none", "--station", "\(2 * index % 254)",
        "--seed", "\(index)", "\(host.processID)", "\(hub.processID)",
      ] + settings, quiet: false)
    guard radio.readLine(within: .seconds(10))?.contains("ready") == true else {
      throw SystemError("start \(program)", code: EIO)
    }
    return radio
  }
}

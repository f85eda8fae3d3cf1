import Glibc
import JSONText
import TestSupport
import Testing

private let type = "_drone-control._tcp"

private var canRun: Bool {
  if let missing = PrivateAvahi.missing { print("Avahi tests skipped: \(missing)") }
  return PrivateAvahi.missing == nil
}

/// Against a real avahi-daemon on a private bus in a network namespace. One after the other: each starts daemons.
@Suite(.enabled(if: canRun, "needs root, namespaces, dbus-daemon and avahi-daemon"), .serialized)
struct AvahiTests {
  private func makeHost(_ name: String = "alpha") throws -> PrivateAvahi {
    let host = try PrivateAvahi(hostName: name)
    try host.startBus()
    try host.startDaemon()
    return host
  }

  @Test(.timeLimit(.minutes(1)))
  func serviceIsFoundOnceWithAllItsAddresses() throws {
    let host = try makeHost()
    let publisher = try Probe(host, "publish", type, "Drone", "4711", "id=abc", "v=1")
    #expect(publisher.next("publishing")?["name"]?.string == "Drone", "\(publisher.log)")
    let browser = try Probe(host, "browse", type)
    #expect(browser.next("available") != nil)
    let heard = browser.listen(.seconds(3))
    #expect(heard.filter { $0["event"]?.string == "found" }.count == 1)
    #expect(!heard.contains { $0["event"]?.string == "lost" })
    // A busy machine also tells how late its loop was.
    let last = try #require(heard.last { $0["service"] != nil })
    #expect(last["service"]?["id"]?.string == "abc")
    #expect(last["service"]?["name"]?.string == "Drone")
    #expect(last["service"]?["host"]?.string == "alpha.local")
    #expect(last["service"]?["txt"]?["v"]?.string == "1")
    #expect(last.addresses.contains("10.77.0.1 4711"), "\(browser.log)")
    #expect(last.addresses.contains("127.0.0.1 4711"), "\(browser.log)")
    #expect(last.addresses.last?.hasPrefix("fe80::") == true, "\(browser.log)")
    #expect(last.addresses.last?.contains("%") == true, "\(browser.log)")
  }

  @Test(.timeLimit(.minutes(1)))
  func killedPublisherIsLostInAboutASecond() throws {
    let host = try makeHost()
    let publisher = try Probe(host, "publish", type, "Drone", "4711", "id=abc")
    let browser = try Probe(host, "browse", type)
    #expect(browser.next("found") != nil, "\(browser.log)")
    publisher.process.stop()
    let start = ContinuousClock.now
    #expect(browser.next("lost")?["id"]?.string == "abc", "\(browser.log)")
    #expect(start.duration(to: .now) < .seconds(4))
  }

  @Test(.timeLimit(.minutes(1)))
  func publisherStopsAndStartsAgain() throws {
    let host = try makeHost()
    let publisher = try Probe(host, "publish", type, "Drone", "4711", "id=abc")
    let browser = try Probe(host, "browse", type)
    #expect(browser.next("found") != nil, "\(browser.log)")
    publisher.process.send("stop")
    #expect(browser.next("lost") != nil, "\(browser.log)")
    publisher.process.send("start")
    #expect(browser.next("found") != nil, "\(browser.log)")
  }

  @Test(.timeLimit(.minutes(1)))
  func takenNameIsChangedOnOneHost() throws {
    let host = try makeHost()
    let first = try Probe(host, "publish", type, "Drone", "1", "id=a")
    #expect(first.next("publishing")?["name"]?.string == "Drone")
    let second = try Probe(host, "publish", type, "Drone", "2", "id=b")
    #expect(second.next("publishing")?["name"]?.string == "Drone #2", "\(second.log)")
  }

  @Test(.timeLimit(.minutes(1)))
  func hostsFindEachOtherAndRenameAcrossTheCable() throws {
    let alpha = try PrivateAvahi(hostName: "alpha", address: nil)
    let beta = try PrivateAvahi(hostName: "beta", address: nil)
    try alpha.connect(to: beta, "10.77.0.1/24", "10.77.0.2/24")
    for host in [alpha, beta] {
      try host.startBus()
      try host.startDaemon()
    }
    let first = try Probe(alpha, "publish", type, "Drone", "1", "id=a")
    #expect(first.next("publishing")?["name"]?.string == "Drone", "\(first.log)")
    let browser = try Probe(beta, "browse", type)
    let found = browser.next("found") { $0["service"]?["id"]?.string == "a" }
    #expect(found != nil, "\(browser.log)")
    let second = try Probe(beta, "publish", type, "Drone", "2", "id=b")
    // Each host has 750 ms to answer the other's probe (RFC 6762, section 8.1). On a busy machine the answer may come
    // after both have announced the name; then either of them renames itself (section 9).
    var names = ["a": "Drone"]
    let renamed = browser.next(["found", "updated"], within: .seconds(30)) {
      if let id = $0["service"]?["id"]?.string { names[id] = $0["service"]?["name"]?.string }
      return Set(names.values) == ["Drone", "Drone #2"]
    }
    #expect(renamed != nil, "\(names) \(browser.log)")
    let publisher = names["a"] == "Drone" ? second : first
    #expect(publisher.next("publishing") { $0["name"]?.string == "Drone #2" } != nil, "\(publisher.log)")
    // Foreign loopback addresses never show.
    #expect(!browser.log.contains { $0.contains("\"a\"") && $0.contains("127.0.0.1") }, "\(browser.log)")
    first.process.stop()
    #expect(browser.next("lost")?["id"]?.string == "a", "\(browser.log)")
  }

  @Test(.timeLimit(.minutes(1)))
  func restartedDaemonGetsServicesBackAndLostOnesAreSaid() throws {
    let host = try makeHost()
    let staying = try Probe(host, "publish", type, "Stays", "1", "id=stays")
    let leaving = try Probe(host, "publish", type, "Leaves", "2", "id=leaves")
    #expect(staying.next("publishing") != nil && leaving.next("publishing") != nil)
    let browser = try Probe(host, "browse", type)
    #expect(browser.next("found") != nil && browser.next("found") != nil, "\(browser.log)")
    try host.killDaemon()
    let reason = browser.next("unavailable")?["reason"]?.string
    #expect(reason?.contains("start avahi-daemon") == true, "\(browser.log)")
    leaving.process.stop()
    try host.startDaemon()
    #expect(staying.next("publishing") != nil, "\(staying.log)")
    #expect(browser.next("available") != nil, "\(browser.log)")
    #expect(browser.next("lost")?["id"]?.string == "leaves", "\(browser.log)")
    let later = browser.listen(.seconds(2))
    #expect(!later.contains { $0["event"]?.string == "lost" }, "\(browser.log)")
  }

  @Test(.timeLimit(.minutes(1)))
  func restartedBusIsUsedAgainAndTheProgramLives() throws {
    let host = try makeHost()
    let publisher = try Probe(host, "publish", type, "Drone", "1", "id=a")
    #expect(publisher.next("publishing") != nil, "\(publisher.log)")
    let browser = try Probe(host, "browse", type)
    #expect(browser.next("found") != nil, "\(browser.log)")
    try host.killBus()
    try host.killDaemon()
    #expect(browser.next("unavailable") != nil, "\(browser.log)")
    #expect(
      browser.next("unavailable") { $0["reason"]?.string?.contains("D-Bus") == true } != nil, "\(browser.log)"
    )
    try host.startBus()
    try host.startDaemon()
    #expect(publisher.next("publishing") != nil, "\(publisher.log)")
    #expect(browser.next("available") != nil, "\(browser.log)")
    #expect(publisher.process.exitCode(within: .zero) == nil)
    #expect(browser.process.exitCode(within: .zero) == nil)
  }

  @Test(.timeLimit(.minutes(1)))
  func daemonsMayStartAfterTheProgram() throws {
    let host = try PrivateAvahi(hostName: "alpha")
    let publisher = try Probe(host, "publish", type, "Drone", "1", "id=a")
    let browser = try Probe(host, "browse", type)
    #expect(browser.next("unavailable")?["reason"]?.string?.contains("D-Bus") == true, "\(browser.log)")
    try host.startBus()
    let reason = browser.next("unavailable")?["reason"]?.string
    #expect(reason == "Avahi is not running: start avahi-daemon", "\(browser.log)")
    try host.startDaemon()
    #expect(publisher.next("publishing") != nil, "\(publisher.log)")
    #expect(browser.next("found") != nil, "\(browser.log)")
  }

  /// A frozen daemon makes every call of Avahi's library wait up to 25 s.
  @Test(.timeLimit(.minutes(1)))
  func frozenDaemonDoesNotHoldUpTheProgram() throws {
    let host = try makeHost()
    let browser = try Probe(host, "browse", type)
    #expect(browser.next("available") != nil)
    kill(host.daemonProcessID, SIGSTOP)
    browser.process.send("stop")
    browser.process.send("start")
    let heard = browser.listen(.seconds(3))
    kill(host.daemonProcessID, SIGCONT)
    let late = heard.filter { $0["event"]?.string == "late" }.compactMap { $0["milliseconds"]?.double }
    #expect((late.max() ?? 0) < 1000, "\(browser.log)")
    #expect(browser.next("available", within: .seconds(30)) != nil, "\(browser.log)")
  }

  @Test(.timeLimit(.minutes(1)))
  func refusedDescriptionEndsTheProbeWithTheConfigurationCode() throws {
    let host = try PrivateAvahi(hostName: "alpha")
    let probe = try Probe(host, "publish", "_a-much-too-long-type._tcp", "Drone", "1")
    #expect(probe.process.exitCode(within: .seconds(10)) == 78)
  }
}

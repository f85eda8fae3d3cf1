import Configuration
import Testing

/// What the configuration of a running program may become.
@Suite struct ReloadTests {
  private static func content(_ text: String) -> (name: String, content: [UInt8]) {
    ("navigator.conf", Array(text.utf8))
  }

  private static let before = "serial = /dev/ttyACM0:57600\nfollow-height = 12 m\n"

  private func running(_ text: String = before) throws -> NavigatorConfiguration {
    try NavigatorConfiguration.load(file: Self.content(text), needsSerial: true)
  }

  /// A value of each key that is not its default.
  struct Row: Sendable, CustomTestStringConvertible {
    let key: String
    let value: String
    let isLive: Bool
    var testDescription: String { key }
  }

  static let rows: [Row] = [
    Row(key: "serial", value: "/dev/ttyACM1", isLive: false),
    Row(key: "name", value: "Crow", isLive: false),
    Row(key: "connect", value: "laptop.local:7777", isLive: true),
    Row(key: "state", value: "/tmp/elsewhere", isLive: false),
    Row(key: "takeoff-altitude", value: "7 m", isLive: true),
    Row(key: "follow-height", value: "8 m", isLive: true),
    Row(key: "stand-off", value: "5 m", isLive: true),
    Row(key: "maximum-distance", value: "90 m", isLive: true),
    Row(key: "maximum-height", value: "40 m", isLive: true),
    Row(key: "maximum-speed", value: "20 m/s", isLive: true),
    Row(key: "coordinate-freshness", value: "2 s", isLive: true),
    Row(key: "hold-after", value: "4 s", isLive: true),
    Row(key: "return-after", value: "off", isLive: true),
    Row(key: "link-loss-action", value: "land", isLive: true),
    Row(key: "hand-over-after", value: "20 s", isLive: true),
    Row(key: "stop-action", value: "land", isLive: true),
    Row(key: "minimum-battery", value: "30 %", isLive: true),
    Row(key: "geofence-radius", value: "100 m", isLive: true),
    Row(key: "reset-clears-autopilot", value: "yes", isLive: true),
    Row(key: "gcs-heartbeat", value: "no", isLive: true),
    Row(key: "log-file-size", value: "1 MB", isLive: false),
    Row(key: "log-files", value: "2", isLive: false),
    Row(key: "telemetry-log", value: "always", isLive: false),
    Row(key: "telemetry-log-file-size", value: "1 MB", isLive: false),
    Row(key: "telemetry-log-files", value: "2", isLive: false),
    Row(key: "signing-key", value: "/etc/key", isLive: false),
    Row(key: "log-level", value: "debug", isLive: true),
  ]

  @Test func eachKeyIsInTheTable() {
    #expect(Self.rows.map(\.key) == NavigatorConfiguration.keyDescriptions.map(\.name))
    for (row, key) in zip(Self.rows, NavigatorConfiguration.keyDescriptions) {
      #expect(row.isLive == (key.needsRestart == nil), "\(row.key)")
    }
  }

  @Test(arguments: rows) func aKeyChangesInFlightOrWaitsForARestart(_ row: Row) throws {
    let old = try running()
    let lines = ["serial = /dev/ttyACM0:57600", "follow-height = 12 m"].filter { !$0.hasPrefix(row.key) }
    let file = Self.content((lines + ["# a comment", "\(row.key) = \(row.value)"]).joined(separator: "\n"))
    let place = "navigator.conf:\(lines.count + 2)"
    switch old.reload(file: file, overrides: []) {
    case .unchanged: Issue.record("\(row.key) did not change")
    case .changed(let new, let changes):
      #expect(row.isLive)
      #expect(changes.map(\.key) == [row.key])
      #expect(new != old)
    case .refused(let error):
      #expect(!row.isLive, "\(error)")
      #expect(error.problems.count == 1)
      #expect(error.problems[0].place == place)
      #expect(error.problems[0].key == row.key)
      #expect(error.problems[0].message.contains("restart when the vehicle is on the ground"))
    }
  }

  @Test func allOrNothing() throws {
    let file = Self.content("serial = /dev/ttyACM0:57600\nfollow-height = 8 m\nname = Crow\n")
    guard case .refused(let error) = try running().reload(file: file, overrides: []) else {
      Issue.record("a live key was taken although another waits")
      return
    }
    #expect(error.description.contains("navigator.conf:3: name: cannot become Crow while running"))
    #expect(error.description.contains("set it back to Drone"))
  }

  @Test func whatIsWrongIsRefusedWithItsPlace() throws {
    let file = Self.content("serial = /dev/ttyACM0:57600\nfollow-height = 12 parsecs\nhold-aftr = 3 s\n")
    guard case .refused(let error) = try running().reload(file: file, overrides: []) else {
      Issue.record("taken")
      return
    }
    #expect(error.problems.map(\.place) == ["navigator.conf:2", "navigator.conf:3"])
  }

  @Test func aContradictionIsRefused() throws {
    let file = Self.content(Self.before + "maximum-height = 11 m\n")
    guard case .refused(let error) = try running().reload(file: file, overrides: []) else {
      Issue.record("taken")
      return
    }
    #expect(error.description.contains("navigator.conf:2: follow-height: 12 m is above maximum-height, 11 m"))
  }

  @Test func aKeyThatIsTakenOutGetsItsDefaultAndHasNoLine() throws {
    let old = try running(Self.before + "name = Crow\n")
    guard case .refused(let error) = old.reload(file: Self.content(Self.before), overrides: []) else {
      Issue.record("taken")
      return
    }
    #expect(error.description.hasPrefix("navigator.conf: name: cannot become Drone"))
    let live = try running().reload(file: Self.content("serial = /dev/ttyACM0:57600\n"), overrides: [])
    guard case .changed(let new, let changes) = live else {
      Issue.record("\(live)")
      return
    }
    #expect(new.followHeightAboveHomeMeters == 10)
    #expect("\(changes)" == "[follow-height = 10 m (was 12 m)]")
  }

  @Test func theCommandLineWinsAgain() throws {
    let overrides = [(key: "follow-height", text: "20 m")]
    let old = try NavigatorConfiguration.load(
      file: Self.content(Self.before), overrides: overrides, needsSerial: true)
    let file = Self.content("serial = /dev/ttyACM0:57600\nfollow-height = 8 m\n")
    #expect(old.reload(file: file, overrides: overrides) == .unchanged)
  }

  @Test func whatTheServiceManagerSaidIsNoChange() throws {
    var old = try running()
    old.stateDirectory = "/run/given"
    let same = old.reload(file: Self.content(Self.before), overrides: []) { $0.stateDirectory = "/run/given" }
    #expect(same == .unchanged)
  }
}

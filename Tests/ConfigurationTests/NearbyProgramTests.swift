import Configuration
import Testing

struct NearbyProgramTests {
  private func command(_ arguments: String...) throws -> NearbyCommand? {
    if case .command(let invocation) = try NearbyProgram.parse(arguments) { invocation.command } else { nil }
  }

  @Test func sendTakesAnyNumberOfPaths() throws {
    var options = NearbySendOptions()
    #expect(try command("send") == .send(options))
    options.paths = ["a", "b c"]
    options.peer = "Ann"
    options.timeout = .seconds(5)
    #expect(try command("send", "a", "--to", "Ann", "b c", "--timeout", "5") == .send(options))
  }

  @Test func meetingOptionsAreSharedByAll() throws {
    var meeting = NearbyMeetingOptions()
    meeting.name = "Ann"
    meeting.connect = [HostAndPort(host: "10.0.0.1", port: 7000), HostAndPort(host: "::1", port: 7001)]
    meeting.accept = .any
    meeting.listen = ListenAddress(address: nil, port: 7777)
    let words = [
      "--name", "Ann", "--connect", "10.0.0.1:7000", "--connect", "[::1]:7001", "--accept", "any", "--listen",
      "*:7777",
    ]
    for verb in ["chat", "receive", "send", "tap"] {
      guard case .command(let invocation) = try NearbyProgram.parse([verb] + words) else {
        Issue.record("\(verb) is no command")
        continue
      }
      let parsed: NearbyMeetingOptions? =
        switch invocation.command {
        case .chat(let options): options.meeting
        case .receive(let options): options.meeting
        case .send(let options): options.meeting
        case .tap(let options): options.meeting
        case .list, .pair, .trust: nil
        }
      #expect(parsed == meeting)
    }
  }

  @Test(arguments: [
    ["list", "extra"], ["chat", "--accept", "all"], ["receive", "--timeout", "0"], ["tap", "--to", ""],
    ["send", "--to", String(repeating: "g", count: 64), "x"], ["nothing"],
  ])
  func wrongUsageIsTold(_ arguments: [String]) {
    #expect(throws: UsageError.self) { try NearbyProgram.parse(arguments) }
  }

  @Test func aPeerCanBeNamedByItsIdentity() throws {
    let digits = String(repeating: "AB", count: 32)
    guard case .tap(let options)? = try command("tap", "--to", digits) else {
      Issue.record("no tap")
      return
    }
    #expect(options.peer == digits.lowercased())
  }
}

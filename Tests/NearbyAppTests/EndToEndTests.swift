import Glibc
import JSONText
import TestSupport
import Testing

/// The built program, twice, on this computer and without multicast.
@Suite(.serialized) struct NearbyEndToEndTests {
  private let ann: TemporaryDirectory
  private let bob: TemporaryDirectory

  init() throws {
    ann = try TemporaryDirectory()
    bob = try TemporaryDirectory()
  }

  private func start(
    _ verb: String, _ name: String, _ directory: TemporaryDirectory, _ more: [String]
  ) throws -> Script {
    try Script([verb, "--state", directory.path, "--name", name, "--listen", "127.0.0.1:0"] + more)
  }

  /// The port that a program says it listens on.
  private func port(of script: Script) throws -> String {
    let line = try #require(script.line(with: "port "), "\(script.story)")
    let digits = line.split(separator: "port ", maxSplits: 1).last?.prefix { $0.isNumber }
    return "127.0.0.1:\(try #require(digits))"
  }

  private func identity(_ directory: TemporaryDirectory) throws -> String {
    let script = try Script(["identity", "--state", directory.path])
    #expect(script.exitCode() == 0)
    return try #require(script.lines.first)
  }

  private func pair() throws {
    let ids = try (identity(ann), identity(bob))
    #expect(try Script(["trust", ids.1, "--state", ann.path, "--name", "Bob"]).exitCode() == 0)
    #expect(try Script(["trust", ids.0, "--state", bob.path, "--name", "Ann"]).exitCode() == 0)
  }

  @Test(.timeLimit(.minutes(1))) func twoPeopleTalkAndOneLeaves() throws {
    let first = try start("chat", "Ann", ann, ["--accept", "any"])
    let address = try port(of: first)
    let second = try start("chat", "Bob", bob, ["--accept", "any", "--connect", address, "--once"])
    #expect(first.says("connected: Bob") && second.says("connected: Ann"), "\(first.story)\n\(second.story)")
    second.say("hello\u{1B}[2J")
    #expect(first.says("< Bob: hello\\u{1b}[2J"), "\(first.story)")
    first.say("/name Anna")
    #expect(first.says("! the name changes only while nobody is connected"))
    first.say("hi")
    #expect(second.says("< Ann: hi"))
    #expect(second.lines.contains { $0.contains("> Bob: hello") }, "\(second.story)")
    first.say("/disconnect Bob")
    #expect(first.says("disconnected: Bob: ended here"), "\(first.story)")
    #expect(second.says("disconnected: Ann: it left"), "\(second.story)")
    #expect(second.exitCode() == 0, "\(second.story)")
    first.say("/name Anna")
    #expect(first.says("you are Anna"), "\(first.story)")
    first.say("/quit")
    #expect(first.exitCode() == 0)
  }

  @Test(.timeLimit(.minutes(1))) func anInvitationIsAskedAboutAndDeclined() throws {
    let first = try start("chat", "Ann", ann, ["--accept", "ask"])
    let address = try port(of: first)
    let second = try start("chat", "Bob", bob, ["--accept", "any", "--connect", address])
    #expect(first.says("not paired) invites you to chat"), "\(first.story)")
    first.say("/decline")
    #expect(second.says("declined"), "\(second.story)")
    first.signal(SIGTERM)
    second.signal(SIGINT)
    #expect(first.exitCode() == 0)
    #expect(second.exitCode() == 0)
  }

  @Test(.timeLimit(.minutes(1))) func strangersStayOutOfScripts() throws {
    let first = try start("chat", "Ann", ann, [])
    let address = try port(of: first)
    let second = try start("chat", "Bob", bob, ["--connect", address])
    #expect(second.says("not trusted"), "\(second.story)")
    second.say("/quit")
    #expect(second.exitCode() == 0)
  }

  @Test(.timeLimit(.minutes(1))) func pairedPeersMeetWithoutAnOption() throws {
    try pair()
    let first = try start("chat", "Ann", ann, [])
    let second = try start("chat", "Bob", bob, ["--connect", try port(of: first)])
    #expect(first.says(", paired)"), "\(first.story)")
    #expect(second.says(", paired)"), "\(second.story)")
  }

  @Test(.timeLimit(.minutes(1))) func aLostPeerIsNoticedAndShown() throws {
    let first = try start("chat", "Ann", ann, ["--accept", "any"])
    let second = try start("chat", "Bob", bob, ["--accept", "any", "--connect", try port(of: first)])
    #expect(first.says("connected: Bob"))
    second.signal(SIGKILL)
    #expect(first.says("disconnected: Bob"), "\(first.story)")
  }

  @Test(.timeLimit(.minutes(1))) func aProgramThatDoesSomethingElseSaysSo() throws {
    let first = try start("tap", "Ann", ann, ["--accept", "any"])
    let second = try start("chat", "Bob", bob, ["--accept", "any", "--connect", try port(of: first)])
    #expect(second.says("this program does something else (tap)"), "\(second.story)")
  }

  @Test(.timeLimit(.minutes(2))) func aGameEndsWithTheSameWinnerOnBothSides() throws {
    let first = try start("tap", "Ann", ann, ["--accept", "any", "--once"])
    let second = try start(
      "tap", "Bob", bob, ["--accept", "any", "--once", "--connect", try port(of: first)])
    #expect(first.says("the round begins: 30 seconds") && second.says("the round begins: 30 seconds"))
    for _ in 0..<5 { first.say("x") }
    for _ in 0..<3 { second.say("x") }
    #expect(first.says("you 5, they 3"), "\(first.story)")
    #expect(second.says("you 3, they 5"), "\(second.story)")
    #expect(first.says("you win, 5 to 3", within: .seconds(40)), "\(first.story)")
    #expect(second.says("Ann wins, 5 to 3"), "\(second.story)")
    #expect(first.exitCode() == 0)
    #expect(second.exitCode() == 0)
  }

  @Test(.timeLimit(.minutes(1))) func aLostOpponentEndsTheGame() throws {
    let first = try start("tap", "Ann", ann, ["--accept", "any"])
    let second = try start("tap", "Bob", bob, ["--accept", "any", "--connect", try port(of: first)])
    #expect(first.says("the round begins"))
    second.say("quit")
    #expect(second.exitCode() == 0)
    #expect(first.exitCode() == 4, "\(first.story)")
    #expect(first.story.contains("disconnected: Bob"))
  }

  @Test(.timeLimit(.minutes(1))) func whatCannotBeginSaysWhy() throws {
    let usage = try Script(["send", "--state", ann.path])
    #expect(usage.exitCode() == 64)
    #expect(usage.story == "nearby: say what to send: nearby send PATH...")
    let missing = try Script(["send", "/nonexistent", "--to", "Ann", "--state", ann.path])
    #expect(missing.exitCode() == 64)
    let nobody = try start("send", "Ann", ann, ["/dev/null", "--to", "Zoe", "--timeout", "300 ms"])
    #expect(nobody.exitCode() == 3, "\(nobody.story)")
    let list = try Script(["list", "--state", ann.path, "--timeout", "300 ms"])
    #expect(list.exitCode() == 69, "\(list.story)")
    let notThere = try start(
      "tap", "Ann", ann, ["--connect", "127.0.0.1:1", "--timeout", "1"])
    #expect(notThere.exitCode() == 3, "\(notThere.story)")
  }
}

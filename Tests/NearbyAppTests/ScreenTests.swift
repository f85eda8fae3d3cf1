import Glibc
import TestSupport
import Testing

/// The built program on a pseudo-terminal, as a person sees it.
@Suite(.serialized) struct NearbyScreenTests {
  private let ann: TemporaryDirectory
  private let bob: TemporaryDirectory

  init() throws {
    ann = try TemporaryDirectory()
    bob = try TemporaryDirectory()
  }

  private func session(_ verb: String, _ more: [String] = [], in place: Place = Place()) throws
    -> TerminalSession
  {
    try TerminalSession(
      place.prefix + [
        BuiltNearby.path, verb, "--state", ann.path, "--name", "Ann", "--listen", "127.0.0.1:0",
      ]
        + more, environment: place.environment)
  }

  private func port(of session: TerminalSession) throws -> String {
    var found: String?
    _ = session.waits { screen in
      let line = screen.all.first { $0.contains("port ") }
      found = line?.split(separator: "port ", maxSplits: 1).last.map { String($0.prefix { $0.isNumber }) }
      return found != nil
    }
    return "127.0.0.1:\(try #require(found, "\(session.screen.all)"))"
  }

  @Test(.timeLimit(.minutes(1))) func aPersonAcceptsTypesAndLeaves() throws {
    let session = try session("chat")
    let address = try port(of: session)
    #expect(session.waits { $0.lines.contains { $0.hasPrefix(">") } })
    #expect(!session.isCooked)
    let other = try Script([
      "chat", "--state", bob.path, "--name", "Bob\u{2764}", "--listen", "127.0.0.1:0", "--accept", "any",
      "--connect", address,
    ])
    #expect(session.shows("? Bob\u{2764} ("), "\(session.screen.all)")
    // A letter is text, and answers nothing.
    session.type("y")
    #expect(session.waits { $0.lines.contains("> y") }, "\(session.screen.lines)")
    session.type("\u{19}")
    #expect(session.shows("connected: Bob\u{2764}"), "\(session.screen.all)")
    #expect(session.waits { $0.lines.contains { $0.contains("Bob\u{2764}") && $0.hasSuffix("connected") } })
    session.type("es, grüße\r")
    #expect(other.says("< Ann: yes, grüße"), "\(other.story)")
    other.say("bye\u{1B}]0;owned\u{7}")
    #expect(session.shows("< Bob\u{2764}: bye\\u{1b}]0;owned\\u{7}"), "\(session.screen.all)")
    session.setSize(columns: 60, rows: 12)
    #expect(
      session.waits { $0.lines.contains { $0.hasSuffix("─") && $0.count == 59 } }, "\(session.screen.lines)")
    session.type("\u{4}")
    #expect(session.exitCode() == 0)
    #expect(session.isCooked)
    #expect(session.screen.isCursorShown)
    #expect(session.screen.faults == [])
    #expect(other.says("disconnected: Ann"))
  }

  @Test(.timeLimit(.minutes(1)), arguments: [SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGABRT, SIGTRAP, SIGQUIT])
  func theTerminalIsPutBackWhateverEndsTheProgram(_ signal: Int32) throws {
    let session = try session("chat")
    #expect(session.shows("you are Ann"))
    #expect(session.waits { _ in !session.isCooked })
    session.signal(signal)
    let code = session.exitCode()
    #expect(code == ([SIGTERM, SIGINT, SIGHUP].contains(signal) ? 0 : 128 + signal))
    #expect(session.isCooked)
    #expect(session.screen.isCursorShown)
  }

  @Test(.timeLimit(.minutes(1))) func aProgramThatIsStoppedGivesTheTerminalBackAndTakesItAgain() throws {
    let session = try session("chat")
    #expect(session.waits { $0.lines.contains(">") }, "\(session.screen.lines)")
    session.type("draft\u{1A}")
    #expect(session.waits { _ in session.isCooked })
    session.signal(SIGCONT)
    #expect(session.waits { $0.lines.contains("> draft") && !session.isCooked }, "\(session.screen.lines)")
    session.type("\u{3}")
    #expect(session.exitCode() == 0)
  }

  @Test(.timeLimit(.minutes(2))) func aGameIsPlayedWithKeys() throws {
    let session = try session("tap")
    let other = try Script([
      "tap", "--state", bob.path, "--name", "Bob", "--listen", "127.0.0.1:0", "--accept", "any", "--connect",
      try port(of: session),
    ])
    #expect(session.shows("invites you to the tap game"))
    session.type("y")
    #expect(session.shows("press keys!"), "\(session.screen.all)")
    session.type("abcdefg")
    other.say("x")
    #expect(
      session.waits { $0.lines.contains { $0.hasPrefix("  you") && $0.contains(" 7 ") } },
      "\(session.screen.lines)")
    #expect(session.waits { $0.lines.contains { $0.hasPrefix("  Bob") && $0.contains(" 1 ") } })
    #expect(session.shows("you win, 7 to 1", within: .seconds(40)), "\(session.screen.all)")
    #expect(other.says("Ann wins, 7 to 1"), "\(other.story)")
    session.type("r")
    #expect(session.shows("waiting for the other side"))
    other.say("again")
    #expect(session.waits { $0.lines.contains { $0.hasPrefix("press keys!") } }, "\(session.screen.lines)")
    other.say("quit")
    #expect(session.exitCode() == 4)
    #expect(session.isCooked)
  }
}

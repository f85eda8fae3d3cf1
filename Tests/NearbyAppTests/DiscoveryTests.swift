import Glibc
import JSONText
import TestSupport
import Testing

/// Two hosts that find each other by multicast.
@Suite(.serialized, .enabled(if: NetworkNamespaces.missing == nil, "\(NetworkNamespaces.missing ?? "")"))
struct NearbyDiscoveryTests {
  private let network: NetworkNamespaces
  private let ann: TemporaryDirectory
  private let bob: TemporaryDirectory

  init() throws {
    network = try NetworkNamespaces(hostCount: 2, hasDiscovery: true)
    ann = try TemporaryDirectory()
    bob = try TemporaryDirectory()
    let ids = try [ann, bob].map { directory in
      let script = try Script(["identity", "--state", directory.path])
      #expect(script.exitCode() == 0)
      return try #require(script.lines.first)
    }
    #expect(try Script(["trust", ids[1], "--state", ann.path, "--name", "Bob"]).exitCode() == 0)
    #expect(try Script(["trust", ids[0], "--state", bob.path, "--name", "Ann"]).exitCode() == 0)
  }

  private func annStarts(_ arguments: [String]) throws -> Script {
    try Script(
      [arguments[0], "--state", ann.path, "--name", "Ann"] + arguments.dropFirst(),
      in: Place(network.hosts[0]))
  }

  private func bobStarts(_ arguments: [String]) throws -> Script {
    try Script(
      [arguments[0], "--state", bob.path, "--name", "Bob"] + arguments.dropFirst(),
      in: Place(network.hosts[1]))
  }

  @Test(.timeLimit(.minutes(1))) func theListTellsWhoIsNearAndWhatFor() throws {
    let chat = try annStarts(["chat"])
    #expect(chat.says("you are Ann"))
    let list = try Script(
      ["list", "--state", bob.path, "--json", "--timeout", "5"], in: Place(network.hosts[1]))
    #expect(list.exitCode() == 0, "\(list.story)")
    let entry = try JSON.parse(try #require(list.lines.first))
    #expect(entry["name"]?.string == "Ann")
    #expect(entry["does"]?.string == "chat")
    #expect(entry["paired"]?.bool == true)
    chat.say("/quit")
    #expect(chat.exitCode() == 0)
    let empty = try Script(["list", "--state", bob.path, "--timeout", "2"], in: Place(network.hosts[1]))
    #expect(empty.exitCode() == 3, "\(empty.story)")
  }

  @Test(.timeLimit(.minutes(1))) func peersFindInviteAndHideThemselves() throws {
    let first = try annStarts(["chat"])
    let second = try bobStarts(["chat", "--invite", "Ann"])
    #expect(first.says("connected: Bob"), "\(first.story)\n\(second.story)")
    #expect(second.says("connected: Ann"), "\(second.story)")
    second.say("hello")
    #expect(first.says("< Bob: hello"))
    second.say("/peers")
    #expect(second.says("paired  connected  chat"), "\(second.story)")
    first.say("/disconnect Bob")
    #expect(second.says("disconnected: Ann"))
    first.say("/visible off")
    #expect(second.says("Ann is gone"), "\(second.story)")
    first.say("/visible on")
    #expect(second.says("Ann is near"), "\(second.story)")
    second.say("/invite Ann")
    #expect(second.says("connected: Ann"), "\(second.story)")
  }

  @Test(.timeLimit(.minutes(1))) func aPersonPicksAnOpponentFromTheList() throws {
    let place = Place(network.hosts[0])
    let session = try TerminalSession(
      place.prefix + [BuiltNearby.path, "tap", "--state", ann.path, "--name", "Ann"],
      environment: place.environment)
    let other = try bobStarts(["tap"])
    #expect(session.shows("▸ Bob"), "\(session.screen.all)")
    session.type("\r")
    #expect(session.shows("press keys!"), "\(session.screen.all)\n\(other.story)")
    #expect(other.says("the round begins"))
    session.type("abc")
    #expect(other.says("they 3"), "\(other.story)")
    session.type("\u{3}")
    #expect(session.exitCode() == 0)
    #expect(other.exitCode() == 4)
  }

  @Test(.timeLimit(.minutes(1))) func twoPeoplePairByDigits() throws {
    let place = Place(network.hosts[0])
    let session = try TerminalSession(
      place.prefix + [BuiltNearby.path, "pair", "--state", ann.path + "/new", "--name", "Eve"],
      environment: place.environment)
    let other = try bobStarts(["pair"])
    #expect(session.shows("▸ Bob"), "\(session.screen.all)")
    session.type("\r")
    let line = try #require(other.line(with: "same digits: "), "\(other.story)")
    let digits = String(line.suffix(7))
    #expect(session.shows("  \(digits)"), "\(session.screen.all)")
    other.say(digits)
    usleep(600_000)
    session.type("y")
    #expect(session.shows("paired with Bob"), "\(session.screen.all)")
    #expect(session.exitCode() == 0)
    #expect(other.exitCode() == 0, "\(other.story)")
    let peers = try Script(["peers", "--state", bob.path])
    #expect(peers.exitCode() == 0 && peers.story.contains("Eve"), "\(peers.story)")
  }
}

import PeerAdministration
import PeerLink
import PeerProtocol
import SecureTransport
import ServiceRuntime
import TestSupport
import Testing

struct PairingNarratorTests {
  private let peer: PairingPeer
  private let code: PairingCode
  private let directory: TemporaryDirectory

  init() throws {
    peer = PairingPeer(id: try PairingNarratorTests.id("ab"), name: "Drone")
    code = try #require(PairingCode("012345"))
    directory = try TemporaryDirectory()
  }

  private static func id(_ byte: String) throws -> PeerID {
    try #require(PeerID(hex: String(repeating: byte, count: 32)))
  }

  private func narrator() -> PairingNarrator {
    PairingNarrator(
      PairingNarrator.Words(peer: "vehicle", otherCommand: "there pair", untrustCommand: "here untrust"))
  }

  private func list(_ entries: (String, String)...) throws -> TrustList {
    let store = TrustStore(directory: directory.path)
    for (byte, name) in entries { try store.add(try PairingNarratorTests.id(byte), name: name) }
    return try store.load()
  }

  private func texts(_ notices: [PairingNotice]) -> [String] {
    notices.map {
      switch $0 {
      case .line(let text): "line: \(text)"
      case .alarm(let text): "alarm: \(text)"
      case .question(let code, let name, _): "question: \(code) \(name)"
      case .withdrawn: "withdrawn"
      }
    }
  }

  @Test func `a pairing is asked about and told`() throws {
    var narrator = narrator()
    #expect(texts(narrator.take(.compare(code, peer), trusted: TrustList())) == ["question: 012345 Drone"])
    let ended = texts(
      narrator.take(.attemptEnded(.paired, peer, attemptsLeft: 3), trusted: try list(("ab", "Drone"))))
    #expect(
      ended.first == "withdrawn" && ended.last?.hasPrefix("line: paired with 'Drone' (abababab)") == true)
    #expect(narrator.exitCode == nil)
    #expect(narrator.take(.closed(.paired), trusted: TrustList()).isEmpty)
    #expect(narrator.exitCode == .accepted)
  }

  @Test func `a mismatch is an alarm on either side, with what is left`() {
    for failure in [PairingFailure.mismatch, .refused(.mismatch, "")] {
      var narrator = narrator()
      let notices = texts(
        narrator.take(
          .attemptEnded(.failed(failure, peerMayTrust: false), peer, attemptsLeft: 1), trusted: TrustList()))
      #expect(notices.count == 1)
      #expect(
        notices[0].hasPrefix("alarm: NOT paired with 'Drone'") && notices[0].hasSuffix("1 attempt is left"))
      _ = narrator.take(.closed(.exhausted), trusted: TrustList())
      #expect(narrator.exitCode == .refused)
    }
  }

  @Test func `a lost last word says what to do`() {
    var narrator = narrator()
    let half = texts(
      narrator.take(.attemptEnded(.halfPaired("gone"), peer, attemptsLeft: 3), trusted: TrustList()))
    #expect(
      half[0].contains("did not say that it trusts this side (gone): pair again")
        && half[0].hasPrefix("alarm"))
    let lost = texts(
      narrator.take(
        .attemptEnded(
          .failed(.connectionLost("gone"), peerMayTrust: true), peer, attemptsLeft: 3), trusted: TrustList()))
    #expect(lost[0].hasSuffix("it may trust this side already: pair again, or untrust there"))
    _ = narrator.take(.closed(.halfPaired), trusted: TrustList())
    #expect(narrator.exitCode == .noAnswer)
  }

  @Test func `a trusted name with another identity is an alarm before the question`() throws {
    var narrator = narrator()
    let trusted = try list(("cd", "Drone"), ("ef", "Other"))
    let notices = texts(narrator.take(.compare(code, peer), trusted: trusted))
    #expect(notices.count == 2)
    #expect(notices[0].contains("another identity (cdcdcdcd) than this one (abababab)"))
    #expect(notices[0].hasSuffix("here untrust " + String(repeating: "cd", count: 32)))
    // The same identity under any name is no other.
    #expect(texts(narrator.take(.compare(code, peer), trusted: try list(("ab", "Drone")))).count == 1)
  }

  @Test func `the same line comes once`() {
    var narrator = narrator()
    let closed = PairingEvent.attemptEnded(
      .failed(.refused(.closed, ""), peerMayTrust: false), peer, attemptsLeft: 3)
    #expect(
      texts(narrator.take(closed, trusted: TrustList())) == [
        "line: 'Drone' (abababab) accepts no pairing yet; there: there pair"
      ])
    #expect(narrator.take(closed, trusted: TrustList()).isEmpty)
  }

  @Test func `nobody in time is no answer, and giving up is a refusal`() {
    var narrator = narrator()
    #expect(
      texts(narrator.take(.closed(.timedOut), trusted: TrustList())).first?.contains("there pair") == true)
    #expect(narrator.exitCode == .noAnswer)
    _ = narrator.take(.closed(.cancelled), trusted: TrustList())
    #expect(narrator.exitCode == .refused)
  }

  @Test func `an announced name of a trusted peer is told once for each other identity`() throws {
    var watch = NamesakeWatch(untrustCommand: "here untrust")
    let trusted = try list(("cd", "Ann"))
    let stranger = try PairingNarratorTests.id("ab")
    #expect(watch.found(try PairingNarratorTests.id("cd"), name: "Ann", trusted: trusted) == nil)
    #expect(watch.found(stranger, name: "Bob", trusted: trusted) == nil)
    #expect(watch.found(stranger, name: "Ann", trusted: trusted)?.contains("another identity") == true)
    #expect(watch.found(stranger, name: "Ann", trusted: trusted) == nil)
  }
}

import Configuration
import NearbyApp
import PeerConnectivity
import Terminal
import Testing

private func id(_ byte: UInt8) -> Peer.ID {
  let digits = String(UInt16(byte) + 0x100, radix: 16).dropFirst()
  return Peer.ID(hex: String(repeating: String(digits), count: 32))!
}

struct PeerDirectoryTests {
  private func directory() -> PeerDirectory {
    var directory = PeerDirectory()
    _ = directory.found(id(1), name: "Ann", purpose: .chat, isPaired: true)
    _ = directory.found(id(2), name: "Bob", purpose: .chat, isPaired: false)
    _ = directory.found(id(3), name: "Bob", purpose: .files, isPaired: false)
    return directory
  }

  @Test func equalNamesAreDifferentPeers() {
    let directory = directory()
    #expect(directory.entries.map(\.id) == [id(1), id(2), id(3)])
    #expect(directory.label(id(1)) == "Ann")
    #expect(directory.label(id(2)) == "Bob (02020202)")
  }

  @Test func whoIsMeantIsFoundOrAskedFor() {
    let directory = directory()
    func found(_ text: String) -> [Peer.ID] {
      switch directory.match(text) {
      case .one(let entry): [entry.id]
      case .none: []
      case .several(let entries): entries.map(\.id)
      }
    }
    #expect(found("Ann") == [id(1)])
    #expect(found("ann") == [id(1)])
    #expect(found("Bob") == [id(2), id(3)])
    #expect(found("03030303") == [id(3)])
    #expect(found(id(2).hex) == [id(2)])
    #expect(found("0303") == [])
    #expect(found("Zoe") == [])
  }

  @Test func anAnnouncementThatVanishesEndsNoConnection() {
    var directory = directory()
    directory.set(.connected, of: id(1), name: "Ann", isPaired: true)
    #expect(directory.lost(id(1)) == nil)
    #expect(directory[id(1)]?.state == .connected)
    directory.reset(id(1))
    #expect(directory[id(1)] == nil)
    #expect(directory.lost(id(2))?.id == id(2))
  }

  @Test func anAnnouncementDoesNotRenameAConnectedPeer() {
    var directory = directory()
    directory.set(.connected, of: id(1), name: "Ann", isPaired: true)
    _ = directory.found(id(1), name: "Mallory", purpose: .chat, isPaired: true)
    #expect(directory.label(id(1)) == "Ann")
  }

  @Test func theListIsBounded() {
    var directory = PeerDirectory()
    for number in 0..<300 {
      let hex = String(String(number + 0x10000, radix: 16).dropFirst()) + String(repeating: "0", count: 60)
      _ = directory.found(Peer.ID(hex: hex)!, name: "n", purpose: nil, isPaired: false)
    }
    #expect(directory.entries.count == PeerDirectory.maximumCount)
  }
}

struct AdmissionTests {
  @Test(arguments: [
    (AcceptPolicy.any, true, Admission.accept), (.any, false, .accept), (.paired, true, .accept),
    (.paired, false, .decline), (.ask, true, .ask), (.ask, false, .ask),
  ])
  func thePolicyDecides(_ policy: AcceptPolicy, _ isPaired: Bool, _ admission: Admission) {
    #expect(Admission.decide(policy, isPaired: isPaired) == admission)
  }

  private func invitation(_ byte: UInt8) -> Question {
    Question(.invitation(.chat), from: id(byte), name: "n\(byte)", isPaired: false)
  }

  private func offer(_ byte: UInt8, _ number: Int) -> Question {
    Question(
      .offer(number: number, name: "f", isFolder: false, byteCount: 1), from: id(byte), name: "n\(byte)",
      isPaired: false)
  }

  @Test func questionsAreAnsweredInTurnAndBounded() {
    var desk = QuestionDesk()
    for byte in UInt8(1)...16 { #expect(desk.ask(invitation(byte)) == .ask) }
    #expect(desk.ask(invitation(17)) == .declineAtOnce)
    #expect(desk.ask(invitation(1)) == .ask)
    #expect(desk.count == 16)
    #expect(desk.take("n5")?.id == id(5))
    #expect(desk.take("n5") == nil)
    #expect(desk.take()?.id == id(2))
    #expect(desk.withdrawInvitation(of: id(3))?.id == id(3))
    #expect(desk.first?.id == id(4))
  }

  @Test func onePeerCannotFillTheDesk() {
    var desk = QuestionDesk()
    for number in 0..<8 { #expect(desk.ask(offer(1, number)) == .ask) }
    #expect(desk.ask(offer(1, 8)) == .declineAtOnce)
    #expect(desk.ask(offer(2, 9)) == .ask)
    desk.withdrawAll(of: id(1))
    #expect(desk.count == 1)
  }

  @Test func theQuestionNamesWhoAsks() {
    let invitation = Question(.invitation(.tap), from: id(0xAB), name: "Eve\u{1B}[2J", isPaired: false)
    #expect(invitation.text == "Eve\\u{1b}[2J (abababab, not paired) invites you to the tap game")
    let offer = Question(
      .offer(number: 1, name: "a\n.txt", isFolder: true, byteCount: 1500), from: id(0xAB), name: "Ann",
      isPaired: true)
    #expect(offer.text == "Ann (abababab, paired) offers the folder a\\u{a}.txt, 1.5 kB")
  }

  @Test func theNameChangesOnlyWhileNobodyIsConnected() {
    var presence = Presence(name: "Ann", isVisible: true)
    #expect(presence.rename(to: "Anna", isAnyConnected: true) == .refusedWhileConnected)
    #expect(presence.name == "Ann")
    #expect(presence.rename(to: "Ann", isAnyConnected: true) == .unchanged)
    #expect(presence.rename(to: "Anna", isAnyConnected: false) == .renamed)
    #expect(presence.name == "Anna")
    for wrong in ["", String(repeating: "x", count: 64), "a\u{7}"] {
      guard case .invalid = presence.rename(to: wrong, isAnyConnected: false) else {
        Issue.record("'\(wrong)' was taken")
        continue
      }
    }
    #expect([presence.setVisible(false), presence.setVisible(false)] == [true, false])
  }
}

struct ChatInputTests {
  @Test(arguments: [
    ("hello", ChatInput.say(Array("hello".utf8))), ("  ", .nothing), ("//me", .say(Array("/me".utf8))),
    ("/peers", .peers),
    ("/invite Ann B", .invite("Ann B")), ("/accept", .accept(nil)), ("/decline  Bob ", .decline("Bob")),
    ("/disconnect x", .disconnect("x")), ("/name  New Name", .name("New Name")),
    ("/visible off", .visible(false)),
    ("/send a b.txt", .send(path: "a b.txt")), ("/quit", .quit), ("/invite", .wrong("usage: /invite NAME")),
    ("/visible maybe", .wrong("usage: /visible on|off")),
    ("/what\u{7}", .wrong("unknown command '/what\\u{7}'; /help lists the commands")),
  ])
  func linesAreReadAsTyped(_ line: String, _ input: ChatInput) {
    #expect(ChatInput(line: Array(line.utf8)) == input)
  }

  @Test func bytesThatAreNoTextCanBeSaid() {
    #expect(ChatInput(line: [0xFF, 0x00]) == .say([0xFF, 0x00]))
    #expect(ChatInput(line: [0x2F, 0xFF]) == .wrong("a command has to be UTF-8"))
  }
}

struct ChatEntryTests {
  private let noon = ClockTime(hour: 12, minute: 0, second: 5)

  private func text(_ content: ChatEntry.Content) -> [String] {
    ChatEntry(content, at: noon).lines.map(\.text)
  }

  @Test func eachLineHasTimeDirectionAndSender() {
    #expect(text(.message(Array("hi".utf8), from: "Ann", isOwn: false)) == ["12:00:05 < Ann: hi"])
    #expect(text(.message(Array("yo".utf8), from: "me", isOwn: true)) == ["12:00:05 > me: yo"])
    #expect(text(.event("x")) == ["12:00:05 - x"])
    #expect(text(.problem("y")) == ["12:00:05 ! y"])
  }

  @Test func bytesThatAreNoTextAreShownAsSuch() {
    #expect(
      text(.message([0xFF, 0x00, 0x10], from: "Ann", isOwn: false))
        == ["12:00:05 < Ann: (3 bytes that are no text: ff 00 10)"])
    let long = text(.message([UInt8](repeating: 0x80, count: 5000), from: "Ann", isOwn: false))
    #expect(long.count == 1 && long[0].hasSuffix("80 80 …)"))
  }

  @Test func noMessageLooksLikeAnother() {
    #expect(
      text(.message(Array("a\r\n12:00:06 < Bob: b\u{1B}[A".utf8), from: "Ann", isOwn: false))
        == ["12:00:05 < Ann: a\\u{d}", "12:00:05 < Ann: 12:00:06 < Bob: b\\u{1b}[A"])
    let many = text(.message([UInt8](repeating: 0x0A, count: 500), from: "Ann", isOwn: false))
    #expect(many.count == 51)
    #expect(many.last == "12:00:05 < Ann: (451 more lines)")
  }
}

struct ChatModelTests {
  private let noon = ClockTime(hour: 12, minute: 0, second: 0)

  private func model(_ policy: AcceptPolicy = .ask, inviting: [String] = []) -> ChatModel {
    ChatModel(presence: Presence(name: "Me", isVisible: true), policy: policy, inviting: inviting)
  }

  private func shown(_ actions: [ChatModel.Action]) -> [String] {
    actions.flatMap { action -> [String] in
      if case .show(let entry) = action { entry.lines.map { String($0.text.dropFirst(9)) } } else { [] }
    }
  }

  private func others(_ actions: [ChatModel.Action]) -> [ChatModel.Action] {
    actions.filter { if case .show = $0 { false } else { true } }
  }

  private func found(_ id: Peer.ID, name: String, purpose: Purpose? = .chat, isPaired: Bool = false)
    -> ChatModel.Input
  {
    .lobby(.found(id, name: name, purpose: purpose, isPaired: isPaired))
  }

  private func invited(_ id: Peer.ID, name: String, isPaired: Bool = false, purpose: Purpose? = .chat)
    -> ChatModel.Input
  {
    .lobby(.invited(id, name: name, isPaired: isPaired, purpose: purpose))
  }

  private func line(_ text: String) -> ChatModel.Input { .line(Array(text.utf8)) }

  @Test func aPeerIsFoundInvitedConnectedAndTalkedTo() {
    var model = model()
    #expect(
      shown(model.handle(found(id(1), name: "Ann", purpose: .chat, isPaired: false), at: noon)) == [
        "- Ann is near"
      ])
    #expect(others(model.handle(line("/invite Ann"), at: noon)) == [.invite(id(1))])
    #expect(shown(model.handle(line("/invite Ann"), at: noon)) == ["! Ann is being invited already"])
    #expect(
      shown(model.handle(line("hi"), at: noon)) == [
        "! nobody is connected, so nobody heard that; /invite NAME invites"
      ])
    #expect(
      shown(model.handle(.lobby(.connected(id(1), name: "Ann", isPaired: false)), at: noon))
        == ["- connected: Ann (01010101, not paired)"])
    let said = model.handle(line("hi"), at: noon)
    #expect(others(said) == [.send(Array("hi".utf8), to: [id(1)])])
    #expect(shown(said) == ["> Me: hi"])
    #expect(shown(model.handle(.message(id(1), Array("ho".utf8)), at: noon)) == ["< Ann: ho"])
    #expect(
      shown(model.handle(.notDelivered(id(1), reason: "gone"), at: noon)) == ["! not delivered to Ann: gone"])
    #expect(others(model.handle(line("/disconnect Ann"), at: noon)) == [.disconnect(id(1))])
    #expect(
      shown(model.handle(.lobby(.disconnected(id(1), reason: "we left")), at: noon)) == [
        "- disconnected: Ann: we left"
      ])
    #expect(model.lobby.directory[id(1)]?.state == .nearby)
  }

  @Test func anInvitationIsAskedAboutAndAnswered() {
    var model = model()
    let invitation = Question(.invitation(.chat), from: id(2), name: "Bob", isPaired: false)
    let request = invited(id(2), name: "Bob")
    #expect(
      shown(model.handle(request, at: noon))
        == ["- Bob (02020202, not paired) invites you to chat"])
    #expect(model.lobby.directory[id(2)]?.state == .invitesUs)
    #expect(
      others(model.handle(line("/accept"), at: noon)) == [.answer(invitation, accepts: true, reason: "")])
    #expect(shown(model.handle(line("/accept"), at: noon)) == ["! nobody like that asks anything"])
    _ = model.handle(request, at: noon)
    #expect(
      others(model.handle(line("/decline Bob"), at: noon)) == [
        .answer(invitation, accepts: false, reason: "")
      ])
    _ = model.handle(request, at: noon)
    #expect(shown(model.handle(.lobby(.withdrawn(id(2))), at: noon)) == ["- Bob invites no longer"])
    #expect(model.lobby.desk.first == nil)
  }

  @Test func invitingWhoInvitesUsAccepts() {
    var model = model()
    let invitation = Question(.invitation(.chat), from: id(2), name: "Bob", isPaired: false)
    _ = model.handle(found(id(2), name: "Bob"), at: noon)
    _ = model.handle(invited(id(2), name: "Bob"), at: noon)
    #expect(
      others(model.handle(line("/invite Bob"), at: noon)) == [.answer(invitation, accepts: true, reason: "")])
  }

  private func isAccepted(_ actions: [ChatModel.Action]) -> [Bool] {
    actions.compactMap { if case .answer(_, let accepts, _) = $0 { accepts } else { nil } }
  }

  @Test func scriptsAcceptPairedPeersOnly() {
    var model = model(.paired)
    #expect(isAccepted(model.handle(invited(id(2), name: "Bob"), at: noon)) == [false])
    #expect(isAccepted(model.handle(invited(id(2), name: "Bob", isPaired: true), at: noon)) == [true])
    _ = model.handle(found(id(3), name: "Cy"), at: noon)
    #expect(others(model.handle(line("/invite Cy"), at: noon)) == [])
  }

  @Test func otherPurposesAreDeclined() {
    var model = model(.any)
    #expect(isAccepted(model.handle(invited(id(2), name: "Bob", purpose: .tap), at: noon)) == [false])
    #expect(isAccepted(model.handle(invited(id(2), name: "Bob", purpose: nil), at: noon)) == [false])
  }

  @Test func offersAreAskedAboutOrTakenByPolicy() {
    let offer = ChatModel.Input.lobby(.offered(id(2), number: 1, name: "f", isFolder: false, byteCount: 3))
    var asking = model(.ask)
    _ = asking.handle(.lobby(.connected(id(2), name: "Bob", isPaired: true)), at: noon)
    #expect(shown(asking.handle(offer, at: noon)) == ["- Bob (02020202, paired) offers f, 3 B"])
    #expect(isAccepted(asking.answer(accepts: true, at: noon)) == [true])
    #expect(asking.lobby.desk.first == nil)
    // What was accepted and broke off is not asked about again, once.
    _ = asking.handle(.lobby(.transferBroke(id(2), name: "f")), at: noon)
    #expect(isAccepted(asking.handle(offer, at: noon)) == [true])
    #expect(isAccepted(asking.handle(offer, at: noon)) == [])
    var any = model(.any)
    #expect(isAccepted(any.handle(offer, at: noon)) == [true])
  }

  @Test func whoIsWantedIsInvitedWhenSeenAndOnce() {
    var model = model(inviting: ["Ann", id(3).hex])
    let found = self.found(id(1), name: "Ann")
    #expect(others(model.handle(found, at: noon)) == [.invite(id(1))])
    _ = model.handle(.lobby(.invitationFailed(id(1), reason: "declined")), at: noon)
    _ = model.handle(.lobby(.lost(id(1))), at: noon)
    #expect(others(model.handle(found, at: noon)) == [])
    #expect(
      others(model.handle(self.found(id(3), name: "Z"), at: noon)) == [
        .invite(id(3))
      ])
  }

  @Test func theNameRuleHolds() {
    var model = model()
    #expect(others(model.handle(line("/name Anna"), at: noon)) == [.rename("Anna")])
    _ = model.handle(.lobby(.connected(id(1), name: "Ann", isPaired: true)), at: noon)
    #expect(
      shown(model.handle(line("/name Bea"), at: noon))
        == ["! the name changes only while nobody is connected: /disconnect first"])
    #expect(others(model.handle(line("/visible off"), at: noon)) == [.setVisible(false)])
  }

  @Test func namesThatSeveralHaveAreAskedBack() {
    var model = model()
    for byte in UInt8(1)...2 {
      _ = model.handle(found(id(byte), name: "Ann", purpose: .chat, isPaired: false), at: noon)
    }
    #expect(
      shown(model.handle(line("/invite Ann"), at: noon)) == [
        "! several are called 'Ann': say which by 01010101 and 02020202"
      ])
    #expect(others(model.handle(line("/invite 02020202"), at: noon)) == [.invite(id(2))])
  }
}

struct PeerWishTests {
  private let start = ContinuousClock.now

  private func lobby(_ policy: AcceptPolicy, _ peers: [(UInt8, String, Bool)]) -> Lobby {
    var lobby = Lobby(.tap, policy: policy, capacity: 1)
    for (byte, name, isPaired) in peers {
      _ = lobby.handle(.found(id(byte), name: name, purpose: .tap, isPaired: isPaired))
    }
    return lobby
  }

  private func step(_ lobby: Lobby, _ text: String, after: Duration) -> PeerWish.OnStep {
    var wish = PeerWish(text, deadline: start.advanced(by: .seconds(5)))
    _ = wish.step(lobby, at: start)
    return wish.step(lobby, at: start.advanced(by: after))
  }

  @Test func aPairedPeerIsTakenAtOnceAlsoBesideAnImpostor() {
    let lobby = lobby(.paired, [(1, "Ann", false), (2, "Ann", true)])
    #expect(step(lobby, "Ann", after: .zero) == .take(id(2)))
  }

  @Test func aStrangerIsTakenWhereThePolicyAllowsItAndAlone() {
    #expect(step(lobby(.any, [(1, "Ann", false)]), "Ann", after: .zero) == .wait)
    #expect(step(lobby(.any, [(1, "Ann", false)]), "Ann", after: .seconds(1)) == .take(id(1)))
    guard case .refuse = step(lobby(.any, [(1, "Ann", false), (2, "Ann", false)]), "Ann", after: .seconds(1))
    else {
      Issue.record("one of two strangers was taken")
      return
    }
  }

  @Test func aStrangerIsRefusedByName() {
    let lobby = lobby(.paired, [(1, "Ann", false)])
    #expect(step(lobby, "Ann", after: .seconds(2)) == .wait)
    guard case .refuse = step(lobby, "Ann", after: .seconds(5)) else {
      Issue.record("not refused")
      return
    }
  }

  @Test func anIdentityNamesExactlyOne() {
    let lobby = lobby(.ask, [(1, "Ann", false), (2, "Ann", false)])
    #expect(step(lobby, id(2).hex, after: .zero) == .take(id(2)))
  }

  @Test func whoDoesNotComeIsNotWaitedForForever() {
    #expect(step(lobby(.any, []), "Ann", after: .seconds(4)) == .wait)
    #expect(step(lobby(.any, []), "Ann", after: .seconds(5)) == .notFound("nobody called 'Ann' is near"))
  }
}

struct TransferTests {
  private let start = ContinuousClock.now
  private func at(_ seconds: Double) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

  @Test func theRateIsSmoothedAndTheTimeLeftFollows() {
    var rate = RateEstimate(startingWith: 0, at: start)
    #expect(rate.bytesPerSecond == nil)
    for step in 1...100 { rate.update(UInt64(step) * 100_000, at: at(Double(step) / 10)) }
    #expect(abs((rate.bytesPerSecond ?? 0) - 1e6) < 1e4)
    let left = rate.timeLeft(to: 20_000_000) ?? .zero
    #expect(left > .seconds(9.8) && left < .seconds(10.2))
    // One burst of ten times the rate changes it by a few percent of that only.
    rate.update(11_000_000, at: at(10.1))
    #expect((rate.bytesPerSecond ?? 0) < 1.5e6)
    // A stall: the rate falls, and in the end there is no time left to tell.
    for step in 1...600 { rate.update(11_000_000, at: at(10.1 + Double(step) / 10)) }
    #expect(rate.timeLeft(to: 20_000_000) == nil)
  }

  @Test func whatWasThereBeforeIsNoSpeed() {
    var rate = RateEstimate(startingWith: 900_000_000, at: start)
    rate.update(901_000_000, at: at(1))
    #expect(abs((rate.bytesPerSecond ?? 0) - 1e6) < 1e4)
  }

  @Test func aTransferIsShownFromOfferToEnd() {
    var row = TransferRow(.sending, peer: "Ann", name: "a\u{7}.bin", totalBytes: 2_000_000)
    #expect(row.words == "waiting: a\\u{7}.bin to Ann, 2.0 MB")
    row.progress(0, of: 2_000_000, at: at(0))
    row.progress(1_000_000, of: nil, at: at(1))
    #expect(row.percent == 50)
    #expect(row.words == "sending: a\\u{7}.bin to Ann: 50 %, 1.0 MB of 2.0 MB, 1.0 MB/s, 0:01 left")
    let line = row.line(columns: 100).text
    #expect(line.contains("██████████░░░░░░░░░░"))
    #expect(row.line(columns: 40).columnCount <= 40)
    row.progress(2_000_000, of: nil, at: at(2))
    // Not before the other side has checked what it got.
    #expect(row.percent == 99)
    row.finished(savedAs: nil, duration: .seconds(2))
    #expect(row.percent == 100)
    #expect(row.words == "sent: a\\u{7}.bin to Ann: 2.0 MB in 2.0 s, 1.0 MB/s")
    row.failed("late")
    #expect(row.state == .done(savedAs: nil))
  }

  @Test func aFailureTellsItsReasonAndAReceivedFileItsPlace() {
    var failed = TransferRow(.receiving, peer: "Bob", name: "x", totalBytes: 10)
    failed.failed("the disk is full")
    #expect(failed.words == "not received: x from Bob: the disk is full")
    var done = TransferRow(.receiving, peer: "Bob", name: "x", totalBytes: 0)
    done.progress(0, of: 0, at: start)
    #expect(done.percent == 0)
    done.finished(savedAs: "./x (Bob)", duration: .zero)
    #expect(done.words == "received: x from Bob: 0 B in 0.0 s: saved as ./x (Bob)")
  }

  @Test func whatWasThereIsToldAndNoSpeed() {
    var row = TransferRow(.receiving, peer: "Bob", name: "x", totalBytes: 200_000_000)
    row.progress(150_000_000, of: nil, at: start)
    row.finished(savedAs: "x", resumedBytes: 150_000_000, duration: .seconds(50))
    #expect(
      row.words == "received: x from Bob: 200.0 MB in 50 s, 1.0 MB/s (150.0 MB were there): saved as x")
  }

  @Test func moreThanWasPromisedIsNotShown() {
    var row = TransferRow(.receiving, peer: "Bob", name: "x", totalBytes: 10)
    row.progress(50, of: nil, at: start)
    #expect(row.doneBytes == 10)
  }

  @Test func scriptsAreToldNowAndThen() {
    var progress = PlainProgress()
    let due = (0...120).filter { progress.isDue(at: at(Double($0) / 10)) }
    #expect(due == [50, 100])
  }
}

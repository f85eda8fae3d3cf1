import Configuration
import NearbyApp
import PeerConnectivity
import Terminal
import Testing

private func id(_ byte: UInt8) -> Peer.ID {
  let digits = String(UInt16(byte) + 0x100, radix: 16).dropFirst()
  return Peer.ID(hex: String(repeating: String(digits), count: 32))!
}

struct TapModelTests {
  private let start = ContinuousClock.now

  private func model(_ policy: AcceptPolicy = .any, wish: String? = nil, once: Bool = false) -> TapModel {
    TapModel(policy: policy, wish: wish, playsOnce: once, deadline: start.advanced(by: .seconds(10)))
  }

  private func played(_ actions: [TapModel.Action]) -> [TapModel.Action] {
    actions.filter { if case .tell = $0 { false } else { true } }
  }

  private func connect(_ model: inout TapModel) -> [TapModel.Action] {
    played(model.handle(.lobby(.connected(id(1), name: "Ann", isPaired: true)), at: start))
  }

  @Test func aNamedOpponentIsInvitedAndTheRoundBeginsByItself() {
    var model = model(wish: "Ann")
    let found = TapModel.Input.lobby(.found(id(1), name: "Ann", purpose: .tap, isPaired: true))
    #expect(played(model.handle(found, at: start)) == [.invite(id(1))])
    #expect(connect(&model) == [.send(TapMessage(.playing, count: 0), to: id(1))])
    let answer = model.handle(.message(id(1), TapMessage(.playing, count: 0).encoded), at: start)
    #expect(answer == [.started])
    #expect(model.handle(.press, at: start) == [.send(TapMessage(.playing, count: 1), to: id(1))])
  }

  @Test func onlyTheOpponentPlays() {
    var model = model()
    _ = connect(&model)
    #expect(model.handle(.message(id(2), TapMessage(.playing, count: 5).encoded), at: start) == [])
    #expect(model.handle(.message(id(1), [0xFF]), at: start) == [])
    #expect(model.unknownMessages == 1)
    let other = model.handle(.lobby(.invited(id(2), name: "Eve", isPaired: true, purpose: .tap)), at: start)
    guard case .answer(_, false, let reason)? = other.first else {
      Issue.record("\(other)")
      return
    }
    #expect(reason == "busy with somebody else")
  }

  @Test func aLostOpponentEndsTheProgramCleanly() {
    var model = model()
    _ = connect(&model)
    let actions = played(model.handle(.lobby(.disconnected(id(1), reason: "gone")), at: start))
    #expect(actions == [.leave(.opponentLost)])
    #expect(model.game.phase == .abandoned)
  }

  @Test func oneRoundIsEnoughWhenAskedFor() {
    var model = model(once: true)
    _ = connect(&model)
    _ = model.handle(.message(id(1), TapMessage(.playing, count: 0).encoded), at: start)
    _ = model.handle(.message(id(1), TapMessage(.finished, count: 3).encoded), at: start)
    let end = model.handle(.tick, at: start.advanced(by: .seconds(30)))
    #expect(end == [.send(TapMessage(.finished, count: 0), to: id(1)), .ended(.lost), .leave(.done)])
    #expect(model.words(.lost) == "Ann wins, 3 to 0")
  }

  @Test func nobodyIsWaitedForForever() {
    var model = model()
    #expect(model.handle(.tick, at: start.advanced(by: .seconds(9))) == [])
    #expect(
      model.handle(.tick, at: start.advanced(by: .seconds(10))) == [.leave(.notFound("no opponent came"))])
  }

  @Test func keysDoWhatTheScreenSays() {
    var screen = TapScreen(model())
    let size = LiveArea.Size(columns: 80, rows: 24)
    func text() -> String {
      screen.area(name: "Me", size: size, at: start).map(\.text).joined(separator: "\n")
    }
    #expect(screen.handle(.character("x")) == .nothing)
    #expect(screen.handle(.enter) == .nothing)
    _ = screen.model.handle(.lobby(.found(id(1), name: "Ann", purpose: .tap, isPaired: false)), at: start)
    #expect(text().contains("▸ Ann"))
    #expect(screen.handle(.enter) == .input(.chose(id(1))))
    _ = connect(&screen.model)
    _ = screen.model.handle(.message(id(1), TapMessage(.playing, count: 0).encoded), at: start)
    #expect(text().contains("press keys! 0:30 left"))
    for key in [Key.character("q"), .character("r"), .enter] { #expect(screen.handle(key) == .input(.press)) }
    #expect(screen.handle(.pasted("xxxxxxxxxx")) == .nothing)
    #expect(screen.handle(.control("c")) == .leave)
    _ = screen.model.handle(.message(id(1), TapMessage(.finished, count: 3).encoded), at: start)
    _ = screen.model.handle(.tick, at: start.advanced(by: .seconds(30)))
    #expect(screen.handle(.character("x")) == .nothing)
    #expect(screen.handle(.character("r")) == .input(.again))
    #expect(screen.handle(.character("q")) == .leave)
  }
}

struct SendModelTests {
  private let start = ContinuousClock.now

  private func model(
    _ policy: AcceptPolicy = .paired, paths: [String] = ["a", "b"], wish: String? = "Ann", dials: Bool = false
  ) -> SendModel {
    SendModel(
      policy: policy, paths: paths, wish: wish, dials: dials, deadline: start.advanced(by: .seconds(10)))
  }

  private func acts(_ actions: [SendModel.Action]) -> [SendModel.Action] {
    actions.filter { if case .tell = $0 { false } else { true } }
  }

  private func found(_ model: inout SendModel, isPaired: Bool, at seconds: Int = 0) -> [SendModel.Action] {
    acts(
      model.handle(
        .lobby(.found(id(1), name: "Ann", purpose: .files, isPaired: isPaired)),
        at: start.advanced(by: .seconds(seconds))))
  }

  private func connect(_ model: inout SendModel, isPaired: Bool) -> [SendModel.Action] {
    acts(model.handle(.lobby(.connected(id(1), name: "Ann", isPaired: isPaired)), at: start))
  }

  @Test func everythingIsSentInTurn() {
    var model = model()
    #expect(found(&model, isPaired: true) == [.invite(id(1))])
    #expect(connect(&model, isPaired: true) == [.send(path: "a", to: id(1))])
    #expect(model.handle(.sent, at: start) == [.send(path: "b", to: id(1))])
    #expect(model.handle(.sent, at: start) == [.leave(.done)])
  }

  @Test(arguments: [
    (SendModel.Failure.refused, SendModel.Ending.refused(nil)), (.lost, .noAnswer(nil)),
  ])
  func oneThatFailsDoesNotKeepTheOthersBack(_ failure: SendModel.Failure, _ ending: SendModel.Ending) {
    var model = model()
    _ = found(&model, isPaired: true)
    _ = connect(&model, isPaired: true)
    #expect(model.handle(.failed(failure), at: start) == [.send(path: "b", to: id(1))])
    #expect(model.handle(.sent, at: start) == [.leave(ending)])
  }

  @Test func whatBreaksOffGoesOnWhenThePeerIsBack() {
    var model = model(paths: ["a"])
    _ = found(&model, isPaired: true)
    _ = connect(&model, isPaired: true)
    _ = model.handle(.lobby(.disconnected(id(1), reason: "silent")), at: start)
    #expect(acts(model.handle(.failed(.broken), at: start)) == [])
    #expect(model.stage == .resuming(id(1), until: start.advanced(by: .seconds(30))))
    #expect(connect(&model, isPaired: true) == [.send(path: "a", to: id(1))])
    #expect(model.handle(.sent, at: start) == [.leave(.done)])
  }

  @Test func aPeerThatStaysAwayOrLeavesIsNotWaitedForForever() {
    for leaves in [true, false] {
      var model = model(paths: ["a"])
      _ = found(&model, isPaired: true)
      _ = connect(&model, isPaired: true)
      _ = model.handle(.lobby(.disconnected(id(1), reason: "silent")), at: start)
      _ = model.handle(.failed(.broken), at: start)
      let input: SendModel.Input = leaves ? .peerLeft : .tick
      let end = acts(model.handle(input, at: start.advanced(by: .seconds(30))))
      guard case .leave(.noAnswer(.some)) = end.first else {
        Issue.record("\(end)")
        continue
      }
    }
  }

  @Test func aTransferThatBreaksAgainAndAgainIsGivenUp() {
    var model = model(paths: ["a"])
    _ = found(&model, isPaired: true)
    _ = connect(&model, isPaired: true)
    #expect(acts(model.handle(.failed(.broken), at: start)) == [.send(path: "a", to: id(1))])
    #expect(acts(model.handle(.failed(.broken), at: start)) == [.send(path: "a", to: id(1))])
    #expect(acts(model.handle(.failed(.broken), at: start)) == [.leave(.noAnswer(nil))])
  }

  @Test func aStrangerIsAskedAboutBeforeAnythingIsSent() {
    var model = model(.ask)
    #expect(found(&model, isPaired: false) == [])
    #expect(acts(model.handle(.tick, at: start.advanced(by: .seconds(1)))) == [])
    #expect(model.stage == .asking(id(1)))
    #expect(acts(model.handle(.answer(accepts: true), at: start)) == [.invite(id(1))])
    var refusing = self.model(.ask, wish: nil, dials: true)
    #expect(connect(&refusing, isPaired: false) == [])
    #expect(refusing.stage == .asking(id(1)))
    #expect(acts(refusing.handle(.answer(accepts: false), at: start)) == [.leave(.refused(nil))])
  }

  @Test func scriptsSendToPairedPeersOnly() {
    var model = model(.paired)
    #expect(found(&model, isPaired: false) == [])
    let end = acts(model.handle(.tick, at: start.advanced(by: .seconds(10))))
    guard case .leave(.refused(let reason?))? = end.first else {
      Issue.record("\(end)")
      return
    }
    #expect(reason.contains("not paired"))
  }

  /// Choosing takes a person longer than connecting.
  @Test func aStrangerAtAnAddressIsAskedAboutAlsoWhenConnectedFirst() {
    for isPaired in [false, true] {
      var model = SendModel(policy: .ask, paths: [], wish: nil, dials: true, deadline: nil)
      #expect(connect(&model, isPaired: isPaired) == [])
      let chosen = acts(model.handle(.choseFiles(["x"]), at: start))
      if isPaired {
        #expect(chosen == [.send(path: "x", to: id(1))])
      } else {
        #expect(chosen == [])
        #expect(model.stage == .asking(id(1)))
        #expect(acts(model.handle(.answer(accepts: true), at: start)) == [.send(path: "x", to: id(1))])
      }
    }
  }

  @Test func aPersonChoosesFilesAndPeer() {
    var model = SendModel(policy: .ask, paths: [], wish: nil, dials: false, deadline: nil)
    #expect(model.stage == .choosingFiles)
    _ = found(&model, isPaired: false)
    #expect(model.handle(.choseFiles(["x"]), at: start) == [])
    #expect(model.stage == .choosingPeer)
    // Chosen from a list that says that it is a stranger: not asked again.
    #expect(acts(model.handle(.chose(id(1)), at: start)) == [.invite(id(1))])
    #expect(model.invitationFailed(.refused(nil)) == [])
    #expect(model.stage == .choosingPeer)
  }
}

struct PairModelTests {
  private let start = ContinuousClock.now

  private func asked() -> PairModel {
    var model = PairModel(wish: nil, deadline: start.advanced(by: .seconds(60)))
    let actions = model.handle(.digits("012345", id(1), name: "Ann"), at: start)
    #expect(actions == [.tell(.event("Ann (01010101) must show the same digits: 012 345"))])
    return model
  }

  private func acts(_ actions: [PairModel.Action]) -> [PairModel.Action] {
    actions.filter { if case .tell = $0 { false } else { true } }
  }

  @Test(arguments: [("012345", true), ("012 345", true), ("yes", false), ("012346", false), ("", false)])
  func scriptsTypeTheDigitsOfTheOtherSide(_ line: String, _ isSame: Bool) {
    var model = asked()
    let actions = acts(model.handle(.answer(.typed(line)), at: start))
    #expect(actions == (isSame ? [.confirm] : [.reject, .leave(.refused)]))
  }

  @Test func aKeyPressedBeforeTheQuestionCouldBeReadDoesNotCount() {
    var model = asked()
    #expect(model.handle(.answer(.yes), at: start.advanced(by: .milliseconds(100))) == [])
    #expect(acts(model.handle(.answer(.yes), at: start.advanced(by: .seconds(1)))) == [.confirm])
    #expect(acts(model.handle(.paired(name: "Ann", id(1)), at: start)) == [.leave(.paired)])
  }

  @Test func noPairsNobody() {
    var model = asked()
    #expect(
      acts(model.handle(.answer(.no), at: start.advanced(by: .seconds(1)))) == [.reject, .leave(.refused)])
    #expect(model.handle(.paired(name: "Ann", id(1)), at: start) == [])
  }

  @Test func whatTakesTooLongEnds() {
    var model = asked()
    #expect(acts(model.handle(.tick, at: start.advanced(by: .seconds(60)))) == [.leave(.noAnswer)])
  }

  @Test func oneAttemptAtATime() {
    var model = asked()
    #expect(model.handle(.digits("999999", id(2), name: "Eve"), at: start) == [])
    #expect(acts(model.handle(.answer(.typed("999999")), at: start)) == [.reject, .leave(.refused)])
  }
}

struct PickerTests {
  private func picker(_ count: Int) -> FilePicker {
    FilePicker((0..<count).map { FilePicker.Entry(name: "f\($0)", isFolder: $0 == 0, byteCount: 1500) })
  }

  @Test func oneOrSeveralAreChosen() {
    var picker = picker(3)
    #expect(picker.handle(.enter) == .chose(["f0"]))
    _ = picker.handle(.down)
    _ = picker.handle(.character(" "))
    #expect(picker.handle(.character(" ")) == .changed)
    #expect(picker.handle(.enter) == .chose(["f1", "f2"]))
    #expect(picker.lines(columns: 60).map(\.text).contains { $0.contains("✓ f1") && $0.contains("1.5 kB") })
    #expect(picker.lines(columns: 60)[0].text.contains("f0/"))
  }

  @Test func longListsScroll() {
    var picker = picker(100)
    _ = picker.handle(.end)
    #expect(picker.lines(columns: 60).contains { $0.text.contains("100 of 100") })
    #expect(picker.lines(columns: 60).contains { $0.text.contains("▸") })
    #expect(picker.handle(.character("x")) == .ignored)
    var empty = self.picker(0)
    #expect(empty.handle(.enter) == .ignored)
  }

  @Test func theMenuKeepsItsMarkWhenOthersCome() {
    var directory = PeerDirectory()
    for (byte, name) in [(UInt8(1), "Bea"), (2, "Dan")] {
      _ = directory.found(id(byte), name: name, purpose: .chat, isPaired: false)
    }
    var menu = PeerMenu()
    #expect(menu.selection(in: directory.entries) == id(1))
    menu.move(by: 1, in: directory.entries)
    _ = directory.found(id(3), name: "Cy", purpose: .chat, isPaired: true)
    #expect(menu.selection(in: directory.entries) == id(2))
    _ = directory.lost(id(2))
    #expect(menu.selection(in: directory.entries) == id(1))
    menu.move(by: -5, in: directory.entries)
    #expect(menu.selection(in: directory.entries) == id(1))
    #expect(menu.selection(in: []) == nil)
  }
}

struct ChatScreenTests {
  private let noon = ClockTime(hour: 12, minute: 0, second: 0)

  @Test func lettersNeverAnswerAQuestion() {
    var screen = ChatScreen(ChatModel(presence: Presence(name: "Me", isVisible: true), policy: .ask))
    _ = screen.model.handle(
      .lobby(.invited(id(1), name: "Ann", isPaired: false, purpose: .chat)), at: noon)
    #expect(screen.handle(.character("y"), at: noon) == [])
    #expect(screen.handle(.character("n"), at: noon) == [])
    #expect(screen.model.lobby.desk.count == 1)
    let area = screen.area(transfers: [], size: LiveArea.Size(columns: 80, rows: 24))
    #expect(area.lines.contains { $0.text == "> yn" })
    #expect(area.lines.contains { $0.text.contains("Ctrl-Y accepts") })
    #expect(area.cursor?.column == 4)
    guard case .answer(_, true, _)? = screen.handle(.control("y"), at: noon).first else {
      Issue.record("not accepted")
      return
    }
  }

  @Test func tabChoosesAPeer() {
    var screen = ChatScreen(ChatModel(presence: Presence(name: "Me", isVisible: false), policy: .ask))
    _ = screen.model.handle(.lobby(.found(id(1), name: "Ann", purpose: .chat, isPaired: false)), at: noon)
    _ = screen.model.handle(.lobby(.found(id(2), name: "Tom", purpose: .tap, isPaired: false)), at: noon)
    _ = screen.handle(.tab, at: noon)
    #expect(screen.handle(.enter, at: noon).first == .invite(id(1)))
    _ = screen.model.handle(.lobby(.connected(id(1), name: "Ann", isPaired: false)), at: noon)
    #expect(screen.handle(.enter, at: noon) == [.disconnect(id(1))])
    let text = screen.area(transfers: [], size: LiveArea.Size(columns: 80, rows: 24)).lines.map(\.text)
    #expect(text[0].contains("Me (not visible)"))
    #expect(!text.contains { $0.contains("Tom") })
  }
}

public import Configuration
import PeerConnectivity
public import ServiceRuntime
import Terminal

/// `nearby tap`.
public final class TapProgram: MeetingProgram {
  private let options: NearbyTapOptions
  private let venue: Venue
  private var screen: TapScreen
  private var book = PeerBook()
  private var outbox: Outbox?
  private(set) var ending: ExitCode?
  private let deadline: ContinuousClock.Instant?
  /// What a script was last told of the round.
  private var told: (second: Int64, own: Int, theirs: Int)?

  private var console: Console { venue.console }
  private var meeting: Meeting { venue.meeting }

  private init(_ options: NearbyTapOptions, _ surroundings: Surroundings) throws {
    self.options = options
    let policy = surroundings.policy(options.meeting)
    deadline = options.timeout.map { ContinuousClock.now.advanced(by: $0) }
    // With an address the name only says who is expected there.
    let wish = options.meeting.connect.isEmpty ? options.peer : nil
    screen = TapScreen(
      TapModel(policy: policy, wish: wish, playsOnce: options.once, deadline: deadline))
    venue = try Venue(.tap, policy: policy, options.meeting, surroundings)
  }

  /// Runs until the person leaves or the opponent is gone.
  ///
  /// - Throws: `PeerNodeError` and `SystemError` when it cannot even begin.
  public static func run(_ options: NearbyTapOptions, _ surroundings: Surroundings) async throws -> ExitCode {
    let program = try TapProgram(options, surroundings)
    // Often enough for a countdown in tenths; the end of a round is not later than that.
    return await program.venue.run(program, tickingEvery: .milliseconds(50))
  }

  func begin(_ group: inout DiscardingTaskGroup) {
    meeting.start(&group, isVisible: true)
    console.tell(.event(meeting.introduction))
    venue.connect(expecting: options.peer.flatMap { Peer.ID(hex: $0) }, until: deadline, &group)
  }

  func finish() async {
    if let outbox { await Outbox.drain([outbox]) }
  }

  func render() {
    console.show(screen.area(name: meeting.node.displayName, size: console.size, at: .now))
  }

  func handle(_ event: MeetingEvent, _ group: inout DiscardingTaskGroup) {
    switch event {
    case .terminal(let event): handleTerminal(event, &group)
    case .browser(let event, _):
      if options.meeting.connect.isEmpty, let notice = event.notice { console.tell(notice) }
      if let input = book.take(event) { perform(.lobby(input), &group) }
    case .advertiser(let state, _):
      if let notice = state.notice(name: meeting.node.displayName) { console.tell(notice) }
    case .invitation(let invitation): perform(.lobby(book.take(invitation)), &group)
    case .session(let event): handleSession(event, &group)
    case .invitationFailed(let peer, let error), .acceptanceFailed(let peer, let error):
      perform(.lobby(.invitationFailed(peer.id, reason: "\(error)")), &group)
      // A script named this one opponent.
      if options.peer != nil, screen.model.opponent == nil { ending = error.exitCode }
    case .connectFailed(let endpoint, let error, let isFinal):
      console.tell(.connectFailed(endpoint, error, isFinal: isFinal))
      if isFinal { ending = error.exitCode }
    case .notDelivered(_, let reason): console.tell(.problem("not delivered: \(reason)"))
    case .tick:
      for input in book.expire(at: .now) { perform(.lobby(input), &group) }
      perform(.tick, &group)
      tellCounts()
    case .progress, .transferEnded, .pairing, .pairingEnded: break
    }
  }

  private func handleTerminal(_ event: TerminalEvent, _ group: inout DiscardingTaskGroup) {
    switch event {
    case .key(let key):
      switch screen.handle(key) {
      case .input(let input): perform(input, &group)
      case .leave: ending = .accepted
      case .nothing: break
      }
    case .line(let bytes):
      switch String(decoding: bytes, as: UTF8.self) {
      case "quit": ending = .accepted
      case "again": perform(.again, &group)
      case "yes": perform(.answer(accepts: true), &group)
      case "no": perform(.answer(accepts: false), &group)
      default: perform(.press, &group)
      }
    case .endWanted: ending = .accepted
    // A script that presses no more may still watch the round.
    case .inputEnded: if console.isScreen { ending = .accepted }
    case .lineTooLong, .resized, .resumed, .suspensionWanted: break
    }
  }

  private func handleSession(_ event: PeerSession.Event, _ group: inout DiscardingTaskGroup) {
    switch event {
    case .state(let peer, .connected):
      let input = book.connected(peer)
      guard screen.model.opponent == nil else { return }
      let outbox = Outbox(to: peer)
      self.outbox = outbox
      group.addTask { [meeting] in await outbox.run(meeting) }
      perform(.lobby(input), &group)
    case .state(_, .connecting): break
    case .state(let peer, .notConnected(let reason)):
      perform(.lobby(book.disconnected(peer, reason)), &group)
    case .message(let message): perform(.message(message.peer.id, message.bytes), &group)
    case .resourceOffered(let offer): offer.decline("this is a game")
    case .streamOpened(let stream): stream.close()
    }
  }

  private func perform(_ input: TapModel.Input, _ group: inout DiscardingTaskGroup) {
    for action in screen.model.handle(input, at: .now) {
      switch action {
      case .tell(let notice): console.tell(notice)
      case .invite(let id):
        if let peer = book[id] { meeting.invite(peer, within: .seconds(30), &group) }
      case .answer(let question, let accepts, let reason):
        guard let invitation = book.removeInvitation(of: question.id) else { continue }
        meeting.answer(invitation, accepts: accepts, reason: reason, &group)
      case .send(let message, _):
        if outbox?.put(message.encoded) != true, message.code == .finished {
          console.tell(.problem("the count cannot be sent: the connection is too slow"))
        }
      case .started:
        told = nil
        console.tell(.event("the round begins: 30 seconds"))
      case .ended(let result): console.tell(screen.model.words(result), .strong)
      case .leave(.done): ending = .accepted
      case .leave(.opponentLost):
        // Between rounds it may well go.
        if case .over = lastPhase { ending = .accepted } else { ending = .noAnswer }
      case .leave(.refused(let reason)):
        console.tell(.problem(reason))
        ending = .refused
      case .leave(.notFound(let reason)):
        console.tell(.problem(reason))
        ending = .noVehicle
      }
    }
    if screen.model.opponent != nil { lastPhase = screen.model.game.phase }
  }

  /// Before the opponent was lost.
  private var lastPhase = TapGame.Phase.waiting

  /// Scripts see the counts once a second, when they changed.
  private func tellCounts() {
    guard !console.isScreen, case .playing = screen.model.game.phase else { return }
    let game = screen.model.game
    let second = game.timeLeft(at: .now).components.seconds
    guard told?.second != second, told?.own != game.ownCount || told?.theirs != game.theirCount else {
      return
    }
    told = (second, game.ownCount, game.theirCount)
    console.tell("\(clockText(game.timeLeft(at: .now))) left: you \(game.ownCount), they \(game.theirCount)")
  }
}

extension InvitationError {
  /// How a program ends that could do nothing else.
  var exitCode: ExitCode {
    switch self {
    case .declined, .untrusted, .busy, .incompatible, .inAnotherSession, .cancelled: .refused
    case .timedOut, .ended: .noAnswer
    case .unreachable: .noVehicle
    }
  }
}

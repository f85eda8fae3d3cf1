public import Configuration
import PeerConnectivity
public import ServiceRuntime
import Terminal

/// `nearby tap`.
public final class TapProgram {
  private let options: NearbyTapOptions
  private let console: Console
  private let queue = EventQueue<MeetingEvent>(capacity: Meeting.queueCapacity)
  private let meeting: Meeting
  private var screen: TapScreen
  private var peers: [Peer.ID: Peer] = [:]
  private var invitations: [Peer.ID: PeerInvitation] = [:]
  private var outbox: Outbox?
  private var ending: ExitCode?
  private let deadline: ContinuousClock.Instant?
  /// What a script was last told of the round.
  private var told: (second: Int64, own: Int, theirs: Int)?

  private init(_ options: NearbyTapOptions, _ surroundings: Surroundings) throws {
    self.options = options
    let policy = surroundings.policy(options.meeting)
    deadline = options.timeout.map { ContinuousClock.now.advanced(by: $0) }
    let settings = Meeting.Settings(
      purpose: .tap, policy: policy, stateDirectory: surroundings.stateDirectory,
      listen: options.meeting.listen, logger: surroundings.logger)
    meeting = try Meeting(name: options.meeting.name ?? surroundings.hostName, settings, queue: queue)
    // With an address the name only says who is expected there.
    let wish = options.meeting.connect.isEmpty ? options.peer : nil
    screen = TapScreen(
      TapModel(policy: policy, wish: wish, playsOnce: options.once, deadline: deadline))
    console = try Console(readsKeys: surroundings.hasPerson, log: surroundings.logLines)
  }

  /// Runs until the person leaves or the opponent is gone.
  ///
  /// - Throws: `PeerNodeError` and `SystemError` when it cannot even begin.
  public static func run(_ options: NearbyTapOptions, _ surroundings: Surroundings) async throws -> ExitCode {
    let program = try TapProgram(options, surroundings)
    return await program.run()
  }

  private func run() async -> ExitCode {
    await withDiscardingTaskGroup { group in
      console.input.forward(to: queue, &group)
      meeting.start(&group, isVisible: true)
      console.tell(.event(meeting.introduction))
      let expected = options.peer.flatMap { Peer.ID(hex: $0) }
      for address in options.meeting.connect {
        meeting.connect(to: address, expecting: expected, until: deadline, &group)
      }
      // Often enough for a countdown in tenths; the end of a round is not later than that.
      meeting.tick(every: .milliseconds(50), &group)
      render()
      while ending == nil, let event = await queue.next() {
        handle(event, &group)
        render()
      }
      if let outbox { await Outbox.drain([outbox]) }
      queue.finish()
      await meeting.node.stop()
      console.finish()
      group.cancelAll()
    }
    return ending ?? .accepted
  }

  private func render() {
    guard console.isScreen else { return }
    console.show(screen.area(name: meeting.node.displayName, size: console.size, at: .now))
  }

  private func handle(_ event: MeetingEvent, _ group: inout DiscardingTaskGroup) {
    switch event {
    case .terminal(let event):
      guard let event = console.handle(event) else { return }
      handleTerminal(event, &group)
    case .browser(let event, _):
      if case .found(let peer, _) = event { peers[peer.id] = peer }
      if case .updated(let peer, _) = event { peers[peer.id] = peer }
      if case .unavailable(let reason) = event, options.meeting.connect.isEmpty {
        console.tell(.problem("cannot look for others: \(reason)"))
      }
      if let input = event.lobbyInput { perform(.lobby(input), &group) }
    case .advertiser(let state, _):
      if let notice = state.notice(name: meeting.node.displayName) { console.tell(notice) }
    case .invitation(let invitation):
      let peer = invitation.peer
      peers[peer.id] = peer
      invitations[peer.id] = invitation
      let purpose = Purpose(context: invitation.context)
      perform(
        .lobby(.invited(peer.id, name: peer.displayName, isPaired: peer.isTrusted, purpose: purpose)), &group)
    case .session(let event): handleSession(event, &group)
    case .invitationFailed(let peer, let error), .acceptanceFailed(let peer, let error):
      perform(.lobby(.invitationFailed(peer.id, reason: "\(error)")), &group)
      // A script named this one opponent.
      if options.peer != nil, screen.model.opponent == nil { ending = error.exitCode }
    case .connectFailed(let endpoint, let error, let isFinal):
      console.tell(.problem("\(endpoint): \(error)\(isFinal ? "" : "; trying again")"))
      if isFinal { ending = error.exitCode }
    case .notDelivered(_, let reason): console.tell(.problem("not delivered: \(reason)"))
    case .tick:
      for (id, invitation) in invitations where invitation.deadline <= .now {
        invitations[id] = nil
        perform(.lobby(.withdrawn(id)), &group)
      }
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
      peers[peer.id] = peer
      invitations[peer.id] = nil
      guard screen.model.opponent == nil else { return }
      let outbox = Outbox(to: peer)
      self.outbox = outbox
      group.addTask { [meeting] in await outbox.run(meeting) }
      perform(.lobby(.connected(peer.id, name: peer.displayName, isPaired: peer.isTrusted)), &group)
    case .state(_, .connecting): break
    case .state(let peer, .notConnected(let reason)):
      perform(.lobby(.disconnected(peer.id, reason: reason.words)), &group)
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
        if let peer = peers[id] { meeting.invite(peer, within: .seconds(30), &group) }
      case .answer(let question, let accepts, let reason):
        guard let invitation = invitations.removeValue(forKey: question.id) else { continue }
        if accepts { meeting.accept(invitation, &group) } else { invitation.decline(reason) }
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

public import Configuration
import PeerConnectivity
public import ServiceRuntime
import Terminal

/// `nearby chat`.
public final class ChatProgram: MeetingProgram {
  private let options: NearbyChatOptions
  private let venue: Venue
  private var screen: ChatScreen
  private var book = PeerBook()
  private var outboxes: [Peer.ID: Outbox] = [:]
  private var transfers = TransferDesk()
  private var wasConnected = false
  private(set) var ending: ExitCode?

  private var console: Console { venue.console }
  private var meeting: Meeting { venue.meeting }

  private init(_ options: NearbyChatOptions, _ surroundings: Surroundings) throws {
    self.options = options
    let policy = surroundings.policy(options.meeting)
    venue = try Venue(.chat, policy: policy, options.meeting, surroundings)
    let presence = Presence(name: venue.meeting.node.displayName, isVisible: !options.isHidden)
    screen = ChatScreen(ChatModel(presence: presence, policy: policy, inviting: options.invite))
  }

  /// Runs until the person leaves.
  ///
  /// - Throws: `PeerNodeError` and `SystemError` when it cannot even begin.
  public static func run(_ options: NearbyChatOptions, _ surroundings: Surroundings) async throws -> ExitCode
  {
    let program = try ChatProgram(options, surroundings)
    return await program.venue.run(program, tickingEvery: .milliseconds(250))
  }

  func begin(_ group: inout DiscardingTaskGroup) {
    start(&group)
    venue.connect(expecting: nil, until: nil, &group)
  }

  private func start(_ group: inout DiscardingTaskGroup) {
    meeting.start(&group, isVisible: screen.model.presence.isVisible)
    tell(.event(meeting.introduction))
  }

  func finish() async { await Outbox.drain(outboxes.values) }

  func render() {
    let area = screen.area(transfers: transfers.shown, size: console.size)
    console.show(area.lines, cursor: area.cursor)
  }

  private func tell(_ notice: Notice) {
    // A notice leads to nothing but its entry in the log.
    for action in screen.model.handle(.notice(notice), at: .now) {
      if case .show(let entry) = action { console.tell(entry.lines) }
    }
  }

  func handle(_ event: MeetingEvent, _ group: inout DiscardingTaskGroup) async {
    var inputs: [ChatModel.Input] = []
    switch event {
    case .terminal(let event): await handleTerminal(event, &group)
    case .browser(let event, let generation):
      guard generation == meeting.generation else { return }
      if let notice = event.notice { tell(notice) }
      if let input = book.take(event) { inputs.append(.lobby(input)) }
    case .advertiser(let state, let generation):
      guard generation == meeting.generation, let notice = state.notice(name: screen.model.presence.name)
      else {
        return
      }
      tell(notice)
    case .invitation(let invitation): inputs.append(.lobby(book.take(invitation)))
    case .session(let event): inputs += sessionInputs(event, &group)
    case .invitationFailed(let peer, let error), .acceptanceFailed(let peer, let error):
      inputs.append(.lobby(.invitationFailed(peer.id, reason: "\(error)")))
    case .connectFailed(let endpoint, let error, let isFinal):
      tell(.connectFailed(endpoint, error, isFinal: isFinal))
    case .notDelivered(let peer, let reason): inputs.append(.notDelivered(peer.id, reason: reason))
    case .progress(let number, let report):
      if let line = transfers.update(number, report, at: .now), !console.isScreen { tell(.event(line)) }
    case .transferEnded(let number, let result):
      guard let (row, peer) = transfers.end(number, result, at: .now) else { return }
      if row.direction == .receiving, result.isBroken {
        inputs.append(.lobby(.transferBroke(peer.id, name: row.name)))
      }
      if case .failed = row.state { tell(.problem(row.words)) } else { tell(.event(row.words)) }
      for line in result.leftOut { tell(.problem(line)) }
    case .pairing, .pairingEnded: break
    case .tick: inputs += book.expire(at: .now).map { .lobby($0) }
    }
    for input in inputs { await perform(screen.model.handle(input, at: .now), &group) }
  }

  private func handleTerminal(_ event: TerminalEvent, _ group: inout DiscardingTaskGroup) async {
    switch event {
    case .key(let key): await perform(screen.handle(key, at: .now), &group)
    case .line(let bytes): await perform(screen.model.handle(.line(bytes), at: .now), &group)
    case .lineTooLong: await perform(screen.model.handle(.lineTooLong, at: .now), &group)
    case .endWanted: ending = .accepted
    // A script that has said everything may still listen; a terminal that is gone has nobody.
    case .inputEnded: if console.isScreen { ending = .accepted }
    case .resized, .resumed, .suspensionWanted: break
    }
  }

  private func sessionInputs(_ event: PeerSession.Event, _ group: inout DiscardingTaskGroup)
    -> [ChatModel.Input]
  {
    switch event {
    case .state(let peer, .connected):
      let input = book.connected(peer)
      wasConnected = true
      if outboxes[peer.id] == nil {
        let outbox = Outbox(to: peer)
        outboxes[peer.id] = outbox
        group.addTask { [meeting] in await outbox.run(meeting) }
      }
      guard screen.model.lobby.directory[peer.id]?.state != .connected else { return [] }
      return [.lobby(input)]
    case .state(_, .connecting): return []
    case .state(let peer, .notConnected(let reason)):
      outboxes.removeValue(forKey: peer.id)?.finish()
      transfers.removeOffers(of: peer.id)
      if outboxes.isEmpty, wasConnected, options.once { ending = .accepted }
      return [.lobby(book.disconnected(peer, reason))]
    case .message(let message): return [.message(message.peer.id, message.bytes)]
    case .resourceOffered(let offer): return [.lobby(transfers.lobbyInput(offer))]
    case .streamOpened(let stream):
      stream.close()
      return []
    }
  }

  private func perform(_ actions: [ChatModel.Action], _ group: inout DiscardingTaskGroup) async {
    for action in actions {
      switch action {
      case .show(let entry): console.tell(entry.lines)
      case .invite(let id):
        if let peer = book[id] { meeting.invite(peer, within: .seconds(30), &group) }
      case .answer(let question, let accepts, let reason): answer(question, accepts, reason, &group)
      case .disconnect(let id): if let peer = book[id] { meeting.session.disconnect(peer) }
      case .send(let bytes, let ids):
        for id in ids where outboxes[id]?.put(bytes) != true {
          let reason = outboxes[id] == nil ? "not connected" : "it is too slow"
          await perform(screen.model.handle(.notDelivered(id, reason: reason), at: .now), &group)
        }
      case .sendFile(let path, let ids):
        for id in ids {
          guard let peer = book[id] else { continue }
          let transfer = meeting.session.sendResource(at: path, to: peer)
          let label = screen.model.lobby.directory.label(id)
          let row = TransferRow(.sending, peer: label, name: transfer.name, totalBytes: nil)
          meeting.follow(transfer, number: transfers.begin(transfer, row), &group)
        }
      case .rename(let name): await rename(name, &group)
      case .setVisible(let isVisible): meeting.setVisible(isVisible)
      case .leave: ending = .accepted
      }
    }
  }

  private func answer(
    _ question: Question, _ accepts: Bool, _ reason: String, _ group: inout DiscardingTaskGroup
  ) {
    switch question.subject {
    case .invitation:
      guard let invitation = book.removeInvitation(of: question.id) else { return }
      meeting.answer(invitation, accepts: accepts, reason: reason, &group)
    case .offer(let number, _, _, _):
      let label = screen.model.lobby.directory.label(question.id)
      let begun = transfers.answer(
        number, accepts: accepts, reason: reason, into: options.folder, from: label)
      if let begun { meeting.follow(begun.transfer, number: begun.number, &group) }
    }
  }

  /// A name belongs to a node, so there is a new one. Nobody is connected, or the model would have refused.
  private func rename(_ name: String, _ group: inout DiscardingTaskGroup) async {
    do {
      try await venue.rename(name)
      book.forgetAnnounced()
      start(&group)
    } catch {
      // There is no node any more.
      tell(.problem("\(error); leaving"))
      ending = .accepted
    }
  }
}

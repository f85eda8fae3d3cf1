public import Configuration
import PeerConnectivity
public import ServiceRuntime
import Terminal

/// `nearby chat`.
public final class ChatProgram {
  private let options: NearbyChatOptions
  private let console: Console
  private let queue = EventQueue<MeetingEvent>(capacity: Meeting.queueCapacity)
  private var meeting: Meeting
  private var screen: ChatScreen
  private var peers: [Peer.ID: Peer] = [:]
  private var invitations: [Peer.ID: PeerInvitation] = [:]
  private var outboxes: [Peer.ID: Outbox] = [:]
  private var transfers = TransferDesk()
  /// Who sends what is being received.
  private var incoming: [Int: Peer.ID] = [:]
  private var wasConnected = false
  private var isLeaving = false

  private init(_ options: NearbyChatOptions, _ surroundings: Surroundings) throws {
    self.options = options
    let policy = surroundings.policy(options.meeting)
    let name = options.meeting.name ?? surroundings.hostName
    let settings = Meeting.Settings(
      purpose: .chat, policy: policy, stateDirectory: surroundings.stateDirectory,
      listen: options.meeting.listen, logger: surroundings.logger)
    meeting = try Meeting(name: name, settings, queue: queue)
    let presence = Presence(name: name, isVisible: !options.isHidden)
    screen = ChatScreen(ChatModel(presence: presence, policy: policy, inviting: options.invite))
    console = try Console(readsKeys: surroundings.hasPerson, log: surroundings.logLines)
  }

  /// Runs until the person leaves.
  ///
  /// - Throws: `PeerNodeError` and `SystemError` when it cannot even begin.
  public static func run(_ options: NearbyChatOptions, _ surroundings: Surroundings) async throws -> ExitCode
  {
    let program = try ChatProgram(options, surroundings)
    await program.run()
    return .accepted
  }

  private func run() async {
    await withDiscardingTaskGroup { group in
      console.input.forward(to: queue, &group)
      begin(&group)
      for address in options.meeting.connect {
        meeting.connect(to: address, expecting: nil, until: nil, &group)
      }
      meeting.tick(every: .milliseconds(250), &group)
      render()
      while !isLeaving, let event = await queue.next() {
        await handle(event, &group)
        render()
      }
      await Outbox.drain(outboxes.values)
      queue.finish()
      await meeting.node.stop()
      console.finish()
      group.cancelAll()
    }
  }

  private func begin(_ group: inout DiscardingTaskGroup) {
    meeting.start(&group, isVisible: screen.model.presence.isVisible)
    tell(.event(meeting.introduction))
  }

  private func render() {
    guard console.isScreen else { return }
    let area = screen.area(transfers: transfers.shown, size: console.size)
    console.show(area.lines, cursor: area.cursor)
  }

  private func tell(_ notice: Notice) {
    // A notice leads to nothing but its entry in the log.
    for action in screen.model.handle(.notice(notice), at: .now) {
      if case .show(let entry) = action { console.tell(entry.lines) }
    }
  }

  private func handle(_ event: MeetingEvent, _ group: inout DiscardingTaskGroup) async {
    var inputs: [ChatModel.Input] = []
    switch event {
    case .terminal(let event):
      guard let event = console.handle(event) else { return }
      await handleTerminal(event, &group)
    case .browser(let event, let generation):
      guard generation == meeting.generation else { return }
      if case .found(let peer, _) = event { peers[peer.id] = peer }
      if case .updated(let peer, _) = event { peers[peer.id] = peer }
      if case .unavailable(let reason) = event { tell(.problem("cannot look for others: \(reason)")) }
      if let input = event.lobbyInput { inputs.append(.lobby(input)) }
    case .advertiser(let state, let generation):
      guard generation == meeting.generation, let notice = state.notice(name: screen.model.presence.name)
      else {
        return
      }
      tell(notice)
    case .invitation(let invitation):
      let peer = invitation.peer
      peers[peer.id] = peer
      invitations[peer.id] = invitation
      let purpose = Purpose(context: invitation.context)
      inputs.append(
        .lobby(.invited(peer.id, name: peer.displayName, isPaired: peer.isTrusted, purpose: purpose)))
    case .session(let event): inputs += sessionInputs(event, &group)
    case .invitationFailed(let peer, let error), .acceptanceFailed(let peer, let error):
      inputs.append(.lobby(.invitationFailed(peer.id, reason: "\(error)")))
    case .connectFailed(let endpoint, let error, let isFinal):
      tell(.problem("\(endpoint): \(error)\(isFinal ? "" : "; trying again")"))
    case .notDelivered(let peer, let reason): inputs.append(.notDelivered(peer.id, reason: reason))
    case .progress(let number, let report):
      if let line = transfers.update(number, report, at: .now), !console.isScreen { tell(.event(line)) }
    case .transferEnded(let number, let result):
      guard let row = transfers.end(number, result, at: .now) else { return }
      if let peer = incoming.removeValue(forKey: number), result.isBroken {
        inputs.append(.lobby(.transferBroke(peer, name: row.name)))
      }
      if case .failed = row.state { tell(.problem(row.words)) } else { tell(.event(row.words)) }
      for line in result.leftOut { tell(.problem(line)) }
    case .pairing, .pairingEnded: break
    case .tick:
      for (id, invitation) in invitations where invitation.deadline <= .now {
        invitations[id] = nil
        inputs.append(.lobby(.withdrawn(id)))
      }
    }
    for input in inputs { await perform(screen.model.handle(input, at: .now), &group) }
  }

  private func handleTerminal(_ event: TerminalEvent, _ group: inout DiscardingTaskGroup) async {
    switch event {
    case .key(let key): await perform(screen.handle(key, at: .now), &group)
    case .line(let bytes): await perform(screen.model.handle(.line(bytes), at: .now), &group)
    case .lineTooLong: await perform(screen.model.handle(.lineTooLong, at: .now), &group)
    case .endWanted: isLeaving = true
    // A script that has said everything may still listen; a terminal that is gone has nobody.
    case .inputEnded: isLeaving = console.isScreen
    case .resized, .resumed, .suspensionWanted: break
    }
  }

  private func sessionInputs(_ event: PeerSession.Event, _ group: inout DiscardingTaskGroup)
    -> [ChatModel.Input]
  {
    switch event {
    case .state(let peer, .connected):
      peers[peer.id] = peer
      invitations[peer.id] = nil
      wasConnected = true
      if outboxes[peer.id] == nil {
        let outbox = Outbox(to: peer)
        outboxes[peer.id] = outbox
        group.addTask { [meeting] in await outbox.run(meeting) }
      }
      guard screen.model.lobby.directory[peer.id]?.state != .connected else { return [] }
      return [.lobby(.connected(peer.id, name: peer.displayName, isPaired: peer.isTrusted))]
    case .state(_, .connecting): return []
    case .state(let peer, .notConnected(let reason)):
      outboxes.removeValue(forKey: peer.id)?.finish()
      _ = transfers.removeOffers(of: peer.id)
      if outboxes.isEmpty, wasConnected, options.once { isLeaving = true }
      return [.lobby(.disconnected(peer.id, reason: reason.words))]
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
        if let peer = peers[id] { meeting.invite(peer, within: .seconds(30), &group) }
      case .answer(let question, let accepts, let reason): answer(question, accepts, reason, &group)
      case .disconnect(let id): if let peer = peers[id] { meeting.session.disconnect(peer) }
      case .send(let bytes, let ids):
        for id in ids where outboxes[id]?.put(bytes) != true {
          let reason = outboxes[id] == nil ? "not connected" : "it is too slow"
          await perform(screen.model.handle(.notDelivered(id, reason: reason), at: .now), &group)
        }
      case .sendFile(let path, let ids):
        for id in ids {
          guard let peer = peers[id] else { continue }
          let transfer = meeting.session.sendResource(at: path, to: peer)
          let label = screen.model.lobby.directory.label(id)
          let row = TransferRow(.sending, peer: label, name: transfer.name, totalBytes: nil)
          meeting.follow(transfer, number: transfers.begin(transfer, row), &group)
        }
      case .rename(let name): await rename(name, &group)
      case .setVisible(let isVisible): meeting.setVisible(isVisible)
      case .leave: isLeaving = true
      }
    }
  }

  private func answer(
    _ question: Question, _ accepts: Bool, _ reason: String, _ group: inout DiscardingTaskGroup
  ) {
    switch question.subject {
    case .invitation:
      guard let invitation = invitations.removeValue(forKey: question.id) else { return }
      if accepts { meeting.accept(invitation, &group) } else { invitation.decline(reason) }
    case .offer(let number, _, _, _):
      guard let offer = transfers.removeOffer(number) else { return }
      guard accepts else { return offer.decline(reason) }
      let transfer = offer.accept(into: options.folder)
      let label = screen.model.lobby.directory.label(question.id)
      let row = TransferRow(.receiving, peer: label, name: offer.name, totalBytes: offer.byteCount)
      let begun = transfers.begin(transfer, row)
      incoming[begun] = question.id
      meeting.follow(transfer, number: begun, &group)
    }
  }

  /// A name belongs to a node, so there is a new one. Nobody is connected, or the model would have refused.
  private func rename(_ name: String, _ group: inout DiscardingTaskGroup) async {
    do {
      meeting = try await meeting.renamed(name)
      begin(&group)
    } catch {
      // There is no node any more.
      tell(.problem("\(error); leaving"))
      isLeaving = true
    }
  }
}

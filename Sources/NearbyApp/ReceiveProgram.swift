public import Configuration
import JSONText
import PeerConnectivity
public import ServiceRuntime
import Terminal

/// `nearby receive`.
public final class ReceiveProgram: MeetingProgram {
  private let options: NearbyReceiveOptions
  private let venue: Venue
  private var lobby: Lobby
  private var book = PeerBook()
  private var transfers = TransferDesk()
  private var count = (received: 0, failed: 0)
  /// What broke off, and until when it is waited for with `--once`.
  private var broken: [String: ContinuousClock.Instant] = [:]
  static let patience: Duration = .seconds(60)
  private let deadline: ContinuousClock.Instant?
  private(set) var ending: ExitCode?

  private var console: Console { venue.console }
  private var meeting: Meeting { venue.meeting }

  private init(_ options: NearbyReceiveOptions, _ surroundings: Surroundings) throws {
    self.options = options
    let policy = surroundings.policy(options.meeting)
    deadline = options.timeout.map { ContinuousClock.now.advanced(by: $0) }
    lobby = Lobby(.files, policy: policy)
    venue = try Venue(
      .files, policy: policy, options.meeting, surroundings, readsKeys: !options.json)
  }

  /// Runs until the person leaves, or the first sender has finished.
  ///
  /// - Throws: `PeerNodeError` and `SystemError` when it cannot even begin.
  public static func run(_ options: NearbyReceiveOptions, _ surroundings: Surroundings) async throws
    -> ExitCode
  {
    let program = try ReceiveProgram(options, surroundings)
    return await program.venue.run(program, tickingEvery: .milliseconds(200))
  }

  func begin(_ group: inout DiscardingTaskGroup) {
    meeting.start(&group, isVisible: true, browses: false)
    if options.json {
      let own = meeting.node
      report([
        "event": "ready", "id": .string(own.id.hex), "name": .string(own.displayName),
        "port": .integer(Int64(own.port)),
      ])
    } else {
      console.tell(.event("\(meeting.introduction); receiving into \(options.folder)"))
    }
    venue.connect(expecting: nil, until: deadline, &group)
  }

  func finish() { transfers.cancelAll() }

  private func tell(_ notice: Notice) {
    // Lines of JSON are for a program; what people are told besides goes where logs go.
    guard options.json else { return console.tell(notice) }
    switch notice {
    case .event: break
    case .problem(let text): PlainOutput.standardError.line("! \(text)")
    }
  }

  private func report(_ event: JSON) { PlainOutput.standardOutput.text(event.text + "\n") }

  func handle(_ event: MeetingEvent, _ group: inout DiscardingTaskGroup) {
    switch event {
    case .terminal(let event): handleTerminal(event, &group)
    case .advertiser(let state, _):
      if let notice = state.notice(name: meeting.node.displayName) { tell(notice) }
    case .invitation(let invitation): perform(lobby.handle(book.take(invitation)), &group)
    case .session(.state(let peer, .connected)):
      let input = book.connected(peer)
      guard lobby.directory[peer.id]?.state != .connected else { return }
      perform(lobby.handle(input), &group)
    case .session(.state(let peer, .notConnected(let reason))):
      // Who says goodbye does not come back for the rest.
      if case .left = reason { broken = broken.filter { !$0.key.hasPrefix(peer.id.hex) } }
      transfers.removeOffers(of: peer.id)
      perform(lobby.handle(book.disconnected(peer, reason)), &group)
      endIfDone()
    case .session(.resourceOffered(let offer)):
      perform(lobby.handle(transfers.lobbyInput(offer)), &group)
    case .session(.streamOpened(let stream)): stream.close()
    case .session(.state(_, .connecting)), .session(.message): break
    case .invitationFailed(let peer, let error), .acceptanceFailed(let peer, let error):
      perform(lobby.handle(.invitationFailed(peer.id, reason: "\(error)")), &group)
    case .connectFailed(let endpoint, let error, let isFinal):
      tell(.connectFailed(endpoint, error, isFinal: isFinal))
    case .progress(let number, let progress):
      if let line = transfers.update(number, progress, at: .now), !console.isScreen, !options.json {
        console.tell(line)
      }
    case .transferEnded(let number, let result): ended(number, result)
    case .tick:
      for input in book.expire(at: .now) { perform(lobby.handle(input), &group) }
      endIfDone()
      if let deadline, deadline <= .now, transfers.isIdle, !lobby.directory.isAnyConnected {
        if count.received == 0 { tell(.problem("nobody sent anything in time")) }
        ending = count.failed > 0 ? .noAnswer : count.received > 0 ? .accepted : .noVehicle
      }
    case .browser, .notDelivered, .pairing, .pairingEnded: break
    }
  }

  private func handleTerminal(_ event: TerminalEvent, _ group: inout DiscardingTaskGroup) {
    switch event {
    case .key(.control("c")), .key(.control("d")), .key(.character("q")), .endWanted:
      ending = count.failed > 0 ? .noAnswer : .accepted
    case .key(let key):
      guard lobby.desk.first != nil, let accepts = QuestionKey.answer(key, lettersAreText: false) else {
        return
      }
      perform(lobby.answer(accepts: accepts), &group)
    case .line(let bytes):
      switch String(decoding: bytes, as: UTF8.self) {
      case "yes": perform(lobby.answer(accepts: true), &group)
      case "no": perform(lobby.answer(accepts: false), &group)
      default: tell(.problem("answer 'yes' or 'no'"))
      }
    case .inputEnded: if console.isScreen { ending = .accepted }
    case .lineTooLong, .resized, .resumed, .suspensionWanted: break
    }
  }

  private func perform(_ actions: [Lobby.Action], _ group: inout DiscardingTaskGroup) {
    for action in actions {
      switch action {
      case .tell(let notice): tell(notice)
      case .invite: break
      case .answer(let question, let accepts, let reason): answer(question, accepts, reason, &group)
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
      let label = lobby.directory.label(question.id)
      let begun = transfers.answer(
        number, accepts: accepts, reason: reason, into: options.folder, from: label)
      if let begun { meeting.follow(begun.transfer, number: begun.number, &group) }
    }
  }

  private func ended(_ number: Int, _ result: Result<TransferSummary, TransferError>) {
    guard let (row, sender) = transfers.end(number, result, at: .now) else { return }
    let name = row.name
    let key = "\(sender.id.hex) \(name)"
    switch result {
    case .success:
      count.received += 1
      if broken.removeValue(forKey: key) != nil { count.failed -= 1 }
    case .failure:
      if broken.removeValue(forKey: key) == nil { count.failed += 1 }
      if result.isBroken {
        broken[key] = ContinuousClock.now.advanced(by: Self.patience)
        _ = lobby.handle(.transferBroke(sender.id, name: name))
      }
    }
    if options.json {
      var object: JSON.Object = [
        "event": .string(result.isSuccess ? "received" : "failed"), "name": .string(name),
        "from": ["id": .string(sender.id.hex), "name": .string(sender.displayName)],
      ]
      switch result {
      case .success(let summary):
        object["path"] = summary.path.map { .string($0) } ?? .null
        object["bytes"] = .integer(Int64(clamping: summary.byteCount))
        object["resumedBytes"] = .integer(Int64(clamping: summary.resumedBytes))
      case .failure(let error): object["reason"] = .string("\(error)")
      }
      report(.object(object))
    } else {
      console.tell([Line(row.words, result.isSuccess ? .good : .bad)])
    }
    endIfDone()
  }

  /// With `--once`: the sender is gone and what it sent is here, or is not.
  private func endIfDone() {
    guard options.once, transfers.isIdle, count.received + count.failed > 0, !lobby.directory.isAnyConnected,
      !broken.values.contains(where: { $0 > .now })
    else { return }
    ending = count.failed > 0 ? .noAnswer : .accepted
  }

  func render() {
    let columns = console.size.columns
    var lines = transfers.shown.suffix(8).map { $0.line(columns: columns - 1) }
    if let question = lobby.desk.first { lines.append(QuestionKey.line(question, lettersAreText: false)) }
    let connected = lobby.directory.connected.map { shownName($0.name) }
    let who = connected.isEmpty ? "waiting for a sender" : "connected: \(enumeration(connected))"
    lines.append(Line("── \(shownName(meeting.node.displayName)) · \(who) · q leaves ──", .faint))
    console.show(lines)
  }
}

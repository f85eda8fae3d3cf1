public import Configuration
import PeerConnectivity
public import ServiceRuntime
import Terminal

/// `nearby send`.
public final class SendProgram: MeetingProgram {
  private let options: NearbySendOptions
  private let venue: Venue
  private var model: SendModel
  private var picker: FilePicker?
  private var menu = PeerMenu()
  private var book = PeerBook()
  private var transfers = TransferDesk()
  private(set) var ending: ExitCode?
  private let deadline: ContinuousClock.Instant?

  private var console: Console { venue.console }
  private var meeting: Meeting { venue.meeting }

  private init(_ options: NearbySendOptions, _ surroundings: Surroundings) throws {
    self.options = options
    let dials = !options.meeting.connect.isEmpty
    if !surroundings.hasPerson {
      guard !options.paths.isEmpty else {
        throw NearbyFailure(.usage, "say what to send: nearby send PATH...")
      }
      guard options.peer != nil || dials else {
        throw NearbyFailure(.usage, "say who receives: --to NAME|ID, or --connect HOST:PORT")
      }
    }
    for path in options.paths { try Folder.checkReadable(path) }
    if options.paths.isEmpty { picker = FilePicker(try Folder.entries(options.folder)) }
    // A person who chooses takes the time that it takes.
    let isChosen = options.paths.isEmpty || (options.peer == nil && !dials)
    deadline = isChosen ? nil : ContinuousClock.now.advanced(by: options.timeout)
    let policy = surroundings.policy(options.meeting)
    model = SendModel(
      policy: policy, paths: options.paths, wish: dials ? nil : options.peer, dials: dials, deadline: deadline
    )
    venue = try Venue(.files, policy: policy, options.meeting, surroundings)
  }

  /// Runs until all is sent, or cannot be.
  ///
  /// - Throws: `PeerNodeError`, `SystemError` and `NearbyFailure` when it cannot even begin.
  public static func run(_ options: NearbySendOptions, _ surroundings: Surroundings) async throws -> ExitCode
  {
    let program = try SendProgram(options, surroundings)
    return await program.venue.run(program, tickingEvery: .milliseconds(200))
  }

  func begin(_ group: inout DiscardingTaskGroup) {
    // It receives nothing, so nobody needs to see it.
    meeting.start(&group, isVisible: false)
    venue.connect(expecting: options.peer.flatMap { Peer.ID(hex: $0) }, until: deadline, &group)
  }

  func finish() { transfers.cancelAll() }

  func handle(_ event: MeetingEvent, _ group: inout DiscardingTaskGroup) {
    switch event {
    case .terminal(let event): handleTerminal(event, &group)
    case .browser(let event, _):
      if options.meeting.connect.isEmpty, let notice = event.notice { console.tell(notice) }
      if let input = book.take(event) { perform(.lobby(input), &group) }
    case .session(.state(let peer, .connected)):
      let input = book.connected(peer)
      guard model.lobby.directory[peer.id]?.state != .connected else { return }
      perform(.lobby(input), &group)
    case .session(.state(let peer, .notConnected(let reason))):
      perform(.lobby(book.disconnected(peer, reason)), &group)
      switch reason {
      // A session that fell silent goes on by itself.
      case .silent: break
      case .connectionLost, .restarted: redial(peer, &group)
      case .left, .disconnected, .untrusted, .protocolError, .invitation: perform(.peerLeft, &group)
      }
    case .session(.resourceOffered(let offer)): offer.decline("this program only sends")
    case .session(.streamOpened(let stream)): stream.close()
    case .session(.state(_, .connecting)), .session(.message): break
    case .invitation(let invitation): invitation.decline("this program only sends")
    case .invitationFailed(let peer, let error):
      perform(.lobby(.invitationFailed(peer.id, reason: "\(error)")), &group)
      perform(model.invitationFailed(error.exitCode == .refused ? .refused(nil) : .noAnswer(nil)), &group)
    case .connectFailed(let endpoint, let error, let isFinal):
      console.tell(.connectFailed(endpoint, error, isFinal: isFinal))
      if isFinal { ending = error.exitCode }
    case .progress(let number, let report):
      if let line = transfers.update(number, report, at: .now), !console.isScreen { console.tell(line) }
    case .transferEnded(let number, let result):
      ended(number, result, &group)
    case .tick: perform(.tick, &group)
    case .advertiser, .acceptanceFailed, .notDelivered, .pairing, .pairingEnded: break
    }
  }

  private func ended(
    _ number: Int, _ result: Result<TransferSummary, TransferError>, _ group: inout DiscardingTaskGroup
  ) {
    guard let row = transfers.end(number, result, at: .now)?.row else { return }
    console.tell([Line(row.words, result.isSuccess ? .good : .bad)])
    for line in result.leftOut { console.tell(.problem(line)) }
    switch result {
    case .success: perform(.sent, &group)
    case .failure(let error): perform(.failed(error.failure), &group)
    }
  }

  /// The session is gone, the peer perhaps not: it is invited again while the model waits for it.
  private func redial(_ peer: Peer, _ group: inout DiscardingTaskGroup) {
    let until = ContinuousClock.now.advanced(by: options.timeout)
    if options.meeting.connect.isEmpty {
      meeting.invite(peer, within: min(options.timeout, .seconds(300)), &group)
    }
    venue.connect(expecting: peer.id, until: until, &group)
  }

  private func handleTerminal(_ event: TerminalEvent, _ group: inout DiscardingTaskGroup) {
    switch event {
    case .key(let key): handleKey(key, &group)
    case .line(let bytes):
      guard case .asking = model.stage else { return }
      perform(.answer(accepts: bytes == Array("yes".utf8)), &group)
    case .endWanted:
      console.tell(.problem("cancelled"))
      ending = .refused
    case .inputEnded: if console.isScreen { ending = .refused }
    case .lineTooLong, .resized, .resumed, .suspensionWanted: break
    }
  }

  private func handleKey(_ key: Key, _ group: inout DiscardingTaskGroup) {
    switch key {
    case .control("c"), .control("d"):
      console.tell(.problem("cancelled"))
      ending = .refused
      return
    default: break
    }
    switch model.stage {
    case .choosingFiles:
      if case .chose(let names)? = picker?.handle(key) {
        perform(.choseFiles(names.map { options.folder == "." ? $0 : "\(options.folder)/\($0)" }), &group)
      }
    case .choosingPeer:
      let entries = receivers
      switch key {
      case .up: menu.move(by: -1, in: entries)
      case .down: menu.move(by: 1, in: entries)
      case .enter: if let id = menu.selection(in: entries) { perform(.chose(id), &group) }
      default: break
      }
    case .asking:
      if let accepts = QuestionKey.answer(key, lettersAreText: false) {
        perform(.answer(accepts: accepts), &group)
      }
    case .looking, .inviting, .sending, .resuming, .ended: break
    }
  }

  private func perform(_ input: SendModel.Input, _ group: inout DiscardingTaskGroup) {
    perform(model.handle(input, at: .now), &group)
    if case .asking(let id) = model.stage, !console.isScreen, askedAbout != id {
      askedAbout = id
      console.tell(.event("\(question(id)) yes or no"))
    }
  }

  private var askedAbout: Peer.ID?

  private func perform(_ actions: [SendModel.Action], _ group: inout DiscardingTaskGroup) {
    for action in actions {
      switch action {
      case .tell(let notice): console.tell(notice)
      case .invite(let id):
        let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? .seconds(60)
        if let peer = book[id] { meeting.invite(peer, within: max(left, .seconds(1)), &group) }
      case .answer: break
      case .send(let path, let id):
        guard let peer = book[id] else { continue }
        let transfer = meeting.session.sendResource(at: path, to: peer)
        let row = TransferRow(
          .sending, peer: model.lobby.directory.label(id), name: transfer.name, totalBytes: nil)
        meeting.follow(transfer, number: transfers.begin(transfer, row), &group)
      case .leave(let ending): leave(ending)
      }
    }
  }

  private func leave(_ ending: SendModel.Ending) {
    switch ending {
    case .done: self.ending = .accepted
    case .refused(let reason):
      if let reason { console.tell(.problem(reason)) }
      self.ending = .refused
    case .notFound(let reason):
      console.tell(.problem(reason))
      self.ending = .noVehicle
    case .noAnswer(let reason):
      if let reason { console.tell(.problem(reason)) }
      self.ending = .noAnswer
    }
  }

  private var receivers: [PeerDirectory.Entry] {
    model.lobby.directory.entries.filter { $0.purpose == .files || $0.state != .nearby }
  }

  private func question(_ id: Peer.ID) -> String {
    "\(model.lobby.directory.label(id)) (\(id.short)) is not paired. Send anyway?"
  }

  func render() {
    let columns = console.size.columns
    var lines: [Line]
    switch model.stage {
    case .choosingFiles:
      lines =
        [Line("── send what, from \(options.folder)? ──", .faint)] + (picker?.lines(columns: columns) ?? [])
      lines.append(Line("↑ ↓ choose · Space marks several · Enter goes on · Ctrl-C cancels", .faint))
    case .choosingPeer:
      let peers = menu.lines(receivers, isActive: true, columns: columns)
      lines = [Line("── to whom? ──", .faint)]
      lines +=
        peers.isEmpty ? [Line("   nobody is near yet; start 'nearby receive' there", .faint)] : peers
      lines.append(Line("↑ ↓ choose · Enter sends · Ctrl-C cancels", .faint))
    case .looking:
      lines = [Line("looking for \(shownName(options.peer ?? "the peer")) · Ctrl-C cancels", .faint)]
    case .asking(let id):
      lines = [Line("? ", .warning) + Line(question(id), .strong) + Line("  y or n", .warning)]
    case .inviting(let id):
      lines = [Line("waiting for \(model.lobby.directory.label(id)) to accept · Ctrl-C cancels", .faint)]
    case .resuming(let id, let until):
      let left = clockText(max(.zero, ContinuousClock.now.duration(to: until)))
      lines = [
        Line(
          "waiting for \(model.lobby.directory.label(id)) to come back, \(left) more · Ctrl-C cancels",
          .warning)
      ]
    case .sending, .ended:
      lines = transfers.shown.map { $0.line(columns: columns - 1) } + [Line("Ctrl-C cancels", .faint)]
    }
    console.show(lines)
  }
}

extension TransferError {
  /// What it means for the sender.
  var failure: SendModel.Failure {
    switch self {
    case .declined, .cancelled, .cancelledByPeer, .file: .refused
    case .notConnected, .connectionLost: .broken
    case .damaged, .timedOut, .protocolError: .lost
    }
  }
}

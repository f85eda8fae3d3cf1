public import Configuration
import PeerConnectivity
public import ServiceRuntime
import Terminal

/// `nearby pair`.
public final class PairProgram: MeetingProgram {
  private let options: NearbyPairOptions
  private let venue: Venue
  private var model: PairModel
  private var menu = PeerMenu()
  private var book = PeerBook()
  private var attempt: PairingAttempt?
  private(set) var ending: ExitCode?

  private var console: Console { venue.console }
  private var meeting: Meeting { venue.meeting }

  private init(_ options: NearbyPairOptions, _ surroundings: Surroundings) throws {
    self.options = options
    let deadline = ContinuousClock.now.advanced(by: options.timeout)
    model = PairModel(wish: options.meeting.connect.isEmpty ? options.peer : nil, deadline: deadline)
    venue = try Venue(.pair, policy: .ask, options.meeting, surroundings)
  }

  /// Runs until two are paired, or are not.
  ///
  /// - Throws: `PeerNodeError` and `SystemError` when it cannot even begin.
  public static func run(_ options: NearbyPairOptions, _ surroundings: Surroundings) async throws -> ExitCode
  {
    let program = try PairProgram(options, surroundings)
    return await program.venue.run(program, tickingEvery: .milliseconds(200))
  }

  func begin(_ group: inout DiscardingTaskGroup) {
    meeting.start(&group, isVisible: true)
    meeting.node.acceptPairing(for: options.timeout)
    group.addTask { [meeting] in
      for await attempt in meeting.node.pairingAttempts { await meeting.queue.put(.pairing(attempt)) }
    }
    console.tell(.event(meeting.introduction))
    if let address = options.meeting.connect.first {
      dial(.endpoint(PeerEndpoint(host: address.host, port: address.port)), &group)
    }
  }

  func finish() { attempt?.reject() }

  private enum Goal: Sendable {
    case peer(Peer)
    case endpoint(PeerEndpoint)
  }

  private func dial(_ goal: Goal, _ group: inout DiscardingTaskGroup) {
    let limit = options.timeout
    group.addTask { [meeting] in
      do throws(PairingError) {
        let attempt: PairingAttempt
        switch goal {
        case .peer(let peer): attempt = try await meeting.node.startPairing(with: peer, timeLimit: limit)
        case .endpoint(let endpoint):
          attempt = try await meeting.node.startPairing(with: endpoint, timeLimit: limit)
        }
        await meeting.queue.put(.pairing(attempt))
      } catch {
        await meeting.queue.put(.pairingEnded(.failure(error)))
      }
    }
  }

  func handle(_ event: MeetingEvent, _ group: inout DiscardingTaskGroup) {
    switch event {
    case .terminal(let event): handleTerminal(event, &group)
    case .browser(let event, _):
      if options.meeting.connect.isEmpty, let notice = event.notice { console.tell(notice) }
      if let input = book.take(event) { perform(.lobby(input), &group) }
    case .advertiser(let state, _):
      if let notice = state.notice(name: meeting.node.displayName) { console.tell(notice) }
    case .invitation(let invitation): invitation.decline("this program only pairs")
    case .pairing(let attempt):
      switch model.stage {
      case .waiting, .beginning:
        self.attempt = attempt
        perform(.digits(attempt.code, attempt.peer.id, name: attempt.peer.displayName), &group)
      // One at a time: released, it is rejected.
      case .comparing, .confirmed, .ended: attempt.reject()
      }
    case .pairingEnded(.success(let peer)): perform(.paired(name: peer.displayName, peer.id), &group)
    case .pairingEnded(.failure(let error)): perform(.failed("\(error)"), &group)
    case .tick: perform(.tick, &group)
    case .session, .invitationFailed, .connectFailed, .acceptanceFailed, .notDelivered, .progress,
      .transferEnded:
      break
    }
  }

  private func handleTerminal(_ event: TerminalEvent, _ group: inout DiscardingTaskGroup) {
    switch event {
    case .key(.control("c")), .key(.control("d")), .endWanted:
      ending = .refused
    case .key(let key):
      if let isSame = QuestionKey.answer(key, lettersAreText: false) {
        perform(.answer(isSame ? .yes : .no), &group)
        return
      }
      let entries = others
      switch key {
      case .up: menu.move(by: -1, in: entries)
      case .down: menu.move(by: 1, in: entries)
      case .enter: if let id = menu.selection(in: entries) { perform(.chose(id), &group) }
      default: break
      }
    case .line(let bytes): perform(.answer(.typed(String(decoding: bytes, as: UTF8.self))), &group)
    case .inputEnded: if console.isScreen { ending = .refused }
    case .lineTooLong, .resized, .resumed, .suspensionWanted: break
    }
  }

  private func perform(_ input: PairModel.Input, _ group: inout DiscardingTaskGroup) {
    for action in model.handle(input, at: .now) {
      switch action {
      case .tell(let notice): console.tell(notice)
      case .start(let id): if let peer = book[id] { dial(.peer(peer), &group) }
      case .confirm:
        guard let attempt else { continue }
        group.addTask { [meeting] in
          do throws(PairingError) {
            await meeting.queue.put(.pairingEnded(.success(try await attempt.confirm())))
          } catch {
            await meeting.queue.put(.pairingEnded(.failure(error)))
          }
        }
      case .reject: attempt?.reject()
      case .leave(.paired): ending = .accepted
      case .leave(.refused): ending = .refused
      case .leave(.notFound): ending = .noVehicle
      case .leave(.noAnswer): ending = .noAnswer
      }
    }
  }

  private var others: [PeerDirectory.Entry] { model.lobby.directory.entries.filter { $0.purpose == .pair } }

  func render() {
    var lines: [Line]
    switch model.stage {
    case .waiting:
      let peers = menu.lines(others, isActive: true, columns: console.size.columns)
      lines = [Line("── \(shownName(meeting.node.displayName)): pair with whom? ──", .faint)]
      lines += peers.isEmpty ? [Line("   nobody yet; start 'nearby pair' there as well", .faint)] : peers
      lines.append(Line("↑ ↓ choose · Enter begins, on one side · Ctrl-C leaves", .faint))
    case .beginning: lines = [Line("waiting for the other side · Ctrl-C leaves", .faint)]
    case .comparing(let code, let id, let name, _):
      lines = [
        Line("  \(PairModel.spaced(code))", .strong),
        Line("? ", .warning) + Line("Does \(shownName(name)) (\(id.short)) show the same digits?", .strong)
          + Line("  y or n", .warning),
      ]
    case .confirmed, .ended: lines = [Line("waiting for the other side's yes · Ctrl-C leaves", .faint)]
    }
    console.show(lines)
  }
}

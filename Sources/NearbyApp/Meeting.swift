import Configuration
import PeerConnectivity
import ServiceRuntime
import Terminal

/// What happens to a program that meets peers.
enum MeetingEvent: Sendable {
  case terminal(TerminalEvent)
  /// Of the node with this number: what an older one still says does not count.
  case browser(PeerBrowser.Event, generation: Int)
  case advertiser(PeerAdvertiser.State, generation: Int)
  case invitation(PeerInvitation)
  case session(PeerSession.Event)
  /// An invitation of ours led to nothing.
  case invitationFailed(Peer, InvitationError)
  /// A configured address cannot be connected; told once, and tried again unless it is final.
  case connectFailed(PeerEndpoint, InvitationError, isFinal: Bool)
  /// An invitation that we accepted led to nothing.
  case acceptanceFailed(Peer, InvitationError)
  case notDelivered(Peer, String)
  case progress(Int, TransferProgress)
  case transferEnded(Int, Result<TransferSummary, TransferError>)
  /// The digits of a pairing are known, by whoever it was begun.
  case pairing(PairingAttempt)
  case pairingEnded(Result<Peer, PairingError>)
  case tick
}

/// A node with all that is needed to meet others, and the way of its news into one queue.
final class Meeting: Sendable {
  /// Programs of this kind find each other (RFC 6335: 15 characters at most).
  static let serviceType = "nearby-share"
  static let queueCapacity = 256

  let node: PeerNode
  let session: PeerSession
  let browser: PeerBrowser
  let purpose: Purpose
  let queue: EventQueue<MeetingEvent>
  let generation: Int
  private let visible: PeerAdvertiser
  private let hidden: PeerAdvertiser
  private let settings: Settings

  struct Settings: Sendable {
    var purpose: Purpose
    var policy: AcceptPolicy
    var stateDirectory: String
    var listen: ListenAddress
    var logger: Logger
  }

  init(
    name: String, _ settings: Settings, queue: EventQueue<MeetingEvent>, generation: Int = 0
  ) throws(PeerNodeError) {
    self.settings = settings
    self.queue = queue
    self.generation = generation
    purpose = settings.purpose
    let trust: TrustPolicy
    switch settings.policy {
    case .paired: trust = .pairedOnly
    case .ask, .any: trust = .askAlways
    }
    let listen: PeerNode.ListenAddress
    if let address = settings.listen.address {
      listen = PeerNode.ListenAddress(host: address, port: settings.listen.port)
    } else {
      listen = .port(settings.listen.port)
    }
    node = try PeerNode(
      displayName: name, serviceType: ServiceType(Meeting.serviceType),
      stateDirectory: settings.stateDirectory, trust: trust, listen: listen, log: settings.logger.handler)
    session = PeerSession(node: node)
    browser = PeerBrowser(node: node)
    let info = try DiscoveryInfo([Purpose.discoveryKey: settings.purpose.rawValue])
    visible = PeerAdvertiser(node: node, discoveryInfo: info)
    hidden = PeerAdvertiser(node: node, discoveryInfo: info, visibility: .hidden)
  }

  /// The same place under another name, with a new node; the old one is stopped first, since it holds the port.
  func renamed(_ name: String) async throws(PeerNodeError) -> Meeting {
    await node.stop()
    return try Meeting(name: name, settings, queue: queue, generation: generation + 1)
  }

  /// Lets others see this program, or only those who know its address.
  func setVisible(_ isVisible: Bool) {
    // Starting one stops the other.
    (isVisible ? visible : hidden).start()
  }

  /// Hands all news on. The tasks end with the node.
  func start(_ group: inout DiscardingTaskGroup, isVisible: Bool, browses: Bool = true) {
    if browses { browse(&group) }
    for advertiser in [visible, hidden] {
      group.addTask { [self] in
        for await invitation in advertiser.invitations { await queue.put(.invitation(invitation)) }
      }
    }
    group.addTask { [self, generation] in
      for await state in visible.states { await queue.put(.advertiser(state, generation: generation)) }
    }
    group.addTask { [self] in
      for await event in session.events { await queue.put(.session(event)) }
    }
    setVisible(isVisible)
  }

  /// Looks for others.
  func browse(_ group: inout DiscardingTaskGroup) {
    group.addTask { [self, generation] in
      for await event in browser.events { await queue.put(.browser(event, generation: generation)) }
    }
    browser.start()
  }

  /// Invites a peer; the session tells when it is connected.
  func invite(_ peer: Peer, within limit: Duration, _ group: inout DiscardingTaskGroup) {
    group.addTask { [self] in
      do throws(InvitationError) {
        try await session.invite(peer, context: purpose.context, timeLimit: limit)
      } catch {
        await queue.put(.invitationFailed(peer, error))
      }
    }
  }

  /// Connects with whoever is at an address. A program that is not there yet is tried again until the deadline.
  func connect(
    to address: HostAndPort, expecting id: Peer.ID?, until deadline: ContinuousClock.Instant?,
    _ group: inout DiscardingTaskGroup
  ) {
    let endpoint = PeerEndpoint(host: address.host, port: address.port)
    group.addTask { [self] in
      var isTold = false
      while !Task.isCancelled {
        let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? .seconds(30)
        do throws(InvitationError) {
          let limit = min(max(left, .seconds(1)), .seconds(300))
          try await session.connect(
            to: endpoint, expecting: id, context: purpose.context, timeLimit: limit)
          return
        } catch {
          let isFinal: Bool
          switch error {
          case .unreachable, .timedOut: isFinal = deadline.map { ContinuousClock.now >= $0 } ?? false
          case .declined, .untrusted, .busy, .incompatible, .inAnotherSession, .ended, .cancelled:
            isFinal = true
          }
          if isFinal || !isTold { await queue.put(.connectFailed(endpoint, error, isFinal: isFinal)) }
          if isFinal { return }
          isTold = true
        }
        // Cancelled: the loop sees it.
        try? await Task.sleep(for: .seconds(2))
      }
    }
  }

  /// Answers an invitation.
  func answer(
    _ invitation: PeerInvitation, accepts: Bool, reason: String, _ group: inout DiscardingTaskGroup
  ) {
    guard accepts else { return invitation.decline(reason) }
    group.addTask { [self] in
      do throws(InvitationError) {
        try await invitation.accept(into: session)
      } catch {
        await queue.put(.acceptanceFailed(invitation.peer, error))
      }
    }
  }

  /// Follows a transfer to its end.
  func follow(_ transfer: ResourceTransfer, number: Int, _ group: inout DiscardingTaskGroup) {
    group.addTask { [self] in
      for await progress in transfer.progress { await queue.put(.progress(number, progress)) }
      let result: Result<TransferSummary, TransferError>
      do throws(TransferError) {
        result = .success(try await transfer.value)
      } catch {
        result = .failure(error)
      }
      await queue.put(.transferEnded(number, result))
    }
  }

  /// Sends a tick a few times a second, for what depends on time.
  func tick(every period: Duration, _ group: inout DiscardingTaskGroup) {
    group.addTask { [self] in
      while !Task.isCancelled {
        do { try await Task.sleep(for: period) } catch { return }
        // A queue that is full is busy enough.
        _ = queue.offer(.tick)
      }
    }
  }
}

extension TerminalInput {
  /// Hands on what happens at the terminal.
  func forward(to queue: EventQueue<MeetingEvent>, _ group: inout DiscardingTaskGroup) {
    group.addTask { [self] in
      while let event = await next() { await queue.put(.terminal(event)) }
    }
  }
}

extension Logger {
  /// The library's log into this one.
  fileprivate var handler: PeerNode.LogHandler {
    { level, text in
      switch level {
      case .error: error(text)
      case .warning: warning(text)
      case .notice: notice(text)
      case .info: info(text)
      case .debug: debug(text)
      }
    }
  }
}

extension PeerSession.DisconnectReason {
  /// For people.
  var words: String {
    switch self {
    case .left(let text): text.isEmpty ? "it left" : "it left: \(text.shown(maximumScalars: 200))"
    case .disconnected: "ended here"
    case .silent: "silent for 8 s; the connection goes on if it comes back"
    case .connectionLost(let text): "connection lost: \(text)"
    case .restarted: "its program was restarted"
    case .untrusted: "not trusted any more"
    case .protocolError(let text): "it broke the protocol: \(text)"
    case .invitation(let error): "\(error)"
    }
  }
}

extension PeerBrowser.Event {
  /// As the lobby takes it; nil for what is about browsing itself.
  var lobbyInput: Lobby.Input? {
    switch self {
    case .found(let peer, let info), .updated(let peer, let info):
      .found(
        peer.id, name: peer.displayName, purpose: info[Purpose.discoveryKey].flatMap(Purpose.init),
        isPaired: peer.isTrusted)
    case .lost(let peer): .lost(peer.id)
    case .available, .unavailable: nil
    }
  }
}

extension PeerBrowser.Event {
  /// What the person has to know of browsing itself.
  var notice: Notice? {
    if case .unavailable(let reason) = self { .problem("cannot look for others: \(reason)") } else { nil }
  }
}

extension Notice {
  static func connectFailed(_ endpoint: PeerEndpoint, _ error: InvitationError, isFinal: Bool) -> Notice {
    .problem("\(endpoint): \(error)\(isFinal ? "" : "; trying again")")
  }
}

extension Meeting {
  /// Who we are and where we can be reached, for people.
  var introduction: String { "you are \(shownName(node.displayName)) (\(node.id.short)), port \(node.port)" }
}

extension PeerAdvertiser.State {
  /// What the person has to know; nil for what was expected.
  func notice(name own: String) -> Notice? {
    switch self {
    case .stopped, .hidden: nil
    case .advertising(let name):
      name == own ? nil : .event("others see you as \(shownName(name)), since the name is taken")
    case .waiting(let reason): reason.isEmpty ? nil : .problem("others cannot see you yet: \(reason)")
    case .failed(let reason): .problem("others cannot see you: \(reason)")
    }
  }
}

extension TransferDesk {
  /// An offer as the lobby takes it.
  mutating func lobbyInput(_ offer: IncomingResource) -> Lobby.Input {
    let isFolder: Bool
    switch offer.kind {
    case .file: isFolder = false
    case .folder: isFolder = true
    }
    return .offered(
      offer.peer.id, number: take(offer), name: offer.name, isFolder: isFolder, byteCount: offer.byteCount)
  }
}

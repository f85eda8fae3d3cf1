import Glibc
import PeerConnectivity
import Synchronization

/// A node with a session, whose events are noted as they come.
final class TestNode: Sendable {
  /// How it treats invitations.
  enum Door: Sendable {
    case open
    case declining(String)
    /// Takes invitations and never answers.
    case silent
    case closed
  }

  let node: PeerNode
  let session: PeerSession
  let advertiser: PeerAdvertiser
  let log = EventLog()
  private let reader: Task<Void, Never>?
  private let doorkeeper: Task<Void, Never>

  init(
    _ name: String, door: Door = .open, trust: TrustPolicy = .askAlways, stateDirectory: String? = nil,
    serviceType: String = "peer-test", readsEvents: Bool = true,
    visibility: PeerAdvertiser.Visibility = .hidden,
    listen: PeerNode.ListenAddress = .loopback
  ) throws {
    _ = TestNode.noSystemBus
    node = try PeerNode(
      displayName: name, serviceType: ServiceType(serviceType), stateDirectory: stateDirectory, trust: trust,
      listen: listen)
    session = PeerSession(node: node)
    advertiser = PeerAdvertiser(node: node, visibility: visibility)
    let (events, log) = (session.events, log)
    reader =
      readsEvents ? Task { for await event in events { log.note(event) } } : nil
    if case .closed = door {} else { advertiser.start() }
    let (invitations, session) = (advertiser.invitations, session)
    doorkeeper = Task { [weak session] in
      var kept: [PeerInvitation] = []
      for await invitation in invitations {
        log.note(invitation)
        switch door {
        case .open: if let session { try? await invitation.accept(into: session) }
        case .declining(let reason): invitation.decline(reason)
        case .silent: kept.append(invitation)
        case .closed: break
        }
      }
      withExtendedLifetime(kept) {}
    }
  }

  deinit {
    reader?.cancel()
    doorkeeper.cancel()
  }

  /// Sends a message and waits until it is there.
  func say(to other: TestNode) async throws {
    let before = other.log.messages.count
    try await session.send([1], to: [other.peer])
    guard await eventually({ other.log.messages.count > before }) else { throw SendError.cancelled }
  }

  var endpoint: PeerEndpoint { PeerEndpoint(host: "127.0.0.1", port: node.port) }
  var peer: Peer { node.peer }

  /// Nobody else's bus; a test that runs beside avahi-daemon must not announce anything.
  private static let noSystemBus: Void = {
    setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere/bus", 0)
  }()
}

/// What a session reported, for tests to wait on.
final class EventLog: Sendable {
  private struct State {
    var events: [PeerSession.Event] = []
    var invitations: [(peer: Peer, context: [UInt8], deadline: ContinuousClock.Instant)] = []
  }

  private let state = Mutex(State())

  func note(_ event: PeerSession.Event) { state.withLock { $0.events.append(event) } }
  func note(_ invitation: PeerInvitation) {
    state.withLock { $0.invitations.append((invitation.peer, invitation.context, invitation.deadline)) }
  }

  var events: [PeerSession.Event] { state.withLock { $0.events } }
  var invitations: [(peer: Peer, context: [UInt8], deadline: ContinuousClock.Instant)] {
    state.withLock { $0.invitations }
  }
  var texts: [String] { messages.map(\.text) }
  var messages: [PeerMessage] {
    events.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }
  func states(of peer: Peer) -> [PeerSession.State] {
    events.compactMap { if case .state(peer, let state) = $0 { state } else { nil } }
  }
}

/// Waits for something that happens on other threads.
func eventually(
  within limit: Duration = .seconds(15), _ condition: @Sendable () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now.advanced(by: limit)
  while ContinuousClock.now < deadline {
    if try await condition() { return true }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return try await condition()
}

extension PeerSession.State {
  var isConnected: Bool {
    if case .connected = self { true } else { false }
  }
  var isNotConnected: Bool {
    if case .notConnected = self { true } else { false }
  }
}

/// A number that several tasks share.
final class Counter: Sendable {
  let value = Atomic<Int>(0)

  /// Waits until it has begun and stands still while the same two peers exchange messages: not for a time, which a busy machine would stretch.
  func stops(while one: TestNode, talksTo other: TestNode) async throws -> Bool {
    for _ in 0..<200 {
      let before = value.load(ordering: .relaxed)
      for _ in 0..<30 { try await one.say(to: other) }
      if before > 0, value.load(ordering: .relaxed) == before { return true }
    }
    return false
  }
}

import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// What becomes of an incoming connection that begins with a frame of another purpose than a session.
struct Purpose {
  /// Whether peers that are not trusted may come with it too, as for pairing.
  var admitsStrangers = false
  /// Takes the connection over, with its first frame: keeps it, sets `onEvent`, ends it. The transceiver goes on to call `tick()`.
  var begin: (FramedConnection, ControlFrame) -> Void
}

/// Takes incoming connections in, bounds what strangers may cost, and finds out by the first frame what each is for.
///
/// Nothing is said to a caller before its first frame, except why it is sent away.
final class Reception {
  /// By the type of the first frame, 16 to 31.
  var purposes: [UInt8: Purpose] = [:]

  private enum Stage {
    case handshaking
    case awaitingPurpose(until: ContinuousClock.Instant)
    /// In the hands of its purpose; counts as a stranger here until it is admitted.
    case handedOver
  }

  private struct Caller {
    let connection: FramedConnection
    var stage = Stage.handshaking
  }

  private unowned let owner: PeerTransceiver
  private var listener: TCPListener?
  private var acceptFaults = FaultCounter(period: .seconds(60))
  /// In the order of their arrival.
  private var callers: [Caller] = []

  init(owner: PeerTransceiver) { self.owner = owner }

  var localAddress: SocketAddress? { listener?.localAddress }

  func listen(on address: SocketAddress) throws(SystemError) {
    let listener = try TCPListener(on: address, loop: owner.loop)
    listener.onAccept = { [weak self] connection in self?.accepted(connection) }
    listener.onError = { [weak self] error in self?.cannotAccept(error) }
    self.listener = listener
  }

  func stop() {
    listener?.close()
    listener = nil
    for caller in callers {
      switch caller.stage {
      case .handshaking, .awaitingPurpose: caller.connection.finish()
      case .handedOver: break
      }
    }
  }

  func tick() {
    let now = owner.loop.now
    for caller in callers {
      if case .awaitingPurpose(let deadline) = caller.stage, now >= deadline {
        sendAway(caller.connection, .other, SessionEnd.timedOut(.introduction).description)
      }
    }
    callers.removeAll { caller in
      if case .handedOver = caller.stage, caller.connection.isAdmitted { return true }
      return caller.connection.isEnded
    }
  }

  private func cannotAccept(_ error: SystemError) {
    guard let count = acceptFaults.record(at: owner.loop.now) else { return }
    owner.logger.warning("cannot accept a connection: \(error)", ["faults": "\(count)"])
  }

  private func accepted(_ tcp: TCPConnection) {
    makeRoom(for: tcp.remote.host)
    guard let connection = owner.secure(tcp, isOutgoing: false, policy: .any) else { return }
    callers.append(Caller(connection: connection))
    connection.onEvent = { [weak self, weak connection] event in
      guard let self, let connection else { return }
      handle(event, of: connection)
    }
  }

  /// Closes the oldest stranger, of the newcomer's own address or else of the address with most of them, when there are too many.
  ///
  /// Whoever opens connections and leaves them so loses only their own; a trusted peer needs a moment and gets it at once. Turning
  /// the newcomer away instead would keep it out for as long as somebody holds the places.
  private func makeRoom(for host: SocketAddress.Host) {
    let strangers = callers.map(\.connection).filter { !$0.isAdmitted && !$0.isEnded }
    let counts = strangers.reduce(into: [:]) { counts, one in counts[one.remote.host, default: 0] += 1 }
    let crowded: SocketAddress.Host?
    if counts[host, default: 0] >= owner.limits.strangersPerAddress {
      crowded = host
    } else if strangers.count >= owner.limits.strangers {
      crowded = counts.max { $0.value < $1.value }?.key
    } else {
      return
    }
    strangers.first { $0.remote.host == crowded }?.drop("made room for others")
    callers.removeAll(where: \.connection.isEnded)
  }

  private func handle(_ event: FramedConnection.Event, of connection: FramedConnection) {
    switch event {
    case .authenticated(let id): authenticated(id, connection)
    case .frame(let frame):
      if let id = connection.peerID { began(with: frame, id, connection) }
    case .malformed(let error): sendAway(connection, .protocolError, error.description)
    case .drained, .lost: break
    }
  }

  private func authenticated(_ id: PeerID, _ connection: FramedConnection) {
    if id == owner.identity.peerID {
      return refuse(
        connection, .declined,
        "this is the same identity as its peer's: give each computer its own state")
    }
    guard let index = callers.firstIndex(where: { $0.connection === connection }) else { return }
    let verdict = owner.verdict(on: id)
    switch verdict {
    case .trusted, .ask:
      let others = callers.count {
        guard case .awaitingPurpose = $0.stage else { return false }
        return $0.connection.peerID == id && $0.connection.isOpen
      }
      guard others + owner.unconnectedSessions(of: id) < owner.limits.sessionsPerPeer else {
        return refuse(connection, .busy, "too many connections of one peer")
      }
    case .refuse:
      // It may have come to be paired; unless there is such a purpose now, not one of its frames is read.
      guard purposes.values.contains(where: \.admitsStrangers) else { return refuseStranger(id, connection) }
    }
    // Whoever only may ask goes on to hold a stranger's place: there is no end of identities.
    connection.isAdmitted = verdict == .trusted
    callers[index].stage = .awaitingPurpose(
      until: owner.loop.now.advanced(by: owner.limits.session.introduction))
  }

  private func began(with frame: ControlFrame, _ id: PeerID, _ connection: FramedConnection) {
    guard let index = callers.firstIndex(where: { $0.connection === connection }) else { return }
    let verdict = owner.verdict(on: id)
    if case .purpose(let type, _) = frame, let purpose = purposes[type] {
      guard verdict != .refuse || purpose.admitsStrangers else { return refuseStranger(id, connection) }
      callers[index].stage = .handedOver
      connection.onEvent = nil
      return purpose.begin(connection, frame)
    }
    guard verdict != .refuse else { return refuseStranger(id, connection) }
    switch frame {
    case .hello:
      callers[index].stage = .handedOver
      owner.called(connection, by: id, frame)
    case .resume(let sessionID, let received):
      callers[index].stage = .handedOver
      guard !owner.resumes(connection, id, sessionID: sessionID, received: received) else { return }
      // It may begin a new session instead. The handler may have changed the list.
      if let index = callers.firstIndex(where: { $0.connection === connection }) {
        callers[index].stage = .awaitingPurpose(
          until: owner.loop.now.advanced(by: owner.limits.session.introduction))
      }
    case .goodbye, .decline: connection.finish()
    case .invitation, .accept, .ping, .pong, .message, .acknowledge, .resumed, .datagramOffer,
      .relayed, .purpose:
      sendAway(connection, .protocolError, "a frame that has no place here")
    }
  }

  private func refuseStranger(_ id: PeerID, _ connection: FramedConnection) {
    refuse(connection, .untrusted, "unknown identity \(id.hex)")
    owner.onStranger?(id, connection.remote)
  }

  private func refuse(_ connection: FramedConnection, _ reason: PeerReason, _ text: String) {
    connection.send(.decline(reason, text: text))
    connection.finish()
  }

  private func sendAway(_ connection: FramedConnection, _ reason: PeerReason, _ text: String) {
    connection.send(.goodbye(reason, text: text))
    connection.finish()
  }
}

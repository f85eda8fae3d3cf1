import PeerProtocol
import SecureTransport
import ServiceRuntime

/// How sessions begin, are taken up again, and end.
extension PeerTransceiver {
  // MARK: Incoming

  /// A peer that may come begins a session with its first frame.
  func called(_ connection: FramedConnection, by id: PeerID, _ first: ControlFrame) {
    guard sessions[id] != nil || sessions.count < limits.sessions || dropDormantSession() else {
      connection.send(.decline(.busy, text: "\(limits.sessions) peers are connected already"))
      return connection.finish()
    }
    begin(on: connection, with: id, role: .host) { _ in }.received(first)
  }

  /// A peer wants to take a session up again, with its first frame.
  ///
  /// - Returns: false when there is no such session: the peer may begin a new one on the same connection.
  func resumes(
    _ connection: FramedConnection, _ id: PeerID, sessionID: [UInt8], received: UInt64
  ) -> Bool {
    guard let session = sessions[id], !session.isInviter, isEqualInConstantTime(session.id, sessionID),
      session.resume(on: connection, received: received)
    else {
      connection.send(.decline(.unknownSession, text: "begin a new session"))
      return false
    }
    return true
  }

  /// Room for a new peer, at the cost of one that may never come back.
  private func dropDormantSession() -> Bool {
    guard let dormant = sessions.values.first(where: { !$0.isTold }) else { return false }
    dormant.disconnect(.busy)
    return true
  }

  // MARK: Outgoing

  /// What a connection was opened for.
  struct Wish {
    /// The application asked for this peer.
    let isExplicit: Bool
    let context: [UInt8]
    let timeLimitSeconds: UInt16
  }

  enum Reached {
    /// A session begins or is taken up again; `onOutcome` tells how that ends.
    case underway(cancel: (PeerReason) -> Void)
    case failed(SessionEnd)
  }

  /// A peer was dialled and has proven who it is.
  ///
  /// - Parameter onOutcome: nil: it is connected.
  func reached(
    _ connection: FramedConnection, _ id: PeerID, _ wish: Wish, onOutcome: @escaping (SessionEnd?) -> Void
  ) -> Reached {
    func refuse(_ reason: PeerReason, _ text: String) -> Reached {
      connection.send(.decline(reason, text: text))
      connection.finish()
      return .failed(.disconnected(reason))
    }
    if id == identity.peerID {
      return refuse(.declined, "this is the same identity as its peer's: give each computer its own state")
    }
    let session = sessions[id]
    let verdict = verdict(on: id)
    guard verdict == .trusted || verdict == .ask && (wish.isExplicit || session != nil) else {
      onStranger?(id, connection.remote)
      return refuse(.untrusted, "unknown identity \(id.hex)")
    }
    // Two ways to the same peer, such as two announcements: the first one stays.
    if resumptions.contains(where: { !$0.isOver && $0.session.peer.id == id })
      || introductions.contains(where: { $0.peerID == id && $0.connection.isOutgoing })
    {
      return refuse(.replaced, "already connected")
    }
    if let session, session.isInviter || session.isTold {
      guard session.isInviter, session.wantsControl else { return refuse(.replaced, "already connected") }
      return .underway(cancel: resume(session, on: connection, wish, onOutcome))
    }
    return .underway(cancel: invite(on: connection, id, wish, onOutcome))
  }

  private func invite(
    on connection: FramedConnection, _ id: PeerID, _ wish: Wish, _ onOutcome: @escaping (SessionEnd?) -> Void
  ) -> (PeerReason) -> Void {
    let introduction = begin(
      on: connection, with: id,
      role: .inviter(timeLimitSeconds: wish.timeLimitSeconds, context: wish.context), onOutcome: onOutcome)
    introduction.start()
    return { [weak introduction] reason in introduction?.disconnect(reason) }
  }

  private func resume(
    _ session: Session, on connection: FramedConnection, _ wish: Wish,
    _ onOutcome: @escaping (SessionEnd?) -> Void
  ) -> (PeerReason) -> Void {
    let resumption = Resumption(
      of: session, on: connection, within: limits.session.introduction, loop: loop
    ) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .failed(let end): onOutcome(end)
      case .resumed(let received):
        guard session.resume(on: connection, received: received) else {
          connection.finish()
          return onOutcome(.brokeProtocol("the sessions do not fit together"))
        }
        onOutcome(nil)
      case .unknown:
        // Whether it was started anew or has forgotten, a new session says.
        session.end(.connectionLost("the other side does not know the session any more"))
        guard !isStopped, connection.isOpen else { return onOutcome(.connectionLost("ended meanwhile")) }
        _ = invite(on: connection, session.peer.id, wish, onOutcome)
      }
    }
    resumptions.append(resumption)
    return { [weak resumption] _ in resumption?.cancel() }
  }

  // MARK: Introductions

  private func begin(
    on connection: FramedConnection, with id: PeerID, role: SessionStateMachine.Role,
    onOutcome: @escaping (SessionEnd?) -> Void
  ) -> Introduction {
    let introduction = Introduction(
      connection, with: id, role: role, own: own, limits: limits.session, loop: loop)
    introductions.append(introduction)
    introduction.onEvent = { [weak self, weak introduction] event in
      guard let self, let introduction else { return }
      switch event {
      case .invited(let hello, let context, let limit): invited(hello, context, limit, introduction)
      case .connected(let hello):
        forget(introduction)
        onOutcome(nil)
        connected(Peer(id: id, name: hello.name, runID: hello.runID), introduction.connection)
      case .ended(let reason):
        forget(introduction)
        onOutcome(reason)
      }
    }
    return introduction
  }

  private func forget(_ introduction: Introduction) {
    waitingInvitations[ObjectIdentifier(introduction)] = nil
    introductions.removeAll { $0 === introduction }
  }

  /// Sessions with a peer that are on their way.
  func unconnectedSessions(of id: PeerID) -> Int { introductions.count { $0.peerID == id } }

  private func invited(
    _ hello: Hello, _ context: [UInt8], _ timeLimit: Duration, _ introduction: Introduction
  ) {
    let id = introduction.peerID
    // The newest invitation counts. Not sooner: of two connections that race the inviter itself drops one before it invites.
    for other in introductions
    where other !== introduction && other.peerID == id && !other.connection.isOutgoing {
      other.disconnect(.replaced)
    }
    if resolveMutualInvitation(of: id, introduction) { return }
    let invitation = Invitation(
      peer: Peer(id: id, name: hello.name, runID: hello.runID), isTrusted: verdict(on: id) == .trusted,
      context: context, timeLimit: timeLimit,
      accept: { [weak introduction, weak self] in
        guard let introduction else { return }
        self?.waitingInvitations[ObjectIdentifier(introduction)] = nil
        introduction.accept()
      },
      decline: { [weak introduction] reason, text in introduction?.decline(reason, text: text) })
    if let onInvitation {
      waitingInvitations[ObjectIdentifier(introduction)] = introduction
      onInvitation(invitation)
    } else if invitation.isTrusted {
      introduction.accept()
    } else {
      introduction.decline(.untrusted, text: "nobody is here to ask")
    }
  }

  /// Both sides invite each other: the invitation of the smaller identity counts, on both sides.
  ///
  /// - Returns: whether this one is decided by that.
  private func resolveMutualInvitation(of id: PeerID, _ introduction: Introduction) -> Bool {
    let mine = introductions.filter { $0.peerID == id && $0.connection.isOutgoing }
    // What has not reached the peer yet cannot be in its way.
    if !mine.isEmpty, identity.peerID < id {
      introduction.decline(.replaced, text: "both sides invite: the other invitation counts")
      return true
    }
    let isInviting = dialler.isInviting(id)
    guard !mine.isEmpty || isInviting else { return false }
    dialler.yield(to: id)
    // Who invites does not have to be asked.
    if isInviting { introduction.accept() }
    return isInviting
  }

  /// The application invites somebody whose own invitation waits for an answer.
  func acceptWaitingInvitation(of id: PeerID) {
    guard let waiting = waitingInvitations.first(where: { $0.value.peerID == id }) else { return }
    waitingInvitations[waiting.key] = nil
    dialler.yield(to: id)
    waiting.value.accept()
  }

  // MARK: Sessions

  private func connected(_ peer: Peer, _ connection: FramedConnection) {
    // The peer proved the same key again: it restarted or lost its old session before this side noticed.
    if let old = sessions.removeValue(forKey: peer.id) {
      let reason: SessionEnd = old.peer.runID == peer.runID ? .disconnected(.replaced) : .restarted
      old.onEvent = nil
      old.superseded(reason)
      ended(old, reason)
      // The application may have ended this one just now.
      guard !isStopped, connection.isOpen else { return connection.finish() }
    }
    let session: Session
    do throws(TLSError) {
      session = try Session(
        with: peer, on: connection, limits: limits.planes, filter: datagramFilter, loop: loop)
    } catch {
      logger.warning("a session could not begin: \(error)", ["peer": peer.id.short])
      return connection.finish()
    }
    sessions[peer.id] = session
    session.onEvent = { [weak self, weak session] event in
      guard let self, let session else { return }
      handle(event, of: session)
    }
    transfers.sessionBegan(
      with: peer.id,
      keys: TransferSessionKeys(isInviter: session.isInviter, sessionID: session.id, secret: session.secret),
      remote: session.hostAddress)
    tellConnected(session)
  }

  private func tellConnected(_ session: Session) {
    session.isTold = true
    dialler.connected(session.peer)
    // The application may have ended it in the answer to an invitation of its own.
    guard session.isConnected else { return }
    onConnected?(session.peer)
  }

  private func handle(_ event: Session.Event, of session: Session) {
    let id = session.peer.id
    switch event {
    case .message(let message, let arrival, let delay):
      guard session.isTold else { return }
      if message.messageClass == TransferMessage.messageClass {
        return transfers.received(message.payload, from: id)
      }
      onMessage?(
        session.peer,
        ReceivedMessage(
          messageClass: message.messageClass, payload: message.payload, arrival: arrival, delay: delay,
          receivedAt: loop.now))
    case .fellSilent:
      session.isTold = false
      transfers.sessionFellSilent(with: id)
      onDisconnected?(session.peer, .timedOut(.silence))
    case .returned:
      // Before anything else it brings: what is reopened is not worth waiting for.
      dialler.hurry(id)
      transfers.sessionCameBack(with: id, remote: session.hostAddress)
      tellConnected(session)
    case .controlLost(let text): dialler.lostControl(of: id, text)
    case .writable: onWritable?(id)
    case .ended(let reason):
      if sessions[id] === session { sessions[id] = nil }
      ended(session, reason)
    }
  }

  private func ended(_ session: Session, _ reason: SessionEnd) {
    dialler.sessionEnded(with: session.peer.id, reason)
    transfers.sessionEnded(with: session.peer.id)
    guard session.isTold else { return }
    session.isTold = false
    onDisconnected?(session.peer, reason)
  }
}

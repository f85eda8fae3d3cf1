import PeerLink
import PeerProtocol
import ServiceRuntime

/// Whom to connect to.
enum Destination: Sendable {
  case peer(Peer)
  case endpoint(PeerEndpoint, Peer.ID?)
}

/// An invitation that was not answered yet.
struct OpenInvitation {
  let link: PeerLink.Invitation
  let peer: Peer
  let deadline: ContinuousClock.Instant
}

/// A peer's place in a session; confined to the node's loop.
final class Member {
  typealias Answer = Result<Peer, InvitationError>

  enum Phase: Equatable {
    /// Invited by this side.
    case inviting
    /// Its invitation was accepted.
    case accepting
    case connected
    /// Silent, and expected back.
    case dormant
    /// A newer connection takes the place of the old one at this moment.
    case replacing
  }

  let session: SessionRecord
  var peer: Peer
  var phase: Phase
  /// Who waits for it to be connected.
  var waiters: [(token: UInt64, continuation: CheckedContinuation<Answer, Never>)] = []
  var senders = Fifo<Sender>()
  var runID: UInt64?
  /// The link's invitation while this side invites.
  var inviteToken: UInt64?

  init(_ peer: Peer, in session: SessionRecord, _ phase: Phase) {
    self.peer = peer
    self.session = session
    self.phase = phase
  }

  func answer(_ answer: Answer) {
    let all = waiters
    waiters = []
    for waiter in all { waiter.continuation.resume(returning: answer) }
  }
}

extension NodeRuntime {
  /// Runs remembered, so that a restart shows.
  private static let maximumRememberedRuns = 1024
  /// The link takes a silent peer up again for as long as this.
  private static let returnLimit: Duration = .seconds(600)

  nonisolated func add(_ session: SessionRecord) {
    submit { runtime in
      guard runtime.transceiver != nil else { return session.finish() }
      runtime.sessions[ObjectIdentifier(session)] = session
    }
  }

  nonisolated func remove(_ session: SessionRecord) {
    submit { runtime in
      guard runtime.sessions.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
      runtime.removeMembers(of: session, .ended("the session was released"))
      session.finish()
    }
  }

  // MARK: Invite

  func invite(
    _ destination: Destination, context: [UInt8], timeLimit: Duration, into session: SessionRecord
  ) async throws(InvitationError) -> Peer {
    guard let transceiver, sessions[ObjectIdentifier(session)] != nil else {
      throw .ended("the node is stopped")
    }
    let limit = min(max(timeLimit, .seconds(1)), .seconds(300))
    // Both sides watch the time, and a little of it passes on the way.
    let deadline = loop.now.advanced(by: limit - .milliseconds(200))
    let context = Array(context.prefix(PeerSession.maximumContextBytes))
    switch destination {
    case .endpoint(let endpoint, let expected):
      try checkRoom(in: session)
      return try await invite(
        endpoint, expecting: expected, context, limit, deadline: deadline, into: session)
    case .peer(let peer):
      if peer.id == id { throw .unreachable("it is this program itself") }
      if let member = members[peer.id] {
        guard member.session === session else { throw .inAnotherSession }
        switch member.phase {
        case .connected: return member.peer
        case .inviting, .accepting, .replacing: return try await wait(for: member)
        case .dormant: member.phase = .inviting
        }
      } else {
        try checkRoom(in: session)
        members[peer.id] = Member(peer, in: session, .inviting)
      }
      guard let member = members[peer.id] else { throw .cancelled }
      report(member, .connecting)
      let token = transceiver.invite(peer.id.link, context: context, timeLimit: limit) { result in
        self.answered(member, result, timeIsUp: self.loop.now >= deadline)
      }
      // The answer may have come already.
      if member.phase == .inviting { member.inviteToken = token }
      return try await wait(for: member)
    }
  }

  private func checkRoom(in session: SessionRecord) throws(InvitationError) {
    guard members.values.count(where: { $0.session === session }) < PeerSession.maximumPeers else {
      throw .busy("\(PeerSession.maximumPeers) peers are in the session already")
    }
  }

  /// Waits until a member is connected or gone.
  private func wait(for member: Member) async throws(InvitationError) -> Peer {
    let token = takeToken()
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(returning: Member.Answer.failure(.cancelled))
          giveUpIfUnwanted(member)
        } else if members[member.peer.id] !== member {
          continuation.resume(returning: .failure(.ended("")))
        } else if member.phase == .connected {
          continuation.resume(returning: .success(member.peer))
        } else {
          member.waiters.append((token, continuation))
        }
      }
    } onCancel: {
      submit { $0.cancelWait(token) }
    }
    return try answer.get()
  }

  private func cancelWait(_ token: UInt64) {
    for member in members.values {
      guard let index = member.waiters.firstIndex(where: { $0.token == token }) else { continue }
      member.waiters.remove(at: index).continuation.resume(returning: .failure(.cancelled))
      giveUpIfUnwanted(member)
      return
    }
  }

  /// Nobody waits for the answer any more.
  private func giveUpIfUnwanted(_ member: Member) {
    guard member.phase == .inviting, member.waiters.isEmpty, members[member.peer.id] === member else {
      return
    }
    cancelInvitation(of: member)
  }

  private func cancelInvitation(of member: Member) {
    let token = member.inviteToken
    // Out of the list first: what the link says now is no news.
    leave(member, .invitation(.cancelled))
    if let token { transceiver?.cancelInvitation(token) }
  }

  nonisolated func cancelInvitation(of id: Peer.ID, in session: SessionRecord) {
    submit { runtime in
      guard let member = runtime.members[id], member.session === session, member.phase == .inviting else {
        return
      }
      runtime.cancelInvitation(of: member)
    }
  }

  private func answered(
    _ member: Member, _ result: Result<PeerLink.Peer, PeerLink.InvitationError>, timeIsUp: Bool
  ) {
    member.inviteToken = nil
    let current = members[member.peer.id]
    switch result {
    case .success(let link), .failure(.alreadyConnected(let link)):
      if current === member { connected(link) }
      // Given up meanwhile.
      if current == nil { transceiver?.disconnect(link.id) }
    case .failure(let error):
      if current === member, member.phase == .inviting {
        leave(member, .invitation(InvitationError(error, timeIsUp: timeIsUp)))
      }
    }
  }

  private func invite(
    _ endpoint: PeerEndpoint, expecting expected: Peer.ID?, _ context: [UInt8], _ limit: Duration,
    deadline: ContinuousClock.Instant, into session: SessionRecord
  ) async throws(InvitationError) -> Peer {
    let token = takeToken()
    let answer: Member.Answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard let transceiver, !Task.isCancelled else {
          return continuation.resume(returning: .failure(.cancelled))
        }
        let invite = EndpointInvite(session: session, expected: expected, continuation: continuation)
        endpointInvites[token] = invite
        invite.linkToken = transceiver.invite(
          PeerLink.PeerEndpoint(host: endpoint.host, port: endpoint.port), context: context, timeLimit: limit
        ) { result in self.answered(token, result, timeIsUp: self.loop.now >= deadline) }
      }
    } onCancel: {
      submit { $0.cancelEndpointInvite(token, .cancelled) }
    }
    return try answer.get()
  }

  private func cancelEndpointInvite(_ token: UInt64, _ error: InvitationError) {
    guard let invite = endpointInvites.removeValue(forKey: token) else { return }
    if let linkToken = invite.linkToken { transceiver?.cancelInvitation(linkToken) }
    invite.continuation.resume(returning: .failure(error))
  }

  private func answered(
    _ token: UInt64, _ result: Result<PeerLink.Peer, PeerLink.InvitationError>, timeIsUp: Bool
  ) {
    let invite = endpointInvites.removeValue(forKey: token)
    switch result {
    case .failure(.alreadyConnected(let link)), .success(let link):
      settle(invite, link)
    case .failure(let error):
      invite?.continuation.resume(returning: .failure(InvitationError(error, timeIsUp: timeIsUp)))
    }
  }

  /// Somebody answered at an endpoint.
  private func settle(_ invite: EndpointInvite?, _ link: PeerLink.Peer) {
    let id = Peer.ID(link.id)
    let member = members[id]
    guard let invite, sessions[ObjectIdentifier(invite.session)] != nil else {
      // Given up meanwhile.
      if member == nil { transceiver?.disconnect(link.id) }
      return
    }
    if let expected = invite.expected, expected != id {
      if member == nil { transceiver?.disconnect(link.id) }
      return invite.continuation.resume(
        returning: .failure(.unreachable("somebody else is there: \(link.name) (\(id.short))")))
    }
    if let member, member.session !== invite.session {
      return invite.continuation.resume(returning: .failure(.inAnotherSession))
    }
    let joined = member ?? Member(peer(link), in: invite.session, .inviting)
    members[id] = joined
    connected(link)
    invite.continuation.resume(returning: .success(joined.peer))
  }

  // MARK: Be invited

  func invited(_ link: PeerLink.Invitation) {
    let now = loop.now
    invitations = invitations.filter { $0.value.deadline > now }
    let peer = peer(link.peer)
    if let member = members[peer.id], member.phase == .inviting {
      // Both want it: nobody has to be asked.
      return link.accept()
    }
    guard let advertiser else { return link.decline(.busy, "it takes no invitations at present") }
    var hasRoom = false
    advertiser.invitations.update { hasRoom = $0.hasRoom(at: now) }
    guard hasRoom else { return link.decline(.busy, "too many invitations wait for an answer") }
    let token = takeToken()
    let deadline = now.advanced(by: link.timeLimit)
    invitations[token] = OpenInvitation(link: link, peer: peer, deadline: deadline)
    let invitation = PeerInvitation(
      peer: peer, context: link.context, deadline: deadline,
      answer: InvitationAnswer(runtime: self, token: token))
    advertiser.invitations.update { $0.append(invitation) }
  }

  func accept(_ token: UInt64, into session: SessionRecord) async throws(InvitationError) {
    guard let invitation = invitations.removeValue(forKey: token) else { throw .ended("answered before") }
    guard sessions[ObjectIdentifier(session)] != nil else {
      invitation.link.decline(.shuttingDown, "")
      throw .ended("the session has ended")
    }
    guard invitation.deadline > loop.now else { throw .timedOut }
    let peer = invitation.peer
    if let member = members[peer.id] {
      guard member.session === session else {
        invitation.link.decline(.busy, "it is in another session of the same program")
        throw .inAnotherSession
      }
      // It lost the connection before this side noticed, or both invite each other.
      if member.phase != .connected { report(member, .connecting) }
      invitation.link.accept()
      _ = try await wait(for: member)
      return
    }
    do throws(InvitationError) { try checkRoom(in: session) } catch {
      invitation.link.decline(.busy, error.description)
      throw error
    }
    let member = Member(peer, in: session, .accepting)
    members[peer.id] = member
    report(member, .connecting)
    invitation.link.accept()
    if member.phase == .accepting {
      // The connection has ended before; if it was not said yet it will not come any more.
      loop.schedule(after: .seconds(5)) {
        if self.members[peer.id] === member, member.phase == .accepting {
          self.leave(member, .invitation(.ended("the inviter is gone")))
        }
      }
    }
    _ = try await wait(for: member)
  }

  nonisolated func decline(_ token: UInt64, _ reason: String) {
    submit { $0.invitations.removeValue(forKey: token)?.link.decline(.declined, reason) }
  }

  // MARK: Come and go

  func connected(_ link: PeerLink.Peer) {
    let id = Peer.ID(link.id)
    guard let member = members[id] else {
      // An endpoint's answer follows; anybody else was given up meanwhile.
      if endpointInvites.isEmpty { transceiver?.disconnect(link.id) }
      return
    }
    guard member.phase != .connected || member.runID != link.runID else { return }
    let isRestarted = lastRuns[id].map { $0 != link.runID } ?? false
    if lastRuns.count >= NodeRuntime.maximumRememberedRuns { lastRuns = [:] }
    lastRuns[id] = link.runID
    if member.phase == .replacing {
      report(
        member, .notConnected(isRestarted ? .restarted : .connectionLost("a newer connection took its place"))
      )
    }
    member.peer = peer(link)
    member.runID = link.runID
    member.phase = .connected
    member.session.setConnected(member.peer, true)
    report(member, .connected(isRestarted: isRestarted, isResumed: link.isResumed))
    // What waits of an earlier connection still counts.
    if member.session.events.read({ $0.isHeld(id) }) { transceiver?.setReading(false, from: link.id) }
    member.answer(.success(member.peer))
  }

  func disconnected(_ link: PeerLink.Peer, _ end: SessionEnd) {
    guard let member = members[Peer.ID(link.id)], member.phase == .connected else { return }
    switch end {
    case .restarted, .disconnected(.replaced):
      member.phase = .replacing
      failSenders(of: member)
    case .timedOut(.silence):
      member.phase = .dormant
      member.session.setConnected(member.peer, false)
      failSenders(of: member)
      report(member, .notConnected(.silent))
      loop.schedule(after: NodeRuntime.returnLimit) {
        if self.members[member.peer.id] === member, member.phase == .dormant {
          self.members[member.peer.id] = nil
        }
      }
    case .declined, .left, .disconnected, .timedOut, .connectionLost, .brokeProtocol, .versionMismatch:
      leave(member, PeerSession.DisconnectReason(end))
    }
  }

  nonisolated func disconnect(_ id: Peer.ID, in session: SessionRecord) {
    submit { runtime in
      guard let member = runtime.members[id], member.session === session else { return }
      runtime.disconnect(member)
    }
  }

  nonisolated func disconnectAll(in session: SessionRecord) {
    submit { runtime in
      for member in runtime.members.values where member.session === session { runtime.disconnect(member) }
    }
  }

  private func disconnect(_ member: Member) {
    let token = member.inviteToken
    // Out of the list first: what the link says now about the peer is no news.
    leave(member, .disconnected)
    if let token { transceiver?.cancelInvitation(token) }
    transceiver?.disconnect(member.peer.id.link)
  }

  /// All members of a session go, with one error for those who wait.
  func removeMembers(of session: SessionRecord, _ error: InvitationError) {
    for member in members.values where member.session === session {
      members[member.peer.id] = nil
      if let token = member.inviteToken { transceiver?.cancelInvitation(token) }
      transceiver?.disconnect(member.peer.id.link)
      member.answer(.failure(error))
      failSenders(of: member)
    }
    for (token, invite) in endpointInvites where invite.session === session {
      cancelEndpointInvite(token, error)
    }
  }

  private func leave(_ member: Member, _ reason: PeerSession.DisconnectReason) {
    guard members[member.peer.id] === member else { return }
    members[member.peer.id] = nil
    member.session.setConnected(member.peer, false)
    failSenders(of: member)
    report(member, .notConnected(reason))
    if case .invitation(let error) = reason {
      member.answer(.failure(error))
    } else {
      member.answer(.failure(.ended("")))
    }
  }

  private func report(_ member: Member, _ state: PeerSession.State) {
    member.session.events.update { $0.add(member.peer, state) }
  }

  /// The public face of a peer whose identity is proven.
  func peer(_ link: PeerLink.Peer) -> Peer {
    Peer(id: Peer.ID(link.id), displayName: link.name, isTrusted: paired.isTrusted(link.id))
  }
}

/// An invitation to an endpoint, whose peer is not known before it answers.
final class EndpointInvite {
  let session: SessionRecord
  let expected: Peer.ID?
  let continuation: CheckedContinuation<Member.Answer, Never>
  var linkToken: UInt64?

  init(
    session: SessionRecord, expected: Peer.ID?, continuation: CheckedContinuation<Member.Answer, Never>
  ) {
    self.session = session
    self.expected = expected
    self.continuation = continuation
  }
}

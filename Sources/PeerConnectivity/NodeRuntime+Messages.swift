import PeerLink
import PeerProtocol

/// A message that waits for room.
struct Sender {
  enum Outcome: Sendable {
    case sent
    case notConnected
    case cancelled
  }

  let token: UInt64
  let bytes: [UInt8]
  let channel: UInt8
  let mode: PeerLink.DeliveryMode
  let continuation: CheckedContinuation<Outcome, Never>
}

extension NodeRuntime {
  func send(
    _ bytes: [UInt8], to peers: [Peer], channel: UInt8, mode: DeliveryMode, from session: SessionRecord
  ) async throws(SendError) {
    precondition(channel < 240, "channel \(channel): 0 to 239")
    let maximum =
      mode == .unreliable ? PeerMessage.maximumUnreliableBytes : PeerMessage.maximumBytes
    guard bytes.count <= maximum else { throw .tooLarge(bytes: bytes.count, maximum: maximum) }
    let linkMode = PeerLink.DeliveryMode(mode)
    var missing: [Peer] = []
    var behind: [Member] = []
    // Everybody who can take it gets it at once; those who are behind keep nobody waiting but the caller.
    var addressed: Set<Peer.ID> = []
    for peer in peers where addressed.insert(peer.id).inserted {
      guard let member = members[peer.id], member.session === session, member.phase == .connected else {
        missing.append(peer)
        continue
      }
      switch attempt(bytes, to: member, channel, linkMode) {
      case .sent: break
      case .notConnected, .tooLarge: missing.append(member.peer)
      case .congested: if mode != .unreliable { behind.append(member) }
      }
    }
    for member in behind {
      switch await waitToSend(bytes, to: member, channel, linkMode) {
      case .sent: break
      case .notConnected: missing.append(member.peer)
      case .cancelled: throw .cancelled
      }
    }
    if !missing.isEmpty { throw .notConnected(missing) }
  }

  private func attempt(
    _ bytes: [UInt8], to member: Member, _ channel: UInt8, _ mode: PeerLink.DeliveryMode
  ) -> SendResult {
    guard let transceiver else { return .notConnected }
    // Nobody overtakes those who wait.
    if !member.senders.isEmpty, mode == .reliable { return .congested }
    return transceiver.send(channel, bytes, to: member.peer.id.link, mode: mode)
  }

  private func waitToSend(
    _ bytes: [UInt8], to member: Member, _ channel: UInt8, _ mode: PeerLink.DeliveryMode
  ) async -> Sender.Outcome {
    let token = takeToken()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard members[member.peer.id] === member, member.phase == .connected else {
          return continuation.resume(returning: .notConnected)
        }
        if Task.isCancelled { return continuation.resume(returning: .cancelled) }
        member.senders.append(
          Sender(token: token, bytes: bytes, channel: channel, mode: mode, continuation: continuation))
        // There may be room since it was refused.
        writable(member.peer.id.link)
      }
    } onCancel: {
      submit { $0.cancelSender(token) }
    }
  }

  private func cancelSender(_ token: UInt64) {
    for member in members.values {
      var kept = Fifo<Sender>()
      var cancelled: Sender?
      while let sender = member.senders.popFirst() {
        if sender.token == token { cancelled = sender } else { kept.append(sender) }
      }
      member.senders = kept
      if let cancelled { return cancelled.continuation.resume(returning: .cancelled) }
    }
  }

  /// There is room for messages to a peer.
  func writable(_ id: PeerProtocol.PeerID) {
    guard let member = members[Peer.ID(id)], let transceiver else { return }
    while let sender = member.senders.first {
      switch transceiver.send(sender.channel, sender.bytes, to: id, mode: sender.mode) {
      case .congested: return
      case .sent:
        _ = member.senders.popFirst()
        sender.continuation.resume(returning: .sent)
      case .notConnected, .tooLarge:
        _ = member.senders.popFirst()
        sender.continuation.resume(returning: .notConnected)
      }
    }
  }

  func failSenders(of member: Member) {
    while let sender = member.senders.popFirst() { sender.continuation.resume(returning: .notConnected) }
  }

  func received(_ message: ReceivedMessage, from link: PeerLink.Peer) {
    guard let member = members[Peer.ID(link.id)], member.phase == .connected, message.messageClass < 240
    else {
      return
    }
    var outcome = SessionEventQueue.OnMessage.goOn
    member.session.events.update { queue in
      outcome = queue.add(
        PeerMessage(
          peer: member.peer, bytes: Array(message.payload), channel: message.messageClass,
          mode: PeerMessage.Mode(message.arrival), delay: message.delay, receivedAt: message.receivedAt))
    }
    if outcome == .hold { transceiver?.setReading(false, from: link.id) }
  }

  /// The session's reader has made room.
  nonisolated func resumeReading(_ id: Peer.ID) {
    submit { $0.transceiver?.setReading(true, from: id.link) }
  }

  func linkStatus(of id: Peer.ID, in session: SessionRecord) -> PeerSession.LinkStatus? {
    guard let transceiver, let member = members[id], member.session === session, member.phase == .connected,
      let status = transceiver.status(of: id.link)
    else { return nil }
    return PeerSession.LinkStatus(
      datagrams: PeerSession.LinkStatus.Datagrams(status.datagrams), hasControl: status.hasControl,
      pendingBytes: transceiver.pendingBytes(to: id.link))
  }
}

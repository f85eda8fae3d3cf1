import PeerLink
import PeerProtocol
import ServiceRuntime

/// A pairing attempt of this side or of another one; confined to the node's loop.
final class OpenPairing {
  typealias Outcome = Result<Peer, PairingError>

  let expected: Peer.ID?
  /// Tells the link what the person here says.
  var reply: (Bool) -> Void
  /// Kept while it runs; nil for an attempt that somebody else began.
  var inviter: PairingInviter?
  /// The caller that waits for the digits.
  var starter: CheckedContinuation<Result<PairingAttempt, PairingError>, Never>?
  /// The caller that has said yes, or typed a code, and waits for the end.
  var waiter: CheckedContinuation<Outcome, Never>?
  var outcome: Outcome?
  /// The digits, when they are there before their caller waits.
  var attempt: PairingAttempt?
  /// Why the last of the link's own attempts failed.
  var lastFailure: PairingFailure?

  init(expecting expected: Peer.ID? = nil, reply: @escaping (Bool) -> Void = { _ in }) {
    self.expected = expected
    self.reply = reply
  }

  func end(_ outcome: Outcome) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    waiter?.resume(returning: outcome)
    waiter = nil
    if case .failure(let error) = outcome { starter?.resume(returning: .failure(error)) }
    starter = nil
  }
}

extension NodeRuntime {
  // MARK: Begin

  func startPairing(
    _ destination: Destination, timeLimit: Duration
  ) async throws(PairingError) -> PairingAttempt {
    let (token, pairing) = try dial(destination, .compare, timeLimit)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if case .failure(let error)? = pairing.outcome {
          continuation.resume(returning: Result<PairingAttempt, PairingError>.failure(error))
        } else if let attempt = pairing.attempt {
          pairing.attempt = nil
          continuation.resume(returning: .success(attempt))
        } else {
          pairing.starter = continuation
        }
      }
    } onCancel: {
      rejectPairing(token)
    }
    return try result.get()
  }

  func pair(
    _ destination: Destination, code: String, timeLimit: Duration
  ) async throws(PairingError) -> Peer {
    guard let code = PairingCode(code) else { throw .invalidCode }
    let (token, pairing) = try dial(destination, .code(code), timeLimit)
    return try await wait(for: pairing, token)
  }

  private func dial(
    _ destination: Destination, _ key: PairingKey, _ timeLimit: Duration
  ) throws(PairingError) -> (UInt64, OpenPairing) {
    guard transceiver != nil else { throw .ended("the node is stopped") }
    let (endpoint, expected) = try locate(destination)
    let token = takeToken()
    let pairing = OpenPairing(expecting: expected)
    let inviter = PairingInviter(
      PairingInviter.Configuration(
        name: displayName, serviceType: serviceType.dnsName, choice: .endpoint(endpoint), key: key,
        duration: timeLimit),
      identity: identity, store: { id, name in try self.paired.add(id, name: name) }, loop: loop,
      logger: logger)
    pairing.inviter = inviter
    pairing.reply = { [weak inviter] isSame in inviter?.answer(isSame: isSame) }
    inviter.onEvent = { event in self.pairing(token, event) }
    pairings[token] = pairing
    do { try inviter.start() } catch {
      endPairing(token, .failure(.unreachable("\(error)")))
      throw .unreachable("\(error)")
    }
    return (token, pairing)
  }

  private func locate(
    _ destination: Destination
  ) throws(PairingError) -> (PeerLink.PeerEndpoint, Peer.ID?) {
    switch destination {
    case .endpoint(let endpoint, let expected):
      return (PeerLink.PeerEndpoint(host: endpoint.host, port: endpoint.port), expected)
    case .peer(let peer):
      let found = transceiver?.foundPeers.first { $0.id == peer.id.link }
      guard let address = found?.endpoints.first else { throw .unreachable("not found on the network") }
      return (address, peer.id)
    }
  }

  // MARK: Be asked

  /// - Parameter code: nil for digits that people compare.
  nonisolated func acceptPairing(for duration: Duration, code: PairingCode?) {
    submit { runtime in
      runtime.endHosting()
      guard let transceiver = runtime.transceiver, duration > .zero else { return }
      let host = PairingHost.open(
        on: transceiver, key: code.map { .code($0) } ?? .compare, duration: duration,
        store: { id, name in try runtime.paired.add(id, name: name) })
      host?.onEvent = { event in runtime.hosted(event) }
      runtime.pairingHost = host
    }
  }

  func endHosting() {
    let host = pairingHost
    pairingHost = nil
    host?.onEvent = nil
    host?.close()
    if let token = hostedPairing { endPairing(token, .failure(.ended("pairing is not accepted any more"))) }
  }

  private func hosted(_ event: PairingEvent) {
    switch event {
    case .multicast, .several: break
    case .compare:
      let token = takeToken()
      pairings[token] = OpenPairing { [weak pairingHost] isSame in pairingHost?.answer(isSame: isSame) }
      hostedPairing = token
      pairing(token, event)
    case .attemptEnded:
      if let token = hostedPairing { pairing(token, event) }
      hostedPairing = nil
    case .closed: pairingHost = nil
    }
  }

  // MARK: Go on

  private func pairing(_ token: UInt64, _ event: PairingEvent) {
    guard let pairing = pairings[token] else { return }
    switch event {
    case .multicast, .several: break
    case .compare(let code, let other):
      let peer = Peer(id: Peer.ID(other.id), displayName: other.name, isTrusted: false)
      if let expected = pairing.expected, expected != peer.id {
        pairing.reply(false)
        return endPairing(token, .failure(.mismatch("somebody else is there: \(peer)")))
      }
      let attempt = PairingAttempt(
        peer: peer, code: code.description, answer: PairingAnswer(runtime: self, token: token))
      if let starter = pairing.starter {
        pairing.starter = nil
        starter.resume(returning: .success(attempt))
      } else if pairing.inviter != nil {
        pairing.attempt = attempt
      } else {
        pairingAttempts.update { $0.put(attempt) }
      }
    case .attemptEnded(let end, let other, _):
      switch end {
      case .paired, .halfPaired:
        guard let other else { return }
        endPairing(
          token,
          .success(Peer(id: Peer.ID(other.id), displayName: other.name, isTrusted: true)))
      case .failed(let failure, _):
        // The link tries again by itself while the other side cannot be reached or has not opened its window.
        switch failure {
        case .connectionLost, .refused(.closed, _), .refused(.busy, _):
          if pairing.inviter != nil {
            pairing.lastFailure = failure
            return
          }
        case .refused, .mismatch, .otherMethod, .otherVersion, .timedOut, .brokeProtocol, .cancelled,
          .notStored:
          break
        }
        endPairing(token, .failure(PairingError(failure)))
      }
    case .closed(let closure):
      switch closure {
      case .paired, .halfPaired, .exhausted, .cancelled: break
      case .timedOut: endPairing(token, .failure(pairing.lastFailure.map(PairingError.init) ?? .timedOut))
      }
      endPairing(token, .failure(.ended("")))
    }
  }

  private func endPairing(_ token: UInt64, _ outcome: OpenPairing.Outcome) {
    guard let pairing = pairings.removeValue(forKey: token) else { return }
    pairing.end(outcome)
    pairing.reply = { _ in }
    guard let inviter = pairing.inviter else { return }
    inviter.onEvent = nil
    inviter.cancel()
    // What was said last still has to leave.
    loop.schedule(after: .milliseconds(600)) { withExtendedLifetime(inviter) {} }
  }

  func endAllPairings() {
    endHosting()
    for token in pairings.keys { endPairing(token, .failure(.ended("the node was stopped"))) }
  }

  // MARK: The answers of the person here

  func confirmPairing(_ token: UInt64) async throws(PairingError) -> Peer {
    guard let pairing = pairings[token], pairing.waiter == nil else {
      throw .ended("answered before, or over")
    }
    pairing.reply(true)
    return try await wait(for: pairing, token)
  }

  private func wait(for pairing: OpenPairing, _ token: UInt64) async throws(PairingError) -> Peer {
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let outcome = pairing.outcome {
          continuation.resume(returning: outcome)
        } else {
          pairing.waiter = continuation
        }
      }
    } onCancel: {
      rejectPairing(token)
    }
    return try outcome.get()
  }

  nonisolated func rejectPairing(_ token: UInt64) {
    submit { runtime in
      guard let pairing = runtime.pairings[token] else { return }
      pairing.reply(false)
      runtime.endPairing(token, .failure(.rejected))
    }
  }
}

/// The answer to a pairing attempt.
struct PairingAnswer: Sendable {
  let runtime: NodeRuntime
  let token: UInt64

  func confirm() async throws(PairingError) -> Peer { try await runtime.confirmPairing(token) }
  func reject() { runtime.rejectPairing(token) }
}

extension PairingError {
  init(_ failure: PairingFailure) {
    switch failure {
    case .refused(let reason, let text):
      switch reason {
      case .mismatch: self = .mismatch(failure.description)
      case .declined, .cancelled: self = .rejectedByPeer(text)
      case .timedOut: self = .timedOut
      case .closed, .busy, .otherMethod, .versionMismatch, .protocolError, .notStored, .other:
        self = .refused(failure.description)
      }
    case .mismatch, .brokeProtocol: self = .mismatch(failure.description)
    case .otherMethod, .otherVersion: self = .refused(failure.description)
    case .timedOut: self = .timedOut
    case .connectionLost(let text): self = .unreachable(text)
    case .cancelled: self = .rejected
    case .notStored(let text): self = .notStored(text)
    }
  }
}

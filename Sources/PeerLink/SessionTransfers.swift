import FileTransfer
import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets
import Synchronization

/// What ties transfers to a session.
struct TransferSessionKeys {
  let isInviter: Bool
  /// 16 bytes.
  let sessionID: [UInt8]
  /// 32 bytes.
  let secret: [UInt8]

  func opening(of id: TransferID) -> TransferOpening {
    TransferOpening(
      sessionID: sessionID, id: id,
      token: MessageAuthentication.code(key: secret, message: TransferOpening.tokenText(of: id)))
  }
}

/// The transfers of one session.
final class SessionTransfers {
  /// Transfers that wait for a place.
  private static let maximumQueued = 256
  /// Messages that wait for a peer that takes none, beside the ones that the session itself keeps for it: far more than all open transfers have
  /// to say.
  private static let maximumOutbox = 256
  private static let verdictLimit: Duration = .seconds(5)
  /// After the session came back a connection that is silent for so long is not waited for.
  private static let silenceAfterReturn: Duration = .seconds(2)

  let peerID: PeerID
  let keys: TransferSessionKeys
  /// At the inviter: where the host listens.
  var remote: SocketAddress?
  /// The session is silent but not over: deadlines rest.
  private(set) var isDormant = false
  private let loop: EventLoop
  private let workers: TransferWorkers
  /// Gone when the transceiver is; threads may still have to report then.
  private weak var plane: TransferPlane?
  private var ledger: TransferLedger
  private var runs: [TransferID: TransferRun] = [:]
  private var queue: [Transfer] = []
  /// Messages that the control plane did not take yet.
  private var outbox: [TransferMessage] = []

  init(with peerID: PeerID, keys: TransferSessionKeys, remote: SocketAddress?, plane: TransferPlane) {
    self.peerID = peerID
    self.keys = keys
    self.remote = remote
    self.plane = plane
    loop = plane.loop
    workers = plane.workers
    ledger = TransferLedger(isInviter: keys.isInviter)
  }

  private var now: ContinuousClock.Instant { loop.now }

  var openCount: Int { runs.count }

  // MARK: What the application wants

  func offer(_ transfer: Transfer) -> Bool {
    guard queue.count < SessionTransfers.maximumQueued else { return false }
    queue.append(transfer)
    offerQueued()
    return true
  }

  private func offerQueued() {
    while let transfer = queue.first, let id = ledger.offer(transfer.offer) {
      queue.removeFirst()
      transfer.id = id
      runs[id] = TransferRun(transfer, id, at: now)
      send(TransferMessage(id, .offer(transfer.offer)))
      transfer.become(.offered)
    }
  }

  func accept(_ transfer: Transfer) {
    guard let id = transfer.id, let run = runs[id], ledger.accept(id) else { return }
    send(TransferMessage(id, .accept))
    accepted(run)
  }

  func decline(_ transfer: Transfer, _ reason: TransferReason, _ text: String) {
    guard let id = transfer.id, let run = runs[id] else { return }
    send(TransferMessage(id, .decline(reason, text: text)))
    end(run, .declined(reason, text), keepsPartial: false)
  }

  func cancel(_ transfer: Transfer, text: String, keepsPartial: Bool) {
    if let index = queue.firstIndex(where: { $0 === transfer }) {
      queue.remove(at: index)
      if let storage = transfer.storage { workers.dispose(storage, keepsPartial: keepsPartial) }
      return transfer.end(.cancelled(byPeer: false, text))
    }
    guard let id = transfer.id, let run = runs[id] else { return }
    send(TransferMessage(id, .cancel(.cancelled, text: text)))
    end(run, .cancelled(byPeer: false, text), keepsPartial: keepsPartial)
  }

  // MARK: What the peer says

  /// - Throws: when the peer broke the rules; the session is to be ended.
  func received(_ payload: ArraySlice<UInt8>) throws(TransferProtocolError) {
    // Each offer is answered, and answers would pile up for a peer that goes on offering and takes none of them.
    guard outbox.count <= SessionTransfers.maximumOutbox else {
      throw .unexpected("messages that leave no room for answers")
    }
    guard let message = try TransferMessage.decode(payload) else { return }
    let id = message.id
    let on = try ledger.received(message)
    switch on {
    case .ignored: break
    case .refuse(let reason): send(TransferMessage(id, .decline(reason, text: "")))
    case .offered(let offer): offered(id, offer)
    case .accepted: if let run = runs[id] { accepted(run) }
    case .declined(let reason, let text): endTold(id, .declined(reason, text), keepsPartial: true)
    case .cancelled(.cancelled, let text): endTold(id, .cancelled(byPeer: true, text), keepsPartial: false)
    case .cancelled(let reason, let text):
      endTold(id, .failed(reason, text, byPeer: true), keepsPartial: reason.keepsPartial)
    case .finished(let byteCount):
      runs[id]?.transfer.advance(to: byteCount)
      endTold(id, nil, keepsPartial: true)
    }
  }

  private func offered(_ id: TransferID, _ offer: TransferOffer) {
    let transfer = Transfer(
      peerID: peerID, offer: offer, isIncoming: true, session: self, workers: workers)
    transfer.id = id
    runs[id] = TransferRun(transfer, id, at: now)
    plane?.offered(transfer)
  }

  private func endTold(_ id: TransferID, _ failure: TransferFailure?, keepsPartial: Bool) {
    if let run = runs[id] { end(run, failure, keepsPartial: keepsPartial) }
  }

  private func accepted(_ run: TransferRun) {
    if case .stream(let writers) = run.transfer.offer.kind, run.transfer.stream == nil {
      run.transfer.open(TransferStream(writers: writers, isOfferer: false))
    }
    run.lastActivity = now
    run.transfer.become(.connecting)
    if keys.isInviter {
      run.nextDial = now
      dial(run)
    }
  }

  // MARK: Connections

  private func dial(_ run: TransferRun) {
    guard let due = run.nextDial, now >= due, !isDormant, run.dialler == nil, run.pump == nil,
      let remote, let plane, ledger.isAccepted(run.id)
    else { return }
    run.nextDial = nil
    run.dialler = plane.dial(remote, peerID, keys.opening(of: run.id)) { [weak self, weak run] result in
      guard let self, let run else { return }
      run.dialler = nil
      switch result {
      case .success(let detached): start(run, on: detached)
      case .failure: dialLater(run)
      }
    }
  }

  private func dialLater(_ run: TransferRun) {
    guard keys.isInviter else { return }
    run.nextDial = now.advanced(by: run.backoff.nextDelay(jitter: Double.random(in: 0...1)))
  }

  /// At the host: a connection of the peer wants to carry a transfer.
  ///
  /// - Returns: false when it is for none; the peer is to be told.
  func called(_ connection: FramedConnection, _ opening: TransferOpening) -> Bool {
    let expected = keys.opening(of: opening.id)
    guard !keys.isInviter, isEqualInConstantTime(opening.sessionID, expected.sessionID),
      isEqualInConstantTime(opening.token, expected.token), ledger.isAccepted(opening.id),
      let run = runs[opening.id]
    else { return false }
    run.successor?.finish()
    run.successor = connection
    connection.onEvent = { [weak self, weak run, weak connection] event in
      guard let self, let run, let connection, run.successor === connection else { return }
      handle(event, of: connection, for: run)
    }
    // One thread at a time uses the disk's end: the newer connection waits for the end of the older one's.
    if let pump = run.pump { pump.stop() } else { welcome(run) }
    return true
  }

  private func welcome(_ run: TransferRun) {
    guard let connection = run.successor, connection.isOpen else { return }
    guard connection.send(TransferOpening.ok) else { return connection.close() }
    handOverWhenFlushed(connection, run)
  }

  private func handOverWhenFlushed(_ connection: FramedConnection, _ run: TransferRun) {
    guard connection.pendingByteCount == 0 else { return }
    run.successor = nil
    connection.onEvent = nil
    guard let detached = connection.detach() else { return connection.close() }
    start(run, on: detached)
  }

  private func handle(_ event: FramedConnection.Event, of connection: FramedConnection, for run: TransferRun)
  {
    switch event {
    case .drained: if run.pump == nil { handOverWhenFlushed(connection, run) }
    case .authenticated: break
    case .frame, .malformed:
      // Nothing may be said before BULK_OK.
      run.successor = nil
      connection.close()
    case .lost: run.successor = nil
    }
  }

  private func start(_ run: TransferRun, on detached: DetachedConnection) {
    guard detached.unreadPlaintext.isEmpty, detached.unsentCiphertext.isEmpty,
      let tls = BulkTLS(takingOver: detached.engine, descriptor: detached.descriptor)
    else {
      detached.close()
      return dialLater(run)
    }
    let hasNetworkBetween = BulkTraffic.tune(detached.descriptor)
    let pacer = hasNetworkBetween ? TransferPacer(detached.descriptor) : nil
    let pump = TransferRun.Pump(tls: tls, meter: TransferMeter())
    do throws(SystemError) {
      try workers.run(
        work(run, pump, pacer),
        // Kept until the thread has ended: whoever ends a transfer in the moment in which its connection breaks leaves the disk's end
        // to this last event.
        onEvent: { [self] event in
          switch event {
          case .stream(let notice): run.transfer.stream?.notice(notice)
          case .ended(let end): ended(run, end)
          }
        })
    } catch { return dialLater(run) }
    run.connected(pump, at: now)
    run.transfer.stream?.wakeWorker = { tls.wake() }
    run.transfer.become(.running)
  }

  /// What the thread does.
  private func work(_ run: TransferRun, _ pump: TransferRun.Pump, _ pacer: TransferPacer?)
    -> @Sendable (@escaping @Sendable (TransferStreamPump.Notice) -> Void) -> TransferPumpEnd
  {
    let (tls, meter) = (pump.tls, pump.meter)
    let offer = run.transfer.offer
    let dials = keys.isInviter
    if case .stream(let writers) = offer.kind, let stream = run.transfer.stream {
      let state = TransferStreamState(
        writers: writers, isOfferer: !run.transfer.isIncoming, awaitsReady: !dials)
      let (incoming, outgoing) = (stream.incoming, stream.outgoing)
      return { notify in
        TransferStreamPump(
          tls, meter: meter, pacer: pacer, stream: state, dials: dials, incoming: incoming,
          outgoing: outgoing,
          notify: notify
        ).run()
      }
    }
    guard let storage = run.transfer.storage else { preconditionFailure("a transfer without a disk's end") }
    return { _ in
      let end =
        switch storage.endpoint {
        case .source(let source):
          TransferSendingPump(tls, meter: meter, pacer: pacer, offer: offer, source: source, dials: dials)
            .run()
        case .sink(let sink):
          TransferReceivingPump(tls, meter: meter, offer: offer, sink: sink, dials: dials).run()
        }
      switch end {
      case .finished: storage.finished()
      case .failed(let reason, _): storage.dispose(keepsPartial: reason.keepsPartial)
      case .broken, .sentAll, .stopped:
        if let keepsPartial = meter.disposal { storage.dispose(keepsPartial: keepsPartial) }
      }
      return end
    }
  }

  /// The thread has ended.
  private func ended(_ run: TransferRun, _ end: TransferPumpEnd) {
    run.sample(at: now)
    let meter = run.pump?.meter
    run.pump = nil
    run.transfer.stream?.wakeWorker = nil
    guard runs[run.id] === run else {
      // The transfer was over when the thread had already looked for that.
      if let storage = run.transfer.storage {
        workers.dispose(storage, keepsPartial: meter?.disposal ?? true)
      }
      return
    }
    switch end {
    case .finished:
      if run.transfer.storage != nil {
        send(TransferMessage(run.id, .finished(byteCount: run.transfer.offer.sizeBytes)))
        run.transfer.advance(to: run.transfer.offer.sizeBytes)
      }
      self.end(run, nil, keepsPartial: true)
    case .failed(let reason, let text): fail(run, reason, text)
    case .sentAll:
      run.verdictDue = now.advanced(by: SessionTransfers.verdictLimit)
    case .broken(let text):
      if run.transfer.storage == nil { return fail(run, .connectionLost, text) }
      run.transfer.become(.connecting)
      dialLater(run)
      welcome(run)
    case .stopped:
      if run.transfer.storage == nil { return fail(run, .connectionLost, "the connection was replaced") }
      run.transfer.become(.connecting)
      run.nextDial = keys.isInviter ? now : nil
      dial(run)
      welcome(run)
    }
  }

  private func fail(_ run: TransferRun, _ reason: TransferReason, _ text: String) {
    send(TransferMessage(run.id, .cancel(reason, text: text)))
    end(run, .failed(reason, text, byPeer: false), keepsPartial: reason.keepsPartial)
  }

  private func end(_ run: TransferRun, _ failure: TransferFailure?, keepsPartial: Bool) {
    guard runs.removeValue(forKey: run.id) != nil else { return }
    _ = ledger.end(run.id)
    run.dialler?.cancel()
    run.dialler = nil
    run.successor?.finish()
    run.successor = nil
    if let pump = run.pump {
      // It disposes of the disk's end when it notices.
      run.sample(at: now)
      pump.meter.disposal = keepsPartial
      pump.stop()
    } else if let storage = run.transfer.storage {
      workers.dispose(storage, keepsPartial: keepsPartial)
    }
    run.transfer.end(failure)
    offerQueued()
  }

  // MARK: Time and the session

  func tick() {
    flushOutbox()
    guard let plane else { return }
    for run in runs.values {
      run.sample(at: now)
      if isDormant { run.lastActivity = now }
      guard ledger.isAccepted(run.id), runs[run.id] === run else { continue }
      if let due = run.verdictDue, now >= due {
        run.verdictDue = nil
        run.transfer.become(.connecting)
        dialLater(run)
      }
      if run.lastActivity.duration(to: now) >= plane.longestSilence {
        fail(run, .stalled, "not a byte for \(plane.longestSilence.components.seconds) s")
      } else {
        dial(run)
      }
    }
  }

  /// The session is silent: its transfers wait as long as it does.
  func fellSilent() { isDormant = true }

  /// The session is back, perhaps from another address.
  func cameBack(remote: SocketAddress?) {
    isDormant = false
    self.remote = remote ?? self.remote
    guard keys.isInviter else { return }
    for run in runs.values where ledger.isAccepted(run.id) {
      run.sample(at: now)
      run.backoff.reset()
      if let pump = run.pump {
        // TCP would repeat what was lost only after a pause as long as the silence was.
        let isSilent = run.lastActivity.duration(to: now) >= SessionTransfers.silenceAfterReturn
        if isSilent, run.transfer.storage != nil { pump.stop() }
      } else if run.dialler == nil {
        run.nextDial = now
        dial(run)
      }
    }
  }

  func sessionEnded() {
    let waiting = queue
    queue = []
    outbox = []
    for run in runs.values { end(run, .sessionEnded, keepsPartial: true) }
    for transfer in waiting {
      if let storage = transfer.storage { workers.dispose(storage, keepsPartial: true) }
      transfer.end(.sessionEnded)
    }
  }

  private func send(_ message: TransferMessage) {
    outbox.append(message)
    flushOutbox()
  }

  private func flushOutbox() {
    while let message = outbox.first, plane?.send(message, to: peerID) == true { outbox.removeFirst() }
  }
}

extension TransferReason {
  /// Whether what has arrived is of use for a later transfer of the same content.
  var keepsPartial: Bool {
    switch self {
    case .wrongHash, .wrongByteCount, .changed, .protocolError, .unsafeName, .cancelled, .declined: false
    case .busy, .notSupported, .noSpace, .notReadable, .notWritable, .stalled, .connectionLost, .other: true
    }
  }
}

import FileTransfer
import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// All transfers of a transceiver: finds the session for what comes, and gives sessions what they need of the transceiver.
final class TransferPlane {
  /// Over all sessions; more incoming offers are declined.
  private static let maximumOpenTransfers = 64

  var onOffer: ((Transfer) -> Void)?
  let loop: EventLoop
  let workers: TransferWorkers
  private unowned let owner: PeerTransceiver
  private var sessions: [PeerID: SessionTransfers] = [:]

  init(owner: PeerTransceiver) {
    self.owner = owner
    loop = owner.loop
    workers = TransferWorkers(on: owner.loop)
  }

  deinit { for session in sessions.values { session.sessionEnded() } }

  /// Incoming connections that begin with BULK_OPEN.
  var purpose: Purpose { Purpose(begin: { [weak self] in self?.called($0, $1) }) }

  // MARK: Sessions

  /// - Parameter remote: where the host listens, if this side is the inviter.
  func sessionBegan(with id: PeerID, keys: TransferSessionKeys, remote: SocketAddress?) {
    sessions[id]?.sessionEnded()
    sessions[id] = SessionTransfers(with: id, keys: keys, remote: remote, plane: self)
  }

  func sessionFellSilent(with id: PeerID) { sessions[id]?.fellSilent() }

  func sessionCameBack(with id: PeerID, remote: SocketAddress?) { sessions[id]?.cameBack(remote: remote) }

  func sessionEnded(with id: PeerID) { sessions.removeValue(forKey: id)?.sessionEnded() }

  /// A message of class 240.
  func received(_ payload: ArraySlice<UInt8>, from id: PeerID) {
    do throws(TransferProtocolError) { try sessions[id]?.received(payload) } catch {
      owner.logger.warning("a peer broke the rules of transfers", ["peer": id.short, "reason": "\(error)"])
      owner.disconnect(id, .protocolError)
    }
  }

  func tick() { for session in sessions.values { session.tick() } }

  // MARK: For the application

  func offer(_ offer: TransferOffer, to id: PeerID, source: (any TransferSource)?) -> Result<
    Transfer, TransferFailure
  > {
    let storage = source.map { TransferStorage(.source($0)) }
    guard let session = sessions[id] else {
      if let storage { workers.dispose(storage, keepsPartial: false) }
      return .failure(.notConnected)
    }
    let transfer = Transfer(peerID: id, offer: offer, isIncoming: false, session: session, workers: workers)
    transfer.storage = storage
    if case .stream(let writers) = offer.kind {
      transfer.open(TransferStream(writers: writers, isOfferer: true))
    }
    guard session.offer(transfer) else {
      if let storage { workers.dispose(storage, keepsPartial: false) }
      return .failure(.tooMany)
    }
    return .success(transfer)
  }

  // MARK: For sessions

  var longestSilence: Duration { owner.limits.transferSilence }

  func offered(_ transfer: Transfer) {
    guard sessions.values.reduce(0, { $0 + $1.openCount }) <= TransferPlane.maximumOpenTransfers else {
      return transfer.decline(.busy)
    }
    if let onOffer { onOffer(transfer) } else { transfer.decline(.declined, "transfers are not taken here") }
  }

  func send(_ message: TransferMessage, to id: PeerID) -> Bool {
    owner.send(TransferMessage.messageClass, message.encoded, to: id) == .sent
  }

  func dial(
    _ address: SocketAddress, _ id: PeerID, _ opening: TransferOpening,
    onResult: @escaping (Result<DetachedConnection, BulkDialler.BulkDialError>) -> Void
  ) -> BulkDialler {
    BulkDialler(
      to: address, opening, on: loop,
      secure: { [weak owner] in owner?.secure($0, isOutgoing: true, policy: .exactly(id)) },
      onResult: onResult)
  }

  private func called(_ connection: FramedConnection, _ first: ControlFrame) {
    guard let id = connection.peerID, let opening = TransferOpening(first), let session = sessions[id],
      session.called(connection, opening)
    else {
      // One answer for every reason: whoever tries tokens learns nothing.
      connection.send(.decline(.declined, text: "no such transfer"))
      return connection.finish()
    }
  }
}

/// The transfers of one session: who offered which, what was answered, and which messages are legal now.
///
/// Each transfer: offered -> accepted -> ended. Ended ones are forgotten, but for the highest ID of each side.
public struct TransferLedger: Sendable {
  /// Open transfers that one side has offered.
  public static let maximumOpenTransfers = 8

  private enum Phase: Sendable {
    case offered
    case accepted
  }

  private struct Entry: Sendable {
    let offer: TransferOffer
    var phase: Phase
  }

  public enum OnMessage: Equatable, Sendable {
    /// Crossed with the end of the transfer, or is of a later version.
    case ignored
    /// The application decides; `accept` or `end` follows.
    case offered(TransferOffer)
    /// Send DECLINE with this.
    case refuse(TransferReason)
    case accepted
    case declined(TransferReason, text: String)
    case cancelled(TransferReason, text: String)
    case finished(byteCount: UInt64)
  }

  private let isInviter: Bool
  private var highestOwn: UInt32 = 0
  private var highestTheirs: UInt32 = 0
  private var entries: [TransferID: Entry] = [:]

  public init(isInviter: Bool) { self.isInviter = isInviter }

  public func isOwn(_ id: TransferID) -> Bool { id.isByInviter == isInviter }

  /// The ID of a new offer, nil while too many are open.
  public mutating func offer(_ offer: TransferOffer) -> TransferID? {
    let open = entries.keys.count { isOwn($0) }
    guard open < TransferLedger.maximumOpenTransfers, highestOwn < UInt32.max >> 1 else { return nil }
    highestOwn += 1
    let id = TransferID(number: highestOwn, byInviter: isInviter)
    entries[id] = Entry(offer: offer, phase: .offered)
    return id
  }

  /// The application takes the peer's offer. False when it is not waiting for an answer any more.
  public mutating func accept(_ id: TransferID) -> Bool {
    guard let entry = entries[id], !isOwn(id), case .offered = entry.phase else { return false }
    entries[id]?.phase = .accepted
    return true
  }

  /// The transfer is over for this side. False when it was already.
  public mutating func end(_ id: TransferID) -> Bool { entries.removeValue(forKey: id) != nil }

  /// Whether a bulk connection of this transfer is legal now.
  public func isAccepted(_ id: TransferID) -> Bool {
    if case .accepted = entries[id]?.phase { true } else { false }
  }

  /// Takes what the peer says; ended transfers are forgotten with their end.
  public mutating func received(_ message: TransferMessage) throws(TransferProtocolError) -> OnMessage {
    let id = message.id
    let isOwn = isOwn(id)
    switch message.content {
    case .offer(let offer):
      guard !isOwn, id.number > highestTheirs else { throw .unexpected("OFFER of \(id), used before") }
      highestTheirs = id.number
      guard let offer else { return .refuse(.notSupported) }
      guard entries.keys.count(where: { !self.isOwn($0) }) < TransferLedger.maximumOpenTransfers else {
        return .refuse(.busy)
      }
      entries[id] = Entry(offer: offer, phase: .offered)
      return .offered(offer)
    case .accept:
      guard isOwn, id.number <= highestOwn else { throw .unexpected("ACCEPT of \(id)") }
      guard let entry = entries[id] else { return .ignored }
      guard case .offered = entry.phase else { throw .unexpected("second ACCEPT of \(id)") }
      entries[id]?.phase = .accepted
      return .accepted
    case .decline(let reason, let text):
      guard isOwn, id.number <= highestOwn else { throw .unexpected("DECLINE of \(id)") }
      guard let entry = entries[id] else { return .ignored }
      guard case .offered = entry.phase else { throw .unexpected("DECLINE of \(id) after ACCEPT") }
      entries[id] = nil
      return .declined(reason, text: text)
    case .cancel(let reason, let text):
      guard id.number > 0, id.number <= (isOwn ? highestOwn : highestTheirs) else {
        throw .unexpected("CANCEL of \(id)")
      }
      return entries.removeValue(forKey: id) == nil ? .ignored : .cancelled(reason, text: text)
    case .finished(let byteCount):
      guard isOwn, id.number > 0, id.number <= highestOwn else { throw .unexpected("FINISHED of \(id)") }
      guard let entry = entries[id] else { return .ignored }
      guard case .accepted = entry.phase else { throw .unexpected("FINISHED of \(id) before ACCEPT") }
      guard byteCount == entry.offer.sizeBytes else {
        throw .wrongByteCount("FINISHED with \(byteCount) bytes of \(entry.offer.sizeBytes)")
      }
      entries[id] = nil
      return .finished(byteCount: byteCount)
    }
  }
}

import PeerConnectivity

/// The transfers of a program under way, by number.
struct TransferDesk {
  /// Sent and received things to show: those that have ended are told and forgotten.
  private(set) var rows: [Int: TransferRow] = [:]
  private var transfers: [Int: ResourceTransfer] = [:]
  private var offers: [Int: IncomingResource] = [:]
  private var progress: [Int: PlainProgress] = [:]
  private var lastNumber = 0

  var isIdle: Bool { rows.isEmpty && offers.isEmpty }
  /// In the order of their beginning.
  var shown: [TransferRow] { rows.sorted { $0.key < $1.key }.map(\.value) }

  /// Somebody offers something.
  mutating func take(_ offer: IncomingResource) -> Int {
    lastNumber += 1
    offers[lastNumber] = offer
    return lastNumber
  }

  /// The offers of a peer that is gone.
  mutating func removeOffers(of id: Peer.ID) { offers = offers.filter { $0.value.peer.id != id } }

  /// Does what was decided about an offer.
  ///
  /// - Returns: what begins and its number; nil when nothing does.
  mutating func answer(
    _ number: Int, accepts: Bool, reason: String, into folder: String, from label: String
  ) -> (transfer: ResourceTransfer, number: Int)? {
    guard let offer = offers.removeValue(forKey: number) else { return nil }
    guard accepts else {
      offer.decline(reason)
      return nil
    }
    let transfer = offer.accept(into: folder)
    let row = TransferRow(.receiving, peer: label, name: offer.name, totalBytes: offer.byteCount)
    return (transfer, begin(transfer, row))
  }

  mutating func begin(_ transfer: ResourceTransfer, _ row: TransferRow) -> Int {
    lastNumber += 1
    transfers[lastNumber] = transfer
    rows[lastNumber] = row
    progress[lastNumber] = PlainProgress()
    return lastNumber
  }

  /// - Returns: a line for scripts when one is due.
  mutating func update(_ number: Int, _ report: TransferProgress, at now: ContinuousClock.Instant) -> String?
  {
    rows[number]?.progress(report.completedBytes, of: report.totalBytes, at: now)
    return progress[number]?.isDue(at: now) == true ? rows[number]?.words : nil
  }

  /// - Returns: the row as it ended, and with whom; nil for a number that is not known.
  mutating func end(
    _ number: Int, _ result: Result<TransferSummary, TransferError>, at now: ContinuousClock.Instant
  ) -> (row: TransferRow, peer: Peer)? {
    progress[number] = nil
    guard let peer = transfers.removeValue(forKey: number)?.peer, var row = rows.removeValue(forKey: number)
    else { return nil }
    switch result {
    case .success(let summary):
      row.progress(summary.byteCount, of: summary.byteCount, at: now)
      row.finished(
        savedAs: row.direction == .receiving ? summary.path ?? "?" : nil, resumedBytes: summary.resumedBytes,
        duration: summary.duration)
    case .failure(let error): row.failed("\(error)")
    }
    return (row, peer)
  }

  func cancelAll() { for transfer in transfers.values { transfer.cancel() } }
}

extension Result where Success == TransferSummary, Failure == TransferError {
  var isSuccess: Bool { if case .success = self { true } else { false } }

  /// The connection broke: it may go on later.
  var isBroken: Bool {
    switch self {
    case .success: return false
    case .failure(let error): return error.failure == .broken
    }
  }

  /// Lines about what of a sent folder did not go along.
  var leftOut: [String] {
    guard case .success(let summary) = self, summary.omittedCount > 0 else { return [] }
    let named = summary.omissions.prefix(10).map { "left out: \($0)" }
    let others = summary.omittedCount - named.count
    return others > 0 ? named + ["left out: \(others) more"] : named
  }
}

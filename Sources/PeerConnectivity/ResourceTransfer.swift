/// How far a transfer is.
public struct TransferProgress: Equatable, Sendable {
  /// Bytes that are through, with those that were there from an earlier attempt.
  public let completedBytes: UInt64
  /// Bytes in all.
  public let totalBytes: UInt64

  /// 0 to 1.
  public var fraction: Double {
    totalBytes == 0 ? 1 : min(1, Double(completedBytes) / Double(totalBytes))
  }
}

/// How a transfer ended well.
public struct TransferSummary: Equatable, Sendable {
  /// Bytes in all.
  public let byteCount: UInt64
  /// Bytes of it that an earlier attempt had brought already; known on the receiving side, 0 on the other.
  public let resumedBytes: UInt64
  /// From the acceptance to the receiver's word that all is there and right.
  public let duration: Duration
  /// On the receiving side: where it is stored.
  public let path: String?
  /// On the sending side: what of a folder was left out and why, such as links; safe to show, and the first thousand only.
  public let omissions: [String]
  /// How many were left out.
  public let omittedCount: Int
}

/// A file or folder on its way, on either side.
public final class ResourceTransfer: Sendable {
  /// The other side.
  public let peer: Peer
  /// What it is called.
  public let name: String

  let record: TransferRecord

  init(peer: Peer, name: String, record: TransferRecord) {
    self.peer = peer
    self.name = name
    self.record = record
  }

  /// How far it is, newest only: a slow reader misses what is past. Ends with the transfer.
  public var progress: PeerEvents<TransferProgress> { PeerEvents(source: record.progress) }

  /// Gives up, and tells the other side. Does nothing when it is over. Idempotent.
  public func cancel() { record.cancel() }

  /// Waits for the end. When the awaiting task is cancelled the transfer is cancelled.
  ///
  /// - Returns: when all of it arrived and length and hash are right.
  public var value: TransferSummary {
    get async throws(TransferError) { try await record.value() }
  }
}

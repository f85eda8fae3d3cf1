/// A named stream of bytes between two peers, both ways, on a connection of its own.
///
/// A slow reader slows the writer. When it is released the stream ends at once, unless this side has finished writing and has read
/// everything: then what was written still arrives.
public final class PeerStream: Sendable {
  /// The other side.
  public let peer: Peer
  /// What it is for, in the words of the side that opened it: data to be checked.
  public let name: String

  let record: StreamRecord

  init(peer: Peer, name: String, record: StreamRecord) {
    self.peer = peer
    self.name = name
    self.record = record
  }

  deinit { record.release() }

  /// Waits for bytes.
  ///
  /// - Returns: 1 to `maximumCount` bytes; nil when the other side has finished and everything was read.
  public func read(upTo maximumCount: Int = 65_536) async throws(StreamError) -> [UInt8]? {
    try await record.read(upTo: maximumCount)
  }

  /// Writes bytes; returns when they are in the hands of the connection, which takes as long as the other side needs to read what was before.
  public func write(_ bytes: [UInt8]) async throws(StreamError) { try await record.write(bytes) }

  /// Says that nothing more will be written; what was written still arrives. Reading goes on. Idempotent.
  public func finishWriting() { record.finishWriting() }

  /// Ends both directions at once. Idempotent.
  public func close() { record.cancel() }
}

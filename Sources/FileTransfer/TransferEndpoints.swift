public import PeerProtocol

/// What a file or folder transfer reads from.
///
/// Used on a worker thread, by one thread at a time, and may block. A transfer that goes on after a break calls `open` again,
/// with an index at or before the last one.
public protocol TransferSource: AnyObject, Sendable {
  /// Opens an entry for reading from its start, in place of the one that is open. The order of the entries is the source's own and
  /// the same at every call; a folder comes before what is in it.
  ///
  /// - Returns: nil when there are only `index` entries.
  /// - Throws: `changed` when the entry is no longer what was offered.
  func open(entry index: UInt32) throws(StorageError) -> TransferEntry?

  /// Reads the next bytes of the open entry, at least one unless it is at its end.
  ///
  /// - Parameter buffer: not empty; valid during the call only.
  /// - Returns: how many bytes were read; 0 at the end of the entry.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int

  /// Called once, when the transfer has ended in any way; nothing is called afterwards.
  func close()
}

/// What a file or folder transfer writes to.
///
/// Used on a worker thread, by one thread at a time, and may block. One connection calls `position`, `readBack` for the prefix of the
/// entry that was begun, then for each entry `begin`, `write`, `complete`. After a break the next connection starts over with
/// `position`. One of `finish` and `abandon` is called once, and nothing after it.
public protocol TransferSink: AnyObject, Sendable {
  /// How far the sink has got, by this transfer or by an earlier one whose partial result was kept; `.start` for an empty one.
  /// Only entries that were completed count as whole.
  func position() throws(StorageError) -> TransferPosition

  /// Reads what is there of the entry at `position`, so that its hash can be compared with the sender's.
  ///
  /// - Parameters:
  ///   - offset: below the position's offset.
  ///   - buffer: not empty; valid during the call only.
  /// - Returns: how many bytes were read; 0 only at the end of what is there.
  func readBack(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int

  /// The next entry comes, from `offset` on: not 0 only for the entry at `position`, and then the position's offset. What is there
  /// behind `offset` is not part of it.
  ///
  /// - Throws: `unsafeName` when the path cannot be made a safe one, `noSpace` when the entry does not fit.
  func begin(_ entry: TransferEntry, index: UInt32, at offset: UInt64) throws(StorageError)

  /// Takes the next bytes of the entry, all of them; never more in all than the entry's size.
  ///
  /// - Parameter bytes: valid during the call only.
  func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError)

  /// The entry is whole: byte count and hash are right.
  func complete() throws(StorageError)

  /// All entries are whole: the result takes its final name. Only after this returns the sender hears that it succeeded.
  func finish() throws(StorageError)

  /// The transfer ended otherwise, or was not even begun.
  ///
  /// - Parameter isResumable: false when what is there is of no use, such as after a wrong hash.
  func abandon(isResumable: Bool)
}

/// Why a source or a sink cannot go on.
public struct StorageError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Reason: Sendable {
    /// The disk is full, or what comes would not fit.
    case noSpace
    case notReadable
    case notWritable
    /// What is read is no longer what was offered.
    case changed
    /// A name that cannot be made safe.
    case unsafeName
  }

  public let reason: Reason
  /// Cause, place and remedy, for the operator of this side.
  public let text: String

  public init(_ reason: Reason, _ text: String) {
    self.reason = reason
    self.text = text
  }

  public var description: String { text }
}

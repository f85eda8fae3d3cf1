/// A file or folder that a peer offers; nothing of it is sent before it is accepted.
///
/// An offer that is released without an answer is declined.
public final class IncomingResource: Sendable {
  /// What is offered.
  public enum Kind: Equatable, Sendable {
    /// One file.
    case file
    /// A folder with so many files and folders in it.
    case folder(entries: Int)
  }

  /// Who offers it.
  public let peer: Peer
  /// What the sender calls it: data, to be shown with care. The name on disk is made safe, and nothing is overwritten.
  public let name: String
  /// What it is.
  public let kind: Kind
  /// Bytes in all.
  public let byteCount: UInt64

  let answer: ResourceAnswer

  init(peer: Peer, name: String, kind: Kind, byteCount: UInt64, answer: ResourceAnswer) {
    self.peer = peer
    self.name = name
    self.kind = kind
    self.byteCount = byteCount
    self.answer = answer
  }

  deinit { answer.decline("") }

  /// Receives it into a directory, under a safe name that tells the sender.
  ///
  /// - Parameters:
  ///   - folder: made when it is missing.
  ///   - resumes: goes on where an earlier attempt broke off, if what is there proves to be the same; and keeps what has arrived if this one breaks.
  /// - Returns: the transfer to follow; its `value` has the path.
  public func accept(into folder: String, resumes: Bool = true) -> ResourceTransfer {
    answer.accept(into: folder, resumes: resumes)
  }

  /// Says no. Does nothing when it was answered before.
  ///
  /// - Parameter reason: shown to the sender; may be empty.
  public func decline(_ reason: String = "") { answer.decline(reason) }
}

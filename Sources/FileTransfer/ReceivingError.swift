import Glibc
public import ServiceRuntime

/// Why something of a peer was not stored here. Every text in it is safe to show.
public enum ReceivingError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum PathFault: Equatable, Sendable {
    case leavesFolder, containsSlash, containsNul, emptyComponent, tooDeep, tooLong
  }

  /// The folder for received files cannot be used.
  case folderUnusable(SystemError)
  /// The private folder for what is incomplete is not a directory of ours alone; the text says why.
  case privateFolderUnsafe(String)
  /// The same thing of the same peer is being received already.
  case alreadyReceiving(String)
  /// More than the policy allows for one transfer.
  case tooLarge(bytes: UInt64, maximum: UInt64)
  case tooManyEntries(UInt32, maximum: UInt32)
  /// What was offered would leave less than the policy's reserve on the disk.
  case noRoom(needed: UInt64, available: UInt64)
  /// The disk became full during the transfer.
  case diskFull(SystemError)
  /// A path that no honest program sends.
  case unsafePath(String, PathFault)
  /// Two entries have one place.
  case duplicateEntry(String)
  /// An entry is to be inside something that is no folder of this transfer.
  case notInsideFolder(String)
  /// Something that is no directory, such as a link, lies where a folder of this transfer was.
  case linkInTheWay(String)
  /// An entry does not fit to what was offered: kind, size or number; the text says which.
  case notAsOffered(String)
  /// The bytes of an entry are fewer or more than it declared.
  case wrongLength(String, received: UInt64, declared: UInt64)
  /// So many files of that name are there that no free name was found.
  case noFreeName(String)
  case system(SystemError)

  public var description: String {
    switch self {
    case .folderUnusable(let error): "the folder for received files cannot be used: \(error)"
    case .privateFolderUnsafe(let reason):
      "the folder '.partial' for incomplete files is not safe: \(reason); move it away, a new one is made"
    case .alreadyReceiving(let name): "'\(name)' of this peer is being received already"
    case .tooLarge(let bytes, let maximum): "\(bytes) bytes are more than the limit of \(maximum)"
    case .tooManyEntries(let count, let maximum):
      "\(count) files and folders are more than the limit of \(maximum)"
    case .noRoom(let needed, let available):
      "no room: \(needed) bytes are needed with the reserve, \(available) are free; free some space"
    case .diskFull(let error): "the disk is full: \(error); free some space"
    case .unsafePath(let path, let fault): "the peer's path '\(path)' is refused: \(fault.reason)"
    case .duplicateEntry(let path): "the peer sent '\(path)' twice, or two names that are one here"
    case .notInsideFolder(let path):
      "the peer's path '\(path)' is refused: what it is in is no folder of this transfer"
    case .linkInTheWay(let path): "'\(path)' is not the folder that was made there; somebody replaced it"
    case .notAsOffered(let text): "the peer sends other than it offered: \(text)"
    case .wrongLength(let path, let received, let declared):
      "'\(path)' has \(received) bytes and not \(declared) as the peer declared"
    case .noFreeName(let name): "there are too many files named like '\(name)'; move some away"
    case .system(let error): "\(error)"
    }
  }

  /// A failed write, as what it means here.
  static func writing(_ error: SystemError) -> ReceivingError {
    switch error.code {
    case ENOSPC, EDQUOT, EFBIG: .diskFull(error)
    default: .system(error)
    }
  }

  /// The same for the transfer's worker.
  var storageError: StorageError {
    let reason: StorageError.Reason =
      switch self {
      case .tooLarge, .tooManyEntries, .noRoom, .diskFull: .noSpace
      case .unsafePath, .duplicateEntry, .notInsideFolder, .linkInTheWay: .unsafeName
      case .notAsOffered, .wrongLength: .changed
      case .folderUnusable, .privateFolderUnsafe, .alreadyReceiving, .noFreeName, .system: .notWritable
      }
    return StorageError(reason, description)
  }

  /// Whether what was stored so far is of use for another try. After bad behaviour of the peer it is not.
  var leavesUsablePart: Bool {
    switch self {
    case .folderUnusable, .privateFolderUnsafe, .alreadyReceiving, .noRoom, .diskFull, .noFreeName, .system:
      true
    case .tooLarge, .tooManyEntries, .unsafePath, .duplicateEntry, .notInsideFolder, .linkInTheWay,
      .notAsOffered, .wrongLength:
      false
    }
  }
}

extension ReceivingError.PathFault {
  var reason: String {
    switch self {
    case .leavesFolder: "it has '.' or '..' in it"
    case .containsSlash: "it has a slash inside a name"
    case .containsNul: "it has a zero byte in it"
    case .emptyComponent: "it has an empty part"
    case .tooDeep: "it is too deep"
    case .tooLong: "it is too long"
    }
  }
}

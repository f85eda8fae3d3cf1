import CLinux
import Glibc
import PeerProtocol
import SecureTransport
import ServiceRuntime

/// Everything in a folder, in the order in which it is sent: by the bytes of the names, a folder before what is in it. The same folder
/// gives the same list, so a transfer can go on with a new list after a restart.
struct FolderList: Sendable {
  static let root = -1

  struct Entry: Sendable {
    enum Content: Sendable {
      case folder
      case file(FileState)
    }

    /// The index of the folder that it is in, or `root`.
    let parent: Int
    let name: [UInt8]
    let content: Content
    let modifiedAtUnixSeconds: Int64
  }

  private(set) var entries: [Entry] = []
  private(set) var sizeBytes: UInt64 = 0
  private(set) var omissions: [Omission] = []
  private(set) var omittedCount = 0
  private let shownPath: String
  private let maximumEntries: UInt32

  init(shownPath: String, maximumEntries: UInt32) {
    self.shownPath = shownPath
    self.maximumEntries = maximumEntries
  }

  /// Names below the folder, outermost first.
  func path(of index: Int) -> [[UInt8]] {
    var path: [[UInt8]] = []
    var next = index
    while next != Self.root {
      path.append(entries[next].name)
      next = entries[next].parent
    }
    return path.reversed()
  }

  var contentKey: [UInt8] {
    let hash = Hash()
    hash.update(Array("folder\n".utf8))
    for entry in entries {
      // A name holds no zero byte, so that no two lists read the same.
      hash.update(entry.name)
      let rest =
        switch entry.content {
        case .folder: "\0\(entry.parent) folder\n"
        case .file(let seen): "\0\(entry.parent) \(seen.fingerprint)\n"
        }
      hash.update(Array(rest.utf8))
    }
    return hash.digest()
  }

  mutating func walk(_ directory: DirectoryHandle, parent: Int, path: [[UInt8]]) throws(SendingError) {
    let names: [[UInt8]]
    do {
      names = try directory.names(maximum: Int(maximumEntries))
    } catch {
      if error.code == EOVERFLOW { throw .tooManyEntries(shownPath, maximum: maximumEntries) }
      throw .system(error)
    }
    for name in names {
      let inside = path + [name]
      let information: stat
      do {
        guard let present = try directory.information(name) else { continue }
        information = present
      } catch {
        omit(inside, .unreadable)
        continue
      }
      // The bounds of a transfer: what the other side would refuse is not offered.
      guard TransferEntry(path: inside.map { textOfName($0) }, kind: .folder) != nil else {
        omit(inside, .pathTooLong)
        continue
      }
      let seen = FileState(information)
      switch information.st_mode & S_IFMT {
      case S_IFREG:
        guard directory.isReadable(name) else {
          omit(inside, .unreadable)
          continue
        }
        sizeBytes += seen.sizeBytes
        try add(
          Entry(
            parent: parent, name: name, content: .file(seen),
            modifiedAtUnixSeconds: seen.modifiedAtUnixSeconds))
      case S_IFDIR:
        guard let next = try? directory.openDirectory(name) else {
          omit(inside, .unreadable)
          continue
        }
        try add(
          Entry(
            parent: parent, name: name, content: .folder, modifiedAtUnixSeconds: seen.modifiedAtUnixSeconds))
        try walk(next, parent: entries.count - 1, path: inside)
      case S_IFLNK: omit(inside, .symbolicLink)
      default: omit(inside, .notAFile)
      }
    }
  }

  private mutating func add(_ entry: Entry) throws(SendingError) {
    if entries.count == Int(maximumEntries) { throw .tooManyEntries(shownPath, maximum: maximumEntries) }
    entries.append(entry)
  }

  private mutating func omit(_ path: [[UInt8]], _ reason: Omission.Reason) {
    omittedCount += 1
    guard omissions.count < FolderSource.maximumNamedOmissions else { return }
    omissions.append(
      Omission(path: FileTransfer.shownPath(path), reason: reason))
  }
}

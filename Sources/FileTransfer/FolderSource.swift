import CLinux
import Glibc
public import PeerProtocol
import ServiceRuntime
import Synchronization

/// Sends a folder with what is in it, as it was when this value was made.
///
/// Links inside are left out, since they may lead to what nobody meant to send; so are devices, pipes and sockets, and what cannot be read. `omissions` names them.
public final class FolderSource: TransferSource {
  /// How many omissions are named; `omittedCount` counts them all.
  static let maximumNamedOmissions = 1000

  /// The folder's own name, without the way to it.
  public let name: String
  /// Files and folders in it, at every depth.
  public let entryCount: UInt32
  /// Of all files together.
  public let sizeBytes: UInt64
  /// 32 bytes that change when anything in it does, as far as names, sizes, times and inodes tell.
  public let contentKey: [UInt8]
  public let omissions: [Omission]
  public let omittedCount: Int
  private let list: FolderList
  private let root: DirectoryHandle
  private let reading = Mutex(Reading())

  private struct Reading {
    var opened: OpenedFile?
    /// The folder of the last file, since the next one is mostly beside it.
    var parent: (index: Int, directory: DirectoryHandle)?
  }

  /// Lists a folder that the user named; links may lead to it, but none inside is followed.
  ///
  /// Blocks for as long as the listing takes.
  public init(path: String, maximumEntries: UInt32 = ReceivingPolicy().maximumEntries) throws(SendingError) {
    do {
      root = try DirectoryHandle(path: path)
    } catch { throw .system(error) }
    var list = FolderList(shownPath: path.shown(), maximumEntries: maximumEntries)
    try list.walk(root, parent: FolderList.root, path: [])
    self.list = list
    name = textOfName(FolderSource.lastComponent(of: path))
    entryCount = UInt32(list.entries.count)
    contentKey = list.contentKey
    sizeBytes = list.sizeBytes
    omissions = list.omissions
    omittedCount = list.omittedCount
  }

  public func open(entry index: UInt32) throws(StorageError) -> TransferEntry? {
    guard index < list.entries.count else { return nil }
    let entry = list.entries[Int(index)]
    let path = list.path(of: Int(index))
    let kind: TransferEntry.Kind
    switch entry.content {
    case .folder:
      reading.withLock { $0.opened = nil }
      kind = .folder
    case .file(let seen):
      try reading.withLock { (reading) throws(StorageError) in
        reading.opened = nil
        reading.opened = try openFile(entry, seen, path, &reading)
      }
      kind = .file(sizeBytes: seen.sizeBytes, isExecutable: seen.isExecutable)
    }
    return TransferEntry(
      path: path.map { textOfName($0) }, kind: kind, modifiedAtUnixSeconds: entry.modifiedAtUnixSeconds)
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    try reading.withLock { (reading) throws(StorageError) in
      try reading.opened?.read(into: buffer) ?? 0
    }
  }

  public func close() { reading.withLock { $0 = Reading() } }

  private func openFile(
    _ entry: FolderList.Entry, _ seen: FileState, _ path: [[UInt8]], _ reading: inout Reading
  ) throws(StorageError) -> OpenedFile {
    let shown = shownPath(path)
    let file: OpenFile
    let present: FileState
    do throws(SystemError) {
      var directory = root
      if let parent = reading.parent, parent.index == entry.parent {
        directory = parent.directory
      } else {
        for name in path.dropLast() { directory = try directory.openDirectory(name) }
        reading.parent = (entry.parent, directory)
      }
      file = try directory.openFile(entry.name)
      present = FileState(try file.information())
    } catch {
      switch error.code {
      // Renamed, removed, or replaced by a link.
      case ENOENT, ENOTDIR, ELOOP:
        throw StorageError(.changed, "'\(shown)' is no longer there; send the folder again")
      default: throw StorageError(.notReadable, "\(error)")
      }
    }
    if present != seen {
      throw StorageError(.changed, "'\(shown)' changed since the folder was offered; send it again")
    }
    return OpenedFile(file, seen, shownName: shown)
  }

  private static func lastComponent(of path: String) -> [UInt8] {
    let last = path.split(separator: "/").last ?? ""
    if last != "." && last != ".." && !last.isEmpty { return Array(last.utf8) }
    // `nearby send .` should not arrive as a folder called "folder".
    guard let resolved = realpath(path, nil) else { return [] }
    defer { free(resolved) }
    let length = strlen(resolved)
    let bytes = UnsafeRawBufferPointer(start: resolved, count: length)
    return Array(Array(bytes).split(separator: UInt8(ascii: "/")).last ?? [])
  }
}

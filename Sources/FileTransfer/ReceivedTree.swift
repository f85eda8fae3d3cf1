import CLinux
import Glibc
import ServiceRuntime

/// The complete entries of a folder that is being received.
///
/// Each entry that was completed is one file or folder here, and nothing else is: so the number of completed entries is counted anew after any break, without a
/// list that could disagree with the disk.
struct ReceivedTree: Sendable {
  private let root: DirectoryHandle
  /// The folders on the way to the last entry, since the next one is mostly beside it.
  private var opened: [(name: SafeFileName, directory: DirectoryHandle)] = []

  init(_ root: DirectoryHandle) { self.root = root }

  struct Count: Equatable {
    var entries: UInt32 = 0
    var bytes: UInt64 = 0
  }

  mutating func makeFolder(at path: SafeFolderPath) throws(ReceivingError) {
    let (parent, name) = try place(of: path)
    do {
      try parent.makeDirectory(name, mode: 0o777)
    } catch {
      throw error.code == EEXIST ? .duplicateEntry(path.description) : .writing(error)
    }
  }

  /// Moves a complete file to its place.
  mutating func take(_ name: [UInt8], from directory: DirectoryHandle, to path: SafeFolderPath)
    throws(ReceivingError)
  {
    let (parent, newName) = try place(of: path)
    let isMoved: Bool
    do {
      isMoved = try directory.move(name, to: parent, as: newName, isDirectory: false)
    } catch { throw .writing(error) }
    if !isMoved { throw .duplicateEntry(path.description) }
  }

  /// Finds out before the bytes come whether an entry has a place.
  mutating func check(_ path: SafeFolderPath) throws(ReceivingError) {
    let (parent, name) = try place(of: path)
    let present: stat?
    do {
      present = try parent.information(name)
    } catch { throw .system(error) }
    if present != nil { throw .duplicateEntry(path.description) }
  }

  private mutating func place(of path: SafeFolderPath) throws(ReceivingError) -> (DirectoryHandle, [UInt8]) {
    let folders = path.components.dropLast()
    var directory = root
    for (depth, name) in folders.enumerated() {
      if depth < opened.count {
        if opened[depth].name == name {
          directory = opened[depth].directory
          continue
        }
        opened.removeSubrange(depth...)
      }
      do {
        let next = try directory.openDirectory(name.bytes)
        opened.append((name, next))
        directory = next
      } catch {
        throw refusal(error, name, in: directory, path)
      }
    }
    guard let last = path.components.last else { preconditionFailure("a path has a component") }
    return (directory, last.bytes)
  }

  private func refusal(
    _ error: SystemError, _ name: SafeFileName, in directory: DirectoryHandle, _ path: SafeFolderPath
  ) -> ReceivingError {
    switch error.code {
    case ENOENT: return .notInsideFolder(path.description)
    case ENOTDIR, ELOOP:
      let information = (try? directory.information(name.bytes)).flatMap { $0 }
      let isFile = information.map { $0.st_mode & S_IFMT == S_IFREG } ?? false
      return isFile ? .notInsideFolder(path.description) : .linkInTheWay(path.description)
    default: return .system(error)
    }
  }

  /// - Returns: nil when there is something that this program does not make, so that the whole is of no use.
  static func count(in directory: DirectoryHandle, depth: Int = 0) throws(SystemError) -> Count? {
    guard depth <= SafeFolderPath.maximumDepth else { return nil }
    var count = Count()
    for name in try directory.names() {
      guard let information = try directory.information(name) else { return nil }
      count.entries += 1
      switch information.st_mode & S_IFMT {
      case S_IFREG: count.bytes += UInt64(max(0, information.st_size))
      case S_IFDIR:
        guard let inside = try Self.count(in: try directory.openDirectory(name), depth: depth + 1) else {
          return nil
        }
        count.entries += inside.entries
        count.bytes += inside.bytes
      default: return nil
      }
    }
    return count
  }
}

import CLinux
import Glibc
import ServiceRuntime

/// An open descriptor that closes itself.
final class OpenFile: Sendable {
  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  func information() throws(SystemError) -> stat {
    var information = stat()
    if fstat(descriptor, &information) != 0 { throw SystemError.current("stat") }
    return information
  }
}

/// An open directory in which every call names exactly one entry and follows no link.
///
/// Paths are looked up once, when the handle is made. Whoever later puts a link into the place of a directory gains nothing: the handle still
/// means the directory that was opened (`openat(2)`, "avoids race conditions").
final class DirectoryHandle: Sendable {
  private let file: OpenFile
  var descriptor: Int32 { file.descriptor }

  private init(_ descriptor: Int32) { file = OpenFile(descriptor) }

  /// Opens a directory that the user named: here links may lead.
  init(path: String) throws(SystemError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { throw SystemError.current("open directory \(path.shown())") }
    file = OpenFile(descriptor)
  }

  /// Opens a directory inside; a link in its place gives `ENOTDIR` or `ELOOP`.
  func openDirectory(_ name: [UInt8]) throws(SystemError) -> DirectoryHandle {
    let descriptor = withPath(name) {
      openat(self.descriptor, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    if descriptor < 0 { throw failure("open directory", name) }
    return DirectoryHandle(descriptor)
  }

  /// Makes a directory inside, which must not exist.
  func makeDirectory(_ name: [UInt8], mode: UInt32) throws(SystemError) {
    if withPath(name, { mkdirat(descriptor, $0, mode) }) != 0 { throw failure("make directory", name) }
  }

  /// Makes a file inside, which must not exist.
  func createFile(_ name: [UInt8], mode: UInt32) throws(SystemError) -> OpenFile {
    let descriptor = withPath(name) {
      openat(self.descriptor, $0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    }
    if descriptor < 0 { throw failure("create", name) }
    return OpenFile(descriptor)
  }

  /// Opens a file inside. A pipe or a device does not hold the caller up (`O_NONBLOCK`); the caller asks what it opened.
  func openFile(_ name: [UInt8], writing: Bool = false) throws(SystemError) -> OpenFile {
    let access = writing ? O_RDWR : O_RDONLY
    let descriptor = withPath(name) {
      openat(self.descriptor, $0, access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
    if descriptor < 0 { throw failure("open", name) }
    return OpenFile(descriptor)
  }

  /// What an entry is, itself and not what it points to; nil when there is none.
  func information(_ name: [UInt8]) throws(SystemError) -> stat? {
    var information = stat()
    if withPath(name, { fstatat(descriptor, $0, &information, AT_SYMLINK_NOFOLLOW) }) == 0 {
      return information
    }
    if errno == ENOENT { return nil }
    throw failure("stat", name)
  }

  func information() throws(SystemError) -> stat { try file.information() }

  /// Whether this process may read a file in it.
  func isReadable(_ name: [UInt8]) -> Bool {
    withPath(name) { faccessat(descriptor, $0, R_OK, AT_EACCESS) } == 0
  }

  /// Gives an entry its final name in another directory.
  ///
  /// - Returns: false when the name is taken; nothing was changed then.
  func move(_ name: [UInt8], to directory: DirectoryHandle, as newName: [UInt8], isDirectory: Bool)
    throws(SystemError)
    -> Bool
  {
    let noReplace: UInt32 = 1  // RENAME_NOREPLACE, linux/fs.h
    let result = withPath(name) { old in
      withPath(newName) { renameat2(descriptor, old, directory.descriptor, $0, noReplace) }
    }
    if result == 0 { return true }
    if errno == EEXIST { return false }
    // Some network file systems do not know the flag: there a link, or taking the name by an empty directory, is as exclusive.
    guard errno == EINVAL || errno == ENOSYS else { throw failure("rename to", newName) }
    return try isDirectory
      ? moveDirectory(name, to: directory, as: newName) : link(name, to: directory, as: newName)
  }

  private func link(_ name: [UInt8], to directory: DirectoryHandle, as newName: [UInt8]) throws(SystemError)
    -> Bool
  {
    let result = withPath(name) { old in
      withPath(newName) { linkat(descriptor, old, directory.descriptor, $0, 0) }
    }
    if result != 0 {
      if errno == EEXIST { return false }
      throw failure("link to", newName)
    }
    try remove(name)
    return true
  }

  private func moveDirectory(_ name: [UInt8], to directory: DirectoryHandle, as newName: [UInt8])
    throws(SystemError)
    -> Bool
  {
    do {
      try directory.makeDirectory(newName, mode: 0o700)
    } catch {
      if error.code == EEXIST { return false }
      throw error
    }
    // Replaces an empty directory only.
    let result = withPath(name) { old in
      withPath(newName) { renameat(descriptor, old, directory.descriptor, $0) }
    }
    if result != 0 { throw failure("rename to", newName) }
    return true
  }

  /// Removes one entry that is not a directory.
  func remove(_ name: [UInt8]) throws(SystemError) {
    if withPath(name, { unlinkat(descriptor, $0, 0) }) != 0 && errno != ENOENT {
      throw failure("remove", name)
    }
  }

  /// Removes a directory of ours with everything in it; links in it are removed, not followed.
  func removeTree(_ name: [UInt8], depth: Int = 0) throws(SystemError) {
    guard depth <= SafeFolderPath.maximumDepth + 1 else {
      throw SystemError("remove \(textOfName(name).shown())", code: ELOOP)
    }
    let directory: DirectoryHandle
    do {
      directory = try openDirectory(name)
    } catch {
      switch error.code {
      case ENOENT: return
      case ENOTDIR, ELOOP: return try remove(name)
      default: throw error
      }
    }
    for entry in try directory.names() { try directory.removeTree(entry, depth: depth + 1) }
    if withPath(name, { unlinkat(descriptor, $0, AT_REMOVEDIR) }) != 0 {
      throw failure("remove directory", name)
    }
  }

  /// The names in it, without `.` and `..`, sorted by their bytes.
  ///
  /// - Throws: `EOVERFLOW` when there are more than `maximum`.
  func names(maximum: Int = 1_000_000) throws(SystemError) -> [[UInt8]] {
    // A descriptor of its own, since closing the stream closes it, and its reading position is not shared.
    let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0, let stream = fdopendir(own) else {
      let error = SystemError.current("list directory")
      if own >= 0 { close(own) }
      throw error
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw SystemError.current("list directory") }
        break
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name == [0x2E] || name == [0x2E, 0x2E] { continue }
      if names.count == maximum { throw SystemError("list directory", code: EOVERFLOW) }
      names.append(name)
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Makes the names in it durable.
  func synchronize() throws(SystemError) {
    // Some file systems cannot synchronize directories and say EINVAL: there nothing can be done.
    if fsync(descriptor) != 0 && errno != EINVAL { throw SystemError.current("synchronize directory") }
  }

  /// Bytes that a user without privileges may still write on this file system.
  func availableBytes() throws(SystemError) -> UInt64 {
    var information = statvfs()
    if fstatvfs(descriptor, &information) != 0 { throw SystemError.current("ask for free space") }
    let (bytes, overflow) = UInt64(information.f_bavail).multipliedReportingOverflow(
      by: UInt64(information.f_frsize))
    return overflow ? .max : bytes
  }

  private func failure(_ operation: String, _ name: [UInt8]) -> SystemError {
    let code = errno
    return SystemError("\(operation) '\(textOfName(name).shown())'", code: code)
  }
}

/// Calls with a name of one entry as C takes it.
private func withPath(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
  // An entry, never a path: names from peers were made safe long before, and those of the kernel cannot be otherwise.
  precondition(
    !name.isEmpty && !name.contains(0) && !name.contains(UInt8(ascii: "/")), "not a name of one entry")
  return (name + [0]).withUnsafeBytes { bytes in
    guard let base = bytes.baseAddress else { return -1 }
    return body(base.assumingMemoryBound(to: CChar.self))
  }
}

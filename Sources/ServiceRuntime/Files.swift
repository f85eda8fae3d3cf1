import Glibc

/// Small whole files: identities, trust, configuration.
public enum Files {
  /// Reads a whole file.
  ///
  /// - Throws: `SystemError`; `EFBIG` when the file is larger than `maximumBytes`.
  public static func read(_ path: String, maximumBytes: Int) throws(SystemError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw SystemError.current("open \(path)") }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return content }
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemError.current("read \(path)")
      }
      if content.count + count > maximumBytes { throw SystemError("read \(path)", code: EFBIG) }
      content.append(contentsOf: chunk[..<count])
    }
  }

  /// Replaces a file so that a reader, also after a power loss, sees the old or the new content and nothing between.
  ///
  /// What root writes belongs to the owner of the directory, see `giveToOwnerOfDirectory`.
  public static func replace(_ path: String, with bytes: [UInt8], mode: UInt32) throws(SystemError) {
    let temporary = "\(path).new.\(getpid())"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    if descriptor < 0 { throw SystemError.current("create \(temporary)") }
    giveToOwnerOfDirectory(descriptor, at: path)
    var offset = 0
    while offset < bytes.count {
      let written = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset)
      }
      if written < 0 {
        if errno == EINTR { continue }
        let error = SystemError.current("write \(temporary)")
        close(descriptor)
        unlink(temporary)
        throw error
      }
      offset += written
    }
    let synced = fsync(descriptor)
    let error = SystemError.current("write \(temporary)")
    close(descriptor)
    if synced < 0 || rename(temporary, path) < 0 {
      let failure = synced < 0 ? error : SystemError.current("replace \(path)")
      unlink(temporary)
      throw failure
    }
    // The rename itself becomes durable only with its directory.
    let directory = open(parent(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      fsync(directory)
      close(directory)
    }
  }

  /// When root made this file in somebody's directory, gives it to whom the directory belongs.
  ///
  /// A service runs as a user of its own, and its administrator, who pairs it and trusts for it, is root: what they
  /// write there is the service's, which could not read it otherwise. For anybody but root this does nothing.
  public static func giveToOwnerOfDirectory(_ descriptor: Int32, at path: String) {
    guard geteuid() == 0 else { return }
    var directory = stat()
    var file = stat()
    // Not what was there before, which their owner may have put there to be given it.
    guard lstat(parent(of: path), &directory) == 0, directory.st_mode & S_IFMT == S_IFDIR,
      directory.st_uid != 0,
      fstat(descriptor, &file) == 0, file.st_size == 0, file.st_nlink == 1
    else { return }
    _ = fchown(descriptor, directory.st_uid, directory.st_gid)
  }

  /// Makes a directory and its missing parents; an existing one is left as it is.
  public static func makeDirectory(_ path: String, mode: UInt32) throws(SystemError) {
    if mkdir(path, mode) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, parent(of: path) != path else {
      throw SystemError.current("create directory \(path)")
    }
    try makeDirectory(parent(of: path), mode: mode)
    if mkdir(path, mode) != 0 && errno != EEXIST { throw SystemError.current("create directory \(path)") }
  }

  /// The directory part of a path.
  public static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// How a program ends, as scripts rely on it (`sysexits.h` from 64 on).
public enum ExitCode: Int32, Sendable {
  case accepted = 0
  case internalError = 1
  case refused = 2
  case noVehicle = 3
  case noAnswer = 4
  case usage = 64
  case serviceUnavailable = 69
  case configuration = 78
}

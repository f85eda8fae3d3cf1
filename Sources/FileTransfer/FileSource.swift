import CLinux
import Glibc
public import PeerProtocol
import SecureTransport
import ServiceRuntime
import Synchronization

/// Sends one file, as it was when this value was made.
public final class FileSource: TransferSource {
  /// The file's own name, without the way to it.
  public let name: String
  public let sizeBytes: UInt64
  public let modifiedAtUnixSeconds: Int64
  /// 32 bytes that change when the file does, as far as its size, time and inode tell.
  public let contentKey: [UInt8]
  private let reading: Mutex<OpenedFile>

  /// Opens a file that the user named; links may lead to it.
  public init(path: String) throws(SendingError) {
    // A pipe does not hold the caller up.
    let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    if descriptor < 0 { throw .system(SystemError.current("open \(path.shown())")) }
    let file = OpenFile(descriptor)
    let seen: FileState
    do {
      seen = FileState(try file.information())
    } catch { throw .system(error) }
    if seen.isFolder { throw .isFolder(path.shown()) }
    guard seen.isRegular else { throw .notAFile(path.shown()) }
    name = textOfName(path.split(separator: "/").last.map { Array($0.utf8) } ?? [])
    sizeBytes = seen.sizeBytes
    modifiedAtUnixSeconds = seen.modifiedAtUnixSeconds
    contentKey = sha256(Array("file\n\(seen.fingerprint)".utf8))
    reading = Mutex(OpenedFile(file, seen, shownName: path.shown()))
  }

  public func open(entry index: UInt32) throws(StorageError) -> TransferEntry? {
    guard index == 0 else { return nil }
    return try reading.withLock { (file) throws(StorageError) in
      try file.rewind()
      return TransferEntry(
        path: [], kind: .file(sizeBytes: sizeBytes, isExecutable: file.seen.isExecutable),
        modifiedAtUnixSeconds: modifiedAtUnixSeconds)
    }
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    try reading.withLock { (file) throws(StorageError) in try file.read(into: buffer) }
  }

  public func close() { reading.withLock { $0.close() } }
}

/// What tells whether a file is still the one that was offered.
struct FileState: Equatable, Sendable {
  let sizeBytes: UInt64
  let isExecutable: Bool
  let isRegular: Bool
  let isFolder: Bool
  private let modifiedSeconds: Int
  private let modifiedNanoseconds: Int
  private let inode: ino_t
  private let device: dev_t

  var modifiedAtUnixSeconds: Int64 { Int64(modifiedSeconds) }

  /// What of it outlasts a restart of the system; the number of the device may not.
  var fingerprint: String {
    "\(sizeBytes) \(isExecutable) \(modifiedSeconds) \(modifiedNanoseconds) \(inode)"
  }

  init(_ information: stat) {
    sizeBytes = UInt64(max(0, information.st_size))
    isExecutable = information.st_mode & 0o100 != 0
    isRegular = information.st_mode & S_IFMT == S_IFREG
    isFolder = information.st_mode & S_IFMT == S_IFDIR
    modifiedSeconds = information.st_mtim.tv_sec
    modifiedNanoseconds = information.st_mtim.tv_nsec
    inode = information.st_ino
    device = information.st_dev
  }
}

/// A file that is being read, and watched for changes.
struct OpenedFile: Sendable {
  let seen: FileState
  private var file: OpenFile?
  private let shownName: String
  private var offset: UInt64 = 0

  init(_ file: OpenFile, _ seen: FileState, shownName: String) {
    self.file = file
    self.seen = seen
    self.shownName = shownName
    _ = posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
  }

  mutating func rewind() throws(StorageError) {
    offset = 0
    try checkUnchanged()
  }

  /// - Returns: 0 at the end of what was offered.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    guard let file else { throw StorageError(.notReadable, "'\(shownName)' is closed") }
    guard offset < seen.sizeBytes else {
      // At the end, so that a change of the file while it was sent does not pass for its content.
      try checkUnchanged()
      return 0
    }
    while true {
      let most = min(UInt64(buffer.count), seen.sizeBytes - offset)
      let count = pread(file.descriptor, buffer.baseAddress, Int(most), off_t(offset))
      if count > 0 {
        offset += UInt64(count)
        return count
      }
      if count == 0 { throw changed("it became shorter") }
      if errno != EINTR { throw StorageError(.notReadable, "\(SystemError.current("read '\(shownName)'"))") }
    }
  }

  mutating func close() { file = nil }

  private func checkUnchanged() throws(StorageError) {
    guard let file else { throw StorageError(.notReadable, "'\(shownName)' is closed") }
    let now: FileState
    do {
      now = FileState(try file.information())
    } catch { throw StorageError(.notReadable, "'\(shownName)': \(error)") }
    if now != seen { throw changed("somebody wrote to it") }
  }

  private func changed(_ how: String) -> StorageError {
    StorageError(.changed, "'\(shownName)' changed while it was sent: \(how); send it again")
  }
}

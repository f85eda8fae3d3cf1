import Glibc

/// Keeps other programs of ours out of a directory while files in it are replaced.
///
/// A lock on the directory itself (`flock(2)`): it leaves no file behind and ends with the process.
public final class DirectoryLock {
  private var descriptor: Int32

  /// Waits for the lock; every holder gives it back within milliseconds.
  public init(_ directory: String) throws(SystemError) {
    descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { throw SystemError.current("open \(directory)") }
    while flock(descriptor, LOCK_EX) != 0 {
      if errno == EINTR { continue }
      let error = SystemError.current("lock \(directory)")
      close(descriptor)
      descriptor = -1
      throw error
    }
  }

  deinit { release() }

  /// Idempotent.
  public func release() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}

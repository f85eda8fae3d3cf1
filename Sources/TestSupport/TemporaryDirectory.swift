import Glibc
import ServiceRuntime

/// A directory that goes away with the test.
public final class TemporaryDirectory {
  public let path: String

  public init() throws {
    var template = Array("/tmp/drone-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError.current("mkdtemp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { TemporaryDirectory.remove(path) }

  private static func remove(_ path: String) {
    // First as if it were a file: a test may have put a link to a directory of the system here, and what a link points to is not ours.
    if unlink(path) == 0 { return }
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    if let directory = fdopendir(descriptor) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { remove("\(path)/\(name)") }
      }
      closedir(directory)
      rmdir(path)
    } else {
      close(descriptor)
    }
  }

  /// The permission bits of a file in it, or nil when there is none.
  public func mode(of name: String) -> UInt32? {
    var information = stat()
    return stat("\(path)/\(name)", &information) == 0 ? information.st_mode & 0o7777 : nil
  }
}

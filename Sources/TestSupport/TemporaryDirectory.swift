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
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { remove("\(path)/\(name)") }
      }
      closedir(directory)
      rmdir(path)
    } else {
      unlink(path)
    }
  }

  /// The permission bits of a file in it, or nil when there is none.
  public func mode(of name: String) -> UInt32? {
    var information = stat()
    return stat("\(path)/\(name)", &information) == 0 ? information.st_mode & 0o7777 : nil
  }
}

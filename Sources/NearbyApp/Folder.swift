import CLinux
import Glibc
import ServiceRuntime

/// What is in a folder, for choosing from it.
enum Folder {
  /// - Throws: `NearbyFailure` when the folder cannot be read.
  static func entries(_ path: String) throws -> [FilePicker.Entry] {
    guard let directory = opendir(path) else {
      throw NearbyFailure(.usage, "\(SystemError.current("read folder \(path)"))")
    }
    defer { closedir(directory) }
    var entries: [FilePicker.Entry] = []
    while let entry = readdir(directory), entries.count < 4 * FilePicker.maximumEntries {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      // Hidden ones are no documents; a name that is not UTF-8 can be sent by its path.
      guard let name, !name.hasPrefix(".") else { continue }
      var information = stat()
      guard fstatat(dirfd(directory), name, &information, 0) == 0 else { continue }
      let isFolder = information.st_mode & S_IFMT == S_IFDIR
      guard isFolder || information.st_mode & S_IFMT == S_IFREG else { continue }
      entries.append(
        FilePicker.Entry(name: name, isFolder: isFolder, byteCount: UInt64(max(0, information.st_size))))
    }
    return entries
  }

  /// Says now what the transfer would say later.
  ///
  /// - Throws: `NearbyFailure` when the file or folder cannot be read.
  static func checkReadable(_ path: String) throws {
    guard access(path, R_OK) == 0 else {
      throw NearbyFailure(.usage, "\(SystemError.current("read \(path)"))")
    }
  }
}

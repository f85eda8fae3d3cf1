import Glibc

/// A device file as it is found: what it is, whose it is, who has it.
struct SerialDevice {
  let path: String
  /// The device behind links.
  let realPath: String
  let isPseudoTerminal: Bool
  private let groupID: gid_t

  init(path: String) throws(SerialOpenError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw SerialDevice.failure(path, code: errno, groupID: nil, holder: nil)
    }
    guard status.st_mode & S_IFMT == S_IFCHR else {
      throw SerialOpenError(.notASerialDevice, "\(path) is not a serial device")
    }
    self.path = path
    realPath = SerialDevice.realPath(path) ?? path
    // Unix98 pseudo-terminals have the major numbers 136 to 143 (Documentation/admin-guide/devices.txt).
    let major = (status.st_rdev >> 8) & 0xfff
    isPseudoTerminal = (136...143).contains(major)
    groupID = status.st_gid
  }

  func failure(code: Int32) -> SerialOpenError {
    SerialDevice.failure(
      path, code: code, groupID: groupID, holder: code == EBUSY ? ProcessTable.holder(of: realPath) : nil)
  }

  private static func failure(
    _ path: String, code: Int32, groupID: gid_t?, holder: String?
  ) -> SerialOpenError {
    switch code {
    case ENOENT, ENODEV, ENXIO: return SerialOpenError(.missing, "\(path) is not there: waiting for it")
    case EACCES, EPERM:
      let group = groupID.flatMap(Accounts.groupName) ?? "dialout"
      let user = Accounts.userName(geteuid()) ?? "USER"
      return SerialOpenError(
        .permissionDenied,
        "cannot open \(path): permission denied: add the user to group \(group)"
          + " (sudo usermod -aG \(group) \(user)) and log in again")
    case EBUSY, EWOULDBLOCK:
      let by = holder.map { "by \($0)" } ?? "by another program"
      return SerialOpenError(.busy, "cannot open \(path): it is in use \(by): stop that program first")
    default:
      let reason = unsafe String(cString: strerror(code))
      return SerialOpenError(.other, "cannot open \(path): \(reason)")
    }
  }

  /// The path without links, nil when it leads nowhere.
  static func realPath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}

extension SerialPort {
  /// The name below `/dev/serial/by-id` of a device that was given by a number, such as `/dev/ttyACM0`: numbers
  /// change when a device is plugged in again. Nil when there is none or the path is a link already.
  public static func stableName(for path: String, in directory: String = "/dev/serial/by-id") -> String? {
    guard SerialDevice.realPath(path) == path else { return nil }
    return directoryEntries(directory).map { "\(directory)/\($0)" }.sorted()
      .first { SerialDevice.realPath($0) == path }
  }
}

/// The names in a directory; empty when it cannot be read.
func directoryEntries(_ path: String) -> [String] {
  guard let directory = unsafe opendir(path) else { return [] }
  defer { unsafe closedir(directory) }
  var names: [String] = []
  while let entry = unsafe readdir(directory) {
    let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

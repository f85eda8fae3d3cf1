import Glibc

/// Who holds a device open, as far as this user may know.
enum ProcessTable {
  /// Such as `ModemManager (process 812)`; this process itself is left out.
  static func holder(of devicePath: String) -> String? {
    for process in directoryEntries("/proc") where process.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      if process == "\(getpid())" { continue }
      let descriptors = "/proc/\(process)/fd"
      let open = directoryEntries(descriptors).compactMap { link("\(descriptors)/\($0)") }
      guard open.contains(devicePath) else { continue }
      // A simulator holds both ends of its pseudo-terminal and is the device, not another user of it.
      if devicePath.hasPrefix("/dev/pts/"), open.contains(where: { $0.hasSuffix("/ptmx") }) { continue }
      return "\(name(process) ?? "a program") (process \(process))"
    }
    return nil
  }

  private static func link(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink(path, &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  private static func name(_ process: String) -> String? {
    let descriptor = unsafe open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(descriptor, &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer[..<count].prefix { $0 >= 0x20 }, as: UTF8.self) : nil
  }
}

/// Names of users and groups.
enum Accounts {
  static func groupName(_ id: gid_t) -> String? {
    var entry = unsafe group()
    var found: UnsafeMutablePointer<group>? = nil
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard unsafe getgrgid_r(id, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil,
      let name = unsafe entry.gr_name
    else { return nil }
    return unsafe String(cString: name)
  }

  static func userName(_ id: uid_t) -> String? {
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>? = nil
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard unsafe getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil,
      let name = unsafe entry.pw_name
    else { return nil }
    return unsafe String(cString: name)
  }
}

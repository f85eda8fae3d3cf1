import CLinux
import Glibc
import ServiceRuntime

/// A pseudo-terminal with a name of its own: for other programs a serial port with a flight controller on it.
///
/// Like a real port it carries nothing while nobody has it open, so that who opens it later reads nothing stale, and
/// loses the oldest bytes when the reader is too slow.
final class SimulatedSerialPort {
  var onBytes: (([UInt8]) -> Void)?
  /// Bytes that a reader was too slow for.
  private(set) var lostByteCount = 0

  /// The device behind the link, such as `/dev/pts/3`; another one each time that it is plugged in.
  private(set) var devicePath = ""
  private let loop: EventLoop
  private let linkPath: String
  private var controller: Int32 = -1
  /// Kept open, since the kernel hangs up the line when the last one closes it.
  private var device: Int32 = -1
  private var notifications: Int32 = -1
  private var watches: [DescriptorWatch] = []
  private var openCount = 0
  private var buffer = [UInt8](repeating: 0, count: 4096)

  /// - Throws: `SystemError`, with `EEXIST` when something other than a symbolic link is at `linkPath`.
  init(linkPath: String, on loop: EventLoop) throws(SystemError) {
    self.linkPath = linkPath
    self.loop = loop
    try plugIn()
  }

  /// Makes the line. Whoever wants it opens it by its link.
  func plugIn() throws(SystemError) {
    openCount = 0
    controller = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    if controller < 0 { throw SystemError.current("make a pseudo-terminal") }
    var name = [CChar](repeating: 0, count: 128)
    guard grantpt(controller) == 0, unlockpt(controller) == 0,
      ptsname_r(controller, &name, name.count) == 0
    else { throw SystemError.current("make a pseudo-terminal") }
    devicePath = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    device = open(devicePath, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    if device < 0 { throw SystemError.current("open \(devicePath)") }
    notifications = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    if notifications < 0 { throw SystemError.current("watch \(devicePath)") }
    makeRaw()
    let mask = UInt32(IN_OPEN | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE)
    if inotify_add_watch(notifications, devicePath, mask) < 0 {
      throw SystemError.current("watch \(devicePath)")
    }
    watches.append(try loop.watch(controller, for: .readable) { [weak self] _ in self?.read() })
    watches.append(try loop.watch(notifications, for: .readable) { [weak self] _ in self?.count() })
    try makeLink()
  }

  /// Removes the link, unless another program has taken it over, and hangs up: who has the port open sees its end.
  func unplug() {
    guard isPluggedIn else { return }
    for watch in watches { watch.cancel() }
    watches.removeAll()
    if linkTarget == devicePath { unlink(linkPath) }
    for descriptor in [notifications, device, controller] where descriptor >= 0 { Glibc.close(descriptor) }
    (notifications, device, controller) = (-1, -1, -1)
  }

  private var isPluggedIn: Bool { controller >= 0 }

  func write(_ bytes: [UInt8]) {
    guard isPluggedIn else { return }
    // The opening itself may still wait to be counted.
    count()
    guard openCount > 0, !bytes.isEmpty else { return }
    let written = max(0, bytes.withUnsafeBytes { Glibc.write(controller, $0.baseAddress, $0.count) })
    guard written < bytes.count else { return }
    // The reader is far behind: what waits is old, what comes is news.
    var waiting: Int32 = 0
    if ioctl(device, UInt(FIONREAD), &waiting) == 0 { lostByteCount += Int(waiting) }
    tcflush(device, TCIFLUSH)
    let rest = bytes[written...]
    let second = max(0, rest.withUnsafeBytes { Glibc.write(controller, $0.baseAddress, $0.count) })
    lostByteCount += rest.count - second
  }

  private func read() {
    let count = buffer.withUnsafeMutableBytes { Glibc.read(controller, $0.baseAddress, $0.count) }
    if count > 0 { onBytes?(Array(buffer[..<count])) }
  }

  /// Keeps count of who has the port open.
  private func count() {
    // Room for many events at once; each is a header, as a watch of one file gives no names.
    let header = MemoryLayout<inotify_event>.size
    var events = [UInt8](repeating: 0, count: 64 * header)
    while true {
      let length = events.withUnsafeMutableBytes { Glibc.read(notifications, $0.baseAddress, $0.count) }
      guard length >= header else { return }
      for start in stride(from: 0, through: length - header, by: header) {
        let mask = events.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self) }
        if mask & UInt32(IN_OPEN) != 0 {
          openCount += 1
        } else if mask & UInt32(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) != 0 {
          openCount = max(0, openCount - 1)
          if openCount == 0 { reset() }
        }
      }
    }
  }

  /// As a port that nobody has open: nothing waits, and nobody's exclusive use is left over.
  private func reset() {
    tcflush(device, TCIOFLUSH)
    _ = ioctl(device, UInt(TIOCNXCL))
    makeRaw()
  }

  private func makeRaw() {
    var settings = termios()
    guard tcgetattr(device, &settings) == 0 else { return }
    cfmakeraw(&settings)
    tcsetattr(device, TCSANOW, &settings)
  }

  private var linkTarget: String? {
    var target = [CChar](repeating: 0, count: 1024)
    let length = readlink(linkPath, &target, target.count)
    guard length >= 0 else { return nil }
    return String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Puts the link in its place in one step, so that nobody finds it missing.
  private func makeLink() throws(SystemError) {
    var status = stat()
    if lstat(linkPath, &status) == 0, status.st_mode & S_IFMT != S_IFLNK {
      throw SystemError("make a symbolic link at \(linkPath)", code: EEXIST)
    }
    let temporary = "\(linkPath).new.\(getpid())"
    unlink(temporary)
    guard symlink(devicePath, temporary) == 0 else {
      throw SystemError.current("make a symbolic link at \(temporary)")
    }
    guard rename(temporary, linkPath) == 0 else {
      let error = SystemError.current("make a symbolic link at \(linkPath)")
      unlink(temporary)
      throw error
    }
  }
}

import CLinux
import Glibc
import ServiceRuntime

/// A raw pseudo-terminal: `controller` plays the device, `path` is what a program opens as its serial port.
public final class PseudoTerminal {
  public let controller: Int32
  public let path: String

  public init() throws {
    controller = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    if controller < 0 { throw SystemError.current("posix_openpt") }
    if grantpt(controller) != 0 || unlockpt(controller) != 0 { throw SystemError.current("unlockpt") }
    var name = [CChar](repeating: 0, count: 128)
    if ptsname_r(controller, &name, name.count) != 0 { throw SystemError.current("ptsname_r") }
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var settings = termios()
    tcgetattr(controller, &settings)
    cfmakeraw(&settings)
    tcsetattr(controller, TCSANOW, &settings)
  }

  deinit { close(controller) }
}

import CSerialPort
import Glibc
public import ServiceRuntime

/// Serial devices: 8 data bits, no parity, one stop bit, no flow control.
public enum SerialPort {
  /// Bytes that may wait for the line; more than a few commands and a target never make sense.
  static let maximumBacklog = 4096

  /// Opens a device for this program alone and sets it up; reads and writes do not block.
  ///
  /// DTR and RTS stay as the kernel leaves them, also when the device is closed: some flight controllers restart
  /// when DTR changes. libserialport opens and configures real devices; it refuses pseudo-terminals, which have
  /// no speed or modem lines anyway, so those are opened directly.
  ///
  /// - Parameter path: the device or a link to it, such as one below `/dev/serial/by-id`.
  /// - Returns: a descriptor that the caller owns.
  public static func open(path: String, baud: Int) throws(SerialOpenError) -> Int32 {
    let device = try SerialDevice(path: path)
    let descriptor =
      device.isPseudoTerminal ? try openPseudoTerminal(device) : try openPort(device, baud: baud)
    do {
      try prepare(descriptor, device)
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// A channel over a device that was opened with ``open(path:baud:)``.
  public static func channel(
    path: String, baud: Int, on loop: EventLoop
  ) throws(SerialOpenError) -> any ByteChannel {
    let descriptor = try open(path: path, baud: baud)
    do {
      return try DescriptorChannel(descriptor, name: path, maximumBacklog: maximumBacklog, on: loop)
    } catch {
      close(descriptor)
      throw SerialOpenError(.other, "cannot watch \(path): \(error.reason)")
    }
  }

  private static func openPseudoTerminal(_ device: SerialDevice) throws(SerialOpenError) -> Int32 {
    let descriptor = unsafe Glibc.open(device.realPath, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 { throw device.failure(code: errno) }
    return descriptor
  }

  private static func openPort(_ device: SerialDevice, baud: Int) throws(SerialOpenError) -> Int32 {
    var port: OpaquePointer?
    guard unsafe sp_get_port_by_name(device.realPath, &port) == SP_OK, let port = unsafe port else {
      throw SerialOpenError(.notASerialDevice, "\(device.path) is not a serial device")
    }
    // The descriptor handed on is a duplicate, so the port's own can go.
    defer { unsafe sp_free_port(port) }
    guard unsafe sp_open(port, SP_MODE_READ_WRITE) == SP_OK else {
      throw device.failure(code: sp_last_error_code())
    }
    defer { unsafe sp_close(port) }
    guard unsafe sp_set_baudrate(port, Int32(clamping: baud)) == SP_OK else {
      throw SerialOpenError(.settings, "\(device.path) does not take \(baud) baud")
    }
    guard unsafe sp_set_bits(port, 8) == SP_OK, unsafe sp_set_parity(port, SP_PARITY_NONE) == SP_OK,
      unsafe sp_set_stopbits(port, 1) == SP_OK,
      unsafe sp_set_flowcontrol(port, SP_FLOWCONTROL_NONE) == SP_OK
    else {
      throw SerialOpenError(.settings, "\(device.path) does not take 8 data bits, no parity, one stop bit")
    }
    var handle: Int32 = -1
    guard unsafe sp_get_port_handle(port, &handle) == SP_OK else {
      throw SerialOpenError(.other, "cannot open \(device.path)")
    }
    let descriptor = fcntl(handle, F_DUPFD_CLOEXEC, 3)
    if descriptor < 0 { throw device.failure(code: errno) }
    return descriptor
  }

  /// Takes the device for this program alone and makes its reads unambiguous.
  private static func prepare(_ descriptor: Int32, _ device: SerialDevice) throws(SerialOpenError) {
    // The lock stops programs of any user that lock as well; TIOCEXCL stops all others except root's.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { throw device.failure(code: EBUSY) }
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else {
      throw SerialOpenError(.notASerialDevice, "\(device.path) is not a serial device")
    }
    unsafe cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    settings.c_cflag &= ~tcflag_t(HUPCL)
    // With VMIN 0 a read of nothing looks like a hang-up.
    settings.c_cc.6 = 1
    settings.c_cc.5 = 0
    guard unsafe tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
      throw SerialOpenError(.settings, "\(device.path) does not take raw mode")
    }
    // What came before the opening is of no use, and a half frame of it would count as noise.
    tcflush(descriptor, TCIFLUSH)
    if !device.isPseudoTerminal { _ = ioctl(descriptor, UInt(TIOCEXCL)) }
  }
}

import CLinux
import COpenSSL
import Glibc
public import ServiceRuntime

/// An established TLS connection that runs on its own socket, for a worker thread that moves much data.
///
/// Unlike `TLSEngine` it lets OpenSSL read and write the socket: one copy less in each direction. Reads and writes never block;
/// `wait` does, and `wake` ends it from any thread, so that a cancel does not wait for the network.
@safe public final class BulkTLS: @unchecked Sendable {
  // Unchecked because the compiler cannot see that one thread at a time uses it: the loop makes it, a worker thread takes
  // it over and is the only one to call anything but `wake`, which writes to a descriptor and nothing else.

  /// What became of a read or write.
  public enum Step: Equatable, Sendable {
    case moved(byteCount: Int)
    /// Nothing now; wait for one of these.
    case wait(Readiness)
    /// The peer ended its direction itself.
    case ended
  }

  /// What OpenSSL reads from the kernel at once. Its default of one record costs two system calls for 16 KB.
  private static let readAheadBytes = 262_144
  /// AES-GCM must not encrypt more than 2^24.5 full records under one key (RFC 8446, section 5.5), about 380 GB.
  private static let bytesPerKey: UInt64 = 64 << 30

  private static let recordBytes = 16_384

  private let connection: OpaquePointer
  private let descriptor: Int32
  private let wakeUp: Int32
  private var bytesUnderKey: UInt64 = 0

  /// Takes over the connection of `engine` and its socket, which must be non-blocking; both belong to the new object if there is one.
  ///
  /// - Returns: nil when the handshake is not finished, bytes wait in either direction, or the process has no descriptor left.
  public init?(takingOver engine: TLSEngine, descriptor: Int32) {
    let wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wakeUp >= 0 else { return nil }
    guard let connection = unsafe engine.handOver(to: descriptor) else {
      Glibc.close(wakeUp)
      return nil
    }
    unsafe self.connection = unsafe connection
    self.descriptor = descriptor
    self.wakeUp = wakeUp
    unsafe SSL_ctrl(
      connection, SSL_CTRL_MODE, Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER), nil
    )
    // Giving the buffers back suits idle connections; this one would allocate them again for each record.
    unsafe SSL_ctrl(connection, SSL_CTRL_CLEAR_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    unsafe SSL_set_default_read_buffer_len(connection, BulkTLS.readAheadBytes)
    unsafe SSL_set_read_ahead(connection, 1)
  }

  deinit {
    unsafe SSL_free(connection)
    Glibc.close(descriptor)
    Glibc.close(wakeUp)
  }

  /// Decrypts what arrived, as much as fits: repeat it until it says `wait`, because a readable socket does not show what OpenSSL
  /// has already read.
  @unsafe public func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> Step {
    var total = 0
    while total < buffer.count {
      var count = 0
      ErrorQueue.clear()
      let result = unsafe SSL_read_ex(
        connection, buffer.baseAddress.map { unsafe $0 + total }, buffer.count - total, &count)
      if result == 1 {
        total += count
        continue
      }
      let step = try step(result)
      // What was read counts first; the reason to stop comes again at the next call.
      return total > 0 ? .moved(byteCount: total) : step
    }
    return .moved(byteCount: total)
  }

  /// Encrypts a first part of `bytes` into the socket. After `wait` the next call must be given the same bytes, or more behind them.
  @unsafe public func write(_ bytes: UnsafeRawBufferPointer) throws(TLSError) -> Step {
    // OpenSSL writes record by record; the kernel is to make large packets of them.
    let isLarge = bytes.count > BulkTLS.recordBytes
    if isLarge { setCork(true) }
    defer { if isLarge { setCork(false) } }
    var total = 0
    while total < bytes.count {
      var count = 0
      ErrorQueue.clear()
      let result = unsafe SSL_write_ex(
        connection, bytes.baseAddress.map { unsafe $0 + total }, bytes.count - total, &count)
      guard result == 1 else {
        let step = try step(result)
        return total > 0 ? .moved(byteCount: total) : step
      }
      total += count
      bytesUnderKey += UInt64(count)
      if bytesUnderKey >= BulkTLS.bytesPerKey {
        bytesUnderKey = 0
        unsafe SSL_key_update(connection, SSL_KEY_UPDATE_NOT_REQUESTED)
      }
    }
    return .moved(byteCount: total)
  }

  /// Waits until the socket is ready for one of `interest`, `wake` was called, or `limit` has passed.
  public func wait(for interest: Readiness, atMost limit: Duration) {
    var events: Int16 = 0
    if interest.contains(.readable) { events |= Int16(POLLIN) }
    if interest.contains(.writable) { events |= Int16(POLLOUT) }
    // With nothing to wait for, a hang-up would end each wait at once: the negative descriptor is left out.
    var descriptors = [
      pollfd(fd: interest.isEmpty ? -1 : descriptor, events: events, revents: 0),
      pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
    ]
    let (seconds, attoseconds) = limit.components
    let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    _ = unsafe poll(&descriptors, 2, max(0, milliseconds))
    if descriptors[1].revents != 0 {
      var count: UInt64 = 0
      _ = unsafe Glibc.read(wakeUp, &count, MemoryLayout<UInt64>.size)
    }
  }

  /// Ends a `wait` at once, the present or the next one. From any thread.
  public func wake() {
    var one: UInt64 = 1
    _ = unsafe Glibc.write(wakeUp, &one, MemoryLayout<UInt64>.size)
  }

  /// Says that this side sends no more, and ends its direction of the socket. What was written still arrives; read on until `ended`
  /// before letting go, because unread bytes would make the kernel throw away what is on its way.
  public func endWriting() {
    ErrorQueue.clear()
    _ = unsafe SSL_shutdown(connection)
    ErrorQueue.clear()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  private func setCork(_ isOn: Bool) {
    var value: Int32 = isOn ? 1 : 0
    _ = unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private func step(_ result: Int32) throws(TLSError) -> Step {
    let code = errno
    switch unsafe SSL_get_error(connection, result) {
    case SSL_ERROR_WANT_READ: return .wait(.readable)
    case SSL_ERROR_WANT_WRITE: return .wait(.writable)
    case SSL_ERROR_ZERO_RETURN: return .ended
    case SSL_ERROR_SYSCALL:
      ErrorQueue.clear()
      throw .connectionLost(
        code == 0 ? "no reason given" : SystemError("", code: code).reason)
    default: throw .connectionLost(ErrorQueue.drainText())
    }
  }
}

import Glibc

/// Why a channel ended.
public enum ChannelEnd: Equatable, Sendable, CustomStringConvertible {
  case endOfFile
  case failed(SystemError)

  public var description: String {
    switch self {
    case .endOfFile: "the other end closed"
    case .failed(let error): error.description
    }
  }
}

/// A two-way stream of bytes on a loop: a serial line, a TCP connection, a pseudo-terminal.
public protocol ByteChannel: AnyObject {
  /// Receives what arrived. Set it before the loop runs again.
  var onBytes: (([UInt8]) -> Void)? { get set }
  /// Called once when the other end is gone; never after `close()`.
  var onEnd: ((ChannelEnd) -> Void)? { get set }
  /// Bytes accepted but not yet taken by the kernel.
  var pendingByteCount: Int { get }

  /// Queues bytes for sending, all or none.
  ///
  /// - Returns: false when the backlog would exceed its bound or the channel is closed; nothing of `bytes` is sent then.
  func write(_ bytes: [UInt8]) -> Bool

  /// Stops or resumes reading, so that a slow reader slows the writer instead of filling memory.
  func setReading(_ enabled: Bool)

  /// Ends the channel at once; no handler is called afterwards. Idempotent.
  func close()
}

/// A byte channel over a non-blocking descriptor that it owns.
public final class DescriptorChannel: ByteChannel {
  public var onBytes: (([UInt8]) -> Void)?
  public var onEnd: ((ChannelEnd) -> Void)?
  /// Called when a backlog has been written out completely.
  public var onDrained: (() -> Void)?

  private let loop: EventLoop
  private let descriptor: Int32
  private let name: String
  private let maximumBacklog: Int
  private var watch: DescriptorWatch?
  private var backlog: [UInt8] = []
  private var backlogStart = 0
  private var wantsReading = true
  private var isClosed = false
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// Takes over `descriptor`, makes it non-blocking and closes it at the end.
  ///
  /// - Parameters:
  ///   - name: what the channel is, for error texts.
  ///   - maximumBacklog: bound of the bytes waiting for the kernel.
  public init(_ descriptor: Int32, name: String, maximumBacklog: Int, on loop: EventLoop) throws(SystemError)
  {
    self.loop = loop
    self.descriptor = descriptor
    self.name = name
    self.maximumBacklog = maximumBacklog
    let flags = fcntl(descriptor, F_GETFL)
    if flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0 {
      throw SystemError.current("make \(name) non-blocking")
    }
    watch = try loop.watch(descriptor, for: .readable) { [weak self] readiness in self?.ready(readiness) }
  }

  deinit { close() }

  public var pendingByteCount: Int { backlog.count - backlogStart }

  public func write(_ bytes: [UInt8]) -> Bool {
    guard !isClosed, pendingByteCount + bytes.count <= maximumBacklog else { return false }
    if pendingByteCount > 0 {
      backlog.append(contentsOf: bytes)
      return true
    }
    let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if written == bytes.count { return true }
    // An error shows again on the watch, which reports it; the bytes wait there like any others.
    backlog = Array(bytes[max(0, written)...])
    backlogStart = 0
    updateInterest()
    return true
  }

  public func setReading(_ enabled: Bool) {
    guard enabled != wantsReading else { return }
    wantsReading = enabled
    updateInterest()
  }

  public func close() {
    guard !isClosed else { return }
    isClosed = true
    watch?.cancel()
    watch = nil
    Glibc.close(descriptor)
    onBytes = nil
    onEnd = nil
    onDrained = nil
  }

  /// Lets go of the descriptor, which the caller owns from now on; no handler is called afterwards.
  ///
  /// - Returns: nil when the channel is closed already; else the descriptor and what the kernel has not taken yet.
  public func release() -> (descriptor: Int32, unsent: [UInt8])? {
    guard !isClosed else { return nil }
    isClosed = true
    watch?.cancel()
    watch = nil
    onBytes = nil
    onEnd = nil
    onDrained = nil
    return (descriptor, Array(backlog[backlogStart...]))
  }

  private func updateInterest() {
    var interest: Readiness = []
    if wantsReading { interest.insert(.readable) }
    if pendingByteCount > 0 { interest.insert(.writable) }
    do throws(SystemError) { try watch?.update(interest) } catch { end(.failed(error)) }
  }

  private func ready(_ readiness: Readiness) {
    if readiness.contains(.readable) { readOnce() }
    if !isClosed, readiness.contains(.writable) { writeBacklog() }
    // A hang-up with nothing left to read: `read` says whether it was an end or an error.
    if !isClosed, readiness.contains(.hangUp), !readiness.contains(.readable) { readOnce() }
  }

  private func readOnce() {
    let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      onBytes?(Array(buffer[..<count]))
    } else if count == 0 {
      end(.endOfFile)
    } else if errno != EAGAIN && errno != EINTR {
      end(.failed(SystemError.current("read \(name)")))
    }
  }

  private func writeBacklog() {
    let written = backlog.withUnsafeBytes {
      Glibc.write(descriptor, $0.baseAddress.map { $0 + backlogStart }, $0.count - backlogStart)
    }
    if written < 0 {
      if errno != EAGAIN && errno != EINTR { end(.failed(SystemError.current("write \(name)"))) }
      return
    }
    backlogStart += written
    guard pendingByteCount == 0 else { return }
    backlog.removeAll(keepingCapacity: true)
    backlogStart = 0
    updateInterest()
    onDrained?()
  }

  private func end(_ reason: ChannelEnd) {
    let handler = onEnd
    close()
    handler?(reason)
  }
}

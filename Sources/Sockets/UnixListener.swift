import CLinux
import Glibc
public import ServiceRuntime

/// Serves a local socket for programs of the same user and of root.
public final class UnixListener {
  public let path: String
  /// Called with each connection; set the handlers of its channel before it returns.
  public var onAccept: ((DescriptorChannel, PeerCredentials) -> Void)?
  /// Called when a connection was turned away or could not be accepted; the listener goes on.
  public var onError: ((UnixSocketError) -> Void)?

  private let loop: EventLoop
  private let maximumBacklog: Int
  private let pump: AcceptPump
  /// The socket file, so that a successor's is never removed.
  private let file: FileIdentity?

  /// Makes the socket with mode 0600. One that a dead program left behind is replaced; a live one is refused.
  ///
  /// - Parameter maximumBacklog: bound of the bytes that wait for a slow reader, for each connection.
  public init(path: String, maximumBacklog: Int = 1 << 20, on loop: EventLoop) throws(UnixSocketError) {
    self.path = path
    self.loop = loop
    self.maximumBacklog = maximumBacklog
    let descriptor = try UnixSocket.open(for: path)
    let lock: DirectoryLock
    do throws(SystemError) {
      // Two programs that start at once must not remove each other's fresh socket.
      lock = try DirectoryLock(Files.parent(of: path))
    } catch {
      throw .system(error)
    }
    defer { lock.release() }
    try UnixListener.removeStale(path)
    // The file is made with the mode of the socket, so nobody can connect before it is private.
    guard fchmod(descriptor.number, 0o600) == 0,
      UnixSocket.withAddress(path, { bind(descriptor.number, $0, $1) }) == 0
    else { throw .system(SystemError.current("make the local socket \(path)")) }
    file = FileIdentity(path)
    do throws(SystemError) {
      pump = try AcceptPump(descriptor, name: path, backlog: 16, on: loop)
    } catch {
      unlink(path)
      throw .system(error)
    }
    pump.onAccept = { [weak self] descriptor, _ in self?.accepted(descriptor) }
    pump.onError = { [weak self] error in self?.onError?(.system(error)) }
  }

  deinit { close() }

  /// Ends listening and removes the file; accepted connections live on. Idempotent.
  public func close() {
    guard pump.descriptor.number >= 0 else { return }
    pump.close()
    if let file, FileIdentity(path) == file { unlink(path) }
    onAccept = nil
    onError = nil
  }

  /// Only a socket that nobody answers is removed.
  private static func removeStale(_ path: String) throws(UnixSocketError) {
    var information = stat()
    if lstat(path, &information) != 0 {
      if errno == ENOENT { return }
      throw .system(SystemError.current("look at \(path)"))
    }
    guard information.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    let probe = try UnixSocket.open(for: path)
    do throws(UnixSocketError) {
      try UnixSocket.connect(probe, to: path)
    } catch .notServed {
      if unlink(path) == 0 || errno == ENOENT { return }
      throw .system(SystemError.current("remove the old socket \(path)"))
    } catch .system(let error) where error.code == EAGAIN {
      // Its queue is full: it lives.
    }
    throw .inUse(path: path)
  }

  private func accepted(_ descriptor: SocketDescriptor) {
    guard let caller = UnixSocket.credentials(of: descriptor) else { return }
    guard caller.userID == geteuid() || caller.userID == 0 else {
      onError?(.foreignUser(path: path, userID: caller.userID))
      return
    }
    do throws(SystemError) {
      let channel = try DescriptorChannel(
        descriptor.release(), name: "connection of process \(caller.processID) on \(path)",
        maximumBacklog: maximumBacklog, on: loop)
      onAccept?(channel, caller)
    } catch {
      onError?(.system(error))
    }
  }
}

/// Which file a path stands for.
private struct FileIdentity: Equatable {
  let device: UInt
  let inode: UInt

  init?(_ path: String) {
    var information = stat()
    guard lstat(path, &information) == 0 else { return nil }
    device = information.st_dev
    inode = information.st_ino
  }
}

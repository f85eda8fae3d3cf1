import CLinux
import Glibc
public import ServiceRuntime

/// Why a local socket could not be served or reached: cause, place, remedy.
public enum UnixSocketError: Error, Equatable, Sendable, CustomStringConvertible {
  case pathTooLong(path: String, maximumBytes: Int)
  /// A live program serves it.
  case inUse(path: String)
  case notASocket(path: String)
  /// Nobody serves it.
  case notServed(path: String)
  /// The program at the other end belongs to another user.
  case foreignUser(path: String, userID: UInt32)
  case system(SystemError)

  public var description: String {
    switch self {
    case .pathTooLong(let path, let maximumBytes):
      "the path of the local socket \(path) has more than \(maximumBytes) bytes: use a shorter state directory"
    case .inUse(let path): "another program is already serving \(path): stop it first"
    case .notASocket(let path): "\(path) exists and is no socket: move it away"
    case .notServed(let path): "no program is serving \(path)"
    case .foreignUser(let path, let userID): "\(path) is served by another user (\(userID))"
    case .system(let error): error.description
    }
  }
}

/// What the kernel says about the process at the other end of a local connection (`SO_PEERCRED`).
public struct PeerCredentials: Equatable, Sendable {
  public let processID: Int32
  public let userID: UInt32
  public let groupID: UInt32
}

/// The two ends' common ground: paths, credentials, the first connect.
enum UnixSocket {
  /// Bytes of a path that `sockaddr_un` can hold, its final NUL left out (`unix(7)`).
  static let maximumPathBytes = 107

  static func open(for path: String) throws(UnixSocketError) -> SocketDescriptor {
    guard path.utf8.count <= maximumPathBytes else {
      throw .pathTooLong(path: path, maximumBytes: maximumPathBytes)
    }
    do throws(SystemError) {
      return try SocketDescriptor(family: AF_UNIX, type: SOCK_STREAM, purpose: path)
    } catch {
      throw .system(error)
    }
  }

  static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { target in
      for (index, byte) in path.utf8.prefix(maximumPathBytes).enumerated() { target[index] = byte }
    }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Connects at once or not at all: both ends are on this computer.
  static func connect(_ descriptor: SocketDescriptor, to path: String) throws(UnixSocketError) {
    let result = withAddress(path) { Glibc.connect(descriptor.number, $0, $1) }
    if result == 0 { return }
    switch errno {
    case ENOENT, ECONNREFUSED: throw .notServed(path: path)
    case ENOTSOCK: throw .notASocket(path: path)
    default: throw .system(SystemError.current("connect to \(path)"))
    }
  }

  static func credentials(of descriptor: SocketDescriptor) -> PeerCredentials? {
    // `struct ucred`: process, user and group, 32 bits each; Glibc's headers hide it from Swift.
    var fields: [UInt32] = [0, 0, 0]
    var length = socklen_t(12)
    guard getsockopt(descriptor.number, SOL_SOCKET, SO_PEERCRED, &fields, &length) == 0, length == 12
    else { return nil }
    return PeerCredentials(
      processID: Int32(bitPattern: fields[0]), userID: fields[1], groupID: fields[2])
  }
}

/// Reaches a local socket.
public enum UnixConnector {
  /// Connects to the program that serves `path`, which must belong to the same user or to root; root may reach anybody's.
  ///
  /// - Parameter maximumBacklog: bound of the bytes that wait for a slow reader.
  public static func connect(
    to path: String, maximumBacklog: Int = 1 << 20, on loop: EventLoop
  ) throws(UnixSocketError) -> DescriptorChannel {
    let descriptor = try UnixSocket.open(for: path)
    try UnixSocket.connect(descriptor, to: path)
    guard let server = UnixSocket.credentials(of: descriptor) else {
      throw .system(SystemError.current("ask who serves \(path)"))
    }
    guard server.userID == geteuid() || server.userID == 0 || geteuid() == 0 else {
      throw .foreignUser(path: path, userID: server.userID)
    }
    do throws(SystemError) {
      return try DescriptorChannel(
        descriptor.release(), name: path, maximumBacklog: maximumBacklog, on: loop)
    } catch {
      throw .system(error)
    }
  }
}

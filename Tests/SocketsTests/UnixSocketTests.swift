import Glibc
import ServiceRuntime
import Sockets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct UnixSocketTests {
  private let directory: TemporaryDirectory
  private var path: String { "\(directory.path)/control" }

  init() throws { directory = try TemporaryDirectory() }

  @Test func bytesGoBothWaysAndTheCallerIsKnown() throws {
    let loop = try EventLoop()
    let listener = try UnixListener(path: path, on: loop)
    #expect(directory.mode(of: "control") == 0o600)
    var server: DescriptorChannel?
    var caller: PeerCredentials?
    var atServer: [UInt8] = []
    listener.onAccept = { channel, credentials in
      server = channel
      caller = credentials
      channel.onBytes = { atServer += $0 }
    }
    let client = try UnixConnector.connect(to: path, on: loop)
    var atClient: [UInt8] = []
    var end: ChannelEnd?
    client.onBytes = { atClient += $0 }
    client.onEnd = { end = $0 }
    #expect(client.write([1, 2]))
    #expect(loop.runUntil { atServer == [1, 2] })
    #expect(caller?.processID == getpid())
    #expect(caller?.userID == geteuid())
    #expect(caller?.groupID == getegid())
    #expect(server?.write([3]) == true)
    #expect(loop.runUntil { atClient == [3] })
    server?.close()
    #expect(loop.runUntil { end != nil })
    #expect(end == .endOfFile)
  }

  @Test func aSocketOfADeadProgramIsReplaced() throws {
    let loop = try EventLoop()
    let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #expect(bind(dead, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0)
      }
    }
    close(dead)
    #expect(throws: UnixSocketError.notServed(path: path)) {
      try UnixConnector.connect(to: path, on: loop)
    }
    let listener = try UnixListener(path: path, on: loop)
    _ = try UnixConnector.connect(to: path, on: loop)
    withExtendedLifetime(listener) {}
  }

  @Test func aLiveSocketIsRefusedAndNotHarmed() throws {
    let loop = try EventLoop()
    let listener = try UnixListener(path: path, on: loop)
    #expect(throws: UnixSocketError.inUse(path: path)) { try UnixListener(path: path, on: loop) }
    _ = try UnixConnector.connect(to: path, on: loop)
    listener.close()
    listener.close()
    #expect(directory.mode(of: "control") == nil)
    #expect(throws: UnixSocketError.notServed(path: path)) {
      try UnixConnector.connect(to: path, on: loop)
    }
    _ = try UnixListener(path: path, on: loop)
  }

  @Test func aFileThatIsNoSocketIsLeftAlone() throws {
    let loop = try EventLoop()
    try Files.replace(path, with: [1, 2, 3], mode: 0o600)
    #expect(throws: UnixSocketError.notASocket(path: path)) { try UnixListener(path: path, on: loop) }
    #expect(try Files.read(path, maximumBytes: 10) == [1, 2, 3])
  }

  @Test func theFileOfASuccessorIsNotRemoved() throws {
    let loop = try EventLoop()
    let first = try UnixListener(path: path, on: loop)
    unlink(path)
    let second = try UnixListener(path: path, on: loop)
    first.close()
    _ = try UnixConnector.connect(to: path, on: loop)
    withExtendedLifetime(second) {}
  }

  @Test func aPathThatIsTooLongIsNamedWithTheRemedy() throws {
    let loop = try EventLoop()
    let long = "\(directory.path)/" + String(repeating: "x", count: 107 - directory.path.utf8.count)
    #expect(long.utf8.count == 108)
    #expect(throws: UnixSocketError.pathTooLong(path: long, maximumBytes: 107)) {
      try UnixListener(path: long, on: loop)
    }
    #expect(throws: UnixSocketError.pathTooLong(path: long, maximumBytes: 107)) {
      try UnixConnector.connect(to: long, on: loop)
    }
    let listener = try UnixListener(path: String(long.dropLast()), on: loop)
    _ = try UnixConnector.connect(to: String(long.dropLast()), on: loop)
    withExtendedLifetime(listener) {}
  }

  @Test func aMissingDirectoryIsNamed() throws {
    let loop = try EventLoop()
    let path = "\(directory.path)/none/control"
    #expect(throws: UnixSocketError.system(SystemError("open \(directory.path)/none", code: ENOENT))) {
      try UnixListener(path: path, on: loop)
    }
    #expect(throws: UnixSocketError.notServed(path: path)) { try UnixConnector.connect(to: path, on: loop) }
  }
}

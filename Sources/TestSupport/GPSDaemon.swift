import Glibc
import ServiceRuntime

/// A real gpsd on a port of its own, fed by gpsfake with a track or left without a receiver.
///
/// It is limited by `timeout(1)`, so that nothing runs on after a test that crashed.
public final class GPSDaemon {
  public enum Receiver {
    /// A file of `Fixtures/tracks`, by name without extension, repeated for ever; each sentence waits `cycleSeconds`.
    /// The tracks have three sentences a second, so 0.333 plays them as fast as they were walked.
    case track(String, cycleSeconds: Double)
    case none
  }

  public let port: UInt16
  private var process: pid_t?
  private let directory: String

  /// Why the programs cannot be run here, or nil when they can.
  public static var reasonToSkip: String? {
    for program in ["/usr/bin/gpsfake", "/usr/sbin/gpsd"] where access(program, X_OK) != 0 {
      return "\(program) is missing (Debian packages gpsd and gpsd-tools)"
    }
    return nil
  }

  /// A TCP port of the loopback that was free a moment ago. It is none of those that the kernel hands out by itself
  /// (`ip_local_port_range`, from 32768 unless changed), which another program may be given the next moment.
  public static func freePort() throws -> UInt16 {
    for _ in 0..<100 {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      if descriptor < 0 { throw SystemError.current("socket") }
      defer { close(descriptor) }
      let port = UInt16.random(in: 20_000..<32_000)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      address.sin_port = port.bigEndian
      let length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isFree = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
      }
      if isFree { return port }
    }
    throw SystemError.current("bind")
  }

  /// Starts the programs; the daemon listens a moment later.
  ///
  /// - Parameter commandPrefix: put before the command, such as `PrivateAvahi.commandPrefix`.
  public init(
    _ receiver: Receiver, port: UInt16? = nil, secondsAtMost: Int = 300, commandPrefix: [String] = []
  ) throws {
    self.port = try port ?? GPSDaemon.freePort()
    var template = Array("/tmp/gpsd-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError.current("mkdtemp") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var command = commandPrefix + ["/usr/bin/timeout", "--kill-after=2", String(secondsAtMost)]
    switch receiver {
    case .track(let name, let cycleSeconds):
      command += ["/usr/bin/gpsfake", "-q", "-c", String(cycleSeconds), "-P", String(self.port)]
      command.append(GPSDaemon.trackPath(name))
    case .none:
      command += ["/usr/sbin/gpsd", "-N", "-S", String(self.port), "-F", "\(directory)/control"]
    }
    process = try GPSDaemon.spawn(command, temporaryDirectory: directory)
  }

  deinit { stop() }

  /// The path of a track of `Fixtures/tracks`.
  public static func trackPath(_ name: String) -> String {
    // Sources/TestSupport/GPSDaemon.swift
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return "/\(root)/Fixtures/tracks/\(name).nmea"
  }

  /// Kills feeder and daemon at once and waits for their end. Idempotent.
  public func stop() {
    guard let process else { return }
    self.process = nil
    // The group holds timeout, gpsfake and gpsd.
    kill(-process, SIGKILL)
    waitpid(process, nil, 0)
    // gpsfake and gpsd leave their control sockets.
    if let entries = opendir(directory) {
      while let entry = readdir(entries) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { unlink("\(directory)/\(name)") }
      }
      closedir(entries)
    }
    rmdir(directory)
  }

  /// Stops feeder and daemon without ending them: connections stay, nothing is said.
  public func freeze() { if let process { kill(-process, SIGSTOP) } }
  public func thaw() { if let process { kill(-process, SIGCONT) } }

  private static func spawn(_ command: [String], temporaryDirectory: String) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for output in [Int32(1), 2] {
      posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A group of its own, so that one signal reaches all three programs and nobody else.
    // Without the signals that are blocked on the threads of tests.
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
    posix_spawnattr_setpgroup(&attributes, 0)
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    // gpsfake finds gpsd by PATH and puts its control socket into TMPDIR.
    let variables: [String] = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR=\(temporaryDirectory)"]
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for pointer in arguments + environment { free(pointer) } }
    var process = pid_t()
    let result = posix_spawnp(&process, command[0], &actions, &attributes, &arguments, &environment)
    guard result == 0 else { throw SystemError("start \(command[0])", code: result) }
    return process
  }
}

import CLinux
import Glibc
import ServiceRuntime

/// A program run by a test: its standard input and output are pipes, its standard error is the test's.
public final class ChildProcess {
  public let processID: Int32
  private var input: Int32
  private let output: Int32
  private var received: [UInt8] = []
  private var hasEnded = false

  /// - Parameters:
  ///   - command: the program, looked up in `PATH`, and its arguments.
  ///   - environment: added to the environment of the test.
  public init(_ command: [String], environment: [String: String] = [:], quiet: Bool = true) throws {
    var (toChild, fromChild): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    // Close-on-exec: a child that held another's pipe open would keep it from seeing its end.
    if pipe2(&toChild, O_CLOEXEC) != 0 || pipe2(&fromChild, O_CLOEXEC) != 0 {
      throw SystemError.current("pipe")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    if quiet { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The threads that tests run on have signals blocked, which a child would inherit: SIGTERM would not end it, and a
    // shell would not notice the end of its own children.
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    // A line for a child that has ended must fail, not end the test; the child itself has the usual signals.
    Glibc.signal(SIGPIPE, SIG_IGN)
    var usualSignals = sigset_t()
    sigemptyset(&usualSignals)
    sigaddset(&usualSignals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &usualSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var variables: [String] = environment.map { "\($0.key)=\($0.value)" }
    var entry = environ
    while let text = entry.pointee {
      let variable = String(cString: text)
      if environment[String(variable.prefix { $0 != "=" })] == nil { variables.append(variable) }
      entry += 1
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var environmentPointers: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for pointer in arguments + environmentPointers { free(pointer) } }
    var process = pid_t()
    let result = posix_spawnp(&process, command[0], &actions, &attributes, &arguments, &environmentPointers)
    close(toChild[0])
    close(fromChild[1])
    guard result == 0 else {
      close(toChild[1])
      close(fromChild[0])
      throw SystemError("start \(command[0])", code: result)
    }
    processID = process
    input = toChild[1]
    output = fromChild[0]
  }

  deinit {
    stop()
    close(output)
  }

  /// Writes one line to the program.
  public func send(_ line: String) {
    _ = (line + "\n").withCString { write(input, $0, strlen($0)) }
  }

  /// The next line of the program's output without its end, or nil when none came within `limit` or the output ended.
  public func readLine(within limit: Duration) -> String? {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeSubrange(...end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      let left = ContinuousClock.now.duration(to: deadline)
      if left <= .zero { return nil }
      var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let (seconds, attoseconds) = left.components
      let wait = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
      guard poll(&request, 1, wait) > 0 else { continue }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = read(output, &chunk, chunk.count)
      if count <= 0 { return nil }
      received += chunk[..<count]
    }
  }

  /// Ends the program's input, which most programs take as a wish to end.
  public func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Waits for the end of the program.
  ///
  /// - Returns: its exit code, 128 plus the signal that ended it, or nil when it still runs after `limit`.
  public func exitCode(within limit: Duration) -> Int32? {
    guard !hasEnded else { return nil }
    let deadline = ContinuousClock.now.advanced(by: limit)
    while true {
      var status: Int32 = 0
      if waitpid(processID, &status, WNOHANG) == processID {
        hasEnded = true
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
      }
      if ContinuousClock.now > deadline { return nil }
      usleep(2000)
    }
  }

  public func signal(_ number: Int32) { if !hasEnded { kill(processID, number) } }

  /// Kills the program if it runs and waits for its end. Idempotent.
  public func stop() {
    closeInput()
    guard !hasEnded else { return }
    kill(processID, SIGKILL)
    waitpid(processID, nil, 0)
    hasEnded = true
  }
}

import CLinux
import Glibc
public import ServiceRuntime
import Synchronization

/// Lines for the operator on standard output, and below them on a terminal one line that is updated in place.
///
/// A terminal that was paused, or a pipe whose reader is slow, must not hold up a stop: a thread of its own writes, and
/// what it cannot keep up with is dropped and counted.
public final class Console {
  private final class Queue: Sendable {
    struct State {
      var pending: [UInt8] = []
      var lost = 0
      var isOpen = true
      var isIdle = true
    }
    let state = Mutex(State())
    let wakeUp: Int32

    init() throws(SystemError) {
      wakeUp = eventfd(0, Int32(EFD_CLOEXEC))
      if wakeUp < 0 { throw SystemError.current("eventfd") }
    }

    deinit { close(wakeUp) }

    func put(_ bytes: [UInt8], mayDrop: Bool) {
      state.withLock { state in
        if state.pending.count + bytes.count > Console.maximumBacklog || (mayDrop && !state.pending.isEmpty) {
          if !mayDrop { state.lost += 1 }
        } else {
          state.pending += bytes
        }
      }
      wake()
    }

    func wake() {
      var one: UInt64 = 1
      _ = write(wakeUp, &one, MemoryLayout<UInt64>.size)
    }

    /// Runs on the writer's thread.
    func work() {
      while true {
        var count: UInt64 = 0
        _ = read(wakeUp, &count, MemoryLayout<UInt64>.size)
        let (bytes, lost, isOpen) = state.withLock { state in
          defer {
            state.pending = []
            state.lost = 0
            state.isIdle = false
          }
          return (state.pending, state.lost, state.isOpen)
        }
        writeAll(bytes)
        if lost > 0 { writeAll(Array("(\(lost) lines were dropped: the output is too slow)\n".utf8)) }
        state.withLock { $0.isIdle = true }
        if !isOpen { return }
      }
    }

    private func writeAll(_ bytes: [UInt8]) {
      var offset = 0
      while offset < bytes.count {
        let count = bytes.withUnsafeBytes { write(1, $0.baseAddress.map { $0 + offset }, $0.count - offset) }
        // Nobody reads any more: the job goes on without output.
        if count <= 0, errno != EINTR { return }
        offset += max(0, count)
      }
    }
  }

  private static let maximumBacklog = 65_536
  public let isTerminal: Bool
  private let queue: Queue
  private let writer: WorkerThread
  private var status = ""

  public init() throws(SystemError) {
    let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
    isTerminal = isatty(1) == 1 && terminal != "dumb" && !terminal.isEmpty
    let queue = try Queue()
    self.queue = queue
    writer = try WorkerThread(name: "console") { queue.work() }
  }

  deinit { finish() }

  /// Prints a line; the text is the program's own, with `shown` around what peers say.
  public func line(_ text: String) {
    let prefix = status.isEmpty ? "" : "\r\u{1B}[K"
    queue.put(Array((prefix + text + "\n" + drawnStatus).utf8), mayDrop: false)
  }

  /// Replaces the line that is updated in place; nothing without a terminal.
  public func update(_ text: String) {
    guard isTerminal else { return }
    status = text
    queue.put(Array(drawnStatus.utf8), mayDrop: true)
  }

  /// Calls an operator who looks elsewhere; nothing without a terminal.
  public func bell() {
    if isTerminal { queue.put([7], mayDrop: false) }
  }

  /// Writes what is left, for half a second at most. Idempotent.
  public func finish() {
    let wasOpen = queue.state.withLock { state in
      defer { state.isOpen = false }
      if state.isOpen, !status.isEmpty { state.pending += Array("\r\u{1B}[K".utf8) }
      return state.isOpen
    }
    guard wasOpen else { return }
    queue.wake()
    for _ in 0..<50 where !queue.state.withLock({ $0.isIdle && $0.pending.isEmpty }) { usleep(10_000) }
  }

  /// Without wrapping (DECAWM off): a line longer than the terminal is wide is cut by the terminal itself. The cursor
  /// goes back to its start, so that a line on standard error does not begin behind it.
  private var drawnStatus: String {
    status.isEmpty ? "" : "\r\u{1B}[K\u{1B}[?7l\(status)\u{1B}[?7h\r"
  }
}

import CLinux
import Glibc
import JSONText
public import ServiceRuntime
import Synchronization

/// Writes records on a thread of its own: a slow or full disk never delays a command.
///
/// What does not fit the queue or the disk is dropped and counted, and a note with the count is written when the
/// disk works again.
public final class FlightLogWriter: Sendable {
  private let queue: LineQueue
  private let thread: WorkerThread

  /// Opens the log; a torn last line, as a power loss leaves it, is ended and noted.
  ///
  /// Never fails for the disk: the writer tries again with each line.
  ///
  /// - Parameter capacity: lines that wait at most.
  /// - Throws: when no thread can be started.
  public init(_ files: LogFiles, capacity: Int = 1024, logger: Logger) throws(SystemError) {
    let queue = try LineQueue(capacity: capacity)
    self.queue = queue
    thread = try WorkerThread(name: "flight-log") {
      var file = LogFileAppender(files: files, logger: logger)
      // With unsynced lines it wakes after a second without traffic too.
      while let batch = queue.next(timeoutMilliseconds: file.needsSync ? 1000 : -1) {
        file.write(batch.lines, lostCount: batch.lostCount)
      }
      file.close()
    }
  }

  /// Queues a record; returns at once.
  public func write(_ record: FlightRecord) {
    var line = record.json.utf8
    line.append(0x0A)
    queue.add(line)
  }

  /// Writes what is queued and ends the thread; call once.
  public func close() {
    queue.finish()
    thread.join()
  }
}

/// A bounded queue between the loop and the writer's thread.
private final class LineQueue: Sendable {
  private struct State {
    var lines: [[UInt8]] = []
    var lostCount = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  private let capacity: Int
  /// A semaphore on a descriptor: `sem_t` would need a stable address.
  private let wakeUp: Int32

  init(capacity: Int) throws(SystemError) {
    self.capacity = capacity
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC))
    if wakeUp < 0 { throw SystemError.current("eventfd") }
  }

  deinit { Glibc.close(wakeUp) }

  func add(_ line: [UInt8]) {
    state.withLock { state in
      if state.lines.count < capacity, line.count <= FlightRecord.maximumLineBytes, !state.isFinished {
        state.lines.append(line)
      } else {
        state.lostCount += 1
      }
    }
    wake()
  }

  func finish() {
    state.withLock { $0.isFinished = true }
    wake()
  }

  private func wake() {
    var one: UInt64 = 1
    // Fails only when 2^64 wake-ups wait, and then the thread wakes anyway.
    _ = Glibc.write(wakeUp, &one, MemoryLayout<UInt64>.size)
  }

  /// Waits for lines; none when the time is over, nil at the end. Called by the writer's thread only.
  ///
  /// - Parameter timeoutMilliseconds: -1 waits for ever.
  func next(timeoutMilliseconds: Int32) -> (lines: [[UInt8]], lostCount: Int)? {
    while true {
      let (batch, isFinished) = state.withLock { state in
        let batch = (lines: state.lines, lostCount: state.lostCount)
        state.lines.removeAll(keepingCapacity: true)
        state.lostCount = 0
        return (batch, state.isFinished)
      }
      if !batch.lines.isEmpty || batch.lostCount > 0 { return batch }
      if isFinished { return nil }
      var waiting = pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, timeoutMilliseconds)
      if ready == 0 { return batch }
      if ready < 0 { continue }
      var count: UInt64 = 0
      _ = Glibc.read(wakeUp, &count, MemoryLayout<UInt64>.size)
    }
  }
}

/// The current file; used by one thread.
struct LogFileAppender {
  private let files: LogFiles
  private let logger: Logger
  private var descriptor: Int32 = -1
  private var fileBytes = 0
  private var lostCount = 0
  private var endsTorn = false
  private var lastSync: ContinuousClock.Instant?
  private var hasFailed = false
  private(set) var needsSync = false

  init(files: LogFiles, logger: Logger) {
    self.files = files
    self.logger = logger
    open()
  }

  mutating func write(_ lines: [[UInt8]], lostCount newlyLost: Int) {
    lostCount += newlyLost
    for line in lines {
      if lostCount > 0, !append(Self.note("lost \(lostCount) lines", ["lost": .integer(Int64(lostCount))])) {
        lostCount += 1
        continue
      }
      lostCount = 0
      if !append(line) { lostCount += 1 }
    }
    // A second's worth of lines is what a power loss may cost; a sync for each would wear flash cards out.
    let now = ContinuousClock.now
    if needsSync, descriptor >= 0, lastSync.map({ now - $0 >= .seconds(1) }) ?? true {
      fdatasync(descriptor)
      lastSync = now
      needsSync = false
    }
  }

  mutating func close() {
    if lostCount > 0 {
      _ = append(Self.note("lost \(lostCount) lines", ["lost": .integer(Int64(lostCount))]))
    }
    guard descriptor >= 0 else { return }
    fdatasync(descriptor)
    Glibc.close(descriptor)
    descriptor = -1
  }

  private mutating func open() {
    descriptor = Glibc.open(
      files.path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o640)
    guard descriptor >= 0 else { return failed(SystemError.current("open \(files.path)")) }
    let end = lseek(descriptor, 0, SEEK_END)
    fileBytes = max(0, Int(end))
    var last: UInt8 = 0x0A
    if end > 0, pread(descriptor, &last, 1, end - 1) == 1, last != 0x0A {
      endsTorn = true
      logger.warning("The last line of the log is torn; it is ended", ["log.path": files.path])
      _ = append(Self.note("the line before is torn", [:]))
    }
  }

  private mutating func failed(_ error: SystemError) {
    // Once until it works again: a full disk must not fill the journal as well.
    if !hasFailed { logger.error("Cannot write the log of commands", ["reason": error.description]) }
    hasFailed = true
  }

  private mutating func append(_ line: [UInt8]) -> Bool {
    if descriptor < 0 { open() }
    guard descriptor >= 0 else { return false }
    if files.needsRotation(fileBytes: fileBytes, lineBytes: line.count + 1) { rotate() }
    // Where files cannot be renamed, lines are lost: the log must not grow without bound.
    guard descriptor >= 0, !files.needsRotation(fileBytes: fileBytes, lineBytes: line.count + 1) else {
      return false
    }
    let bytes = endsTorn ? [0x0A] + line : line
    let before = fileBytes
    var written = Glibc.write(descriptor, bytes, bytes.count)
    while written < 0, errno == EINTR { written = Glibc.write(descriptor, bytes, bytes.count) }
    if written == bytes.count {
      fileBytes += written
      endsTorn = false
      needsSync = true
      if hasFailed { logger.notice("The log of commands is written again", ["log.path": files.path]) }
      hasFailed = false
      return true
    }
    failed(
      written < 0
        ? SystemError.current("write \(files.path)") : SystemError("write \(files.path)", code: ENOSPC))
    // A part of a line is taken back; where that fails too, the next line begins on a new one.
    if written > 0, ftruncate(descriptor, off_t(before)) != 0 {
      fileBytes += written
      endsTorn = true
    }
    return false
  }

  private mutating func rotate() {
    fdatasync(descriptor)
    Glibc.close(descriptor)
    descriptor = -1
    endsTorn = false
    for (from, to) in files.renames where rename(from, to) != 0 && errno != ENOENT {
      failed(SystemError.current("rename \(from)"))
    }
    if files.maximumFileCount == 1 { unlink(files.name(1)) }
    open()
  }

  static func note(_ text: String, _ members: KeyValuePairs<String, JSON>) -> [UInt8] {
    let stamp = RecordStamp.now
    var details: JSON.Object = ["text": .string(text)]
    for (key, value) in members { details[key] = value }
    let record = FlightRecord(
      time: stamp.wall, monotonicSeconds: stamp.monotonicSeconds,
      event: .note, details: details)
    return record.json.utf8 + [0x0A]
  }
}

import Glibc
import JSONText
import ServiceRuntime

/// The current file; used by one thread.
struct LogFileAppender {
  enum Content {
    /// JSON, one object a line; a loss is noted in the log itself.
    case lines
    /// Binary; a loss is told elsewhere, and each run begins with a file of its own, since a torn end cannot be marked.
    case records

    /// What a power loss may cost. A sync for each line would wear flash cards out.
    var syncPeriod: Duration {
      switch self {
      case .lines: .seconds(1)
      case .records: .seconds(5)
      }
    }
    var name: String {
      switch self {
      case .lines: "log of commands"
      case .records: "telemetry log"
      }
    }
  }

  private let files: LogFiles
  private let content: Content
  private let logger: Logger
  private var descriptor: Int32 = -1
  private var fileBytes = 0
  private var lostCount = 0
  private var endsTorn = false
  private var lastSync: ContinuousClock.Instant?
  private var hasFailed = false
  private(set) var needsSync = false

  init(files: LogFiles, content: Content, logger: Logger) {
    self.files = files
    self.content = content
    self.logger = logger
    open()
    if case .records = content, fileBytes > 0 { rotate() }
  }

  mutating func write(_ lines: [[UInt8]], lostCount newlyLost: Int) {
    lostCount += newlyLost
    for line in lines {
      if lostCount > 0, !tellLoss() {
        lostCount += 1
        continue
      }
      lostCount = 0
      if !append(line) { lostCount += 1 }
    }
    let now = ContinuousClock.now
    if needsSync, descriptor >= 0, lastSync.map({ now - $0 >= content.syncPeriod }) ?? true {
      fdatasync(descriptor)
      lastSync = now
      needsSync = false
    }
  }

  mutating func close() {
    if lostCount > 0 { _ = tellLoss() }
    guard descriptor >= 0 else { return }
    fdatasync(descriptor)
    Glibc.close(descriptor)
    descriptor = -1
  }

  /// False when the loss cannot be noted because the disk still takes nothing.
  private mutating func tellLoss() -> Bool {
    switch content {
    case .lines: return append(Self.note("lost \(lostCount) lines", ["lost": .integer(Int64(lostCount))]))
    case .records:
      logger.warning("the \(content.name) lost \(lostCount) records", ["log.path": files.path])
      return true
    }
  }

  private mutating func open() {
    descriptor = Glibc.open(
      files.path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o640)
    guard descriptor >= 0 else { return failed(SystemError.current("open \(files.path)")) }
    Files.giveToOwnerOfDirectory(descriptor, at: files.path)
    let end = lseek(descriptor, 0, SEEK_END)
    fileBytes = max(0, Int(end))
    var last: UInt8 = 0x0A
    if case .lines = content, end > 0, pread(descriptor, &last, 1, end - 1) == 1, last != 0x0A {
      endsTorn = true
      logger.warning("The last line of the log is torn; it is ended", ["log.path": files.path])
      _ = append(Self.note("the line before is torn", [:]))
    }
  }

  private mutating func failed(_ error: SystemError) {
    // Once until it works again: a full disk must not fill the journal as well.
    if !hasFailed { logger.error("Cannot write the \(content.name)", ["reason": error.description]) }
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
      if hasFailed { logger.notice("The \(content.name) is written again", ["log.path": files.path]) }
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

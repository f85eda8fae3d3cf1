import Glibc
import JSONText
public import ServiceRuntime

/// How records are printed.
public enum FlightLogFormat: Sendable {
  case text, json, csv

  public func line(_ record: FlightRecord) -> String {
    switch self {
    case .text: record.text
    case .json: record.json.text
    case .csv: record.csv
    }
  }
}

/// Reads the log, all files from the oldest on, and what is added later; survives rotation in between.
public final class FlightLogReader {
  /// Lines that are no records: torn by a power loss, or damaged.
  public private(set) var invalidLineCount = 0
  /// Whether the log ends inside a line: torn, or being written at this moment.
  public var endsInsideLine: Bool { !partial.isEmpty || isSkipping }

  private let path: String
  private let since: WallClockTime?
  private var descriptor: Int32 = -1
  private var partial: [UInt8] = []
  private var isSkipping = false
  private var hasStarted = false

  /// - Parameter since: older records are left out.
  public init(path: String, since: WallClockTime? = nil) {
    self.path = path
    self.since = since
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Hands over every record that was not read before.
  ///
  /// To follow the log call it again every 200 ms or so; a file that does not exist is an empty log.
  ///
  /// - Throws: `SystemError` when a file cannot be opened for another reason, or read.
  public func read(_ body: (FlightRecord) -> Void) throws(SystemError) {
    if !hasStarted {
      let older = try openAll()
      hasStarted = true
      defer { for file in older { close(file) } }
      for file in older {
        try readToEnd(file, body)
        endFile()
      }
    }
    if descriptor >= 0 { try readToEnd(descriptor, body) }
    try continueAfterRotation(body)
  }

  /// Opens the current file and returns the older ones, oldest first.
  ///
  /// From the newest to the oldest, so that a rotation meanwhile shows a file twice rather than not at all.
  private func openAll() throws(SystemError) -> [Int32] {
    var older: [Int32] = []
    var seen: Set<UInt64> = []
    descriptor = try open(path)
    if descriptor >= 0 { seen.insert(inode(descriptor)) }
    for index in 1...100 {
      let file: Int32
      do { file = try open("\(path).\(index)") } catch {
        for file in older { close(file) }
        throw error
      }
      guard file >= 0 else { continue }
      if seen.insert(inode(file)).inserted { older.append(file) } else { close(file) }
    }
    return older.reversed()
  }

  /// The descriptor, or -1 when there is no such file.
  private func open(_ path: String) throws(SystemError) -> Int32 {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if file < 0, errno != ENOENT { throw SystemError.current("open \(path)") }
    return file
  }

  private func inode(_ file: Int32) -> UInt64 {
    var status = stat()
    return fstat(file, &status) == 0 ? UInt64(status.st_ino) : 0
  }

  private func continueAfterRotation(_ body: (FlightRecord) -> Void) throws(SystemError) {
    let newest = try open(path)
    guard newest >= 0 else { return }
    guard descriptor < 0 || inode(newest) != inode(descriptor) else {
      close(newest)
      return
    }
    if descriptor >= 0 {
      // What came between the last read and the rename.
      try readToEnd(descriptor, body)
      endFile()
      close(descriptor)
    }
    descriptor = newest
    try readToEnd(newest, body)
  }

  private func endFile() {
    if endsInsideLine { invalidLineCount += 1 }
    partial = []
    isSkipping = false
  }

  private func readToEnd(_ file: Int32, _ body: (FlightRecord) -> Void) throws(SystemError) {
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(file, &chunk, chunk.count)
      if count == 0 { return }
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemError.current("read \(path)")
      }
      take(chunk[..<count], body)
    }
  }

  private func take(_ bytes: ArraySlice<UInt8>, _ body: (FlightRecord) -> Void) {
    var rest = bytes
    while let end = rest.firstIndex(of: 0x0A) {
      partial += rest[..<end]
      rest = rest[(end + 1)...]
      if !isSkipping, let record = FlightRecord(line: partial) {
        if since.map({ record.time >= $0 }) ?? true { body(record) }
      } else {
        invalidLineCount += 1
      }
      isSkipping = false
      partial.removeAll(keepingCapacity: true)
    }
    partial += rest
    if partial.count > FlightRecord.maximumLineBytes {
      isSkipping = true
      partial.removeAll(keepingCapacity: true)
    }
  }
}

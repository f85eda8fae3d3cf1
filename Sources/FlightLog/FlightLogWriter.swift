import JSONText
public import ServiceRuntime

/// Writes records on a thread of its own: a slow or full disk never delays a command.
///
/// What does not fit the queue or the disk is dropped and counted, and a note with the count is written when the
/// disk works again.
public final class FlightLogWriter: Sendable {
  private let queue: RecordQueue
  private let thread: WorkerThread

  /// Opens the log; a torn last line, as a power loss leaves it, is ended and noted.
  ///
  /// Never fails for the disk: the writer tries again with each line.
  ///
  /// - Parameter capacity: lines that wait at most.
  /// - Throws: when no thread can be started.
  public init(_ files: LogFiles, capacity: Int = 1024, logger: Logger) throws(SystemError) {
    let queue = try RecordQueue(capacity: capacity, maximumRecordBytes: FlightRecord.maximumLineBytes)
    self.queue = queue
    thread = try WorkerThread(name: "flight-log") {
      var file = LogFileAppender(files: files, content: .lines, logger: logger)
      // With unsynced lines it wakes after a second without traffic too.
      while let batch = queue.next(timeoutMilliseconds: file.needsSync ? 1000 : -1) {
        file.write(batch.records, lostCount: batch.lostCount)
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

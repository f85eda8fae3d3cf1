import Glibc
public import ServiceRuntime

/// Records the frames of the serial line as Mission Planner, MAVProxy and QGroundControl do: 8 bytes of big-endian
/// microseconds of Unix time, then the frame, again and again (`.tlog`; pymavlink, `mavutil.mavlogfile`).
///
/// On a thread of its own, bounded in size and number of files; what does not fit the queue or the disk is dropped and counted.
/// Each run begins with a new file.
public final class TelemetryLogWriter: Sendable {
  public static let defaultName = "drone-navigator.tlog"
  static let nameEnd = ".tlog"

  private static let stampBytes = 8
  /// A MAVLink 2 frame with signature (MAVLink developer guide, "Packet serialization").
  private static let maximumFrameBytes = 280

  private let queue: RecordQueue
  private let thread: WorkerThread

  /// - Parameter capacity: frames that wait at most.
  /// - Throws: when no thread can be started. A disk that fails is tried again with each frame.
  public init(_ files: LogFiles, capacity: Int = 4096, logger: Logger) throws(SystemError) {
    let queue = try RecordQueue(
      capacity: capacity,
      maximumRecordBytes: TelemetryLogWriter.stampBytes + TelemetryLogWriter.maximumFrameBytes)
    self.queue = queue
    thread = try WorkerThread(name: "telemetry-log") {
      var file = LogFileAppender(files: files, content: .records, logger: logger)
      while let batch = queue.next(timeoutMilliseconds: file.needsSync ? 5000 : -1) {
        // One write for what came together: frames are small and many.
        file.write(batch.records.joined(atMost: 16_384), lostCount: batch.lostCount)
      }
      file.close()
    }
  }

  /// Queues a frame; returns at once.
  ///
  /// - Parameter unixMicroseconds: when it passed the line.
  public func write(_ frame: [UInt8], unixMicroseconds: UInt64) {
    var record: [UInt8] = []
    record.reserveCapacity(TelemetryLogWriter.stampBytes + frame.count)
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      record.append(UInt8(truncatingIfNeeded: unixMicroseconds >> shift))
    }
    record += frame
    queue.add(record)
  }

  /// Writes what is queued and ends the thread; call once.
  public func close() {
    queue.finish()
    thread.join()
  }
}

extension [[UInt8]] {
  /// The same bytes in fewer pieces of about `size`, none of them cut within a record.
  fileprivate func joined(atMost size: Int) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    for record in self {
      if let last = pieces.indices.last, pieces[last].count + record.count <= size {
        pieces[last] += record
      } else {
        pieces.append(record)
      }
    }
    return pieces
  }
}

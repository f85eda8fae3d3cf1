import CLinux
import Glibc
import ServiceRuntime
import Synchronization

/// A bounded queue between the loop and a writer's thread.
final class RecordQueue: Sendable {
  private struct State {
    var records: [[UInt8]] = []
    var lostCount = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let maximumRecordBytes: Int
  /// A semaphore on a descriptor: `sem_t` would need a stable address.
  private let wakeUp: Int32

  init(capacity: Int, maximumRecordBytes: Int) throws(SystemError) {
    self.capacity = capacity
    self.maximumRecordBytes = maximumRecordBytes
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC))
    if wakeUp < 0 { throw SystemError.current("eventfd") }
  }

  deinit { Glibc.close(wakeUp) }

  func add(_ record: [UInt8]) {
    state.withLock { state in
      if state.records.count < capacity, record.count <= maximumRecordBytes, !state.isFinished {
        state.records.append(record)
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

  /// Waits for records; none when the time is over, nil at the end. Called by the writer's thread only.
  ///
  /// - Parameter timeoutMilliseconds: -1 waits for ever.
  func next(timeoutMilliseconds: Int32) -> (records: [[UInt8]], lostCount: Int)? {
    while true {
      let (batch, isFinished) = state.withLock { state in
        let batch = (records: state.records, lostCount: state.lostCount)
        state.records.removeAll(keepingCapacity: true)
        state.lostCount = 0
        return (batch, state.isFinished)
      }
      if !batch.records.isEmpty || batch.lostCount > 0 { return batch }
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

import Synchronization

/// A bounded queue of bytes between the loop and a worker thread: one writes, the other reads, neither waits here.
final class TransferPipe: Sendable {
  static let capacity = 262_144

  private struct State {
    var bytes: [UInt8] = []
    var start = 0
    var isEnded = false
    /// The side that found it empty (or full) wants to hear of bytes (or room).
    var wantsBytes = true
    var wantsRoom = false

    var count: Int { bytes.count - start }

    /// Takes bytes off the front.
    ///
    /// - Returns: whether the writer waits for room and there is enough now.
    mutating func took(_ taken: Int) -> Bool {
      start += taken
      if start == bytes.count {
        bytes.removeAll(keepingCapacity: true)
        start = 0
        wantsBytes = true
      }
      // Half of it at once: not a wake-up for every few bytes.
      guard wantsRoom, count <= TransferPipe.capacity / 2 else { return false }
      wantsRoom = false
      return true
    }
  }

  private let state = Mutex(State())

  /// What became of a call, for the other side's sake.
  struct Moved: Equatable {
    var byteCount: Int
    /// The other side waits for this and must be woken.
    var wakesOther: Bool
  }

  /// How many bytes `write` would take. With 0 the reader will wake the writer when there is room.
  func roomOrWakeUp() -> Int {
    state.withLock { state in
      let room = TransferPipe.capacity - state.count
      if room == 0 { state.wantsRoom = true }
      return room
    }
  }

  /// Everything was read and nothing more comes.
  var isAtEnd: Bool { state.withLock { $0.isEnded && $0.count == 0 } }

  /// Takes as much of `bytes` as there is room for.
  func write(_ bytes: some Collection<UInt8>) -> Moved {
    state.withLock { state in
      guard !state.isEnded else { return Moved(byteCount: 0, wakesOther: false) }
      let count = min(bytes.count, TransferPipe.capacity - state.count)
      if count < bytes.count { state.wantsRoom = true }
      guard count > 0 else { return Moved(byteCount: 0, wakesOther: false) }
      if state.start > 0, state.bytes.count + count > TransferPipe.capacity {
        state.bytes.removeFirst(state.start)
        state.start = 0
      }
      state.bytes.append(contentsOf: bytes.prefix(count))
      defer { state.wantsBytes = false }
      return Moved(byteCount: count, wakesOther: state.wantsBytes)
    }
  }

  /// No more bytes follow.
  func end() { state.withLock { $0.isEnded = true } }

  /// Takes out at most `limit` bytes.
  func read(atMost limit: Int) -> (bytes: [UInt8], wakesOther: Bool) {
    state.withLock { state in
      let count = min(limit, state.count)
      // A copy: a slice would keep the queue's storage from being reused.
      let taken = Array(state.bytes[state.start..<state.start + count])
      return (taken, state.took(count))
    }
  }

  /// Copies out at most as many bytes as the buffer has room for.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Moved {
    state.withLock { state in
      let count = min(buffer.count, state.count)
      buffer.copyBytes(from: state.bytes[state.start..<state.start + count])
      return Moved(byteCount: count, wakesOther: state.took(count))
    }
  }
}

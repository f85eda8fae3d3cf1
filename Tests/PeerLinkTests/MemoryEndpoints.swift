import FileTransfer
import Glibc
import PeerProtocol
import Synchronization

/// What a test sends, from memory.
final class MemorySource: TransferSource {
  struct Item: Sendable {
    let entry: TransferEntry
    let content: [UInt8]
  }

  private struct State {
    var open: UInt32 = 0
    var position = 0
    var closeCount = 0
    var readBytes = 0
    /// Content that is delivered in place of the real one, by entry.
    var forged: [UInt32: [UInt8]] = [:]
  }

  let items: [Item]
  let offer: TransferOffer
  /// Blocks each read for so long.
  private let pause: Duration
  private let state = Mutex(State())

  /// One file.
  init(_ content: [UInt8], name: String = "file", claiming size: UInt64? = nil, pause: Duration = .zero) {
    let size = size ?? UInt64(content.count)
    items = [
      Item(
        entry: TransferEntry(path: [], kind: .file(sizeBytes: size, isExecutable: false))!, content: content)
    ]
    offer = TransferOffer(kind: .file(sizeBytes: size), name: name)!
    self.pause = pause
  }

  init(folder items: [(path: [String], content: [UInt8]?)], name: String = "folder") {
    self.items = items.map { path, content in
      let kind: TransferEntry.Kind =
        content.map { .file(sizeBytes: UInt64($0.count), isExecutable: false) } ?? .folder
      return Item(entry: TransferEntry(path: path, kind: kind)!, content: content ?? [])
    }
    let size = items.reduce(0) { $0 + ($1.content?.count ?? 0) }
    offer = TransferOffer(
      kind: .folder(entryCount: UInt32(items.count), sizeBytes: UInt64(size)), name: name)!
    pause = .zero
  }

  var closeCount: Int { state.withLock { $0.closeCount } }
  var readBytes: Int { state.withLock { $0.readBytes } }

  func open(entry index: UInt32) throws(StorageError) -> TransferEntry? {
    guard index < items.count else { return nil }
    state.withLock {
      $0.open = index
      $0.position = 0
    }
    return items[Int(index)].entry
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    if pause > .zero { usleep(UInt32(pause.components.attoseconds / 1_000_000_000_000)) }
    return state.withLock { state in
      let content = items[Int(state.open)].content
      let count = min(buffer.count, content.count - state.position)
      buffer.copyBytes(from: content[state.position..<state.position + count])
      state.position += count
      state.readBytes += count
      return count
    }
  }

  func close() { state.withLock { $0.closeCount += 1 } }
}

/// What a test receives, into memory; a stand-in for a disk.
final class MemorySink: TransferSink {
  enum Verdict: Equatable {
    case finished
    case abandoned(isResumable: Bool)
  }

  struct State {
    var position = TransferPosition.start
    var current: [UInt8] = []
    var entries: [TransferEntry] = []
    var contents: [[UInt8]] = []
    var begins: [UInt64] = []
    var verdicts: [Verdict] = []
    var currentEntry: TransferEntry?
    /// Writes fail after so many bytes.
    var capacity = Int.max
    var written = 0
  }

  private let state: Mutex<State>
  private let pause: Duration
  private let pauses: Int

  /// - Parameters:
  ///   - pause: of each write.
  ///   - pauses: how many of them.
  init(capacity: Int = .max, partial: [UInt8] = [], pause: Duration = .zero, pauses: Int = 1) {
    self.pauses = pauses
    var state = State()
    state.capacity = capacity
    state.current = partial
    state.position.offsetBytes = UInt64(partial.count)
    self.state = Mutex(state)
    self.pause = pause
  }

  var snapshot: State { state.withLock { $0 } }

  /// Whether exactly these contents arrived; not an expectation, which would print megabytes.
  func has(_ contents: [[UInt8]]) -> Bool { snapshot.contents == contents }

  func position() throws(StorageError) -> TransferPosition { state.withLock { $0.position } }

  func readBack(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    state.withLock { state in
      let count = min(buffer.count, state.current.count - Int(offset))
      buffer.copyBytes(from: state.current[Int(offset)..<Int(offset) + count])
      return count
    }
  }

  func begin(_ entry: TransferEntry, index: UInt32, at offset: UInt64) throws(StorageError) {
    state.withLock { state in
      state.current = Array(state.current.prefix(Int(offset)))
      state.position = TransferPosition(entryIndex: index, offsetBytes: offset)
      state.begins.append(offset)
      state.currentEntry = entry
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    if pause > .zero {
      for _ in 0..<pauses { usleep(UInt32(pause.components.attoseconds / 1_000_000_000_000)) }
    }
    let fits = state.withLock { state in
      state.written += bytes.count
      guard state.written <= state.capacity else { return false }
      state.current += bytes
      state.position.offsetBytes += UInt64(bytes.count)
      return true
    }
    if !fits { throw StorageError(.noSpace, "the disk is full") }
  }

  func complete() throws(StorageError) {
    state.withLock { state in
      if let entry = state.currentEntry { state.entries.append(entry) }
      state.contents.append(state.current)
      state.current = []
      state.position = TransferPosition(entryIndex: state.position.entryIndex + 1, offsetBytes: 0)
    }
  }

  func finish() throws(StorageError) { state.withLock { $0.verdicts.append(.finished) } }

  func abandon(isResumable: Bool) {
    state.withLock { $0.verdicts.append(.abandoned(isResumable: isResumable)) }
  }
}

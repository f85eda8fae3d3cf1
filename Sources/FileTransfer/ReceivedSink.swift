import CLinux
import Glibc
public import PeerProtocol
import ServiceRuntime
import Synchronization

/// Stores one file or folder of a peer in a `ReceivedFolder`.
///
/// Bytes go to one private file; when an entry is whole it is moved, which happens completely or not at all. So what is there after any break is
/// a number of whole entries and the beginning of one.
public final class ReceivedSink: TransferSink {
  /// How often the free space is looked at, and the disk is told to begin writing, so that the end has little left to wait for.
  private static let checkInterval: UInt64 = 16 << 20
  /// Bytes of a file that may be in memory only: three seconds for a slow memory card.
  private static let unsettledLimit: UInt64 = 64 << 20

  private let folder: ReceivedFolder
  private let terms: ReceivingTerms
  private let claim: PartialClaim
  private let state: Mutex<State>

  private struct State {
    var completed = ReceivedTree.Count()
    var tree: ReceivedTree?
    /// The entry's file; nil while nothing of an entry is there.
    var data: OpenFile?
    var length: UInt64 = 0
    var current: Current?
    var nextCheck: UInt64 = 0
    var isSpoiled = false
    var isEnded = false
    var result: SafeFileName?
  }

  private struct Current {
    let entry: TransferEntry
    /// Nil for the one entry of a file.
    let path: SafeFolderPath?
  }

  init(folder: ReceivedFolder, terms: ReceivingTerms, claim: PartialClaim) throws(ReceivingError) {
    self.folder = folder
    self.terms = terms
    self.claim = claim
    var found = State()
    do throws(ReceivingError) {
      found = try ReceivedSink.present(folder.partials, terms, claim)
      let there = found.completed.bytes + found.length
      let needed = terms.sizeBytes > there ? terms.sizeBytes - there : 0
      let room = try folder.room()
      if needed > room { throw ReceivingError.noRoom(needed: needed, available: room) }
    } catch {
      // What an earlier try left may still be of use when there is room again.
      if claim.isContinued { claim.keep(isSettling: folder.policy.isDurable) } else { claim.discard() }
      throw error
    }
    state = Mutex(found)
  }

  /// Where the result is, once `finish` has returned.
  public var resultPath: String? {
    state.withLock { $0.result }.map { "\(folder.path)/\($0)" }
  }

  // MARK: TransferSink

  public func position() throws(StorageError) -> TransferPosition {
    state.withLock { state in
      // A complete file stays where it is until the end, but it is no part of a next entry.
      let isWhole = state.completed.entries == terms.entryCount
      return TransferPosition(entryIndex: state.completed.entries, offsetBytes: isWhole ? 0 : state.length)
    }
  }

  public func readBack(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError)
    -> Int
  {
    try acting { (state) throws(ReceivingError) in
      guard let data = state.data, offset < state.length else { return 0 }
      while true {
        let most = min(UInt64(buffer.count), state.length - offset)
        let count = pread(data.descriptor, buffer.baseAddress, Int(most), off_t(offset))
        if count >= 0 { return count }
        if errno != EINTR { throw .system(SystemError.current("read back what was received")) }
      }
    }
  }

  public func begin(_ entry: TransferEntry, index: UInt32, at offset: UInt64) throws(StorageError) {
    try acting { (state) throws(ReceivingError) in
      let path = try place(of: entry)
      guard index == state.completed.entries, index < terms.entryCount else {
        throw .notAsOffered(
          "entry \(index) comes where \(state.completed.entries) of \(terms.entryCount) are here")
      }
      guard offset <= state.length, offset <= entry.sizeBytes else {
        throw .notAsOffered("it goes on at byte \(offset) where \(state.length) are here")
      }
      let (whole, overflow) = state.completed.bytes.addingReportingOverflow(entry.sizeBytes)
      if overflow || whole > terms.sizeBytes {
        throw .notAsOffered("more than \(terms.sizeBytes) bytes")
      }
      if let path {
        var tree = try openTree(&state)
        try tree.check(path)
        state.tree = tree
      }
      try prepareData(&state, at: offset)
      state.current = Current(entry: entry, path: path)
      try checkRoom(&state)
    }
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try acting { (state) throws(ReceivingError) in
      guard let current = state.current, let data = state.data else {
        throw .notAsOffered("bytes come before the name of their file")
      }
      // Counted, not believed: the bound is what the entry declared.
      if UInt64(bytes.count) > current.entry.sizeBytes - state.length {
        let received = state.length + UInt64(bytes.count)
        throw .wrongLength(shown(current), received: received, declared: current.entry.sizeBytes)
      }
      var written = 0
      while written < bytes.count {
        let count = pwrite(
          data.descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written, off_t(state.length))
        if count < 0 {
          if errno == EINTR { continue }
          throw .writing(SystemError.current("write '\(shown(current))'"))
        }
        written += count
        state.length += UInt64(count)
      }
      if state.length >= state.nextCheck { try checkRoom(&state) }
    }
  }

  public func complete() throws(StorageError) {
    try acting { (state) throws(ReceivingError) in
      guard let current = state.current else { throw .notAsOffered("an entry ends that did not begin") }
      let size = current.entry.sizeBytes
      if state.length != size { throw .wrongLength(shown(current), received: state.length, declared: size) }
      switch current.entry.kind {
      case .folder:
        guard let path = current.path else { throw .notAsOffered("a folder comes for a file") }
        var tree = try openTree(&state)
        try tree.makeFolder(at: path)
        state.tree = tree
      case .file(_, let isExecutable):
        guard let data = state.data else { throw .notAsOffered("an entry ends that did not begin") }
        try setAttributes(of: data, isExecutable: isExecutable, current.entry.modifiedAtUnixSeconds)
        if let path = current.path {
          var tree = try openTree(&state)
          try tree.take(claim.dataName, from: folder.partials, to: path)
          state.tree = tree
          state.data = nil
          state.length = 0
        }
      }
      state.current = nil
      state.completed.entries += 1
      state.completed.bytes += size
    }
  }

  public func finish() throws(StorageError) {
    try acting { (state) throws(ReceivingError) in
      let count = state.completed.entries
      if state.current != nil || count != terms.entryCount || state.completed.bytes != terms.sizeBytes {
        throw .notAsOffered(
          "\(count) of \(terms.entryCount) files and folders, \(state.completed.bytes) of \(terms.sizeBytes) bytes"
        )
      }
      let name = terms.isFolder ? claim.treeName : claim.dataName
      if terms.isFolder { _ = try openTree(&state) }
      if folder.policy.isDurable { try synchronize(state) }
      state.result = try folder.publish(name, of: terms)
      state.data = nil
      state.isEnded = true
      claim.discard()
    }
  }

  public func abandon(isResumable: Bool) {
    state.withLock { state in
      guard !state.isEnded else { return }
      state.isEnded = true
      let hasPart = state.completed.entries > 0 || state.length > 0
      let isKept = folder.policy.keepsPartials && isResumable && !state.isSpoiled && hasPart
      if isKept { claim.keep(isSettling: folder.policy.isDurable) } else { claim.discard() }
      state.data = nil
    }
    folder.sweep()
  }

  // MARK: Parts

  /// Does one step; after a fault of the peer the rest is of no use.
  private func acting<Result>(_ body: (inout State) throws(ReceivingError) -> Result) throws(StorageError)
    -> Result
  {
    try state.withLock { (state) throws(StorageError) in
      precondition(!state.isEnded, "a transfer is used after its end")
      do throws(ReceivingError) {
        return try body(&state)
      } catch {
        if !error.leavesUsablePart { state.isSpoiled = true }
        throw error.storageError
      }
    }
  }

  private func place(of entry: TransferEntry) throws(ReceivingError) -> SafeFolderPath? {
    switch terms.content {
    case .folder: return try SafeFolderPath(entry.path)
    case .file(let sizeBytes, _):
      guard entry.path.isEmpty, case .file(sizeBytes, _) = entry.kind else {
        throw .notAsOffered("another file, or a file of another size")
      }
      return nil
    }
  }

  private func openTree(_ state: inout State) throws(ReceivingError) -> ReceivedTree {
    if let tree = state.tree { return tree }
    do throws(SystemError) {
      do {
        try folder.partials.makeDirectory(claim.treeName, mode: 0o777)
      } catch {
        if error.code != EEXIST { throw error }
      }
      let tree = ReceivedTree(try folder.partials.openDirectory(claim.treeName))
      state.tree = tree
      return tree
    } catch { throw .writing(error) }
  }

  private func prepareData(_ state: inout State, at offset: UInt64) throws(ReceivingError) {
    do throws(SystemError) {
      let data: OpenFile
      if let present = state.data {
        data = present
      } else {
        // The process's own mask decides who may read it later; the private folder keeps others out until then.
        data = try folder.partials.createFile(claim.dataName, mode: 0o666)
        state.data = data
      }
      if offset < state.length, ftruncate(data.descriptor, off_t(offset)) != 0 {
        throw SystemError.current("shorten what was received")
      }
      state.length = offset
      state.nextCheck = offset + Self.checkInterval
    } catch { throw .writing(error) }
  }

  private func checkRoom(_ state: inout State) throws(ReceivingError) {
    if folder.policy.isDurable, let data = state.data { pushToDisk(data, upTo: state.length) }
    state.nextCheck = state.length + Self.checkInterval
    guard let current = state.current else { return }
    let left = min(current.entry.sizeBytes - state.length, Self.checkInterval)
    let room = try folder.room()
    if left > room { throw .diskFull(SystemError("write '\(shown(current))'", code: ENOSPC)) }
  }

  /// Has the disk begin with what is new, and waits for what is further back, so that a slow disk slows the sender down instead of making it wait at
  /// the end for everything that memory had taken. Hints: a disk that fails says so at the end.
  private func pushToDisk(_ data: OpenFile, upTo length: UInt64) {
    let (waitBefore, write, waitAfter): (UInt32, UInt32, UInt32) = (1, 2, 4)  // linux/fs.h
    let settled = length > Self.unsettledLimit ? length - Self.unsettledLimit : 0
    let begun = length > Self.checkInterval ? length - Self.checkInterval : 0
    _ = sync_file_range(data.descriptor, off_t(begun), off_t(length - begun), write)
    if settled > 0 {
      let from = settled > Self.checkInterval ? settled - Self.checkInterval : 0
      _ = sync_file_range(
        data.descriptor, off_t(from), off_t(settled - from), waitBefore | write | waitAfter)
    }
  }

  private func setAttributes(of data: OpenFile, isExecutable: Bool, _ modified: Int64?) throws(ReceivingError)
  {
    do throws(SystemError) {
      if isExecutable && folder.policy.keepsExecutableBit {
        // For those who may read it.
        let mode = try data.information().st_mode & 0o777
        if fchmod(data.descriptor, mode | (mode & 0o444) >> 2) != 0 {
          throw SystemError.current("set the mode")
        }
      }
      if let modified {
        let omitted = 0x3FFF_FFFE  // UTIME_OMIT, linux/stat.h
        let times = [timespec(tv_sec: 0, tv_nsec: omitted), timespec(tv_sec: Int(modified), tv_nsec: 0)]
        // Years that the file system does not know are no reason to lose the file.
        _ = futimens(data.descriptor, times)
      }
    } catch { throw .system(error) }
  }

  private func synchronize(_ state: State) throws(ReceivingError) {
    // A folder may have very many files: one call for the file system is quicker than one for each.
    let result =
      if terms.isFolder { syncfs(folder.partials.descriptor) } else if let data = state.data {
        fsync(data.descriptor)
      } else { Int32(0) }
    if result != 0 { throw .writing(SystemError.current("synchronize what was received")) }
  }

  private func shown(_ current: Current) -> String {
    current.path?.description ?? SafeFileName(ofFile: terms.name).description
  }

  /// What an earlier try left.
  private static func present(
    _ partials: DirectoryHandle, _ terms: ReceivingTerms, _ claim: PartialClaim
  ) throws(ReceivingError) -> State {
    var state = State()
    guard claim.isContinued else { return state }
    do {
      if terms.isFolder, try partials.information(claim.treeName) != nil {
        let count = try ReceivedTree.count(in: try partials.openDirectory(claim.treeName))
        guard let count, count.entries <= terms.entryCount, count.bytes <= terms.sizeBytes else {
          try partials.removeTree(claim.treeName)
          try partials.remove(claim.dataName)
          return State()
        }
        state.completed = count
      }
      guard let information = try partials.information(claim.dataName) else { return state }
      let bound = terms.sizeBytes - state.completed.bytes
      guard isPlainFile(information), UInt64(max(0, information.st_size)) <= bound else {
        try partials.remove(claim.dataName)
        return state
      }
      state.data = try partials.openFile(claim.dataName, writing: true)
      state.length = UInt64(information.st_size)
    } catch { throw .writing(error) }
    return state
  }
}

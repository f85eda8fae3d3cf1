import CLinux
import Glibc
import ServiceRuntime

/// The right to write one incomplete transfer: a lock on its record, held until `keep`, `discard`, or the end of this value.
final class PartialClaim: Sendable {
  static let endings = [".record", ".data", ".tree"]

  let recordName: [UInt8]
  /// The file, or of a folder the entry that is being received.
  let dataName: [UInt8]
  /// Of a folder: what is complete.
  let treeName: [UInt8]
  /// What lies there is from the same offer, and whole as far as it goes.
  let isContinued: Bool
  /// There is no record beside what lies there.
  let isOrphan: Bool
  private let partials: DirectoryHandle
  private let record: OpenFile?
  private let terms: ReceivingTerms?

  /// Takes the place for an offer; what lies there and is not of this offer is removed.
  init(in partials: DirectoryHandle, for terms: ReceivingTerms, isContinuing: Bool) throws(ReceivingError) {
    let key = PartialRecord.key(for: terms)
    self.partials = partials
    self.terms = terms
    recordName = Array("\(key).record".utf8)
    dataName = Array("\(key).data".utf8)
    treeName = Array("\(key).tree".utf8)
    isOrphan = false
    let locked: OpenFile?
    do {
      locked = try PartialClaim.lockSoon(recordName, in: partials)
    } catch { throw .writing(error) }
    guard let file = locked else { throw .alreadyReceiving(SafeFileName(ofFile: terms.name).description) }
    record = file
    let found = PartialClaim.read(file)
    isContinued = isContinuing && found.map { PartialClaim.isUsable($0, for: terms) } ?? false
    do throws(SystemError) {
      if !isContinued {
        try partials.remove(dataName)
        try partials.removeTree(treeName)
      }
      try writeRecord(bootID: PartialClaim.bootID())
      // What grows from here on is not settled, and the disk has to know that first.
      if found?.bootID == PartialRecord.settledBootID, fsync(file.descriptor) != 0 {
        throw SystemError.current("write the record of an incomplete transfer")
      }
    } catch { throw .writing(error) }
  }

  /// Takes what nobody is writing, to see whether it should go.
  init?(forRemoval key: String, in partials: DirectoryHandle) {
    self.partials = partials
    terms = nil
    recordName = Array("\(key).record".utf8)
    dataName = Array("\(key).data".utf8)
    treeName = Array("\(key).tree".utf8)
    isContinued = false
    do {
      // nil: somebody else has it.
      guard let file = try PartialClaim.lock(recordName, in: partials, isCreating: false) else { return nil }
      record = file
      isOrphan = false
    } catch {
      guard error.code == ENOENT else { return nil }
      record = nil
      isOrphan = true
    }
  }

  /// Puts it aside for another try, which may begin at once.
  ///
  /// - Parameter isSettling: waits for the disk afterwards, so that it is of use after the next start of the system too.
  func keep(isSettling: Bool) {
    // It counts as changed now. Without that it only goes earlier.
    if let record { _ = futimens(record.descriptor, nil) }
    let kept = try? record?.information()
    release()
    // The beginning of a file is compared by its hash in any case.
    guard isSettling, terms?.isFolder == true, let record, let kept, syncfs(partials.descriptor) == 0 else {
      return
    }
    // Whoever has claimed it meanwhile has written its record.
    guard flock(record.descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    if let now = try? record.information(), now.st_nlink == 1,
      (now.st_ctim.tv_sec, now.st_ctim.tv_nsec) == (kept.st_ctim.tv_sec, kept.st_ctim.tv_nsec)
    {
      try? writeRecord(bootID: PartialRecord.settledBootID)
    }
    release()
    fsync(record.descriptor)
  }

  /// Removes everything; the record last, so that what is left of an interrupted removal is found again.
  func discard() {
    for name in [dataName, treeName] { try? partials.removeTree(name) }
    try? partials.remove(recordName)
    release()
  }

  private func release() {
    if let record { flock(record.descriptor, LOCK_UN) }
  }

  func changedAtUnixSeconds() -> Int64 {
    guard let information = try? record?.information() else { return 0 }
    return Int64(information.st_mtim.tv_sec)
  }

  func bytesOnDisk() -> UInt64 {
    let data = (try? partials.information(dataName)).flatMap { $0 }.map { UInt64(max(0, $0.st_size)) } ?? 0
    let tree = (try? partials.openDirectory(treeName)).flatMap { try? ReceivedTree.count(in: $0) }?.bytes ?? 0
    return data &+ tree
  }

  private func writeRecord(bootID: String) throws(SystemError) {
    guard let record, let terms else { return }
    let bytes = PartialRecord(bootID: bootID, terms: terms).encoded()
    // In place, because the lock is on this file, and without a new block, which a full disk would not give: only the start of the system
    // changes, and that has one length. A record that is torn by a power loss does not decode: the transfer starts over.
    if ftruncate(record.descriptor, off_t(bytes.count)) != 0
      || pwrite(record.descriptor, bytes, bytes.count, 0) != bytes.count
    {
      throw SystemError.current("write the record of an incomplete transfer")
    }
  }

  /// Whoever settles or sweeps holds the lock for a moment, and longer while the disk is busy; a transfer holds it on.
  private static func lockSoon(_ name: [UInt8], in partials: DirectoryHandle) throws(SystemError) -> OpenFile?
  {
    for _ in 0..<50 {
      if let file = try lock(name, in: partials, isCreating: true) { return file }
      usleep(5_000)
    }
    return nil
  }

  /// - Returns: nil when another holds the lock.
  private static func lock(_ name: [UInt8], in partials: DirectoryHandle, isCreating: Bool)
    throws(SystemError)
    -> OpenFile?
  {
    // Between the opening and the lock the other holder may have removed the file: then this is the lock of nothing.
    for _ in 0..<100 {
      let file: OpenFile
      do {
        file = try partials.openFile(name, writing: true)
      } catch {
        if error.code == ELOOP {
          // Not made by this module.
          try partials.remove(name)
          continue
        }
        guard error.code == ENOENT, isCreating else { throw error }
        do {
          file = try partials.createFile(name, mode: 0o600)
        } catch {
          if error.code == EEXIST { continue }
          throw error
        }
      }
      if flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
        if errno == EWOULDBLOCK { return nil }
        throw SystemError.current("lock the record of an incomplete transfer")
      }
      let mine = try file.information()
      if let present = try partials.information(name), present.st_ino == mine.st_ino {
        if isPlainFile(mine) { return file }
        try partials.remove(name)
      }
    }
    return nil
  }

  private static func read(_ file: OpenFile) -> PartialRecord? {
    var bytes = [UInt8](repeating: 0, count: PartialRecord.maximumBytes + 1)
    let count = pread(file.descriptor, &bytes, bytes.count, 0)
    return count > 0 ? PartialRecord(decoding: Array(bytes[..<count])) : nil
  }

  /// Of a file the beginning is compared by its hash. Of a folder, what is complete is believed: when the sender says that it is the same folder, and the
  /// system was not restarted since, or the disk had everything before.
  private static func isUsable(_ record: PartialRecord, for terms: ReceivingTerms) -> Bool {
    guard record.matches(terms) else { return false }
    if !terms.isFolder { return true }
    if terms.contentKey.isEmpty { return false }
    return record.bootID == PartialRecord.settledBootID
      || record.bootID == bootID() && record.bootID != PartialRecord.unknownBootID
  }

  private static func bootID() -> String {
    guard let bytes = try? Files.read("/proc/sys/kernel/random/boot_id", maximumBytes: 64) else {
      return PartialRecord.unknownBootID
    }
    let text = String(decoding: bytes.prefix(36), as: UTF8.self)
    return PartialRecord.isBootID(text) ? text : PartialRecord.unknownBootID
  }
}

/// A file with one name that belongs to this user: what this module makes. Everything else is not touched.
func isPlainFile(_ information: stat) -> Bool {
  information.st_mode & S_IFMT == S_IFREG && information.st_nlink == 1 && information.st_uid == geteuid()
}

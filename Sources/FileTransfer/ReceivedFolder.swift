import CLinux
import Glibc
import SecureTransport
import ServiceRuntime

/// The folder that takes what peers send.
///
/// What is incomplete lies in its private subfolder `.partial` under names that say nothing of the peer's words, and takes its final name when it is whole.
/// Nothing that is there is ever replaced, nothing a peer names is opened, followed or removed. Several transfers may run at once, each with a
/// sink of its own on a thread of its own.
public final class ReceivedFolder: Sendable {
  static let privateName = Array(".partial".utf8)

  public let path: String
  public let policy: ReceivingPolicy
  let directory: DirectoryHandle
  let partials: DirectoryHandle

  /// Opens the folder, which must exist, and removes what is out of date in it.
  public init(path: String, policy: ReceivingPolicy = ReceivingPolicy()) throws(ReceivingError) {
    self.path = path
    self.policy = policy
    do {
      directory = try DirectoryHandle(path: path)
    } catch { throw .folderUnusable(error) }
    partials = try ReceivedFolder.openPrivateFolder(in: directory)
    sweep()
  }

  /// A place for what a peer offered, which goes on with what an earlier try left.
  ///
  /// - Throws: what speaks against it at once: `tooLarge`, `tooManyEntries`, `noRoom`, `alreadyReceiving`.
  public func sink(for terms: ReceivingTerms) throws(ReceivingError) -> ReceivedSink {
    if terms.sizeBytes > policy.maximumBytes {
      throw .tooLarge(bytes: terms.sizeBytes, maximum: policy.maximumBytes)
    }
    if terms.entryCount > policy.maximumEntries {
      throw .tooManyEntries(terms.entryCount, maximum: policy.maximumEntries)
    }
    let claim = try PartialClaim(in: partials, for: terms, isContinuing: policy.keepsPartials)
    return try ReceivedSink(folder: self, terms: terms, claim: claim)
  }

  /// Removes what broken transfers left behind and nobody came for: what is too old, and the oldest of what is too much.
  public func sweep() { sweep(now: Int64(time(nil))) }

  /// - Parameter now: seconds since 1970-01-01 UTC. After a jump of the clock something may go early or late; nothing depends on it.
  func sweep(now: Int64) {
    guard let names = try? partials.names() else { return }
    var keys = Set<String>()
    for name in names {
      let text = String(decoding: name, as: UTF8.self)
      guard let dot = text.firstIndex(of: "."), PartialRecord.isKey(text[..<dot]),
        PartialClaim.endings.contains(String(text[dot...]))
      else { continue }
      keys.insert(String(text[..<dot]))
    }
    // A claim that cannot be had belongs to a running transfer.
    let left = keys.compactMap { PartialClaim(forRemoval: $0, in: partials) }
      .map { (claim: $0, changed: $0.changedAtUnixSeconds(), bytes: $0.bytesOnDisk()) }
      .sorted { $0.changed > $1.changed }
    var count = 0
    var bytes: UInt64 = 0
    for part in left {
      let (sum, overflow) = bytes.addingReportingOverflow(part.bytes)
      let isOld = now - part.changed > policy.maximumPartialAge.components.seconds
      if part.claim.isOrphan || isOld || count == policy.maximumPartials || overflow
        || sum > policy.maximumPartialBytes
      {
        part.claim.discard()
      } else {
        count += 1
        bytes = sum
      }
    }
  }

  /// Gives what is complete its final name.
  ///
  /// - Returns: that name.
  func publish(_ name: [UInt8], of terms: ReceivingTerms) throws(ReceivingError) -> SafeFileName {
    let isFolder = terms.isFolder
    let base = SafeFileName(ofFile: terms.name, fallback: isFolder ? "folder" : "file")
    var label = ""
    switch policy.naming {
    case .asSent: break
    case .withSender: label = " from \(sanitizedPeerName(terms.senderName))"
    }
    // The bound ends a search that a full folder, or somebody who makes files as quickly, would make endless.
    for attempt in 1...1000 {
      let candidate = base.adding(attempt == 1 ? label : "\(label) (\(attempt))", isFolder: isFolder)
      do {
        if try partials.move(name, to: directory, as: candidate.bytes, isDirectory: isFolder) {
          if policy.isDurable { try directory.synchronize() }
          return candidate
        }
      } catch { throw .writing(error) }
    }
    throw .noFreeName(base.description)
  }

  /// Bytes that may be written before the policy's reserve is touched.
  func room() throws(ReceivingError) -> UInt64 {
    do {
      let available = try directory.availableBytes()
      return available > policy.reserveBytes ? available - policy.reserveBytes : 0
    } catch { throw .system(error) }
  }

  private static func openPrivateFolder(in directory: DirectoryHandle) throws(ReceivingError)
    -> DirectoryHandle
  {
    do {
      try directory.makeDirectory(privateName, mode: 0o700)
    } catch {
      if error.code != EEXIST { throw .folderUnusable(error) }
    }
    let partials: DirectoryHandle
    let inside: stat
    let outside: stat
    do {
      partials = try directory.openDirectory(privateName)
      inside = try partials.information()
      outside = try directory.information()
    } catch {
      switch error.code {
      case ENOTDIR, ELOOP: throw .privateFolderUnsafe("it is no directory but a link or a file")
      default: throw .folderUnusable(error)
      }
    }
    if inside.st_uid != geteuid() { throw .privateFolderUnsafe("it belongs to another user") }
    if inside.st_mode & 0o077 != 0 { throw .privateFolderUnsafe("other users can open it") }
    if inside.st_dev != outside.st_dev { throw .privateFolderUnsafe("it is on another file system") }
    return partials
  }
}

import Glibc
public import PeerProtocol
public import ServiceRuntime

/// Why the trust file could not be used: cause, place, remedy.
public enum TrustError: Error, Equatable, Sendable, CustomStringConvertible {
  case system(SystemError)
  case writableByOthers(path: String, mode: UInt32)
  case tooLarge(path: String, maximumBytes: Int)

  public var description: String {
    switch self {
    case .system(let error): error.description
    case .writableByOthers(let path, let mode):
      "others may write to \(path) (mode 0\(String(mode, radix: 8))), so it proves no trust: chmod 600 \(path)"
    case .tooLarge(let path, let maximumBytes):
      "\(path) has more than \(maximumBytes) bytes: remove peers that are not needed"
    }
  }
}

/// The file `trusted` of a state directory. Nothing is trusted while it does not exist.
public struct TrustStore: Sendable {
  public static let fileName = "trusted"
  /// Some three thousand peers.
  public static let maximumBytes = 262_144

  public let path: String
  private let directory: String

  /// - Parameter directory: the state directory; it must exist.
  public init(directory: String) {
    self.directory = directory
    path = "\(directory)/\(TrustStore.fileName)"
  }

  public func load() throws(TrustError) -> TrustList { TrustList(text: try read(), path: path) }

  /// Trusts a peer, or gives a trusted one a new name.
  ///
  /// - Parameter name: made fit for one line, see `sanitizedPeerName(_:)`.
  /// - Returns: whether the file changed.
  @discardableResult
  public func add(_ id: PeerID, name: String) throws(TrustError) -> Bool {
    let peer = TrustList.Peer(id: id, name: sanitizedPeerName(name))
    return try change { TrustList.adding(peer, to: $0) }
  }

  /// - Returns: whether the peer was trusted.
  @discardableResult
  public func remove(_ id: PeerID) throws(TrustError) -> Bool {
    try change { TrustList.removing(id, from: $0) }
  }

  /// Reads, changes and replaces the file while no other program of ours does.
  private func change(_ edit: ([UInt8]) -> [UInt8]?) throws(TrustError) -> Bool {
    let lock: DirectoryLock
    do throws(SystemError) { lock = try DirectoryLock(directory) } catch { throw .system(error) }
    defer { lock.release() }
    let old = try read()
    guard let new = edit(old), new != old else { return false }
    guard new.count <= TrustStore.maximumBytes else {
      throw .tooLarge(path: path, maximumBytes: TrustStore.maximumBytes)
    }
    do throws(SystemError) { try Files.replace(path, with: new, mode: 0o600) } catch { throw .system(error) }
    return true
  }

  private func read() throws(TrustError) -> [UInt8] {
    var information = stat()
    if unsafe stat(path, &information) != 0 {
      if errno == ENOENT { return [] }
      throw .system(SystemError.current("look at \(path)"))
    }
    if information.st_mode & 0o022 != 0 {
      throw .writableByOthers(path: path, mode: information.st_mode & 0o7777)
    }
    do throws(SystemError) {
      return try Files.read(path, maximumBytes: TrustStore.maximumBytes)
    } catch {
      // Removed since it was looked at.
      if error.code == ENOENT { return [] }
      if error.code == EFBIG { throw .tooLarge(path: path, maximumBytes: TrustStore.maximumBytes) }
      throw .system(error)
    }
  }
}

/// What a change of the trust file means.
public struct TrustChange: Equatable, Sendable {
  public let list: TrustList
  public let added: [PeerID]
  /// Sessions with these peers must end now.
  public let removed: [PeerID]
}

/// Keeps a running program's trust equal to the file, whoever changes it.
///
/// While the file cannot be used (unreadable, writable by others, too large) the last good list stays in force: a
/// full disk must not take a flying vehicle from its operator. Removing the file ends all trust.
public final class TrustFileWatch {
  /// Called with each change that has a meaning.
  public var onChange: ((TrustChange) -> Void)?
  /// Called when the file cannot be used.
  public var onError: ((TrustError) -> Void)?
  public private(set) var list: TrustList

  private let store: TrustStore
  private var watch: FileWatch?

  /// - Throws: `TrustError` when the file cannot be used at the start.
  public init(_ store: TrustStore, on loop: EventLoop) throws(TrustError) {
    self.store = store
    list = TrustList()
    do throws(SystemError) {
      watch = try FileWatch(store.path, on: loop) { [weak self] in self?.reload() }
    } catch {
      throw .system(error)
    }
    // Read after the watch began, so that no change falls in between.
    list = try store.load()
  }

  /// No call of a handler follows. Idempotent.
  public func cancel() {
    watch?.cancel()
    watch = nil
    onChange = nil
    onError = nil
  }

  /// Reads the file now instead of when the watch notices.
  public func check() { reload() }

  private func reload() {
    do throws(TrustError) {
      let old = list
      let new = try store.load()
      guard new != old else { return }
      list = new
      onChange?(
        TrustChange(
          list: new, added: new.peers.map(\.id).filter { !old.contains($0) },
          removed: old.peers.map(\.id).filter { !new.contains($0) }))
    } catch {
      onError?(error)
    }
  }
}
